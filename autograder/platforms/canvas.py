"""Canvas's downloads of submissions, and its gradebook.

A submitted file is named `name[_LATE]_user_attachment_file`. Anonymous files have `anon_code`
instead of name and user. The gradebook is the export from Canvas with the graded columns filled in.
An empty cell would delete a score in Canvas. So ungraded columns are left out, and students without
points keep their cells.
"""

import re
from collections import defaultdict
from collections.abc import Sequence

from autograder.classroom.downloads import Importer, Listing, Owner, Piece
from autograder.platforms.gradebook import GradebookFormat
from autograder.report.grades_table import EXCUSED

# A name consists of letters of any script with their marks, digits and underscores.
_NAME = re.compile(r"[^\s./,;:()-]*")
_ANONYMOUS = re.compile(r"(?P<late>LATE_)?anon_(?P<code>[A-Za-z0-9]+)_(?P<rest>.+)")
_UPLOAD = re.compile(r"(?P<attachment>[0-9]{1,30})_(?P<file>[^/]+)")
_TYPED_IN = re.compile(r"(?:text|link)\.html")
_RESUBMITTED = re.compile(r"(?P<stem>.+)-(?P<number>[1-9]\d{0,2})(?P<suffix>\.\w+)")


def readings_of(entry: str) -> list[Piece]:
    """Return all possible meanings of a file's name, shortest student name first.

    Students choose their names and the names of their files, and both may contain numbers between
    underscores. For a name that Canvas never makes, return an empty list.
    """
    readings = []
    if match := _ANONYMOUS.fullmatch(entry):
        owner = Owner(key=f"anon_{match['code']}", id=match["code"])
        readings.append(_piece(entry, owner, match["late"] is not None, match["rest"]))
    parts = entry.split("_")
    for at in range(1, len(parts) - 1):
        if not (parts[at].isascii() and parts[at].isdecimal()):
            continue
        is_late = at > 1 and parts[at - 1] == "LATE"
        name = "_".join(parts[: at - is_late])
        if _NAME.fullmatch(name) and "LATE" not in parts[: at - is_late]:  # names are lower-case
            owner = Owner(key=f"{name}_{parts[at]}", id=parts[at], name=name)
            readings.append(_piece(entry, owner, is_late, "_".join(parts[at + 1 :])))
    return [piece for piece in readings if piece is not None]


def _piece(entry: str, owner: Owner, late: bool, rest: str) -> Piece | None:
    """Return a piece of `owner`, or None if `rest` of the file name has another form."""
    upload = _UPLOAD.fullmatch(rest)
    if upload is None and not _TYPED_IN.fullmatch(rest):
        return None
    file = upload["file"] if upload else rest
    again = _RESUBMITTED.fullmatch(file) if upload else None
    return Piece(
        entry=entry,
        owners=(owner,),
        name=file,
        original=f"{again['stem']}{again['suffix']}" if again else file,
        attempt=(int(again["number"]) if again else 0, int(upload["attachment"]) if upload else 0),
        late=late,
    )


def read(listing: Listing) -> Sequence[Piece]:
    """Return the pieces of all files.

    If several students may own a file, there is a piece for each of them. In one download, each
    number belongs to one name. So a file with a known student can rule out students for other
    files.
    """
    entries = [readings for name in listing.files if (readings := readings_of(name))]
    known: set[Owner] = set()
    while True:
        certain = {readings[0].owners[0] for readings in entries if len(readings) == 1}
        if certain == known:
            return [piece for readings in entries for piece in readings]
        known = certain
        entries = [_possible(readings, known) for readings in entries]


def _possible(readings: list[Piece], known: set[Owner]) -> list[Piece]:
    """Return the readings that fit all known students. If none fits, return all readings."""
    names: dict[str, set[str]] = defaultdict(set)
    for owner in known:
        names[owner.id].add(owner.name)
    kinds = {_is_anonymous(owner) for owner in known}
    possible = []
    for piece in readings:
        (owner,) = piece.owners
        fits_name = owner.id not in names or owner.name in names[owner.id]
        if fits_name and (len(kinds) != 1 or _is_anonymous(owner) in kinds):
            possible.append(piece)
    return possible or readings


def _is_anonymous(owner: Owner) -> bool:
    return not owner.name and owner.key.startswith("anon_")


CANVAS = Importer(
    name="canvas",
    title="Canvas",
    expected="files such as musterfrauanna_1234_56789_homework.py",
    recognise=lambda listing: sum(bool(readings_of(name)) for name in listing.files),
    read=read,
)

CANVAS_GRADEBOOK = GradebookFormat(
    platform="canvas",
    needed=("ID", "Section"),
    about=frozenset(
        (
            *("student", "lastname", "firstname", "id", "sis user id", "sis login id"),
            *("integration id", "root account", "section"),
        )
    ),
    keys=frozenset({"id"}),
    title=re.compile(r"\s*(?P<title>.*?)\s*\((?P<id>\d+)\)\s*"),
    id="id",  # the first rows have none
    others=("sis user id", "sis login id"),
    emails=("sis user id", "sis login id"),
    names=(("student",), ("firstname", "lastname")),
    maxima="Points Possible",
    excused=EXCUSED,
    remedy="Export the gradebook from Canvas, and name that file with --template.",
)
