"""What a class got, as exports need it: read from the report's records, and nothing else."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.classroom.history import ensure_settled
from autograder.classroom.roster import spellings, squashed
from autograder.course.course_file import Assignment, Course
from autograder.course.errors import UserError
from autograder.course.text import few, number, one_line
from autograder.report.model import Report, worst

REPORTS = "report.jsonl"
MAX_SHOWN = 40
WITHOUT_POINTS = {"missing", "by hand", "not loaded", "needs a person"}


class Grade(msgspec.Struct, frozen=True):
    """A student's points for some exercises, or why there are none: then nothing is filled in."""

    points: float | None
    maximum: float
    why_not: str = ""
    excused: bool = False
    of_less: bool = False  # since a part is excused


class Scale(msgspec.Struct, frozen=True):
    """What a platform has as the maximum, and whether points may be scaled to it."""

    maximum: float | None
    allowed: bool

    def text(self, grade: Grade, where: str) -> str:
        """The points as they are written, with at most two decimals.

        Raises:
            UserError: the platform counts to another maximum, and nobody said to scale.
        """
        assert grade.points is not None
        if self.maximum is None or abs(self.maximum - grade.maximum) < 0.005:
            return number(grade.points)
        if not self.allowed and grade.of_less:
            raise UserError(
                f"{where} has a maximum of {number(self.maximum)} points. Who is excused from a "
                f"part can get {number(grade.maximum)}. Say --scale, and that counts as the whole."
            )
        if not self.allowed:
            raise UserError(
                f"{where} has a maximum of {number(self.maximum)} points, the results have "
                f"{number(grade.maximum)}. If it is for all of that, set it to "
                f"{number(grade.maximum)} there, or say --scale. If it is for fewer exercises, "
                f"grade these alone: grade --exercise NAME, with an --out of their own."
            )
        return number(grade.points * self.maximum / grade.maximum if grade.maximum else 0.0)


def read_reports(results: Path) -> list[Report]:
    """The records of a folder of results.

    Raises:
        UserError: there are none, or they are of another version.
    """
    ensure_settled(results)
    path = results / REPORTS
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror}. Name the folder that grade wrote with --out."
        ) from None
    try:
        return [msgspec.json.decode(line, type=Report) for line in lines]
    except msgspec.MsgspecError as error:
        raise UserError(
            f"{path} is of another version ({error}). Run grade again, which goes quickly."
        ) from None


def grade_of(report: Report, exercises: Sequence[str], assignment: str = "") -> Grade:
    """What a student got for some exercises; of an assignment, with what lateness takes off."""
    every = [exercise for exercise in report.exercises if exercise.name in exercises]
    parts = [exercise for exercise in every if not exercise.excused]
    points = sum(part.points for part in parts)
    maximum = sum(part.max_points for part in parts)
    status = worst([part.status for part in parts]) if parts else "missing"
    if len(every) == len(report.exercises):
        points = report.points
    elif assignment:
        points -= sum(late.points for late in report.lateness if late.assignment == assignment)
    if every and not parts:
        return Grade(None, maximum, "excused", excused=True)
    if status in WITHOUT_POINTS:
        rest = " but for what is excused" if len(parts) < len(every) else ""
        return Grade(None, maximum, f"{status}{rest}")
    return Grade(round(points, 2), maximum, of_less=len(parts) < len(every))


def groups(course: Course, report: Report) -> list[Assignment]:
    """The assignments that were graded; what is in none of them is one together."""
    graded = [exercise.name for exercise in report.exercises]
    found = [a for a in course.content.assignments if set(a.exercises) & set(graded)]
    named = {name for assignment in found for name in assignment.exercises}
    rest = tuple(name for name in graded if name not in named)
    return [*found, Assignment(name="other", title=course.title, exercises=rest)] if rest else found


def name_of(report: Report) -> str:
    """A student as a person knows them: the id, and the name where it is known."""
    name = report.hand_in.name if report.hand_in else ""
    same = not name or name == report.student or report.student.startswith(f"{name}_")
    return report.student if same else f"{report.student} ({name})"


def ids_of(report: Report, platform: str) -> set[str]:
    """What a student is called on a platform, as far as it is known."""
    hand_in = report.hand_in
    if hand_in is None:
        return set()
    own = hand_in.platform_id if hand_in.platform == platform else ""
    return {hand_in.ids.get(platform, ""), own} - {""}


class Person(msgspec.Struct, frozen=True):
    """What a platform's row says of a student: its number, and other ids, e-mails and names."""

    row: int
    id: str
    others: Sequence[str] = ()
    emails: Sequence[str] = ()
    names: Sequence[str] = ()


class RowMatches:
    """Whose row of a platform's table is whose, by row; a row that is not clear is nobody's."""

    def __init__(
        self,
        reports: Sequence[Report],
        platform: str,
        people: Sequence[Person],
        advice: str = "",
    ) -> None:
        advice = advice or (
            f"Enter the platform's number in the roster's column {platform}, and grade again."
        )
        self._reports = list(reports)
        self._ids = {each.student: ids_of(each, platform) for each in reports}
        self._free = [  # with every way to write their names
            (each, spellings(each.hand_in.name if each.hand_in else each.student))
            for each in reports
            if not self._ids[each.student]
        ]
        self.unclear: list[str] = []
        found = {person.row: self._candidates(person) for person in people}
        uses = Counter(each.student for reports in found.values() for each in reports)
        self.people: dict[int, Report] = {}
        for row, candidates in found.items():
            if len(candidates) == 1 and uses[candidates[0].student] == 1:
                self.people[row] = candidates[0]
            elif candidates:
                who = few([one_line(name_of(each), 80) for each in candidates], 5)
                self.unclear.append(
                    f"Row {row} may be of {who}, which is not clear: it was left as it is. {advice}"
                )

    def _candidates(self, person: Person) -> list[Report]:
        """Who may be meant: by the platform's number, then by id, e-mail and name."""
        mails = {email.strip().casefold() for email in person.emails} - {""}
        spelt = {squashed(name) for name in person.names} - {""}
        ids = {person.id, *person.others} - {""}
        by = (
            [each for each in self._reports if person.id in self._ids[each.student]],
            [each for each, _ in self._free if each.student in ids],
            [e for e, _ in self._free if e.hand_in and e.hand_in.email.casefold() in mails],
            [each for each, written in self._free if spelt & written],
        )
        return next((each for each in by if each), [])

    def without_a_row(self) -> list[Report]:
        here = {report.student for report in self.people.values()}
        return [each for each in self._reports if each.student not in here]


def names_note(title: str, names: Sequence[str]) -> list[str]:
    """A sentence with names, or none."""
    shown = [one_line(name, 120) for name in names]
    return [f"{title}: {few(shown, MAX_SHOWN)}."] if shown else []
