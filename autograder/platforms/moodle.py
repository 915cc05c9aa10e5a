"""Moodle: its downloads of submissions, its grading worksheet, and its feedback files.

A submission is a folder `Full name_ID_assignsubmission_file`, or files with that prefix. Moodle
replaces underscores in a name by spaces, so the first underscore ends the name. Before Moodle 4.1 a
folder's name ends with `_`. A team's folder has the team's name and number, but the default team
has no number.

The worksheet is edited in place: its headings are in the language of the person who downloaded it,
and Moodle accepts it only with these headings.
"""

import re
from collections.abc import Sequence

import msgspec

from autograder.classroom.downloads import Importer, Listing, Owner, Piece
from autograder.classroom.grades import Scale, grade_of
from autograder.classroom.roster import squashed
from autograder.classroom.table_import import Row, Table, as_number, cell
from autograder.course.errors import UserError
from autograder.course.text import few
from autograder.platforms.export_file import (
    ExportFile,
    ExportRequest,
    names_note,
    page_bytes,
    zipped,
)
from autograder.platforms.rows import Person, RowMatches, ids_of, name_of
from autograder.report.model import Report

_ENTRY = re.compile(
    r"(?P<name>[^_/]*)(?:_(?P<id>[0-9]+))?_assignsubmission_(?P<plugin>[a-z]+)(?:_(?P<file>[^/]*))?"
)


def piece_of(entry: str, is_folder: bool) -> Piece | None:
    """Return the piece that an entry's name describes, or None if Moodle makes no such names."""
    found = _ENTRY.fullmatch(entry)
    if found is None or (is_folder and found["file"]) or not (is_folder or found["file"]):
        return None
    name, number = found["name"].strip(), found["id"] or ""
    if not name and not number:
        return None
    key = f"{name}_{number}".strip("_")
    file = "" if is_folder else found["file"]
    owner = Owner(key=key, id=number, name=name)
    return Piece(entry=entry, owners=(owner,), name=file, original=file)


def read(listing: Listing) -> Sequence[Piece]:
    found = (piece_of(entry.name, entry.is_folder) for entry in listing.entries)
    return [piece for piece in found if piece is not None]


MOODLE = Importer(
    name="moodle",
    title="Moodle",
    expected="folders such as Anna Musterfrau_1234567_assignsubmission_file",
    recognise=lambda listing: len(read(listing)),
    read=read,
)


REMEDY = (
    "Download the grading worksheet from the assignment's page in Moodle, and name that file with "
    "--template."
)
GRADE = {"grade", "bewertung", "note", "calificación", "valutazione", "cijfer", "nota", "ocena"}
MAXIMUM = {
    "maximum grade",
    "bestwertung",
    "note maximale",
    "calificación máxima",
    "valutazione massima",
}
FEEDBACK = "feedback.html"
FEEDBACK_HEAD = "feedback"  # heading of the comments, which Moodle imports too
_ID = re.compile(r"(?P<what>.*?)(?P<id>\d+)\s*")


class _Worksheet(msgspec.Struct, frozen=True):
    """Worksheet with its columns `grade` and `maximum`, and the student of each row."""

    table: Table
    grade: int
    maximum: int | None
    matches: RowMatches
    without_row: list[str]

    def exported(self, data: bytes, notes: Sequence[str] = ()) -> ExportFile:
        """Return a file for the students in the worksheet, with notes on all other students."""
        unclear = self.matches.unclear
        lost = names_note("No row in the file, so not exported", self.without_row)
        return ExportFile(data, [*lost, *unclear, *notes], left_out=bool(lost or unclear))


def _read_worksheet(request: ExportRequest) -> _Worksheet:
    """Read the worksheet, and match students to rows.

    Raises:
        UserError: the file is not a worksheet, or its grade column is unclear.
    """
    template = request.template
    table = Table(template, (), 0, REMEDY)
    if not table.rows or not all(_ID.fullmatch(row.cells[0]) for row in table.rows if row.cells):
        raise UserError(
            f"{template} is not a grading worksheet. Expected a first column such as "
            f"Participant 123. {REMEDY}"
        )
    heads = [name.strip().casefold() for name in table.header]
    names = GRADE if request.column is None else {request.column.strip().casefold()}
    places = [at for at, head in enumerate(heads) if head in names]
    if len(places) != 1:
        raise UserError(
            f"{template}: name the column of the grade with --column. It has: "
            f"{few([head.strip() for head in table.header], 20)}."
        )
    teams = [report for report in request.reports if _is_of_a_team(report, table)]
    of_teams = {report.student for report in teams}
    own = [report for report in request.reports if report.student not in of_teams]
    matches = RowMatches(own, "moodle", [_person(row) for row in table.rows])
    without_row = [name_of(report) for report in (*matches.without_row, *teams)]
    maximum = _maximum_column(table, heads, places[0])
    return _Worksheet(table, places[0], maximum, matches, without_row)


