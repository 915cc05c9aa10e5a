"""What stands in a released check for a function of the reference.

A stand-in knows its name alone. What it answers comes from the records of the course whose checks
run just now, or, while records are made, from the reference itself.
"""

import importlib
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NoReturn, Protocol

import numpy as np

from autograder.checks.memoize import memoize
from autograder.checks.module_weights import Weights
from autograder.course.course_file import Course
from autograder.report.reasons import NotToldHere
from autograder.worker.codec import Tensor
from autograder.worker.messages import Forward, Passed
from autograder.worker.torch_modules import run_module


class AnswerSource(Protocol):
    """Where answers come from."""

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the function of that name gives."""

    def passed(
        self,
        name: str,
        made_with: tuple[Any, ...],
        inputs: tuple[Any, ...],
        state: Mapping[str, Any],
        toward: tuple[Any, ...] | None,
    ) -> Passed:
        """What a module of the class of that name gives."""

    def constant(self, name: str) -> Any:
        """A text or a number of that name; None if it is none."""


class _Now:
    source: AnswerSource | None = None


_NOW = _Now()


def answer_from(source: AnswerSource | None) -> None:
    """From now on, all stand-ins of this process get their answers there."""
    _NOW.source = source


def _source() -> AnswerSource:
    if _NOW.source is None:
        raise NotToldHere
    return _NOW.source


class StandIn:
    """A function or a class of the reference, by its name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.__name__ = name.rpartition(".")[2]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function gave, when it was asked the same.

        Raises:
            NotToldHere: it was never asked that.
        """
        return _source().call(self._name, args, kwargs)

    def recorded_pass(
        self,
        made_with: tuple[Any, ...],
        inputs: tuple[Any, ...],
        state: Mapping[str, Any],
        toward: tuple[Any, ...] | None,
    ) -> Passed:
        """A pass of a module of this class; see `right_pass`."""
        return _source().passed(self._name, made_with, inputs, state, toward)

    def _untold(self, *_: Any) -> NoReturn:
        raise NotToldHere

    __iter__ = __getitem__ = __len__ = __contains__ = __float__ = __bool__ = _untold

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotToldHere


class StandInPackage:
    """The reference, or one of its modules, as a check's fixture has it."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self._module}.{name}".lstrip(".")
        constant = _source().constant(full)
        return StandIn(full) if constant is None else constant


def stand_in(name: str) -> StandIn:
    """The stand-in for what the reference has under a name: `attention.softmax`."""
    return StandIn(name)


def load_reference(course: Course, module: str = "") -> ModuleType | StandInPackage:
    """The course's package of right answers, or a module of it; of a released one, what stands in.

    Raises:
        ImportError: there is no such module.
    """
    if course.content.released is not None:
        return StandInPackage(module)
    return importlib.import_module(f"{course.content.reference}.{module}".rstrip("."))


# The course's own torch module, called with what a submission's is called with.


def reference_pass(
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


@memoize
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
