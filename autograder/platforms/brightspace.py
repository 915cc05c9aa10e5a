"""Brightspace: `USER-FOLDER - Full name - Feb 5, 2027 1110 PM`, alone or before a file's name."""

import re
from collections.abc import Sequence
from datetime import datetime

from autograder.platforms.listing import Listing
from autograder.platforms.model import Importer, Owner, Piece

INDEX = "index.html"
_ENTRY = re.compile(
    r"(?P<user>\d+)-\d+ - (?P<name>.+?) - "
    r"(?P<date>[A-Za-z]{3,9}\.? \d{1,2}, \d{4} \d{3,4}(?: ?[AP]M)?)(?: - (?P<file>.+))?"
)
_FORMS = ("%b %d, %Y %I%M %p", "%B %d, %Y %I%M %p", "%b %d, %Y %H%M", "%B %d, %Y %H%M")


def piece_of(entry: str, is_folder: bool) -> Piece | None:
    """What an entry's name says, or None for a name that Brightspace does not make."""
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
    """The time, which has no separator between hours and minutes: `945 PM`, `1110 PM`, `2310`."""
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
