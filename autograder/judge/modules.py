"""What a check says of a torch module: its parameters, its results, its gradients."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autograder.judge.expect import Mismatch, expect_close
from autograder.judge.stand_in import Submission
from autograder.report.values import shape
from autograder.text import capital, one_line
from autograder.worker.codec import Tensor
from autograder.worker.messages import Forward, Passed
from autograder.worker.modules import run_module

MAX_NAMES = 12
State = Mapping[str, Any]


def draw_state(rng: np.random.Generator, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Any]:
    """Weights by name, float32: small enough that no softmax is all or nothing."""
    return {
        name: (rng.normal(size=size) / np.sqrt(size[-1])).astype(np.float32)
        for name, size in shapes.items()
    }


def pass_through(
    submission: Submission,
    name: str,
    made_with: tuple[Any, ...],
    inputs: tuple[Any, ...],
    state: State,
    **details: Any,
) -> Passed:
    """A forward pass of the student's module with these weights.

    Raises:
        Mismatch: the module has not the parameters that were to be loaded.
    """
    __tracebackhide__ = True
    passed = submission.forward(name, made_with, inputs, dict(state), **details)
    for parameter, value in state.items():
        if parameter not in passed.state:
            raise Mismatch(
                f"{name} has no parameter named {parameter}. It has: {_listed(passed.state)}.",
                mistake="parameter-missing",
                told="A parameter that the text names is missing.",
            )
        if passed.state[parameter] != list(np.shape(value)):
            found = shape(tuple(passed.state[parameter][:8]))
            raise Mismatch(
                f"{parameter} has the shape {found}; expected {shape(np.shape(value))} (nn.Linear "
                f"keeps its weight as outputs × inputs).",
                mistake="parameter-shape",
                told="A parameter has another shape than the text asks for.",
            )
    return passed


def right_pass(
    build: Callable[..., Any],
    made_with: tuple[Any, ...],
    inputs: tuple[Any, ...],
    state: State,
    toward: tuple[Any, ...] | None = None,
) -> Passed:
    """The same pass of a module of the course's own, in float64, here in this process."""
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


def expect_gradients(passed: Passed, right: Passed, names: Mapping[str, str]) -> None:
    """Pass if the gradients are right; `names` says what `input 0` and so on are called."""
    __tracebackhide__ = True
    for key, expected in right.gradients.items():
        what = f"the gradient of the result by {names.get(key, key)}"
        answer = passed.gradients.get(key)
        if answer is None:
            raise Mismatch(
                f"No gradient reaches {names.get(key, key)}: somewhere between it and the result "
                f"the chain of torch operations is cut, by detach(), .data, .item(), NumPy, "
                f"torch.no_grad() or a new torch.tensor(…), or it takes no part in the result.",
                mistake="gradient-cut",
                told="A gradient does not reach where it should: somewhere the chain of torch "
                "operations is cut.",
            )
        expect_close(answer, expected, what, condition=100.0)


def expect_same_tensors(passed: Passed, inputs: tuple[Any, ...], names: tuple[str, ...]) -> None:
    """Pass if the inputs are after the call what they were before."""
    __tracebackhide__ = True
    for before, after, name in zip(inputs, passed.after, names, strict=False):
        if not isinstance(before, np.ndarray):
            continue
        same = isinstance(after, np.ndarray) and np.array_equal(np.asarray(after), before)
        if not same:
            raise Mismatch(
                f"{capital(name)} was changed by the call: operations whose name ends in _ change "
                f"their tensor in place, and so do +=, *= and x[…] = ….",
                mistake="changes-its-argument",
                told="An argument is changed by the call: operations whose name ends in _ change "
                "their tensor in place, and so do +=, *= and x[…] = ….",
            )


def _listed(state: Mapping[str, list[int]]) -> str:
    names = [f"{one_line(name, 60)} {shape(tuple(size[:8]))}" for name, size in state.items()]
    more = ", …" if len(names) > MAX_NAMES else ""
    return ", ".join(names[:MAX_NAMES]) + more if names else "none"


def _arrays(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_arrays(each) for each in value]
    return None if value is None else value.detach().numpy().view(Tensor)
