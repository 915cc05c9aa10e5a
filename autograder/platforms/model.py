"""What an importer says of a download's entries."""

from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from autograder.platforms.listing import Listing


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody as a platform names them.

    `key` is what their results are called without a roster; it does not depend on the others in
    the download. `id` is the platform's own, where the download tells it.
    """

    key: str
    id: str = ""
    name: str = ""
    email: str = ""


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of a download, or the part of one that is somebody's.

    `entry` is its path below the listing; `name` is the file's real name, and empty for a folder
    whose content is the work. `attempt` orders one person's attempts; the last one stands alone
    where `whole`, and else takes the place of files of the same name.
    """

    entry: str
    owners: tuple[Owner, ...]
    name: str = ""
    original: str = ""
    attempt: tuple[int | str, ...] = ()
    whole: bool = False
    at: datetime | None = None
    late: bool = False


class Importer(msgspec.Struct, frozen=True, kw_only=True):
    """A platform: `recognise` counts the entries that only it writes, `read` says whose they are.

    `read` leaves out what it does not understand; `expected` is how its entries are named, for the
    message. `also` are files that it reads besides, and that are nobody's work.
    """

    name: str
    title: str
    expected: str
    recognise: Callable[[Listing], int]
    read: Callable[[Listing], Sequence[Piece]]
    also: Callable[[Listing], Sequence[str]] = lambda _: ()
