"""Misconceptions about the loss, the training and the text generation of a language model."""

from collections.abc import Iterator

from autograder.author import Mistakes
from reference.misconceptions.train_and_generate.loss import LOSS
from reference.misconceptions.train_and_generate.training import TRAIN
from reference.misconceptions.train_and_generate.writing import GENERATE


def simulated_values() -> Iterator[tuple[str, str, dict[str, object]]]:
    """Yield functions with the mistakes that the checks name themselves."""
    from reference.misconceptions.train_and_generate.simulated import SIMULATED

    for name, mistake, function in SIMULATED:
        yield name, mistake, {name: function}


MISTAKES = Mistakes(LOSS, TRAIN, GENERATE, simulated_values=simulated_values)
