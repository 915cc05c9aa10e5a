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

DONE = {0, 1, 3}  # all is graded; a person has to look; nothing was put in force


class ToldAnew(msgspec.Struct, frozen=True):
    """A student's exercise: what its checks said before, and what they would say."""

    student: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    points: tuple[float, float]
    named: bool


def grade_again(results: Path, exercise: str, students: Sequence[str], apply: bool) -> None:
    """Grade one exercise of some students; with `apply`, what comes of it counts.

    Raises:
        UserError: it cannot be done; grade's own words say why.
    """
    command = command_for(results, exercise)
    wanted = msgspec.structs.replace(command, exercises=(exercise,), students=tuple(students))
    words = wanted.arguments(results)
    words[1:1] = ["--apply" if apply else "--no-apply"]
    done = subprocess.run(
        [sys.executable, "-m", "autograder", *words],
        cwd=command.course,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in DONE:
        raise UserError(printable(done.stderr.strip() or done.stdout.strip(), 1000))


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
    return tuple(dict.fromkeys(filter(None, told)))
