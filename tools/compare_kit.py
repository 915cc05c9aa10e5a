"""Comparison of a student kit's reports with those of the full course: the kit says nothing false.

    python -m tools.compare_kit KIT [EXERCISE …]

Run it in the course's folder. KIT is a folder that `autograder release` has written. The exit code
is 1 if the kit reports something else than the full course.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from autograder.authoring.course_submissions import judge_for, own_work
from autograder.checks.check_result import CheckResult
from autograder.course.course_file import FILE_NAME, Course, Exercise, find_course, load_course
from autograder.course.text import join_names

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
    """Grade the course's files with the full course and with its release in `bundle`."""
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
    # if a call raises, the kit fails a check that it cannot judge otherwise
    stops = released.cause is not None and released.cause.code == "raised"
    if released.outcome == "graded when handed in" or (stops and full.outcome == "passed"):
        row.untold += 1
        return
    # the kit runs this check only because it cannot judge an earlier check
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


def differs(course: Course, kit: Path, exercises: Sequence[Exercise]) -> bool:
    """Print the differences between the kit's and the full course's grades.

    Return True if any differ.
    """
    whole, unnamed = Compared("all"), list[str]()
    print(f"\n{'exercise':32}{'work':>6}{'same':>7}{'not judged':>12}{'names':>12}{'time':>7}")
    for row in compared(course, kit, exercises):
        print(_row_text(row), flush=True)
        whole.add(row)
        for message in [*row.differences, *row.false_names, *row.not_named]:
            print(f"    {message}")
        unnamed += [row.exercise] if not row.named else []
    print(_row_text(whole))
    if unnamed:
        names = join_names(unnamed)
        print(f"In {names}, the full course named no mistake, so no names were compared.")
    return bool(whole.differences or whole.false_names)


def _row_text(row: Compared) -> str:
    names = f"{row.also_named} of {row.named}" if row.named else "none"
    share = row.seconds / row.seconds_full if row.seconds_full else 1.0
    counts = f"{row.works:>6}{row.same:>7}{row.untold:>12}{names:>12}{share:>7.2f}"
    return f"{row.exercise:32}{counts}"


def main(kit: str, *names: str) -> int:
    course = find_course(Path.cwd())
    chosen = names or tuple(load_course(Path(kit) / FILE_NAME).exercises)
    return int(differs(course, Path(kit), [course.exercise(name) for name in chosen]))


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
