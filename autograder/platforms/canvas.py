"""Canvas: `name[_LATE]_user_attachment_file`, and `anon_code` in place of name and user."""

import re
from collections.abc import Sequence

from autograder.classroom.downloads import Importer, Listing, Owner, Piece
from autograder.classroom.grades import Person
from autograder.platforms.gradebook import GradebookFormat, NamedRow
from autograder.report.grades_table import EXCUSED

# A name is what is left of it: letters of any script with their marks, digits, underscores.
_UPLOAD = re.compile(
    r"(?:(?P<name>[^\s./,;:()-]*?)_)??(?P<late>LATE_)?(?:anon_(?P<anon>[A-Za-z0-9]+)|(?P<user>\d+))"
    r"_(?P<attachment>\d+)_(?P<file>[^/]+)"
)
_WORDS = re.compile(
    r"(?:(?P<name>[^\s./,;:()-]*?)_)??(?P<late>LATE_)?(?:anon_(?P<anon>[A-Za-z0-9]+)|(?P<user>\d+))"
    r"_(?P<file>text|link)\.html"
)
_AGAIN = re.compile(r"(?P<stem>.+)-(?P<number>[1-9]\d{0,2})(?P<suffix>\.\w+)")


def piece_of(entry: str) -> Piece | None:
    """What a file's name says, or None for a name that Canvas does not make."""
    found = _UPLOAD.fullmatch(entry) or _WORDS.fullmatch(entry)
    if found is None:
        return None
    groups = found.groupdict()
    anonymous, name = groups["anon"], groups["name"] or ""
    if anonymous is None and not name:
        return None
    user = groups["user"] or ""
    key = f"anon_{anonymous}" if anonymous else f"{name}_{user}"
    again = _AGAIN.fullmatch(groups["file"])
    attachment = groups.get("attachment")
    if attachment is None:
        file = f"{groups['file']}.html"
        again = None
    else:
        file = groups["file"]
    return Piece(
        entry=entry,
        owners=(Owner(key=key, id=anonymous or user, name=name),),
        name=file,
        original=f"{again['stem']}{again['suffix']}" if again else file,
        attempt=(int(again["number"]) if again else 0, int(attachment or 0)),
        late=groups["late"] is not None,
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


# Canvas' gradebook: its own export with the graded columns filled in, and no others.
#
# An empty cell over a score is a change to Canvas. So columns that were not graded are left out,
# and cells of students without points stay as they are.


def person(heads: NamedRow) -> Person | None:
    """Whose a row is; those above the students have no id."""
    number = heads.get("id")
    if not number:
        return None
    name = heads.get("student") or f"{heads.get('firstname')} {heads.get('lastname')}"
    sis = [heads.get("sis user id"), heads.get("sis login id")]
    return Person(heads.row.line, number, sis, sis, [name])


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
    person=person,
    maxima=lambda row: bool(row.cells) and "Points Possible" in row.cells[0],
    excused=EXCUSED,
    remedy="Export the gradebook from Canvas, and name that file.",
)
