"""Right answers for checks: those of the reference, or the records of a released course."""

import importlib
from types import ModuleType
from typing import Any, NoReturn, Protocol

from autograder.checks.check_result import NotJudged
from autograder.course.course_file import Course
from autograder.worker.messages import Passed


class AnswerSource(Protocol):
    """Source of a released check's answers: its records, or while they are made the reference."""

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return what the function of that name gives."""

    def passed(self, name: str, *given: Any) -> Passed:
        """Return what a module of that class gives, for the arguments of `reference_pass`."""

    def constant(self, name: str) -> Any:
        """Return the text or the number of that name; None if it is none."""


class _Current:
    source: AnswerSource | None = None


def answer_from(source: AnswerSource | None) -> None:
    """Let all stand-ins of this process get their answers from `source` from now on."""
    _Current.source = source


def _source() -> AnswerSource:
    if _Current.source is None:
        raise NotJudged
    return _Current.source


class StandIn:
    """Stand-in for a function or a class of the reference, of which only the name is here."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.__name__ = name.rpartition(".")[2]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the function gave when it was asked the same; raise NotJudged if never."""
        return _source().call(self._name, args, kwargs)

    def recorded_pass(self, *given: Any) -> Passed:
        return _source().passed(self._name, *given)

    def _not_recorded(self, *_: Any) -> NoReturn:
        raise NotJudged

    __iter__ = __getitem__ = __len__ = __contains__ = __float__ = __bool__ = _not_recorded

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotJudged


class StandInPackage:
    """Stand-in for the reference, or for one of its modules."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self._module}.{name}".lstrip(".")
        constant = _source().constant(full)
        return StandIn(full) if constant is None else constant


def stand_in(name: str) -> StandIn:
    """Return what stands for a name of the reference (`attention.softmax`) in a released check."""
    return StandIn(name)


def load_reference(course: Course, module: str = "") -> ModuleType | StandInPackage:
    """Return the course's package of right answers, or a module of it, or what stands in for it.

    Raises:
        ImportError: there is no such module.
    """
    if course.content.released is not None:
        return StandInPackage(module)
    return importlib.import_module(f"{course.content.reference}.{module}".rstrip("."))
