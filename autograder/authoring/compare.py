"""Comparison of what a released course and the full one say of work: outcomes, names, time."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from autograder.authoring.course_submissions import judge_for, own_work
from autograder.checks.check_result import CheckResult
from autograder.course.course_file import FILE_NAME, Course, Exercise, load_course

# A released course has no facts, but may name the change that gives the same numbers.
FACTS = frozenset({"fact", "measure"})


class Compared(msgspec.Struct):
    """Counts of what the two courses said of one exercise.

    `same`, `untold` and `differences` count checks that are handed out; `named` are functions and
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

    def add(self, other: "Compared") -> None:
        """Count what was said of another exercise too."""
        for name in self.__struct_fields__[1:]:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def compared(course: Course, bundle: Path, exercises: Sequence[Exercise]) -> Iterator[Compared]:
    """Grade all work that the course has with the full course and with its release in a folder."""
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
    # what the kit cannot judge fails if a call raised, though the check may ask in another way
    raised_only = full.outcome == "passed" and released.raised is not None
    if released.outcome == "graded when handed in" or raised_only:
        row.untold += 1
        return
    # a check that ran only as one before it is not judged is no difference in itself
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
    elif names and names != own and full.diagnosis.code not in FACTS:  # `own` is said in both
        row.false_names.append(f"{label}: {names}")
    else:
        expected = ", ".join(full.diagnosis.misconceptions)
        row.not_named.append(f"{label}: the kit does not name {expected}")
