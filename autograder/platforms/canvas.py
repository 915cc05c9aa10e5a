"""Canvas: `name[_LATE]_user_attachment_file`, and `anon_code` in place of name and user."""

import re
from collections.abc import Sequence

from autograder.platforms.listing import Listing
from autograder.platforms.model import Importer, Owner, Piece

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
