"""Canvas: its downloads of submissions, and its gradebook.

A submitted file is called `name[_LATE]_user_attachment_file`, or `anon_code` instead of name and
user. The gradebook is Canvas's own export with the graded columns filled in. To Canvas an empty
cell over a score is a change: so columns that were not graded are left out, and cells of students
without points stay as they are.
"""

import re
from collections.abc import Sequence

from autograder.classroom.downloads import Importer, Listing, Owner, Piece
from autograder.platforms.gradebook import GradebookFormat, NamedRow
from autograder.platforms.rows import Person
from autograder.report.grades_table import EXCUSED

# A name holds letters of any script with their marks, digits and underscores.
_WHO = (
    r"(?:(?P<name>[^\s./,;:()-]*?)_)??(?P<late>LATE_)?(?:anon_(?P<anon>[A-Za-z0-9]+)|(?P<user>\d+))"
)
_UPLOAD = re.compile(_WHO + r"_(?P<attachment>\d+)_(?P<file>[^/]+)")
_TYPED_IN = re.compile(_WHO + r"_(?P<file>(?:text|link)\.html)")
_RESUBMITTED = re.compile(r"(?P<stem>.+)-(?P<number>[1-9]\d{0,2})(?P<suffix>\.\w+)")


def piece_of(entry: str) -> Piece | None:
    """Return the piece that a file's name describes, or None for a name that Canvas never makes."""
    upload = _UPLOAD.fullmatch(entry)
    match = upload or _TYPED_IN.fullmatch(entry)
    if match is None or not (match["anon"] or match["name"]):
        return None
    anonymous, name, user = match["anon"], match["name"] or "", match["user"] or ""
    file = match["file"]
    again = _RESUBMITTED.fullmatch(file) if upload else None
    return Piece(
        entry=entry,
        owners=(
            Owner(
                key=f"anon_{anonymous}" if anonymous else f"{name}_{user}",
                id=anonymous or user,
                name=name,
            ),
        ),
        name=file,
        original=f"{again['stem']}{again['suffix']}" if again else file,
        attempt=(int(again["number"]) if again else 0, int(upload["attachment"]) if upload else 0),
        late=match["late"] is not None,
    )


def read(listing: Listing) -> Sequence[Piece]:
    return [piece for name in listing.files if (piece := piece_of(name)) is not None]


CANVAS = Importer(
    name="canvas",
    title="Canvas",
    expected="files such as musterfrauanna_1234_56789_homework.py",
    recognise=lambda listing: len(read(listing)),
    read=read,
)


def _person(row: NamedRow) -> Person | None:
    """Return the student of a row; the rows above the students have no id."""
    number = row.get("id")
    if not number:
        return None
    name = row.get("student") or f"{row.get('firstname')} {row.get('lastname')}"
    sis = [row.get("sis user id"), row.get("sis login id")]
    return Person(row.line, number, sis, sis, [name])


CANVAS_GRADEBOOK = GradebookFormat(
    platform="canvas",
    needed=("ID", "Section"),
    about=frozenset(
        {
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
    ),
    keys=frozenset({"id"}),
    title=re.compile(r"\s*(?P<title>.*?)\s*\((?P<id>\d+)\)\s*"),
    person=_person,
    maxima=lambda row: bool(row.cells) and "Points Possible" in row.cells[0],
    excused=EXCUSED,
    remedy="Export the gradebook from Canvas, and name that file.",
)
