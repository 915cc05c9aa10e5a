"""Gradebook files of platforms, with only the graded columns filled in.

Platforms differ in how they name students, columns and maxima; a `GradebookFormat` describes one.
No row and no column is ever added, and students without points keep their cells.
"""

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from autograder.classroom.grades import Scale, grade_of
from autograder.classroom.roster import squashed
from autograder.classroom.table_import import Row, Table, as_number, cell
from autograder.course.course_file import Assignment, Course
from autograder.course.errors import UserError
from autograder.course.text import few, one_line, several
from autograder.platforms.export_file import ExportFile, ExportRequest, names_note
from autograder.platforms.rows import Person, RowMatches, name_of
from autograder.report.model import Report

SINGLE = ""  # name of an assignment for one exercise with its own column


class NamedRow(msgspec.Struct, frozen=True):
    """Row of a table whose cells are found by the names of their columns, in lower case."""

    line: int
    cells: dict[str, str]

    def get(self, name: str) -> str:
        return self.cells.get(name, "").strip()


class GradebookFormat(msgspec.Struct, frozen=True, kw_only=True):
    """Format of a platform's gradebook."""

    needed: tuple[str, ...]  # columns that the gradebook always has
    about: frozenset[str]  # columns about students, in lower case; they stay in the file
    keys: frozenset[str]  # columns of `about` that stay unchanged; others are made safe
    title: re.Pattern[str]  # a graded column's heading; groups `title`, perhaps `id`, `points`
    person: Callable[[NamedRow], Person | None]  # the student of a row, if it is a student's row
    remedy: str  # what to do if the file is not a gradebook
    platform: str = ""  # whose ids in the roster it uses; empty if it has ids of its own
    advice: str = ""  # what to do if a row's student is unclear
    maxima: Callable[[Row], bool] = lambda _: False  # whether a row contains the columns' maxima
    excused: str = ""  # the text for an excused student; if empty, the cell stays unchanged


def fill_in(form: GradebookFormat, request: ExportRequest) -> ExportFile:
    """Return the gradebook to upload.

    Raises:
        UserError: the template is not a gradebook, the column is unclear, or its maximum differs.
    """
    reports, course = request.reports, request.course
    table = Table(request.template, form.needed, len(form.needed), form.remedy)
    columns = _columns(form, table, request)
    scales = {at: Scale(_maximum(form, table, at), request.scale) for at in columns}
    heads = [name.strip().casefold() for name in table.header]
    about = [at for at, name in enumerate(heads) if name in form.about]
    people = _people(form, table, heads)
    matches = RowMatches(reports, form.platform, people, form.advice)
    kept = sorted((*about, *columns))
    filled = []
    unchanged: dict[int, list[str]] = {at: [] for at in columns}
    for row in table.rows:
        cells = list(table.row({}, row))
        report = matches.by_row.get(row.line)
        if report is not None:
            for at, assignment in columns.items():
                grade = grade_of(report, assignment.exercises, assignment.name)
                if grade.excused and form.excused:
                    cells[at] = form.excused
                elif grade.points is None:
                    unchanged[at].append(f"{name_of(report)} ({grade.why_not})")
                else:
                    cells[at] = scales[at].text(grade, f"{table.path}: {table.header[at]}")
        filled.append([cells[at] for at in kept])
    notes = [
        *_column_notes(table, columns),
        *names_note("No row in the file, so not exported", [*map(name_of, matches.without_row)]),
        *_unchanged_notes(table, unchanged, people, matches),
        *_in_no_column(reports, course, list(columns.values())),
        *matches.unclear,
    ]
    keys = [place for place, at in enumerate(kept) if heads[at] in form.keys]
    data = table.encoded(filled, [table.header[at] for at in kept], keys)
    return ExportFile(data, notes, left_out=bool(matches.without_row or matches.unclear))


def _people(form: GradebookFormat, table: Table, heads: Sequence[str]) -> list[Person]:
    named = (NamedRow(row.line, dict(zip(heads, row.cells, strict=False))) for row in table.rows)
    return [person for person in map(form.person, named) if person is not None]


def _column_notes(table: Table, columns: dict[int, Assignment]) -> list[str]:
    heads = {at: one_line(table.header[at].strip()) for at in columns}
    return [f"Filled column {heads[at]} with the points of {columns[at].title}." for at in columns]


