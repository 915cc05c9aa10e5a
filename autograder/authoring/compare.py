"""Comparison of what a released course and the full one say of work: outcomes, names, time."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from autograder.authoring.course_submissions import judge_for, own_work
from autograder.checks.check_result import CheckResult
from autograder.course.course_file import FILE_NAME, Course, Exercise, load_course
from autograder.submission.source import Source


class Compared(msgspec.Struct):
    """Counts of what the two courses said of one exercise.

    `same`, `untold` and `differences` count checks that are not hidden; `named` are functions and
    checks for which the full course has a name, `also_named` those that the released one has the
    same for; `not_named` are those that it has none for, `false_names` those that it has another
    for. Seconds are of all work together.
    """

    exercise: str
    works: int = 0
    same: int = 0
    untold: int = 0
    named: int = 0
    also_named: int = 0
    seconds: float = 0.0
    seconds_full: float = 0.0
    differences: list[str] = []
    not_named: list[str] = []
    false_names: list[str] = []

    @property
    def holds(self) -> bool:
        """Return whether nothing that the released course says is false."""
        return not self.differences and not self.false_names

    def add(self, other: "Compared") -> None:
        """Count what was said of another exercise too."""
        for name in self.__struct_fields__[1:]:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def compared(course: Course, bundle: Path, exercises: Sequence[Exercise]) -> Iterator[Compared]:
    """Grade all work that the course has with the full course and with its release in a folder."""
    made = load_course(bundle / FILE_NAME)
    seed = made.content.seed
    for exercise in exercises:
        found = Compared(exercise.name)
        with (
            judge_for(course, exercise, seed) as full,
            judge_for(made, exercise, seed) as released,
        ):
            for source in own_work(course, exercise):
                start = time.perf_counter()
                right = full.run(source).results
                between = time.perf_counter()
                told = {each.name: each for each in released.run(source).results}
                found.seconds_full += between - start
                found.seconds += time.perf_counter() - between
                found.works += 1
                for each in right:
                    if not each.hidden:
                        _take_up(found, source, each, told[each.name])
        yield found


def _take_up(found: Compared, source: Source, right: CheckResult, told: CheckResult) -> None:
    if told.outcome == "not told":
        found.untold += 1
        return
    if right.outcome != told.outcome and not _follows_untold(right, told):
        said = f"{source.label}, {right.name}: {right.outcome}, but {told.outcome} as released"
        found.differences.append(f"{said} ({told.finding[:120]})")
        return
    found.same += 1
    if right.diagnosis is None or right.diagnosis.kind != "named":
        return
    found.named += 1
    names = told.diagnosis.misconceptions if told.diagnosis is not None else ()
    if names == right.diagnosis.misconceptions:
        found.also_named += 1
    elif names and names != _own_name(right):  # that one the check says itself, in both
        found.false_names.append(f"{source.label}, {right.name}: {names}")
    else:
        wanted = ", ".join(right.diagnosis.misconceptions)
        found.not_named.append(f"{source.label}, {right.name}: not named as released: {wanted}")


def _own_name(result: CheckResult) -> tuple[str, ...]:
    return result.own.misconceptions if result.own is not None else ()


def _follows_untold(right: CheckResult, told: CheckResult) -> bool:
    """Return whether a check ran only as one before it is not told: no difference in itself."""
    return right.outcome == "not run" and told.outcome in {"passed", "failed"}
