"""Overview of a class during grading: rows of students, points, and mistakes."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from autograder.course.course_file import Exercise
from autograder.course.text import capital, few, number, one_line
from autograder.report.model import (
    SEVERITY,
    WITHOUT_POINTS,
    Diagnosis,
    ExerciseReport,
    Report,
    Status,
)

MAX_SHOWN = 20
HARMLESS = frozenset({"graded", "missing", "by hand", "excused"})  # statuses that need no person


def above_maximum_note(above: Iterable[str]) -> list[str]:
    shown = few([one_line(text, 200) for text in above], MAX_SHOWN)
    note = f"More points than the maximum, which is right only for a bonus: {shown}."
    return [note] if shown else []


def above_maximum(report: Report) -> list[str]:
    """Return those of a student's checks, exercises and total that have more than the maximum."""
    counted = [exercise for exercise in report.exercises if not exercise.excused]
    places = [
        (f"{exercise.name}, {check.title}: ", check.points, check.max_points)
        for exercise in counted
        for check in exercise.checks
    ]
    places += [(f"{each.name}: ", each.points, each.max_points) for each in counted]
    places.append(("", report.points, report.max_points))
    return [
        f"{report.student} ({where}{number(points)} of {number(maximum)})"
        for where, points, maximum in places
        if points > maximum + 0.005
    ]


class Row(msgspec.Struct, frozen=True):
    """Student's row in the tables. Unknown points are None."""

    student: str
    points: dict[str, float | None]
    statuses: dict[str, Status]
    total: float | None
    maximum: float
    status: Status | Literal["excused"]
    notes: tuple[str, ...]
    page: str
    name: str = ""
    excused: frozenset[str] = frozenset()
    reasons: tuple[str, ...] = ()  # why a person has to look at this student

    @property
    def said(self) -> str:
        """All notes on one line, separated by vertical bars."""
        return " | ".join(self.notes)


class Taken(msgspec.Struct):
    """Points of one exercise, for students who handed it in."""

    title: str
    maximum: float
    checks: list[tuple[str, str, float]] = []  # each check's name, title and maximum points
    students: list[int] = []
    points: list[list[float]] = []  # of the checks, then of the exercise, for each student

    def add(self, student: int, report: ExerciseReport) -> None:
        """Add a student's results. Only checks of the first added report count."""
        if not self.checks:
            self.checks = [(check.name, check.title, check.max_points) for check in report.checks]
        points = {check.name: check.points for check in report.checks}
        self.students.append(student)
        self.points.append([*(points.get(name, 0.0) for name, _, _ in self.checks), report.points])


class Scores:
    """Points of all students with a hand-in and without an excuse.

    The statistics of an exercise use only students with a hand-in and known points. In a student's
    total, missing work counts as 0. `totals` has each student's points before late penalties.
    `by_exercise` has a row of points for each student.
    """

    def __init__(self, exercises: Sequence[Exercise]) -> None:
        self.exercises = {e.name: Taken(e.title, e.points) for e in exercises}
        self.students: list[str] = []
        self.totals: list[float] = []
        self.by_exercise: list[list[float]] = []

    def add(self, report: Report) -> None:
        measured = [e for e in report.exercises if e.status not in WITHOUT_POINTS and not e.excused]
        if not measured:
            return
        for exercise in measured:
            if exercise.checks:
                self.exercises[exercise.name].add(len(self.students), exercise)
        points = {exercise.name: exercise.points for exercise in report.exercises}
        self.students.append(report.student)
        self.by_exercise.append([points.get(name, 0.0) for name in self.exercises])
        self.totals.append(sum(points.values()))

    def measured(self) -> list[Taken]:
        """Return the exercises in which at least one student has known points."""
        return [taken for taken in self.exercises.values() if taken.students]


class MistakeCount(msgspec.Struct):
    """Mistake in one exercise, with its students and its cost in points."""

    exercise: str
    id: str
    by: list[int] = []  # rows of the students
    lost: float = 0.0
    also: tuple[str, ...] = ()  # names other exercises where the same students made it
    functions: list[str] = []
    readings: Counter[str] = msgspec.field(default_factory=Counter)  # students by sentence

    @property
    def students(self) -> int:
        return len(self.by)

    @property
    def finding(self) -> str:
        """Return the sentence if all students read the same one, or else the mistake's name."""
        if len(self.readings) == 1:
            return next(iter(self.readings))
        return f"{capital(self.id.replace('-', ' '))}."

    @property
    def example(self) -> str:
        """Return the most frequent of several sentences. If there is only one, return ""."""
        if len(self.readings) < 2:
            return ""
        return min(self.readings, key=lambda text: (-self.readings[text], text))


