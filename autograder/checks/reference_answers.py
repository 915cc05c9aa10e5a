"""Correct answers for checks: from the reference, or from the records of a released course."""

import importlib
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from autograder.checks.check_result import (
    Check,
    CheckResult,
    MayFollow,
    NotJudged,
    without_judgement,
)
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.report.model import Cause

if TYPE_CHECKING:
    from autograder.checks.recorded_answers import ExerciseRecord


class _Current:
    """Current sources of answers, a `Playback` and a `Recorder`. The recorder comes first."""

    source: Any = None
    recorder: Any = None


def record_with(recorder: Any) -> None:
    """Take the answers of released checks from `recorder`, or from the records if it is None."""
    _Current.recorder = recorder


def _source() -> Any:
    source = _Current.recorder or _Current.source
    if source is None:
        raise NotJudged
    return source


class StandIn:
    """Stand-in for a function or class of the reference, which a student kit does not contain."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.__name__ = name.rpartition(".")[2]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the recorded answer to this call; raise NotJudged if no answer is recorded."""
        return _source().call(self._name, args, kwargs)

    def recorded_pass(self, *given: Any) -> Any:
        return _source().passed(self._name, *given)

    def _not_recorded(self, *_: Any) -> NoReturn:
        raise NotJudged

    __iter__ = __getitem__ = __len__ = __contains__ = __float__ = __bool__ = _not_recorded

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotJudged


class StandInPackage:
    """Stand-in for the reference package, or for one of its modules, in a student kit."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self._module}.{name}".lstrip(".")
        constant = _source().constant(full)
        return StandIn(full) if constant is None else constant


def stand_in(name: str) -> StandIn:
    """Return a student kit's stand-in for a function or class, such as `attention.softmax`."""
    return StandIn(name)


def load_reference(course: Course, module: str = "") -> ModuleType | StandInPackage:
    """Return the reference package, or one of its modules; in a student kit, its stand-in."""
    if course.content.released is not None:
        return StandInPackage(module)
    return importlib.import_module(f"{course.content.reference}.{module}".rstrip("."))


def refuse_other_seeds(course: Course, seed: int | None) -> None:
    """Refuse a seed for which a student kit has no recorded answers."""
    made = course.content.released
    if made is not None and seed is not None and seed not in made.seeds:
        known = ", ".join(map(str, made.seeds))
        raise UserError(
            f"The answers for seed {seed} are not recorded in this course. Those for {known} are."
        )


def begin_check(course: Course, check: Check) -> Check:
    """Set the source of the correct answers for a check; return the check with recorded hints."""
    if course.content.released is None or _Current.recorder is not None:
        return check
    record = _record(course, check.path)
    return msgspec.structs.replace(check, hints=record.hints.get(check.name, ()))


def _record(course: Course, checks: Path) -> "ExerciseRecord":
    """Load the recorded answers for a file of checks, answer from them, and return the record."""
    from autograder.checks.recorded_answers import playback

    _Current.source = playback(course, checks.stem.removeprefix("test_"))
    record: ExerciseRecord = _Current.source.record
    return record


def settle_follow_through(error: MayFollow, results: Iterable[CheckResult]) -> Exception:
    """Return the exception for a check whose wrong answer may follow from another step.

    If all judged checks of the other step pass, that step is right, so return the `Mismatch`.
    """
    about = [each.outcome for each in results if error.own in each.about]
    told = [outcome for outcome in about if outcome not in {"graded when handed in", "not run"}]
    right = bool(told) and all(outcome == "passed" for outcome in told)
    return error.wrong if right else error


def with_unreleased_checks(
    course: Course, path: Path | None, results: list[CheckResult]
) -> list[CheckResult]:
    """Return the results of all checks of a released course, including checks not in the kit.

    `path` is the file of the checks in the kit, or None.
    """
    if course.content.released is None or path is None or _Current.recorder is not None:
        return results
    record = _record(course, path)
    known = {result.name: result for result in results}
    for hidden in record.hidden:
        name = hidden.name
        check = Check(name, name, path, hidden.title, hidden.weight, hidden=True)
        known[name] = without_judgement(check, "graded when handed in", Cause(code="hidden"))
    return [known[name] for name in record.order if name in known]
