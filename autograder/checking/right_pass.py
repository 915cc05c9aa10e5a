"""The course's own torch module, called with what a submission's is called with."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.checking.once import computed_once
from autograder.checking.parts import Weights
from autograder.worker.codec import Tensor
from autograder.worker.messages import Forward, Passed
from autograder.worker.module_calls import run_module


def right_pass(
    build: Callable[..., Any],
    made_with: tuple[Any, ...],
    inputs: tuple[Any, ...],
    state: Weights,
    toward: tuple[Any, ...] | None = None,
) -> Passed:
    """The same pass of a module of the course's own, in float64, here in this process.

    Most submissions are asked the same: what was computed is kept, and cannot be written to. In a
    released course `build` stands for the module alone, and knows what it gave.
    """
    recorded = getattr(build, "recorded_pass", None)
    if recorded is not None:
        passed: Passed = recorded(made_with, inputs, state, toward)
        return passed
    return _computed(build, made_with, inputs, state, toward)


@computed_once
def _computed(
    build: Callable[..., Any],
    made_with: tuple[Any, ...],
    inputs: tuple[Any, ...],
    state: Weights,
    toward: tuple[Any, ...] | None,
) -> Passed:
    import torch

    def tensor(value: Any) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        found = torch.from_numpy(np.array(value))
        return found.double() if found.is_floating_point() else found

    forward = Forward(
        {name: tensor(value) for name, value in state.items()},
        [tensor(value) for value in inputs],
        toward=None if toward is None else [tensor(each) for each in toward],
    )
    with torch.random.fork_rng(devices=[]):
        passed = run_module(lambda *args: build(*args).double(), list(made_with), {}, forward)
    passed.value = _arrays(passed.value)
    passed.gradients = {name: _arrays(each) for name, each in passed.gradients.items()}
    return passed


def _arrays(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_arrays(each) for each in value]
    return None if value is None else value.detach().numpy().view(Tensor)
