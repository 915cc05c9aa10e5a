"""Comparison of the full course with its release: outcomes, names and time for the same work."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from autograder.authoring.course_submissions import judge_for, own_work
from autograder.checks.check_result import CheckResult
from autograder.course.course_file import FILE_NAME, Course, Exercise, load_course

# Kinds of diagnoses that a release lacks. The release may name a change with the same numbers.
FACTS = frozenset({"fact", "measure"})


class Compared(msgspec.Struct):
    """Equal and different results of the full course and its release, for one exercise.

    Three fields count visible checks: `same` counts equal outcomes, `differences` counts different
    outcomes, and `untold` counts checks that the release cannot judge. `named` counts the diagnoses
    that have a name in the full course. In the release, `also_named` of them have the same name,
    `not_named` have no name, and `false_names` have another name. The seconds are totals.
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

    def add(self, other: "Compared") -> None:
        """Add the counts of another exercise."""
        for name in self.__struct_fields__[1:]:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def compared(course: Course, bundle: Path, exercises: Sequence[Exercise]) -> Iterator[Compared]:
    """Grade the course's own answers with the full course and with its release in `bundle`."""
    released = load_course(bundle / FILE_NAME)
    seed = released.content.seed
    for exercise in exercises:
        row = Compared(exercise.name)
        with (
            judge_for(course, exercise, seed) as full_judge,
            judge_for(released, exercise, seed) as released_judge,
        ):
            for source in own_work(course, exercise):
                start = time.perf_counter()
                full = full_judge.run(source).results
                between = time.perf_counter()
                results = {each.name: each for each in released_judge.run(source).results}
                row.seconds_full += between - start
                row.seconds += time.perf_counter() - between
                row.works += 1
                for result in full:
                    if result.check.in_kit:
                        label = f"{source.label}, {result.name}"
                        _compare_check(row, label, result, results[result.name])
        yield row


def _compare_check(row: Compared, label: str, full: CheckResult, released: CheckResult) -> None:
    # if a call raises, the kit fails the check, even if it cannot judge the check otherwise
    raised_only = full.outcome == "passed" and released.raised is not None
    if released.outcome == "graded when handed in" or raised_only:
        row.untold += 1
        return
    # the kit runs this check only because it cannot judge the earlier one
    follows_untold = full.outcome == "not run" and released.outcome in {"passed", "failed"}
    if full.outcome != released.outcome and not follows_untold:
        row.differences.append(
            f"{label}: {full.outcome} in the full course, but {released.outcome} in the kit "
            f"({released.finding[:120]})"
        )
        return
    row.same += 1
    if full.diagnosis is None or full.diagnosis.kind != "named":
        return
    row.named += 1
    names = released.diagnosis.misconceptions if released.diagnosis is not None else ()
    own = full.own.misconceptions if full.own is not None else ()
    if names == full.diagnosis.misconceptions:
        row.also_named += 1
    elif names and names != own and full.diagnosis.code not in FACTS:  # both courses have `own`
        row.false_names.append(f"{label}: {names}")
    else:
        expected = ", ".join(full.diagnosis.misconceptions)
        row.not_named.append(f"{label}: the kit does not name {expected}")
