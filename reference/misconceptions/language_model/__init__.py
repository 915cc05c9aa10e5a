"""Misconceptions about the transformer block and the language model around it."""

from collections.abc import Iterator

from autograder.author import Mistakes
from reference.misconceptions.language_model.block import BLOCK
from reference.misconceptions.language_model.model import MODEL


def simulated_values() -> Iterator[tuple[str, str, dict[str, object]]]:
    """Yield modules with the mistakes that the checks name themselves."""
    from reference.misconceptions.language_model.simulated import SIMULATED

    for name, mistake, module in SIMULATED:
        yield name, mistake, {name: module}


MISTAKES = Mistakes(BLOCK, MODEL, simulated_values=simulated_values)
