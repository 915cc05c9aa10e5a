"""Callers of functions with a small model as argument, made in the worker."""

from typing import Any

from autograder.author import tensor
from reference.kit import kit_of


class TrainsOne:
    """Caller of `train`."""

    def ask(self, submission: Any, recipe: Any, probe: Any) -> Any:
        """Return the loss of each step."""
        state = recipe.arguments(probe)
        model = kit_of(submission).MeanModel.kept(tensor(state.embedding), tensor(state.output))
        batches = [tensor(each) for each in state.batches]
        return submission.train(model, batches, state.steps, state.lr)


class WritesWithOne:
    """Caller of `generate`."""

    def ask(self, submission: Any, recipe: Any, probe: Any) -> Any:
        """Return the sequence of tokens."""
        state = recipe.arguments(probe)
        weights = tensor(state.embedding), tensor(state.output)
        model = kit_of(submission).MeanModel.kept(*weights, state.limit)
        return submission.generate(model, tensor(state.prompt), state.count)