def _maximum_column(table: Table, heads: Sequence[str], grade: int) -> int | None:
    """Return the column of the maximum: by its heading, or after the grade if it is constant."""
    for at, head in enumerate(heads):
        if head in MAXIMUM:
            return at
    if grade + 1 == len(heads):
        return None
    values = {cell(row, grade + 1) for row in table.rows}
    return grade + 1 if len(values) == 1 and as_number(values.pop()) is not None else None


def _person(row: Row) -> Person:
    emails = [cell for cell in row.cells[1:] if "@" in cell and " " not in cell.strip()]
    return Person(row.line, _number_of(row), row.cells[1:4], emails, row.cells[1:4])


def _is_of_a_team(report: Report, table: Table) -> bool:
    """Return whether a submission's id is the id of a team. A person may have the same number.

    A person's row has the name of the person's submission. A roster number belongs to a person.
    """
    hand_in = report.hand_in
    if hand_in is None or hand_in.platform != "moodle" or "moodle" in hand_in.ids:
        return False
    names = {
        squashed(owner.name)
        for entry in hand_in.entries
        for piece in [piece_of(entry, True) or piece_of(entry, False)]
        if piece is not None
        for owner in piece.owners
    }
    own = [row for row in table.rows if _number_of(row) in ids_of(report, "moodle")]
    return not any(names & {squashed(_label_of(row)), *map(squashed, row.cells[1:])} for row in own)


def _number_of(row: Row) -> str:
    found = _ID.fullmatch(row.cells[0])
    return found["id"] if found else ""


def _label_of(row: Row) -> str:
    """Return the text before the id. In blind marking, all rows have the same: `Participant`."""
    found = _ID.fullmatch(row.cells[0])
    return found["what"] if found else ""


def worksheet(request: ExportRequest) -> ExportFile:
    """Return the grading worksheet to upload.

    Raises:
        UserError: the file is not a worksheet, its grade column is unclear, or its maximum differs.
    """
    sheet = _read_worksheet(request)
    table, unchanged = sheet.table, []
    decimals = [cell(row, at) for row in table.rows for at in (sheet.grade, sheet.maximum) if at]
    comma = any("," in cell for cell in decimals)
    filled = []
    for row in table.rows:
        cells = list(table.row({}, row))
        filled.append(cells)
        report = sheet.matches.by_row.get(row.line)
        if report is None:
            name = row.cells[1] if len(row.cells) > 1 and row.cells[1] else row.cells[0]
            unchanged.append(f"{name} (no result)")
            continue
        grade = grade_of(report, [exercise.name for exercise in report.exercises])
        if grade.points is None:
            unchanged.append(f"{name_of(report)} ({grade.why_not})")
            continue
        most = as_number(cell(row, sheet.maximum)) if sheet.maximum is not None else None
        text = Scale(most, request.scale).text(grade, str(request.template))
        cells[sheet.grade] = text.replace(".", ",") if comma else text
    notes = names_note("Not filled in", unchanged)
    heads = [name.strip().casefold() for name in table.header]
    feedback = [at for at, head in enumerate(heads) if head.startswith(FEEDBACK_HEAD)]
    return sheet.exported(table.encoded(filled, kept=[0, *feedback]), notes)


def feedback(request: ExportRequest) -> ExportFile:
    """Return a zip with all pages, each in a folder whose name identifies the student to Moodle.

    Raises:
        UserError: the table is no worksheet, has no clear grade column, or a page is missing.
    """
    sheet = _read_worksheet(request)
    pages = []
    for row in sheet.table.rows:
        report = sheet.matches.by_row.get(row.line)
        if report is None:
            continue
        is_named = len(row.cells) > 1 and bool(squashed(row.cells[1])) and "@" not in row.cells[1]
        label = row.cells[1] if is_named else _label_of(row)  # blind marking hides names
        name = re.sub(r"[_/\\]", " ", label).strip()
        pages.append(
            (
                f"{name}_{_number_of(row)}_assignsubmission_file/{FEEDBACK}",
                page_bytes(request, report),
            )
        )
    return sheet.exported(zipped(pages))
