"""Brightspace: its downloads of submissions, and its gradebook.

A submission is `USER-FOLDER - Full name - Feb 5, 2027 1110 PM`, alone or before a file's name. The
gradebook is Brightspace's export of points with the graded columns filled in. It finds students by
Org Defined ID or user name, which stand behind a `#`; other details of them must not be imported.
The last column marks the end of the line.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from autograder.classroom.downloads import Importer, Listing, Owner, Piece
from autograder.platforms.gradebook import GradebookFormat, NamedRow
from autograder.platforms.rows import Person

INDEX = "index.html"
_ENTRY = re.compile(
    r"(?P<user>[0-9]+)-[0-9]+ - (?P<name>.*?) - "
    r"(?P<date>[A-Za-z]{3,9}\.? \d{1,2}, \d{4} \d{3,4}(?: ?[AP]M)?)(?: - (?P<file>.+))?"
)
_FORMS = ("%b %d, %Y %I%M %p", "%B %d, %Y %I%M %p", "%b %d, %Y %H%M", "%B %d, %Y %H%M")


def piece_of(entry: str, is_folder: bool) -> Piece | None:
    """Return the piece that an entry's name describes, or None for a name of another kind."""
    found = _ENTRY.fullmatch(entry)
    if found is None or is_folder == bool(found["file"]):
        return None
    user, name, when = found["user"], found["name"].strip(), _time(found["date"])
    return Piece(
        entry=entry,
        owners=(Owner(key=f"{name}_{user}", id=user, name=name),),
        name=found["file"] or "",
        original=found["file"] or "",
        attempt=(when.isoformat() if when else "",),
        at=when,
    )


def _time(text: str) -> datetime | None:
    """Return the time; nothing separates hours and minutes: `945 PM`, `1110 PM`, `2310`."""
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
    found = (piece_of(entry.name, entry.is_folder) for entry in listing.entries)
    return [piece for piece in found if piece is not None]


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
    advice="Enter the Org Defined ID as the id in the roster, and grade again.",
    remedy=(
        "In Brightspace's gradebook, export points grades with Org Defined ID, names and e-mail, "
        "and name that file."
    ),
)
