"""Calls of a student's function with a small model, which the worker creates."""

from typing import Any

from autograder.author import tensor
from reference.kit import kit_of


class TrainsOne:
    """Call of `train` with a small model."""

    def ask(self, submission: Any, recipe: Any, probe: Any) -> Any:
        state = recipe.arguments(probe)
        model = kit_of(submission).MeanModel.kept(tensor(state.embedding), tensor(state.output))
        batches = [tensor(each) for each in state.batches]
        return submission.train(model, batches, state.steps, state.lr)


class WritesWithOne:
    def ask(self, submission: Any, recipe: Any, probe: Any) -> Any:
        state = recipe.arguments(probe)
        weights = tensor(state.embedding), tensor(state.output)
        model = kit_of(submission).MeanModel.kept(*weights, state.limit)
        return submission.generate(model, tensor(state.prompt), state.count)