def _unchanged_notes(
    table: Table,
    unchanged: Mapping[int, Sequence[str]],
    people: Sequence[Person],
    matches: RowMatches,
) -> list[str]:
    """Return notes on the cells that do not change. Each of several columns has its notes."""
    without_result = []
    for person in people:
        if person.row not in matches.by_row:
            names = (name.strip() for name in (*person.names, person.id, *person.others))
            without_result.append(f"{next(filter(None, names), '?')} (no result)")
    if len(unchanged) == 1:
        (open_grades,) = unchanged.values()
        return names_note("Not filled in", [*open_grades, *without_result])
    notes = names_note("Not filled in", without_result)
    for at, open_grades in unchanged.items():
        head = one_line(table.header[at].strip())
        notes += names_note(f"Not filled in column {head}", open_grades)
    return notes


def _maximum(form: GradebookFormat, table: Table, at: int) -> float | None:
    """Return a column's maximum; None if it is unknown."""
    row = next((row for row in table.rows if form.maxima(row)), None)
    if row is not None:
        return as_number(cell(row, at))
    head = form.title.fullmatch(table.header[at])
    points = head.groupdict().get("points") if head else None
    return as_number(points.replace(",", "")) if points else None


def _in_no_column(
    reports: Sequence[Report], course: Course, columns: Sequence[Assignment]
) -> list[str]:
    """Return notes on changes of totals that no column contains."""
    if not reports:
        return []
    notes = []
    single = any(each.name == SINGLE for each in columns) and len(reports[0].exercises) > 1
    if single or len(columns) < len(_graded(course, reports)) or len(columns) > 1:
        changed = [r for r in reports if any(not a.exercise and a.points for a in r.adjustments)]
        notes += names_note(
            "The file has no column for their adjusted total", [*map(name_of, changed)]
        )
    if single:
        late = [r for r in reports if any(each.points for each in r.lateness)]
        notes += names_note("The file has no column for their late penalty", [*map(name_of, late)])
    return notes


def _graded(course: Course, reports: Sequence[Report]) -> list[Assignment]:
    """Return the graded assignments. Exercises without an assignment form one more assignment."""
    graded = [exercise.name for report in reports[:1] for exercise in report.exercises]
    found = [a for a in course.content.assignments if set(a.exercises) & set(graded)]
    named = {name for assignment in found for name in assignment.exercises}
    rest = tuple(name for name in graded if name not in named)
    return [*found, Assignment(name="other", title=course.title, exercises=rest)] if rest else found


def _columns(form: GradebookFormat, table: Table, request: ExportRequest) -> dict[int, Assignment]:
    """Return the columns with titles of graded assignments, or else with titles of exercises.

    Raises:
        UserError: no column fits, or several columns fit.
    """
    graded = _graded(request.course, request.reports)
    exercises = request.reports[0].exercises if request.reports else ()
    single = [Assignment(name=SINGLE, title=e.title, exercises=(e.name,)) for e in exercises]
    names = {at: _names(form, head) for at, head in enumerate(table.header)}
    titles = few([a.title for a in graded], 5)
    shown = few([table.header[at].strip() for at in names if names[at]], 20) or "none"
    if request.column is not None:
        at = [place for place in names if request.column.strip() in names[place]]
        if len(at) != 1:
            raise UserError(
                f"{table.path} has {several(len(at), 'column')} named {request.column!r}; expected "
                f"one. The file has: {shown}."
            )
        whole = Assignment(name="all", title=titles, exercises=tuple(e.name for e in exercises))
        titled = _titled(table, names, [*graded, *single])
        return {at[0]: titled.get(at[0], graded[0] if len(graded) == 1 else whole)}
    found = _titled(table, names, graded) or _titled(table, names, single)
    if not found:
        raise UserError(
            f"{table.path} has no column with the title of an assignment ({titles}) or of an "
            f"exercise in it. Name the column with --column. It has: {shown}."
        )
    return found


def _titled(
    table: Table, names: dict[int, set[str]], assignments: Sequence[Assignment]
) -> dict[int, Assignment]:
    """Return the columns with an assignment's title. If titles repeat, the first assignment counts.

    Raises:
        UserError: several columns have the same assignment's title.
    """
    found: dict[int, Assignment] = {}
    for assignment in assignments:
        title = squashed(assignment.title)
        at = [place for place in names if title in map(squashed, names[place])]
        if len(at) > 1:
            raise UserError(
                f"{table.path} has several columns named {assignment.title!r}. Name one: "
                f'--column "{table.header[at[0]].strip()}".'
            )
        found = dict.fromkeys(at, assignment) | found
    return found


def _names(form: GradebookFormat, head: str) -> set[str]:
    """Return the possible names of a graded column: its whole heading, its title and its number."""
    match = form.title.fullmatch(head)
    if match is None:
        return set()
    parts = match.groupdict()
    return {head.strip(), parts["title"], parts.get("id") or parts["title"]}