class ClassMistakes:
    """Named mistakes of a class. Students are given by the numbers of their rows."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], MistakeCount] = {}

    def _count(self, row: int, exercise: ExerciseReport, id: str) -> MistakeCount:
        count = self._made.setdefault((exercise.name, id), MistakeCount(exercise.title, id))
        if row not in count.by[-1:]:
            count.by.append(row)
        return count

    def add(self, row: int, exercise: ExerciseReport) -> None:
        """Count each mistake once. The mistakes of a check share its lost points equally."""
        read: set[tuple[str, str]] = set()
        for check in exercise.checks:
            diagnosis = check.diagnosis
            for id in diagnosis.misconceptions if diagnosis is not None else ():
                assert diagnosis is not None
                count = self._count(row, exercise, id)
                count.lost += (check.max_points - check.points) / len(diagnosis.misconceptions)
                said = {(id, text) for text in _in_general(diagnosis, id)} - read
                count.readings.update(text for _, text in said)
                read |= said
                if diagnosis.function not in {"", *count.functions}:
                    count.functions.append(diagnosis.function)

    def add_line(self, row: int, exercise: ExerciseReport) -> None:
        places = exercise.repair.places if exercise.repair is not None else ()
        if places:
            failed = [check for check in exercise.checks if check.lacks_name_and_line]
            text = "\n".join(dict.fromkeys(place.text for place in places))
            count = self._count(row, exercise, text)
            count.lost += sum(check.max_points - check.points for check in failed)

    def commonest(self) -> list[MistakeCount]:
        made = sorted(self._made.values(), key=lambda m: (-m.students, m.exercise, m.id))
        for mistake in made:
            others = [o for o in made if o.id == mistake.id and o is not mistake]
            shared = sorted((o.exercise, len({*mistake.by} & {*o.by})) for o in others)
            mistake.also = tuple(f"{title} ({both} of these)" for title, both in shared if both)
        return made


def _in_general(diagnosis: Diagnosis, id: str) -> list[str]:
    said = [s.values["says"] for s in diagnosis.statements if s.values.get("mistake") == id]
    return said or ([diagnosis.finding] if len(diagnosis.misconceptions) == 1 else [])


def costliest(made: Sequence[MistakeCount]) -> list[MistakeCount]:
    costly = [mistake for mistake in made if mistake.lost > 0]
    return sorted(costly, key=lambda m: (-m.lost, -m.students, m.exercise, m.finding))[:5]


def _reasons(report: Report) -> tuple[str, ...]:
    counted = [e for e in report.exercises if not e.excused and e.status not in HARMLESS]
    return tuple(f"{e.title}: {e.reason}" for e in counted if e.status == report.status)


class ClassOverview:
    """The results of a class so far."""

    not_understood = False  # true if a note is about an entry without a known student

    def __init__(self, course: str, exercises: Sequence[Exercise]) -> None:
        self.course = course
        self.exercises = tuple(exercises)
        self.notes: tuple[str, ...] = ()
        self.said_only: tuple[str, ...] = ()  # notes that are printed, but not written to a file
        self.rows: list[Row] = []
        self.changed: list[str] = []  # sentences on lateness and adjustments
        self.above: list[str] = []
        self.scores = Scores(exercises)
        self.mistakes = ClassMistakes()
        self.lines = ClassMistakes()  # lines of repairs, for mistakes without a name

    def add(self, report: Report, page: str) -> None:
        notes = [*report.notes, *report.changes]
        self.changed += [f"{report.student}: {said}" for said in report.changes]
        self.above += above_maximum(report)
        told = {each.exercise for each in report.adjustments}
        for exercise in report.exercises:
            if exercise.excused:
                notes += [] if exercise.name in told else [f"{exercise.name}: excused."]
            elif exercise.status not in {"graded", "missing"}:
                notes.append(f"{exercise.name}: {exercise.status}. {exercise.reason}")
            elif exercise.file and exercise.reason and not exercise.points:
                notes.append(f"{exercise.name}: {exercise.reason}")
            self.mistakes.add(len(self.rows), exercise)
            self.lines.add_line(len(self.rows), exercise)
        self.scores.add(report)
        self.rows.append(
            Row(
                student=report.student,
                points={e.name: e.known_points for e in report.exercises},
                statuses={e.name: e.status for e in report.exercises},
                total=report.known_points,
                maximum=report.max_points,
                status="excused" if report.excused else report.status,
                notes=tuple(notes),
                page=page,
                name=report.hand_in.name if report.hand_in else "",
                excused=frozenset(e.name for e in report.exercises if e.excused),
                reasons=_reasons(report),
            )
        )

    @property
    def needs_a_person(self) -> list[Row]:
        return [row for row in self.rows if row.status == "needs a person"]

    @property
    def to_look_at(self) -> list[tuple[int, Row]]:
        """Row numbers and rows of students for a person to look at, worst status first."""
        found = [(place, row) for place, row in enumerate(self.rows) if row.status not in HARMLESS]
        order: list[str] = [*SEVERITY]
        return sorted(found, key=lambda pair: -order.index(pair[1].status))

    @property
    def absent(self) -> list[tuple[int, Row]]:
        return [(place, row) for place, row in enumerate(self.rows) if row.status == "missing"]

    @property
    def statuses(self) -> list[tuple[str, int]]:
        return Counter(str(row.status) for row in self.rows).most_common()

    @property
    def waiting(self) -> int:
        """The number of students whose answers in words are not marked yet."""
        return sum(
            any(status == "by hand" and e not in row.excused for e, status in row.statuses.items())
            for row in self.rows
        )
