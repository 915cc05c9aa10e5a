"""What stands in a released check for a function of the reference.

A stand-in knows its name alone. What it answers comes from the records of the course whose checks
run just now, or, while records are made, from the reference itself.
"""

import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any, NoReturn, Protocol

from autograder.course import Course
from autograder.untold import NotToldHere
from autograder.worker.messages import Passed


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


def right_answers(course: Course, module: str = "") -> ModuleType | StandInPackage:
    """The course's package of right answers, or a module of it; of a released one, what stands in.

    Raises:
        ImportError: there is no such module.
    """
    if course.content.released is not None:
        return StandInPackage(module)
    return importlib.import_module(f"{course.content.reference}.{module}".rstrip("."))
