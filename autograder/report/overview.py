"""The overview of a class while it is graded: a row per student, and what statistics need."""

import tempfile
import weakref
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Literal, overload

import msgspec

from autograder.course.course_file import Exercise
from autograder.course.text import few, number, one_line
from autograder.report.model import Report, Status
from autograder.report.tally import ClassMistakes, Scores

MAX_SHOWN = 20
IN_MEMORY = 4 * 2**20  # bytes of rows; what is more goes into a file


def above_maximum_note(above: Iterable[str]) -> list[str]:
    """Return a sentence that names who has more points than the maximum, or none."""
    shown = [one_line(each, 200) for each in above]
    if not shown:
        return []
    return [
        f"More points than the maximum, which is right only for a bonus: {few(shown, MAX_SHOWN)}."
    ]


def above_maximum(report: Report) -> list[str]:
    """Return where a student has more points than there are: in a check, an exercise, in all."""
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
    """One student's line in the tables."""

    student: str
    points: dict[str, float]
    statuses: dict[str, Status]
    total: float
    maximum: float
    status: Status | Literal["excused"]
    notes: tuple[str, ...]
    page: str
    name: str = ""
    excused: frozenset[str] = frozenset()

    @property
    def said(self) -> str:
        """The notes in one line, with a mark between them."""
        return " | ".join(self.notes)


class RowFile(Sequence[Row]):
    """Rows in a file, so that memory does not grow with them; it is deleted with this object."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._ends = array("Q", [0])
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(Row)

    def append(self, row: Row) -> None:
        data = self._encoder.encode(row)
        self._file.seek(self._ends[-1])
        self._file.write(data)
        self._ends.append(self._ends[-1] + len(data))

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> list[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | list[Row]:
        numbers = range(len(self))[at]
        if isinstance(numbers, range):
            return [self._read(index) for index in numbers]
        return self._read(numbers)

    def __iter__(self) -> Iterator[Row]:
        for index in range(len(self)):
            yield self._read(index)

    def _read(self, number: int) -> Row:
        start = self._ends[number]
        self._file.seek(start)
        return self._decoder.decode(self._file.read(self._ends[number + 1] - start))


class ClassOverview:
    """A class's results so far."""

    def __init__(
        self, course: str, exercises: Sequence[Exercise], notes: Sequence[str] = ()
    ) -> None:
        self.course = course
        self.exercises = tuple(exercises)
        self.notes = tuple(notes)
        self.said_only: tuple[str, ...] = ()  # to who runs it, and written nowhere
        self.rows = RowFile()
        self.changed: list[str] = []  # what lateness and people made of the points, by student
        self.above: list[str] = []
        self.scores = Scores(exercises)
        self.mistakes = ClassMistakes()

    def add(self, report: Report, page: str) -> None:
        """Take a report into the overview; `page` is where its page lies."""
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
        self.scores.add(report)
        self.rows.append(
            Row(
                student=report.student,
                points={e.name: e.points for e in report.exercises},
                statuses={e.name: e.status for e in report.exercises},
                total=report.points,
                maximum=report.max_points,
                status="excused" if report.excused else report.status,
                notes=tuple(notes),
                page=page,
                name=report.hand_in.name if report.hand_in else "",
                excused=frozenset(e.name for e in report.exercises if e.excused),
            )
        )

    @property
    def needs_a_person(self) -> list[Row]:
        return [row for row in self.rows if row.status == "needs a person"]
