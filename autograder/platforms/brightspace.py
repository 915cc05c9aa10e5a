"""Brightspace: its downloads of submissions, and its gradebook.

A submission is named `USER-FOLDER - Full name - Feb 5, 2027 1110 PM`, alone or before a file's
name. The gradebook is Brightspace's export of points with the graded columns filled in. Brightspace
finds a student by the Org Defined ID or the user name, after a `#`. Other details of students must
not be imported. The last column marks the end of the line.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from autograder.classroom.downloads import Entry, Importer, Listing, Owner, Piece
from autograder.platforms.gradebook import GradebookFormat, NamedRow
from autograder.platforms.rows import Person

INDEX = "index.html"
_USER = re.compile(r"(?P<user>[0-9]+)-[0-9]+ - ")
_DATE = re.compile(r" - (?P<date>[A-Za-z]{3,9}\.? \d{1,2}, \d{4} \d{3,4}(?: ?[AP]M)?)(?= - |$)")
_FORMS = ("%b %d, %Y %I%M %p", "%B %d, %Y %I%M %p", "%b %d, %Y %H%M", "%B %d, %Y %H%M")


def readings_of(entry: Entry) -> list[Piece]:
    """Return all meanings of an entry's name; an empty list if Brightspace makes no such names.

    Students choose their names and their files' names, and both may contain a date.
    """
    readings = []
    begin = _USER.match(entry.name)
    if begin is None:
        return []
    for date in _DATE.finditer(entry.name, begin.end()):
        file = entry.name[date.end() :].removeprefix(" - ")
        if entry.is_folder == bool(file):
            continue
        user, when = begin["user"], _time(date["date"])
        name = entry.name[begin.end() : date.start()].strip()
        piece = Piece(
            entry=entry.name,
            owners=(Owner(key=f"{name}_{user}", id=user, name=name),),
            name=file,
            original=file,
            attempt=(when.isoformat() if when else "",),
            at=when,
        )
        readings.append(piece)
    return readings


def _time(text: str) -> datetime | None:
    """Return the time; hours and minutes have no separator: `945 PM`, `1110 PM`, `2310`."""
    date, _, clock = text.replace(".", "").rpartition(" 20")
    year, _, clock = f"20{clock}".partition(" ")
    digits = clock.rstrip("APM ")
    half = clock[len(digits) :].strip()
    shown = f"{date} {year} {digits:0>4} {half}".strip()
    for form in _FORMS:
        try:
            return datetime.strptime(shown, form)
        except ValueError:
            continue
    return None


def read(listing: Listing) -> Sequence[Piece]:
    """Return the pieces of all entries.

    A person has the same name in all entries. If several meanings remain, the latest time counts.
    So a date in the name of a person or a file cannot make a submission earlier than it was.
    """
    entries = [readings for entry in listing.entries if (readings := readings_of(entry))]
    names: dict[str, set[Owner]] = {}
    for readings in entries:
        (user,) = {piece.owners[0].id for piece in readings}
        possible = {piece.owners[0] for piece in readings}
        names[user] = names.get(user, possible) & possible or possible
    return [
        max(
            (piece for piece in readings if piece.owners[0] in names[piece.owners[0].id]),
            key=lambda piece: piece.attempt,
            default=readings[0],
        )
        for readings in entries
    ]


BRIGHTSPACE = Importer(
    name="brightspace",
    title="Brightspace",
    expected="folders or files such as 1234-5678 - Anna Musterfrau - Feb 5, 2027 1110 PM",
    recognise=lambda listing: len(read(listing)),
    read=read,
    also=lambda listing: [INDEX] if INDEX in listing.files else [],
)


def _person(row: NamedRow) -> Person | None:
    ids = [row.get(name).removeprefix("#") for name in ("orgdefinedid", "username")]
    if not any(ids):
        return None
    name = f"{row.get('first name')} {row.get('last name')}"
    return Person(row.line, "", ids, [row.get("email")], [name])


BRIGHTSPACE_GRADEBOOK = GradebookFormat(
    needed=("End-of-Line Indicator",),
    about=frozenset({"orgdefinedid", "username", "end-of-line indicator"}),
    keys=frozenset({"orgdefinedid", "username", "end-of-line indicator"}),
    title=re.compile(
        r"\s*(?P<title>.*?) Points Grade\s*(?:<Numeric MaxPoints:(?P<points>[\d.,]+)[^>]*>)?\s*"
    ),
    person=_person,
    advice="Enter the Org Defined ID as the student's id in the roster, and grade again.",
    remedy=(
        "In Brightspace's gradebook, export points grades with Org Defined ID, names and e-mail, "
        "and name that file with --template."
    ),
)
