"""The entries of a download, and the importers that read them."""

import os
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from autograder.course.errors import UserError
from autograder.submission.archive import PathParts
from autograder.submission.file_names import counts, may_be_hidden_work
from autograder.submission.read import UnreadableFile, as_utf8, read_bytes

MOST_ENTRIES = 200_000
MOST_TEXT = 1024 * 1024  # of a note that a platform puts beside a hand-in
MOST_METADATA = 32 * 1024 * 1024  # Gradescope's holds the output of every test


class Entry(msgspec.Struct, frozen=True, order=True):
    """A name in a folder, or in the zip that it was unpacked from."""

    name: str
    is_folder: bool


class Listing:
    """The entries of a folder, in order of name.

    `packed` are the paths of all entries of the zip that the folder was unpacked from: so a hand-in
    of only a PDF, which is not unpacked, is listed too. `hidden` are names that begin with a dot.
    """

    hidden: list[str]

    def __init__(self, root: Path, packed: Collection[PathParts] = ()) -> None:
        self.root = root
        self._packed: dict[str, list[PathParts]] = {}
        for path in packed:
            self._packed.setdefault(path[0], []).append(path[1:])
        self.entries = self._list()

    def _list(self) -> list[Entry]:
        found = {name: Entry(name, any(paths)) for name, paths in self._packed.items()}
        try:
            with os.scandir(self.root) as entries:
                for count, entry in enumerate(entries):
                    if count >= MOST_ENTRIES:
                        raise UserError(
                            f"{self.root} holds over {MOST_ENTRIES:,} entries. Name the folder of "
                            f"one assignment's submissions."
                        )
                    found[entry.name] = Entry(entry.name, entry.is_dir(follow_symlinks=False))
        except OSError as error:
            if self.root.is_dir() or not self._packed:
                raise UserError(f"{self.root} cannot be read: {error.strerror}.") from None
        self.hidden = sorted(filter(may_be_hidden_work, found))
        return sorted(entry for entry in found.values() if counts(entry.name))

    @property
    def files(self) -> list[str]:
        return [entry.name for entry in self.entries if not entry.is_folder]

    @property
    def folders(self) -> list[str]:
        return [entry.name for entry in self.entries if entry.is_folder]

    def below(self, folder: str) -> "Listing":
        """Return the listing of a folder of this one."""
        packed = [path for path in self._packed.get(folder, ()) if path]
        return Listing(self.root / folder, packed)

    def has(self, folder: str, name: str) -> bool:
        """Tell whether a folder has an entry of that name; links do not count."""
        path = self.root / folder / name
        if path.exists() and not path.is_symlink():
            return True
        return any(below[:1] == (name,) for below in self._packed.get(folder, ()))

    def text(self, *parts: str, most: int = MOST_TEXT) -> str:
        """Return the text of a small file; empty if it cannot be read as UTF-8."""
        try:
            data = read_bytes(self.root.joinpath(*parts), most)
            return as_utf8(data, parts[-1]).decode("utf-8", "replace")
        except (UnreadableFile, OSError, ValueError):
            return ""


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """A student as a platform names them.

    `key` names their results without a roster; it does not depend on the others in the download.
    `id` is the platform's own, if the download has it.
    """

    key: str
    id: str = ""
    name: str = ""
    email: str = ""


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of a download, or a person's part of one.

    `entry` is its path below the listing; `name` is the file's real name, and empty for a folder
    whose content is the submission. `attempt` orders one person's attempts: the last one replaces
    all others if `whole`, else only files of the same name.
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
    """A platform: `recognise` counts the entries that only it writes, `read` returns their pieces.

    `read` leaves out entries that it does not understand. Of an entry whose name may mean several
    students it returns a piece for each: nobody gets it unless the roster settles whose it is.
    `expected` shows the names of entries in a message. `also` are other files that it reads, and
    that are nobody's submission.
    """

    name: str
    title: str
    expected: str
    recognise: Callable[[Listing], int]
    read: Callable[[Listing], Sequence[Piece]]
    also: Callable[[Listing], Sequence[str]] = lambda _: ()


def plain_owner(name: str) -> Owner:
    """Return the owner of what is called as its student."""
    return Owner(key=name, id=name, name=name)


PLAIN = Importer(
    name="folders",
    title="a folder for each student",
    expected="folders, each called as its student",
    recognise=lambda _: 0,
    read=lambda listing: [
        Piece(entry=name, owners=(plain_owner(name),)) for name in listing.folders
    ],
)
