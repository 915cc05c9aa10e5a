"""Exports for platforms, and gradebook files with only the graded columns filled in.

Platforms name students, columns and maxima differently. Rows and columns are never added, and
students without points keep their cells.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from autograder.classroom.grades import Scale, grade_of
from autograder.classroom.roster import spellings, squashed
from autograder.classroom.table_import import Row, Table, as_number, cell
from autograder.course.course_file import Assignment, Course
from autograder.course.errors import UserError
from autograder.course.text import few, one_line, several
from autograder.report.html import page_of
from autograder.report.model import HandIn, Report

MAX_NAMES = 40
SINGLE = ""  # name of an assignment for one exercise with its own column


class ExportRequest(msgspec.Struct, frozen=True):
    reports: Sequence[Report]
    course: Course
    results: Path
    template: Path
    column: str | None = None
    scale: bool = False


class ExportFile(msgspec.Struct, frozen=True):
    """File for a platform, with notes for the instructor."""

    data: bytes
    notes: Sequence[str] = ()
    left_out: bool = False  # true if the file has no row for some student


def page_bytes(request: ExportRequest, report: Report) -> bytes:
    page = request.results / page_of(report)
    try:
        return page.read_bytes()
    except OSError as error:
        raise UserError(f"{page} cannot be read: {error.strerror}. Run grade again.") from None


def names_note(title: str, names: Iterable[str]) -> list[str]:
    shown = [one_line(name, 120) for name in names]
    return [f"{title}: {few(shown, MAX_NAMES)}."] if shown else []


def parsed_time(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None


class Person(msgspec.Struct, frozen=True):
    """Student of a row in a platform's table: the platform's id, other ids, e-mails and names."""

    row: int
    id: str
    others: Sequence[str] = ()
    emails: Sequence[str] = ()
    names: Sequence[str] = ()

    @property
    def shown(self) -> str:
        names = (name.strip() for name in (*self.names, self.id, *self.others))
        return next(filter(None, names), "?")


class RowMatches:
    """The reports for a table's rows.

    A row that may belong to several students has no report. `unclear` has a note with advice on
    each such row. `without_row` has the reports without a row.
    """

    def __init__(
        self, reports: Sequence[Report], platform: str, people: Sequence[Person], advice: str = ""
    ) -> None:
        advice = advice or (
            f"Enter the student's number on {platform} in the roster's column {platform}, and "
            f"grade again."
        )
        self._ids = {report.student: ids_of(report, platform) for report in reports}
        self._spellings = {
            report.student: spellings(report.hand_in.name if report.hand_in else report.student)
            for report in reports
        }
        candidates = {person.row: self._candidates(person, reports) for person in people}
        uses = Counter(report.student for possible in candidates.values() for report in possible)
        self.by_row: dict[int, Report] = {}
        self.unclear: list[str] = []
        for row, possible in candidates.items():
            if len(possible) == 1 and uses[possible[0].student] == 1:
                self.by_row[row] = possible[0]
            elif possible:
                names = few([one_line(name_of(report), 80) for report in possible], 5)
                self.unclear.append(f"Row {row} may belong to {names}, and stays empty. {advice}")
        matched = {report.student for report in self.by_row.values()}
        self.without_row = [report for report in reports if report.student not in matched]
        self._people = people

    @property
    def without_result(self) -> list[str]:
        """The students in rows without a report, for a note."""
        people = (person for person in self._people if person.row not in self.by_row)
        return [f"{person.shown} (no result)" for person in people]

    def _candidates(self, person: Person, reports: Sequence[Report]) -> list[Report]:
        free = [report for report in reports if not self._ids[report.student]]
        ids = {person.id, *person.others} - {""}
        emails = {email.strip().casefold() for email in person.emails} - {""}
        names = {squashed(name) for name in person.names} - {""}
        return (
            [report for report in reports if person.id in self._ids[report.student]]
            or [report for report in free if report.student in ids]
            or [r for r in free if r.hand_in and r.hand_in.email.casefold() in emails]
            or [report for report in free if names & self._spellings[report.student]]
        )


def name_of(report: Report) -> str:
    name = (report.hand_in or HandIn()).name
    same = not name or name == report.student or report.student.startswith(f"{name}_")
    return report.student if same else f"{report.student} ({name})"


def ids_of(report: Report, platform: str) -> set[str]:
    hand_in = report.hand_in or HandIn()
    own = hand_in.platform_id if hand_in.platform == platform else ""
    return {hand_in.ids.get(platform, ""), own} - {""}


class GradebookFormat(msgspec.Struct, frozen=True, kw_only=True):
    """Format of a platform's gradebook. Columns' names are in lower case, except in `needed`."""

    needed: tuple[str, ...]  # columns that the gradebook always has
    about: frozenset[str]  # columns about students; they stay in the file
    keys: frozenset[str]  # columns of `about` that stay unchanged; others are made safe
    title: re.Pattern[str]  # a graded column's heading; groups `title`, perhaps `id`, `points`
    remedy: str  # what to do if the file is not a gradebook
    id: str = ""  # column of the platform's id; a row without id is not a student's
    others: tuple[str, ...]  # columns of other ids; Brightspace writes `#` before them
    emails: tuple[str, ...] = ()
    names: tuple[tuple[str, ...], ...]  # columns that together are a name
    platform: str = ""  # the platform whose ids in the roster are used; empty for its own ids
    advice: str = ""  # what to do if a row's student is unclear
    maxima: str = ""  # text in the first cell of the row that contains the columns' maxima
    excused: str = ""  # the text for an excused student; if empty, the cell stays unchanged

    def person(self, heads: Sequence[str], row: Row) -> Person | None:
        """Return the student of a row. For other rows, return None."""
        texts = {head: text.strip() for head, text in zip(heads, row.cells, strict=False)}
        id = texts.get(self.id, "")
        others = [texts.get(name, "").removeprefix("#") for name in self.others]
        if not id and (self.id or not any(others)):
            return None
        names = [" ".join(texts.get(name, "") for name in parts) for parts in self.names]
        return Person(row.line, id, others, [texts.get(name, "") for name in self.emails], names)


def fill_in(form: GradebookFormat, request: ExportRequest) -> ExportFile:
    table = Table(request.template, form.needed, len(form.needed), form.remedy)
    columns = _columns(form, table, request)
    heads = [name.strip().casefold() for name in table.header]
    people = [person for row in table.rows if (person := form.person(heads, row)) is not None]
    matches = RowMatches(request.reports, form.platform, people, form.advice)
    kept = sorted([*columns, *(at for at, name in enumerate(heads) if name in form.about)])
    scales = {at: Scale(_maximum(form, table, at), request.scale) for at in columns}
    filled, unchanged = filled_rows(table, matches, columns, lambda at, _: scales[at], form.excused)
    shown = {at: one_line(table.header[at].strip()) for at in columns}
    notes = [f"Filled column {shown[at]} with the points of {columns[at].title}." for at in columns]
    notes += names_note("No row in the file, so not exported", map(name_of, matches.without_row))
    for at, without_points in unchanged.items():
        notes += names_note(f"Not filled in column {shown[at]}", without_points)
    notes += names_note("Not filled in", matches.without_result)
    notes += _in_no_column(request.reports, request.course, list(columns.values()))
    notes += matches.unclear
    keys = [place for place, at in enumerate(kept) if heads[at] in form.keys]
    rows = [[cells[at] for at in kept] for cells in filled]
    data = table.encoded(rows, [table.header[at] for at in kept], keys)
    return ExportFile(data, notes, left_out=bool(matches.without_row or matches.unclear))


def filled_rows(
    table: Table,
    matches: RowMatches,
    columns: Mapping[int, Assignment],
    scale: Callable[[int, Row], Scale],
    excused: str = "",
) -> tuple[list[list[str]], dict[int, list[str]]]:
    rows = []
    unchanged: dict[int, list[str]] = {at: [] for at in columns}
    for row in table.rows:
        cells = list(table.row({}, row))
        rows.append(cells)
        report = matches.by_row.get(row.line)
        if report is None:
            continue
        for at, assignment in columns.items():
            grade = grade_of(report, assignment.exercises, assignment.name)
            if grade.excused and excused:
                cells[at] = excused
            elif grade.points is None:
                unchanged[at].append(f"{name_of(report)} ({grade.why_not})")
            else:
                cells[at] = scale(at, row).text(grade, f"{table.path}: {table.header[at]}")
    return rows, unchanged


def _maximum(form: GradebookFormat, table: Table, at: int) -> float | None:
    for row in table.rows:
        if form.maxima and row.cells and form.maxima in row.cells[0]:
            return as_number(cell(row, at))
    head = form.title.fullmatch(table.header[at])
    points = head.groupdict().get("points") if head else None
    return as_number(points.replace(",", "")) if points else None


def _in_no_column(
    reports: Sequence[Report], course: Course, columns: Sequence[Assignment]
) -> list[str]:
    """Return notes on adjustments of totals that are in no column of the file."""
    if not reports:
        return []
    notes = []
    single = len(reports[0].exercises) > 1 and any(each.name == SINGLE for each in columns)
    if single or len(columns) < len(_graded(course, reports)) or len(columns) > 1:
        changed = [r for r in reports if any(not a.exercise and a.points for a in r.adjustments)]
        notes += names_note(
            "The file has no column for their adjusted total", map(name_of, changed)
        )
    if single:
        late = [r for r in reports if any(late.points for late in r.lateness)]
        notes += names_note("The file has no column for their late penalty", map(name_of, late))
    return notes


def _graded(course: Course, reports: Sequence[Report]) -> list[Assignment]:
    graded = [exercise.name for report in reports[:1] for exercise in report.exercises]
    assignments = [a for a in course.content.assignments if set(a.exercises) & set(graded)]
    named = {name for assignment in assignments for name in assignment.exercises}
    rest = tuple(name for name in graded if name not in named)
    if rest:
        assignments.append(Assignment(name="other", title=course.title, exercises=rest))
    return assignments


def _columns(form: GradebookFormat, table: Table, request: ExportRequest) -> dict[int, Assignment]:
    """Return the columns with titles of graded assignments, or else with titles of exercises."""
    graded = _graded(request.course, request.reports)
    exercises = request.reports[0].exercises if request.reports else ()
    single = [Assignment(name=SINGLE, title=e.title, exercises=(e.name,)) for e in exercises]
    names = _names(form, table)
    titles = few([assignment.title for assignment in graded], 5)
    shown = few([table.header[at].strip() for at in names], 20) or "none"
    if request.column is not None:
        places = [at for at in names if request.column.strip() in names[at]]
        if len(places) != 1:
            raise UserError(
                f"{table.path} has {several(len(places), 'column')} named {request.column!r}; "
                f"expected one. The file has: {shown}."
            )
        whole = Assignment(name="all", title=titles, exercises=tuple(e.name for e in exercises))
        titled = _titled(table, names, [*graded, *single])
        return {places[0]: titled.get(places[0], graded[0] if len(graded) == 1 else whole)}
    columns = _titled(table, names, graded) or _titled(table, names, single)
    if not columns:
        raise UserError(
            f"No column of {table.path} has the title of an assignment ({titles}) or of an "
            f"exercise. Name a column with --column. The file has: {shown}."
        )
    return columns


def _names(form: GradebookFormat, table: Table) -> dict[int, set[str]]:
    names: dict[int, set[str]] = {}
    for at, head in enumerate(table.header):
        if match := form.title.fullmatch(head):
            parts = match.groupdict()
            names[at] = {head.strip(), parts["title"], parts.get("id") or parts["title"]}
    return names


def _titled(
    table: Table, names: dict[int, set[str]], assignments: Sequence[Assignment]
) -> dict[int, Assignment]:
    columns: dict[int, Assignment] = {}
    for assignment in assignments:
        title = squashed(assignment.title)
        at = [place for place in names if title in map(squashed, names[place])]
        if len(at) > 1:
            raise UserError(
                f"{table.path} has several columns named {assignment.title!r}. Name one: "
                f'--column "{table.header[at[0]].strip()}".'
            )
        columns = dict.fromkeys(at, assignment) | columns
    return columns
