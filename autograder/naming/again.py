"""Those concerned graded again, as `grade` does it, with the difference before it counts."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.classroom.records import FILE as REPORTS
from autograder.classroom.records import Records
from autograder.classroom.remembered import GradeCommand, remembered
from autograder.classroom.versions import PROPOSED
from autograder.errors import UserError
from autograder.report.model import CheckReport, ExerciseReport
from autograder.text import one_line, printable

MOST_SAID = 500
DONE = {0, 1, 3}  # all is graded; a person has to look; nothing was put in force


class ToldAnew(msgspec.Struct, frozen=True):
    """A student's exercise: what its checks said before, and what they would say."""

    student: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    points: tuple[float, float]
    named: bool


class _End(msgspec.Struct, frozen=True):
    """As much of an event of `--json` as is asked for here."""

    event: str
    said: str = ""
    in_force: bool = False
    difference: str = ""


def grade_again(results: Path, exercise: str, students: Sequence[str], shown: str = "") -> str:
    """Grade one exercise of some students; what stands for the difference that it makes.

    Nothing of it counts; with `shown`, the difference that a person has seen, that is put in force.

    Raises:
        UserError: it cannot be done, or the difference is another one by now.
    """
    command = command_for(results, exercise)
    wanted = msgspec.structs.replace(command, exercises=(exercise,), students=tuple(students))
    how = ["--apply", f"--only-if={shown}"] if shown else ["--no-apply"]
    first, *words = wanted.arguments(results)
    done = subprocess.run(
        [sys.executable, "-m", "autograder", first, "--json", *how, *words],
        cwd=command.course,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    events = [msgspec.json.decode(line, type=_End) for line in done.stdout.splitlines()]
    if done.returncode not in DONE or not events:
        told = [event.said for event in events if event.event == "error"]
        raise UserError(printable("\n".join(told) or done.stderr.strip(), 1000))
    if shown and not events[-1].in_force:
        raise UserError("Something else has changed since you saw it. Grade them again, and look.")
    return events[-1].difference


def command_for(results: Path, exercise: str) -> GradeCommand:
    """The command by which an exercise was graded last.

    Raises:
        UserError: it is not known.
    """
    for command in remembered(results):
        if not command.exercises or exercise in command.exercises:
            return command
    raise UserError(
        f"How {one_line(exercise, 60)} was graded is not known. Run the grade command into "
        f"{results} once more."
    )


def told_anew(results: Path, exercise: str, students: Sequence[str], name: str) -> list[ToldAnew]:
    """What changes for these students: between what counts and what is proposed."""
    before, after = Records(results / REPORTS), Records(results / PROPOSED / REPORTS)
    try:
        found = []
        for student in students:
            old, new = _of(before, student, exercise), _of(after, student, exercise)
            if old is None or new is None:
                continue
            named = any(
                check.diagnosis is not None and name in check.diagnosis.misconceptions
                for check in new.checks
            )
            said, says = map(_said, (old.checks, new.checks))
            found.append(ToldAnew(student, said, says, (old.points, new.points), named))
        return found
    finally:
        before.close()
        after.close()


def _of(records: Records, student: str, exercise: str) -> ExerciseReport | None:
    report = records.get(student)
    if report is None:
        return None
    return next((each for each in report.exercises if each.name == exercise), None)


def _said(checks: Sequence[CheckReport]) -> tuple[str, ...]:
    told = (check.diagnosis.finding if check.diagnosis else check.finding for check in checks)
    return tuple(dict.fromkeys(one_line(each, MOST_SAID) for each in told if each))
