"""Moodle's downloads of submissions, its grading worksheet, and its feedback files.

A submission is a folder `Full name_ID_assignsubmission_file`, or files with this prefix. Moodle
replaces underscores in a name by spaces, so the first underscore ends the name. Before Moodle 4.1,
a folder's name ends with `_`. A team's folder has the team's name and number. The default team has
no number.

The worksheet's headings are in the language of the person who downloaded it. Moodle accepts only
these headings, so they stay unchanged.
"""

import re
from collections.abc import Sequence

from autograder.classroom.downloads import Importer, Listing, Owner, Piece
from autograder.classroom.grades import Scale
from autograder.classroom.roster import squashed
from autograder.classroom.table_import import Row, Table, as_number, cell
from autograder.course.course_file import Assignment
from autograder.course.errors import UserError
from autograder.course.files import zipped
from autograder.course.text import few
from autograder.platforms.gradebook import (
    SINGLE,
    ExportFile,
    ExportRequest,
    Person,
    RowMatches,
    filled_rows,
    ids_of,
    name_of,
    names_note,
    page_bytes,
)
from autograder.report.model import Report

_ENTRY = re.compile(
    r"(?P<name>[^_/]*)(?:_(?P<id>[0-9]+))?_assignsubmission_(?P<plugin>[a-z]+)(?:_(?P<file>[^/]*))?"
)


def piece_of(entry: str, is_folder: bool) -> Piece | None:
    """Return the piece of an entry. If the entry's name has another form, return None."""
    match = _ENTRY.fullmatch(entry)
    if match is None or is_folder == bool(match["file"]):
        return None
    name, number, file = match["name"].strip(), match["id"] or "", match["file"] or ""
    if not name and not number:
        return None
    owner = Owner(key=f"{name}_{number}".strip("_"), id=number, name=name)
    return Piece(entry=entry, owners=(owner,), name=file, original=file)


def read(listing: Listing) -> Sequence[Piece]:
    pieces = (piece_of(entry.name, entry.is_folder) for entry in listing.entries)
    return [piece for piece in pieces if piece is not None]


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
MAXIMUM = (
    *("maximum grade", "bestwertung", "note maximale"),
    *("calificación máxima", "valutazione massima"),
)
FEEDBACK = "feedback.html"
FEEDBACK_HEAD = "feedback"  # heading of the comments, which Moodle imports too
_ID = re.compile(r"(?P<what>.*?)(?P<id>\d+)\s*")


class _Worksheet:
    """Worksheet: its columns `grade` and `maximum`, and the student of each row."""

    def __init__(self, request: ExportRequest) -> None:
        template = request.template
        self.table = table = Table(template, (), 0, REMEDY)
        if not table.rows or not all(_ID.fullmatch(r.cells[0]) for r in table.rows if r.cells):
            raise UserError(
                f"{template} is not a grading worksheet. Expected a first column such as "
                f"Participant 123. {REMEDY}"
            )
        self.heads = [name.strip().casefold() for name in table.header]
        names = GRADE if request.column is None else {request.column.strip().casefold()}
        places = [at for at, head in enumerate(self.heads) if head in names]
        if len(places) != 1:
            raise UserError(
                f"{template}: name the column of the grade with --column. It has: "
                f"{few([head.strip() for head in table.header], 20)}."
            )
        self.grade = places[0]
        teams = [report for report in request.reports if _is_of_a_team(report, table)]
        own = [report for report in request.reports if report not in teams]
        self.matches = RowMatches(own, "moodle", [_person(row) for row in table.rows])
        self.without_row = [name_of(report) for report in (*self.matches.without_row, *teams)]

    def maximum_column(self) -> int | None:
        for at, head in enumerate(self.heads):
            if head in MAXIMUM:
                return at
        following = self.grade + 1
        values = {cell(row, following) for row in self.table.rows}
        return following if len(values) == 1 and as_number(values.pop()) is not None else None

    def exported(self, data: bytes, notes: Sequence[str] = ()) -> ExportFile:
        unclear = self.matches.unclear
        lost = names_note("No row in the file, so not exported", self.without_row)
        return ExportFile(data, [*lost, *unclear, *notes], left_out=bool(lost or unclear))


def _person(row: Row) -> Person:
    emails = [text for text in row.cells[1:] if "@" in text and " " not in text.strip()]
    return Person(row.line, _label_and_number(row)[1], row.cells[1:4], emails, row.cells[1:4])


def _label_and_number(row: Row) -> tuple[str, str]:
    match = _ID.fullmatch(row.cells[0])
    return (match["what"], match["id"]) if match else ("", "")


def _is_of_a_team(report: Report, table: Table) -> bool:
    hand_in = report.hand_in
    if hand_in is None or hand_in.platform != "moodle" or "moodle" in hand_in.ids:
        return False
    pieces = [piece_of(entry, True) or piece_of(entry, False) for entry in hand_in.entries]
    names = {squashed(owner.name) for piece in pieces if piece for owner in piece.owners}
    for row in table.rows:
        label, number = _label_and_number(row)
        if number in ids_of(report, "moodle") and names & set(
            map(squashed, (label, *row.cells[1:]))
        ):
            return False
    return True


def worksheet(request: ExportRequest) -> ExportFile:
    sheet = _Worksheet(request)
    table, at, maximum = sheet.table, sheet.grade, sheet.maximum_column()
    exercises = request.reports[0].exercises if request.reports else ()
    whole = Assignment(name=SINGLE, title="", exercises=tuple(e.name for e in exercises))

    def scale(_: int, row: Row) -> Scale:
        return Scale(as_number(cell(row, maximum)) if maximum is not None else None, request.scale)

    rows, unchanged = filled_rows(table, sheet.matches, {at: whole}, scale)
    if any("," in cell(row, place) for row in table.rows for place in (at, maximum) if place):
        for row, cells in zip(table.rows, rows, strict=True):
            if cells[at] != cell(row, at):
                cells[at] = cells[at].replace(".", ",")
    feedback = [place for place, head in enumerate(sheet.heads) if head.startswith(FEEDBACK_HEAD)]
    notes = names_note("Not filled in", [*unchanged[at], *sheet.matches.without_result])
    return sheet.exported(table.encoded(rows, kept=[0, *feedback]), notes)


def feedback(request: ExportRequest) -> ExportFile:
    """Return a zip with all pages. Moodle assigns each folder of the zip to a student."""
    sheet = _Worksheet(request)
    pages = []
    for row in sheet.table.rows:
        report = sheet.matches.by_row.get(row.line)
        if report is None:
            continue
        label, number = _label_and_number(row)
        if len(row.cells) > 1 and squashed(row.cells[1]) and "@" not in row.cells[1]:
            label = row.cells[1]  # blind marking hides names
        name = re.sub(r"[_/\\]", " ", label).strip()
        folder = f"{name}_{number}_assignsubmission_file"
        pages.append((f"{folder}/{FEEDBACK}", page_bytes(request, report)))
    return sheet.exported(zipped(pages))
