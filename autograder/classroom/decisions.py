"""People's decisions about points: read from a table, and applied to exercises."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Literal, Self, get_args

import msgspec

from autograder.classroom.history import user
from autograder.classroom.marks import answer_id
from autograder.classroom.roster import EVERYTHING
from autograder.classroom.table_import import as_number
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.course.text import digest, number, one_line, printable
from autograder.report.model import Adjustment, CheckReport, ExerciseReport, Line, Report
from autograder.submission.source import Source

TOTAL = "total"
MOST = 10_000
ENTRY = 16  # letters of a digest
MAX_LINE = 200  # letters of a line of code
LINE = re.compile(r"(?:cell (?P<cell>[1-9]\d{0,5}) )?line (?P<line>[1-9]\d{0,5})")

ChangeKind = Literal["add", "set", "excuse", "comment", "file", "answer"]


class Decision(msgspec.Struct, frozen=True):
    """A person's decision about a student's points.

    Usually, `check` names a check. If the decision chooses a file, `check` is the file's digest and
    `graded` is a digest of all candidate files. If the decision answers a regrade request, `check`
    is the request's digest. If the decision is a comment, `check` is a line such as `line 3`.
    """

    student: str
    exercise: str
    check: str
    change: ChangeKind
    points: float
    why: str
    by: str
    when: str
    work: str
    graded: str  # points from the checks at the time of the decision

    @classmethod
    def read(cls, cells: Mapping[str, str], where: str, course: Course) -> Self:
        change, exercise = cells["change"], part_named(cells["exercise"], course)
        if change not in get_args(ChangeKind):
            known = ", ".join(get_args(ChangeKind))
            raise UserError(f"{where}: expected one of {known}, found {change!r:.40}.")
        if exercise != TOTAL and exercise not in course.exercises:
            raise UserError(
                f"{where}: there is no exercise {exercise!r:.40}. Name an exercise of "
                f"course.yml, or {TOTAL}."
            )
        if exercise == TOTAL and change == "set":
            raise UserError(f"{where}: a total cannot be set. Enter add and the points to add.")
        if change in {"file", "answer"} and (exercise == TOTAL or not cells["check"]):
            raise UserError(f"{where}: enter the change {change!r} on the desk, not in the table.")
        points = points_entered(change, cells["points"], f"{where}: expected") or 0.0
        fields = {**cells, "exercise": exercise, "points": points, "work": cells["work_id"]}
        return msgspec.convert(fields, cls)

    @property
    def target(self) -> tuple[str, str, str]:
        return self.student, self.exercise, self.check

    @property
    def entry(self) -> str:
        parts = *self.target, self.change, number(self.points), self.why, self.by, self.when
        return digest("\n".join(parts), ENTRY)

    @property
    def line(self) -> tuple[int, int] | None:
        found = LINE.fullmatch(self.check) if self.change == "comment" else None
        return (int(found["cell"] or 1), int(found["line"])) if found else None

    @property
    def about(self) -> str:
        """The name of the exercise or check that the decision changes."""
        is_check = self.check and self.change not in {"file", "answer"}
        return f"{self.exercise} / {self.check}" if is_check else self.exercise

    def said(self, title: str) -> str:
        """Return a sentence about the decision for the student."""
        points = "point" if abs(self.points) == 1 else "points"
        what = {
            "add": f"{_signed(self.points)} {points}",
            "set": f"set to {number(self.points)} {points}",
            "excuse": "excused",
            "comment": "a comment",
            "file": "a person chose one of several files",
            "answer": "an answer to your regrade request",
        }[self.change]
        who = f" by {self.by}" if self.by else ""
        when = f" on {self.when}" if self.when else ""
        why = f": {self.why}" if self.why else ""
        return one_line(f"{title}: {what}{who}{when}{why}", 1000)


def points_entered(change: str, text: str, expected: str = "Expected") -> float | None:
    """Return the points that a person has entered. For a change without points, return None."""
    if change not in {"add", "set"}:
        return None
    points, least = as_number(text.replace("−", "-")), 0 if change == "set" else -MOST
    if points is None or not least <= points <= MOST:
        numbers = f"points from {number(least)} to {number(MOST)}"
        raise UserError(f"{expected} {numbers}, found {text!r:.40}.")
    return points


def _signed(points: float) -> str:
    return f"{'+' if points >= 0 else '−'}{number(abs(points))}"


def work_id(exercises: Sequence[ExerciseReport]) -> str:
    return answer_id(" ".join(e.digest for e in exercises if e.digest) or "none")


def points_given(decision: Decision, exercises: Sequence[ExerciseReport]) -> str:
    """Return the points of an exercise or a check. For the total, return ""."""
    if decision.exercise == TOTAL:
        return ""
    checks = [check.points for check in exercises[0].checks if check.name == decision.check]
    return number(checks[0] if checks else exercises[0].points)


def place_of(decision: Decision, source: Source | None) -> Line | None:
    """Return the place that a comment is about. If the source has no such line, return None."""
    if decision.line is None or source is None:
        return None
    unit, number = decision.line
    lines = source.units[unit - 1].text.split("\n") if unit <= len(source.units) else []
    if not 0 < number <= len(lines):
        return None
    text = printable(lines[number - 1], MAX_LINE)
    return Line(file=source.units[unit - 1].label, line=number, text=text)


def put_into_effect(
    decision: Decision,
    changed: dict[str, ExerciseReport],
    sources: Mapping[str, Source] = MappingProxyType({}),
) -> Adjustment:
    if decision.exercise == TOTAL:
        if decision.change == "excuse":
            for name, exercise in changed.items():
                changed[name] = msgspec.structs.replace(exercise, excused=True)
        said = decision.said("All together")
        return Adjustment(points=decision.points, said=said, entry=decision.entry)
    before = changed[decision.exercise]
    after = changed[decision.exercise] = _changed(before, decision)
    checks = [check.title for check in after.checks if check.name == decision.check]
    lines = [decision.check] if decision.line else []
    adjustment = Adjustment(
        exercise=decision.exercise,
        check=decision.check,
        points=round(decision.points, 2),
        said=decision.said(", ".join([after.title, *checks, *lines])),
        entry=decision.entry,
        place=place_of(decision, sources.get(decision.exercise)),
    )
    points = round(after.points - before.points, 2)
    if decision.change == "add":
        return _applied(adjustment, points)
    return msgspec.structs.replace(adjustment, points=points)


def on_the_total(points: float, adjustment: Adjustment) -> tuple[float, Adjustment]:
    after = max(0.0, points + adjustment.points)
    return after, _applied(adjustment, round(after - points, 2))


def _applied(adjustment: Adjustment, points: float) -> Adjustment:
    if points == round(adjustment.points, 2):
        return adjustment
    said = f"{adjustment.said} ({_signed(points)} applied, since points cannot be below 0)"
    return msgspec.structs.replace(adjustment, points=points, said=said)


def _changed(exercise: ExerciseReport, decision: Decision) -> ExerciseReport:
    if decision.change == "excuse":
        return msgspec.structs.replace(exercise, excused=True)
    if decision.change not in {"add", "set"}:
        return exercise
    if not decision.check:
        points, status = exercise.points + decision.points, exercise.status
        if decision.change == "set":
            points, status = decision.points, "graded"
        return msgspec.structs.replace(exercise, points=round(max(0.0, points), 2), status=status)
    checks = list(exercise.checks)
    at = next(at for at, check in enumerate(checks) if check.name == decision.check)
    old = checks[at].points
    new = max(0.0, decision.points if decision.change == "set" else old + decision.points)
    checks[at] = msgspec.structs.replace(checks[at], points=round(new, 2))
    points = round(max(0.0, exercise.points + new - old), 2)
    return msgspec.structs.replace(exercise, points=points, checks=tuple(checks))


def open_requests(report: Report) -> list[ExerciseReport]:
    answered = {(each.exercise, each.check) for each in report.adjustments}
    return [
        each
        for each in report.exercises
        if each.request and (each.name, answer_id(each.request)) not in answered
    ]


def decision_row(change: str, amount: float | None, why: str, by: str | None) -> dict[str, str]:
    return {
        "change": change,
        "points": "" if amount is None else number(amount),
        "why": one_line(why, 500),
        "by": one_line(by or user(), 100),
        "when": date.today().isoformat(),
    }


def part_named(name: str, course: Course) -> str:
    """Return the name of an exercise. For `all` (the whole course), return `total`."""
    return TOTAL if name == EVERYTHING and name not in course.exercises else name


def line_named(text: str) -> str:
    """Return `line 12` for `12`, `cell 3 line 12` for `3:12`, and "" for ""."""
    cell, _, line = text.rpartition(":")
    place = f"cell {cell} line {line}" if cell else f"line {line}"
    if text and not LINE.fullmatch(place):
        raise UserError(f"Expected a line such as 12, or 3:12 for cell 3, found {text!r:.40}.")
    return place if text else ""


def refuse_without_reason(why: str, remedy: str) -> None:
    if not why.strip():
        raise UserError(f"A change of points needs a reason for the student. {remedy}")


def check_named(
    reports: Mapping[str, Report], results: Path, student: str, exercise: str, check: str | None
) -> str:
    """Return the name of the check with this name or title. If `check` is None, return ""."""
    if student not in reports:
        raise UserError(f"{results} has no student {student!r}. Its grades.csv lists them.")
    graded = {each.name: each for each in reports[student].exercises}
    if exercise not in {*graded, TOTAL}:
        raise UserError(f"{exercise!r} was not graded. Name one of: {', '.join(graded)}, {TOTAL}.")
    if check is None:
        return ""
    checks = graded[exercise].checks if exercise in graded else ()
    matches = [each.name for each in checks if check in {each.name, each.title}]
    if len(matches) != 1:
        known = ", ".join(each.name for each in checks) or "none"
        count = "more than one check" if matches else "no check"
        raise UserError(f"{exercise} has {count} named {check!r}. Name one of: {known}.")
    return matches[0]


def doubt_of(report: Report, exercise: str, check: str, change: str, amount: float | None) -> str:
    """Return a warning about an unusual change of points. If there is none, return ""."""
    if amount is None:
        return ""
    part: Report | ExerciseReport | CheckReport = report
    if exercise != TOTAL:
        graded = part = next(each for each in report.exercises if each.name == exercise)
        if check:
            part = next(each for each in graded.checks if each.name == check)
    before, most = part.points, part.max_points
    after = amount if change == "set" else before + amount
    if after < 0:
        return f" Points cannot go below 0, so only {number(before)} are taken off."
    if after > most and amount:
        return f" That makes {number(after)} of {number(most)} points. Make sure that you mean it."
    return ""
