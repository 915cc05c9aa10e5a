"""A gradebook that a platform gave out, with the graded columns filled in, and no others.

Platforms differ in how they name students, columns and maxima: a `Dialect` says how. No row and no
column is ever added, and whose points are not known keeps what stands there.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from autograder.classroom.grades import (
    Person,
    RowMatches,
    Scale,
    grade_of,
    groups,
    name_of,
    names_note,
)
from autograder.classroom.roster import squashed
from autograder.classroom.table_import import Row, Table, as_number, cell
from autograder.course.course_file import Assignment, Course
from autograder.course.errors import UserError
from autograder.course.text import few, one_line
from autograder.report.grades_table import safe_cell
from autograder.report.model import Report

ALONE = ""  # instead of an assignment's name, of an exercise that has a column for itself


class NamedRow(msgspec.Struct, frozen=True):
    """A row by the names of the table's columns, in small letters."""

    row: Row
    cells: dict[str, str]

    def get(self, name: str) -> str:
        return self.cells.get(name, "").strip()


class GradebookFormat(msgspec.Struct, frozen=True, kw_only=True):
    """How a platform writes its gradebook.

    `needed` are columns that it has at any rate; of the columns, `about` students, which stay,
    those in `keys` stand as they are, the others safe for spreadsheets. `title` is how a graded
    column is headed, with groups `title` and, where they are there, `id` and `points`. `person`
    says whose a row is, or None. `maxima` finds the row that holds the columns' maxima. `excused`
    is what stands for that; without it the cell stays. `platform` is whose ids match: none, where
    the gradebook has others than the download; `advice` is what settles an open question.
    """

    needed: tuple[str, ...]
    about: frozenset[str]
    keys: frozenset[str]
    title: re.Pattern[str]
    person: Callable[[NamedRow], Person | None]
    remedy: str
    platform: str = ""
    advice: str = ""
    maxima: Callable[[Row], bool] = lambda _: False
    excused: str = ""


def fill_in(
    dialect: GradebookFormat,
    reports: Sequence[Report],
    course: Course,
    template: Path,
    column: str | None,
    scale: bool,
) -> tuple[bytes, list[str]]:
    """The gradebook to upload, and what is to be said of it.

    Raises:
        UserError: the template is no gradebook, it is open which column is meant, or its maximum
            is another one.
    """
    table = Table(template, dialect.needed, len(dialect.needed), dialect.remedy)
    columns = _columns(dialect, table, course, reports, column)
    heads = [name.strip().casefold() for name in table.header]
    about = [at for at, name in enumerate(heads) if name in dialect.about]
    kept = sorted((*about, *columns))
    people = {row.line: dialect.person(_heads(heads, row)) for row in table.rows}
    known = [person for person in people.values() if person is not None]
    rows = RowMatches(reports, dialect.platform, known, dialect.advice)
    book = _Book(dialect, table, columns, rows, scale)
    filled, left = [], []
    for row in table.rows:
        cells = list(table.row({}, row))
        person = people[row.line]
        if person is not None:
            for at in (at for at in about if heads[at] not in dialect.keys):
                cells[at] = safe_cell(cells[at])
            left += book.fill(row, cells, person)
        filled.append([cells[at] for at in kept])
    header = tuple(table.header[at] for at in kept)
    notes = [f"Column {_head(table, at)} is filled with {columns[at].title}." for at in columns]
    notes += names_note("Without a row, so not in the file", _names_of(rows.without_a_row()))
    notes += names_note("Left as they are, since there are no points", left)
    notes += _in_no_column(reports, course, list(columns.values()))
    return table.encoded(filled, header), [*notes, *rows.unclear]


def _head(table: Table, at: int) -> str:
    return one_line(table.header[at].strip())


def _heads(heads: Sequence[str], row: Row) -> NamedRow:
    return NamedRow(row, dict(zip(heads, row.cells, strict=False)))


