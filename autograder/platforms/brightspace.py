"""Brightspace's downloads of submissions, and its gradebook.

A submission is a folder or a file with the name `USER-FOLDER - Full name - Feb 5, 2027 1110 PM`. In
the name of a file, more text may follow the date. The gradebook is Brightspace's export of points
with the graded columns filled in. Brightspace finds a student by the Org Defined ID or the user
name, after a `#`. The last column marks the end of each row.
"""

import re
from collections.abc import Sequence

from autograder.classroom.downloads import Entry, Importer, Listing, Owner, Piece
from autograder.platforms.gradebook import GradebookFormat, parsed_time

INDEX = "index.html"
_USER = re.compile(r"(?P<user>[0-9]+)-[0-9]+ - ")
_DATE = re.compile(  # hours and minutes have no separator: `945 PM`, `1110 PM`, `2310`
    r" - (?P<day>(?P<month>[A-Za-z]{3,9})\.? \d{1,2}, \d{4}) (?P<clock>\d{3,4})"
    r"(?: ?(?P<half>[AP]M))?"
    r"(?= - |$)"
)


def readings_of(entry: Entry) -> list[Piece]:
    """Return all possible meanings of an entry's name.

    A name that Brightspace never makes has none. Students choose their names and the names of their
    files, and both may contain a date.
    """
    readings: list[Piece] = []
    begin = _USER.match(entry.name)
    if begin is None:
        return readings
    for date in _DATE.finditer(entry.name, begin.end()):
        file = entry.name[date.end() :].removeprefix(" - ")
        if entry.is_folder == bool(file):
            continue
        text = f"{date['day'].replace('.', '')} {date['clock']:0>4} {date['half'] or ''}".strip()
        form = f"{'%b' if len(date['month']) == 3 else '%B'} %d, %Y "
        when = parsed_time(text, form + ("%I%M %p" if date["half"] else "%H%M"))
        user, name = begin["user"], entry.name[begin.end() : date.start()].strip()
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


def read(listing: Listing) -> Sequence[Piece]:
    """Return the pieces of all entries of a download.

    Of several meanings, the one with the latest time counts. So a date in the name of a person or a
    file cannot make a submission seem earlier.
    """
    entries = [readings for entry in listing.entries if (readings := readings_of(entry))]
    names: dict[str, set[Owner]] = {}
    for readings in entries:
        user = readings[0].owners[0].id
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

BRIGHTSPACE_GRADEBOOK = GradebookFormat(
    needed=("End-of-Line Indicator",),
    about=frozenset({"orgdefinedid", "username", "end-of-line indicator"}),
    keys=frozenset({"orgdefinedid", "username", "end-of-line indicator"}),
    title=re.compile(
        r"\s*(?P<title>.*?) Points Grade\s*(?:<Numeric MaxPoints:(?P<points>[\d.,]+)[^>]*>)?\s*"
    ),
    others=("orgdefinedid", "username"),
    emails=("email",),
    names=(("first name", "last name"),),
    advice="Enter the Org Defined ID as the student's id in the roster, and grade again.",
    remedy=(
        "In Brightspace's gradebook, export points grades with Org Defined ID, names and e-mail, "
        "and name that file with --template."
    ),
)
