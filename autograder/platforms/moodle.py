"""Moodle: folders `Full name_ID_assignsubmission_file`, or files with that before their name.

Before Moodle 4.1 a folder's name ends with `_`. A team's folder has the team's name and number, and
the default team has no number.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.classroom.downloads import Importer, Listing, Owner, Piece
from autograder.classroom.grades import (
    Person,
    RowMatches,
    Scale,
    grade_of,
    ids_of,
    name_of,
    names_note,
)
from autograder.classroom.roster import squashed
from autograder.classroom.table_import import Row, Table, as_number, cell
from autograder.course.errors import UserError
from autograder.course.text import few
from autograder.platforms.bundle import zipped
from autograder.report.model import Report

_ENTRY = re.compile(
    r"(?P<name>[^/]*?)(?:_(?P<id>\d+))?_assignsubmission_(?P<plugin>[a-z]+)(?:_(?P<file>[^/]*))?"
)


def piece_of(entry: str, is_folder: bool) -> Piece | None:
    """What an entry's name says, or None for a name that Moodle does not make."""
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


# Moodle: its grading worksheet, edited in place, and the zip of feedback files.
#
# The worksheet's heads are in the language of whoever downloaded it, and Moodle takes it back only
# with those. So it is written as it was read, with grades in it.


REMEDY = "Download the grading worksheet from the assignment's page in Moodle, and name that file."
GRADE = {"grade", "bewertung", "note", "calificación", "valutazione", "cijfer", "nota", "ocena"}
MAXIMUM = {
    "maximum grade",
    "bestwertung",
    "note maximale",
    "calificación máxima",
    "valutazione massima",
}
FEEDBACK = "feedback.html"
_ID = re.compile(r"(?P<what>.*?)(?P<id>\d+)\s*")


class Worksheet(msgspec.Struct):
    """The worksheet as it was read; `people` says whose a row is."""

    table: Table
    grade: int
    maximum: int | None
    people: dict[int, Report]
    notes: list[str]


def read_worksheet(reports: Sequence[Report], template: Path, column: str | None) -> Worksheet:
    """Read it, and find each student's row.

    Raises:
        UserError: it is no worksheet, or it is open in which column the grade stands.
    """
    table = Table(template, (), 0, REMEDY)
    if not table.rows or not all(_ID.fullmatch(row.cells[0]) for row in table.rows if row.cells):
        raise UserError(
            f"{template} is no grading worksheet: expected a first column such as Participant 123. "
            f"{REMEDY}"
        )
    heads = [name.strip().casefold() for name in table.header]
    wanted = {column.strip().casefold()} if column is not None else GRADE
    places = [at for at, head in enumerate(heads) if head in wanted]
    if len(places) != 1:
        raise UserError(
            f"{template}: say with --column which column holds the grade. It has: "
            f"{few([head.strip() for head in table.header], 20)}."
        )
    maximum = next((at for at, head in enumerate(heads) if head in MAXIMUM), None)
    if maximum is None and places[0] + 1 < len(heads):
        values = {cell(row, places[0] + 1) for row in table.rows}
        alike = len(values) == 1 and all(as_number(value) is not None for value in values)
        maximum = places[0] + 1 if alike else None
    own = [report for report in reports if not _is_of_a_team(report, table)]
    rows = RowMatches(own, "moodle", [_person(row) for row in table.rows])
    teams = [report for report in reports if _is_of_a_team(report, table)]
    lost = [name_of(report) for report in (*rows.without_a_row(), *teams)]
    notes = names_note("Without a row, so not in the file", lost)
    return Worksheet(table, places[0], maximum, rows.people, [*notes, *rows.unclear])


def _person(row: Row) -> Person:
    emails = [cell for cell in row.cells[1:] if "@" in cell and " " not in cell.strip()]
    return Person(row.line, _number_of(row), row.cells[1:4], emails, row.cells[1:4])


def _is_of_a_team(report: Report, table: Table) -> bool:
    """Whether the number of a hand-in is that of a team, which may be somebody's, too.

    A person's hand-in has the name that stands in the person's row; the roster's numbers are
    people's.
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
    own = [r for r in table.rows if _number_of(r) in ids_of(report, "moodle")]
    return not any(names & {squashed(_what(row)), *map(squashed, row.cells[1:])} for row in own)


def _number_of(row: Row) -> str:
    found = _ID.fullmatch(row.cells[0])
    return found["id"] if found else ""


def _what(row: Row) -> str:
    """`Participant`, which is everybody's name where marking is blind."""
    found = _ID.fullmatch(row.cells[0])
    return found["what"] if found else ""


def fill_in(
    reports: Sequence[Report], template: Path, column: str | None, scale: bool
) -> tuple[bytes, list[str]]:
    """The worksheet to upload, and what is to be said of it.

    Raises:
        UserError: as `read_worksheet`, or its maximum is another one.
    """
    sheet = read_worksheet(reports, template, column)
    table, left = sheet.table, []
    decimals = [cell(row, at) for row in table.rows for at in (sheet.grade, sheet.maximum) if at]
    comma = any("," in cell for cell in decimals)
    filled = []
    for row in table.rows:
        cells = list(table.row({}, row))
        report = sheet.people.get(row.line)
        if report is None:
            left.append(f"{_name(row)} (no result)")
        else:
            grade = grade_of(report, [exercise.name for exercise in report.exercises])
            if grade.points is None:
                left.append(f"{name_of(report)} ({grade.why_not})")
            else:
                most = as_number(cell(row, sheet.maximum)) if sheet.maximum is not None else None
                text = Scale(most, scale).text(grade, str(template))
                cells[sheet.grade] = text.replace(".", ",") if comma else text
        filled.append(cells)
    notes = names_note("Left as they are, since there are no points", left)
    return table.encoded(filled), [*sheet.notes, *notes]


def _name(row: Row) -> str:
    return row.cells[1] if len(row.cells) > 1 and row.cells[1] else row.cells[0]


def feedback(
    reports: Sequence[Report], results: Path, template: Path, column: str | None
) -> tuple[bytes, list[str]]:
    """A zip with everybody's page, in a folder by which Moodle knows whose it is.

    Raises:
        UserError: as `read_worksheet`, or a page is not there.
    """
    from autograder.report.html import page_of

    sheet = read_worksheet(reports, template, column)
    pages = []
    for row in sheet.table.rows:
        report = sheet.people.get(row.line)
        if report is None:
            continue
        page = results / page_of(report)
        try:
            text = page.read_bytes()
        except OSError as error:
            raise UserError(f"{page} cannot be read: {error.strerror}. Run grade again.") from None
        name = re.sub(r"[_/\\]", " ", _name(row) if _has_name(row) else _what(row)).strip()
        folder = f"{name}_{_number_of(row)}_assignsubmission_file"
        pages.append((f"{folder}/{FEEDBACK}", text))
    return zipped(pages), sheet.notes


def _has_name(row: Row) -> bool:
    """Whether a person's name stands behind the number: not where marking is blind."""
    return len(row.cells) > 1 and bool(squashed(row.cells[1])) and "@" not in row.cells[1]