class _Book:
    """What the cells of a student are filled by."""

    def __init__(
        self,
        dialect: GradebookFormat,
        table: Table,
        columns: dict[int, Assignment],
        rows: RowMatches,
        scale: bool,
    ) -> None:
        self.dialect, self.table, self.columns = dialect, table, columns
        self.rows, self.scale = rows, scale
        self.possible = next((row for row in table.rows if dialect.maxima(row)), None)

    def fill(self, row: Row, cells: list[str], person: Person) -> list[str]:
        """Enter a student's points; returns whose cells stay as they are, and why."""
        report = self.rows.people.get(row.line)
        if report is None:
            known = [*person.names, person.id, *person.others]
            return [f"{next((n.strip() for n in known if n.strip()), '?')} (no result)"]
        left = []
        for at, assignment in self.columns.items():
            grade = grade_of(report, assignment.exercises, assignment.name)
            if grade.excused and self.dialect.excused:
                cells[at] = self.dialect.excused
            elif grade.points is None:
                left.append(f"{name_of(report)} ({grade.why_not})")
            else:
                where = f"{self.table.path}: {self.table.header[at]}"
                cells[at] = Scale(self._maximum(at), self.scale).text(grade, where)
        return left

    def _maximum(self, at: int) -> float | None:
        if self.possible is not None:
            return as_number(cell(self.possible, at))
        found = self.dialect.title.fullmatch(self.table.header[at])
        points = found.groupdict().get("points") if found else None
        return as_number(points.replace(",", "")) if points else None


def _in_no_column(
    reports: Sequence[Report], course: Course, columns: Sequence[Assignment]
) -> list[str]:
    """Whose total has changes that the columns do not show."""
    if not reports:
        return []
    notes = []
    parts = any(each.name == ALONE for each in columns) and len(reports[0].exercises) > 1
    if parts or len(columns) < len(groups(course, reports[0])) or len(columns) > 1:
        changed = [r for r in reports if any(not each.exercise for each in r.adjustments)]
        notes += names_note("Changed in their total, which is in no column", _names_of(changed))
    if parts:
        late = [r for r in reports if any(each.points for each in r.lateness)]
        notes += names_note(
            "Less for lateness in their total, which is in no column", _names_of(late)
        )
    return notes


def _names_of(reports: Sequence[Report]) -> list[str]:
    return [name_of(report) for report in reports]


def _columns(
    dialect: GradebookFormat,
    table: Table,
    course: Course,
    reports: Sequence[Report],
    column: str | None,
) -> dict[int, Assignment]:
    """The assignment's column of each that was graded, by the assignment's title.

    Raises:
        UserError: none fits, or several do.
    """
    graded = groups(course, reports[0]) if reports else []
    places = {at: name for at, name in enumerate(table.header) if dialect.title.fullmatch(name)}
    shown = few([name.strip() for name in places.values()], 20) or "none"
    if column is not None:
        at = [place for place, name in places.items() if column.strip() in _names(dialect, name)]
        if len(at) != 1:
            raise UserError(f"{table.path} has no column {column!r} of its own. It has: {shown}.")
        every = tuple(exercise.name for exercise in reports[0].exercises) if reports else ()
        whole = Assignment(name="all", title=few([a.title for a in graded], 5), exercises=every)
        called = _called(dialect, table, places, [*graded, *_alone(reports)])
        return {at[0]: called.get(at[0], graded[0] if len(graded) == 1 else whole)}
    found = _called(dialect, table, places, graded) or _called(
        dialect, table, places, _alone(reports)
    )
    if not found:
        raise UserError(
            f"{table.path} has no column that is called as what was graded "
            f"({few([a.title for a in graded], 5)}), nor as an exercise of it. Say which one is "
            f"meant with --column. It has: {shown}."
        )
    return found


def _alone(reports: Sequence[Report]) -> list[Assignment]:
    """The exercises each for itself, as a gradebook with a column for each has them."""
    exercises = reports[0].exercises if reports else ()
    return [Assignment(name=ALONE, title=e.title, exercises=(e.name,)) for e in exercises]


def _called(
    dialect: GradebookFormat, table: Table, places: dict[int, str], meant: Sequence[Assignment]
) -> dict[int, Assignment]:
    """The columns that are called as something that is meant; the first of two of one name counts.

    Raises:
        UserError: several columns are called as one.
    """
    found: dict[int, Assignment] = {}
    for assignment in meant:
        wanted = squashed(assignment.title)
        at = [p for p, name in places.items() if wanted in map(squashed, _names(dialect, name))]
        if len(at) > 1:
            raise UserError(
                f"{table.path} has several columns called {assignment.title!r}. Say which one: "
                f'--column "{table.header[at[0]].strip()}".'
            )
        found = dict.fromkeys(at, assignment) | found
    return found


def _names(dialect: GradebookFormat, header: str) -> set[str]:
    """What a column may be called: by its whole head, its title, its number."""
    match = dialect.title.fullmatch(header)
    assert match is not None
    parts = match.groupdict()
    return {header.strip(), parts["title"], parts.get("id") or parts["title"]}
