"""Moodle: folders `Full name_ID_assignsubmission_file`, or files with that before their name.

Before Moodle 4.1 a folder's name ends with `_`. A team's folder has the team's name and number, and
the default team has no number.
"""

import re
from collections.abc import Sequence

from autograder.platforms.listing import Listing
from autograder.platforms.model import Importer, Owner, Piece

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
