"""Canvas' gradebook: its own export with the graded columns filled in, and no others.

An empty cell over a score is a change to Canvas. So columns that were not graded are left out, and
cells of students without points stay as they are.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from autograder.classroom.filled_in import Row, Table, as_number, cell
from autograder.classroom.roster import squashed
from autograder.course import Assignment, Course
from autograder.errors import UserError
from autograder.exports.grades import (
    Person,
    Rows,
    Scale,
    grade_of,
    groups,
    name_of,
    said_of,
)
from autograder.report.model import Report
from autograder.report.table import EXCUSED, safe_cell
from autograder.text import few, one_line

REMEDY = "Export the gradebook from Canvas, and name that file."
ALONE = ""  # instead of an assignment's name, of an exercise that has a column for itself
ABOUT = {
    "student",
    "lastname",
    "firstname",
    "id",
    "sis user id",
    "sis login id",
    "integration id",
    "root account",
    "section",
}
_TITLE = re.compile(r"\s*(?P<title>.*?)\s*\((?P<id>\d+)\)\s*")


def fill_in(
    reports: Sequence[Report], course: Course, template: Path, column: str | None, scale: bool
) -> tuple[bytes, list[str]]:
    """The gradebook to upload, and what is to be said of it.

    Raises:
        UserError: the template is no gradebook, it is open which column is meant, or its maximum
            is another one.
    """
    table = Table(template, ("ID", "Section"), 2, REMEDY)
    columns = _columns(table, course, reports, column)
    about = [at for at, name in enumerate(table.header) if name.strip().casefold() in ABOUT]
    kept = [*about, *columns]
    possible = next((row for row in table.rows if _is_possible(row)), None)
    students = [row for row in table.rows if table.get(row, "ID").strip()]
    rows = Rows(reports, "canvas", [_person(table, row) for row in students])
    lines = {row.line for row in students}
    filled, left = [], []
    for row in table.rows:
        cells = list(table.row({}, row))
        if row.line in lines:
            for at in about:
                name = table.header[at].strip().casefold()
                cells[at] = cells[at] if name == "id" else safe_cell(cells[at])
            left += _fill(table, row, cells, rows, columns, possible, scale)
        filled.append([cells[at] for at in kept])
    header = tuple(table.header[at] for at in kept)
    notes = [
        f"Column {one_line(table.header[at].strip())} is filled with {columns[at].title}."
        for at in columns
    ]
    notes += said_of("Without a row, so not in the file", _names_of(rows.without_a_row()))
    notes += said_of("Left as they are, since there are no points", left)
    notes += _in_no_column(reports, course, list(columns.values()))
    return table.encoded(filled, header), [*notes, *rows.unclear]


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
        notes += said_of("Changed in their total, which is in no column", _names_of(changed))
    if parts:
        late = [r for r in reports if any(each.points for each in r.lateness)]
        notes += said_of("Less for lateness in their total, which is in no column", _names_of(late))
    return notes


def _names_of(reports: Sequence[Report]) -> list[str]:
    return [name_of(report) for report in reports]


def _is_possible(row: Row) -> bool:
    return bool(row.cells) and "Points Possible" in row.cells[0]


def _person(table: Table, row: Row) -> Person:
    heads = (name.strip().casefold() for name in table.header)
    of = dict(zip(heads, row.cells, strict=False))
    name = of.get("student") or f"{of.get('firstname', '')} {of.get('lastname', '')}"
    sis = [of.get("sis user id", ""), of.get("sis login id", "")]
    return Person(row.line, table.get(row, "ID").strip(), sis, sis, [name])


def _fill(
    table: Table,
    row: Row,
    cells: list[str],
    rows: Rows,
    columns: dict[int, Assignment],
    possible: Row | None,
    scale: bool,
) -> list[str]:
    """Enter a student's points; returns whose cells stay as they are, and why."""
    report = rows.people.get(row.line)
    if report is None:
        return [f"{_person(table, row).names[0].strip()} (no result)"]
    left = []
    for at, assignment in columns.items():
        grade = grade_of(report, assignment.exercises, assignment.name)
        if grade.excused:
            cells[at] = EXCUSED
        elif grade.points is None:
            left.append(f"{name_of(report)} ({grade.why_not})")
        else:
            maximum = as_number(cell(possible, at)) if possible else None
            cells[at] = Scale(maximum, scale).text(grade, f"{table.path}: {table.header[at]}")
    return left


def _columns(
    table: Table, course: Course, reports: Sequence[Report], column: str | None
) -> dict[int, Assignment]:
    """The assignment's column of each that was graded, by the assignment's title.

    Raises:
        UserError: none fits, or several do.
    """
    graded = groups(course, reports[0]) if reports else []
    places = {at: name for at, name in enumerate(table.header) if _TITLE.fullmatch(name)}
    shown = few([name.strip() for name in places.values()], 20) or "none"
    if column is not None:
        at = [place for place, name in places.items() if column.strip() in _names(name)]
        if len(at) != 1:
            raise UserError(f"{table.path} has no column {column!r} of its own. It has: {shown}.")
        every = tuple(exercise.name for exercise in reports[0].exercises) if reports else ()
        whole = Assignment(name="all", title=few([a.title for a in graded], 5), exercises=every)
        called = _called(table, places, [*graded, *_alone(reports)])
        return {at[0]: called.get(at[0], graded[0] if len(graded) == 1 else whole)}
    found = _called(table, places, graded) or _called(table, places, _alone(reports))
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
    table: Table, places: dict[int, str], meant: Sequence[Assignment]
) -> dict[int, Assignment]:
    """The columns that are called as something that is meant; the first of two of one name counts.

    Raises:
        UserError: several columns are called as one.
    """
    found: dict[int, Assignment] = {}
    for assignment in meant:
        wanted = squashed(assignment.title)
        at = [p for p, name in places.items() if wanted in map(squashed, _names(name))]
        if len(at) > 1:
            raise UserError(
                f"{table.path} has several columns called {assignment.title!r}. Say which one: "
                f'--column "{table.header[at[0]].strip()}".'
            )
        found = dict.fromkeys(at, assignment) | found
    return found


def _names(header: str) -> set[str]:
    """What a column may be called: `Title (12)`, its title, its number."""
    match = _TITLE.fullmatch(header)
    assert match is not None
    return {header.strip(), match["title"], match["id"]}
