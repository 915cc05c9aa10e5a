"""Entries of a download, and the importers that read them."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from autograder.course.errors import UserError
from autograder.course.text import one_line
from autograder.submission.archive import PathParts
from autograder.submission.file_names import counts, may_be_hidden_work
from autograder.submission.read import (
    UnreadableFile,
    as_utf8,
    entries_of,
    kind_of,
    read_bytes,
)

MOST_ENTRIES = 200_000
MOST_NAME = 1000  # characters; a name in a zip can be longer than a disk allows
MOST_TEXT = 1024 * 1024  # bytes of a platform's note on a hand-in
YEARS = range(1990, 3000)  # plausible years of a hand-in
MOST_METADATA = 32 * 1024 * 1024  # bytes; Gradescope's file has every test's output


class Entry(msgspec.Struct, frozen=True, order=True):
    """An entry of a folder, or of the zip from which the folder was unpacked."""

    name: str
    is_folder: bool


class Listing:
    """The entries of a folder, sorted by name.

    If the folder is from a zip, `packed` is a dict from the path of each entry of the zip to the
    reason why it was not unpacked, or to an empty text. So a student who handed in only a PDF,
    which is never unpacked, is listed too. `hidden` are names that begin with a dot.
    """

    def __init__(
        self, root: Path, packed: Mapping[PathParts, str] | None = None, is_below: bool = False
    ) -> None:
        """List the folder. If `is_below` is true and the folder cannot be read, the list is empty.

        Raises:
            UserError: the folder cannot be read, or has too many entries.
        """
        self.root = root
        self._packed: dict[str, dict[PathParts, str]] = {}
        for path, reason in (packed or {}).items():
            if len(path[0]) <= MOST_NAME:
                self._packed.setdefault(path[0], {})[path[1:]] = reason
        found = {name: Entry(name, any(paths)) for name, paths in self._packed.items()}
        try:
            entries = entries_of(self.root, MOST_ENTRIES + 1, str(self.root))
        except UnreadableFile as error:
            if not (is_below or self._packed):
                raise UserError(str(error)) from None
            entries = []
        if len(entries) > MOST_ENTRIES and not is_below:
            raise UserError(
                f"{self.root} holds over {MOST_ENTRIES:,} entries. Name the folder of one "
                f"assignment's submissions."
            )
        found |= {each.name: Entry(each.name, each.kind == "folder") for each in entries}
        self.hidden = sorted(filter(may_be_hidden_work, found))
        self.entries = sorted(entry for entry in found.values() if counts(entry.name))

    @property
    def files(self) -> list[str]:
        return [entry.name for entry in self.entries if not entry.is_folder]

    @property
    def folders(self) -> list[str]:
        return [entry.name for entry in self.entries if entry.is_folder]

    def below(self, folder: str) -> "Listing":
        """Return the listing of a subfolder. If the folder cannot be read, the listing is empty."""
        packed = {path: reason for path, reason in self._packed.get(folder, {}).items() if path}
        return Listing(self.root / folder, packed, is_below=True)

    def lost(self, entry: str) -> dict[str, str]:
        """Return the files of an entry that were not unpacked, as a dict from path to reason."""
        packed = self._packed.get(entry, {})
        return {
            "/".join(path): f"{one_line((entry, *path)[-1], 100)} was left out: {reason}."
            for path, reason in packed.items()
            if reason
        }

    def has(self, folder: str, name: str) -> bool:
        """Return whether a subfolder has an entry with that name. A link does not count."""
        if kind_of(self.root / folder / name) not in {None, "link"}:
            return True
        return any(below[:1] == (name,) for below in self._packed.get(folder, ()))

    def text(self, *parts: str, most: int = MOST_TEXT) -> str:
        """Return a small file's text, or an empty text if the file is not readable as UTF-8."""
        try:
            data = read_bytes(self.root.joinpath(*parts), most)
            return as_utf8(data, parts[-1]).decode("utf-8", "replace")
        except UnreadableFile:
            return ""


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """A student as the platform describes them.

    Without a roster, `key` is the student's name in the results; it does not depend on other
    entries of the download. `id` is the student's id on the platform, or an empty text.
    """

    key: str
    id: str = ""
    name: str = ""
    email: str = ""


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of a download, or the part of an entry that belongs to one person.

    `entry` is the path in the listing. `name` is the file's name, or an empty text for a folder
    that is itself the submission. `attempt` gives the order of a person's attempts. If `whole` is
    true, the last attempt replaces all earlier ones; otherwise only files with equal names.
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
    """A platform. `recognise` counts entries that only this platform writes; `read` returns pieces.

    `read` skips entries that it does not understand. If an entry's name may mean several students,
    it returns a piece for each of them; then only a roster can decide whose entry it is. `expected`
    is a text for messages: it describes the names of entries. `also` returns other files of the
    platform, which are not submissions. If `starters` is true, submissions include files that the
    student did not change.
    """

    name: str
    title: str
    expected: str
    recognise: Callable[[Listing], int]
    read: Callable[[Listing], Sequence[Piece]]
    also: Callable[[Listing], Sequence[str]] = lambda _: ()
    starters: bool = False


def plain_owner(name: str) -> Owner:
    """Return the owner of an entry whose name is the student's name."""
    return Owner(key=name, id=name, name=name)


PLAIN = Importer(
    name="folders",
    title="a folder for each student",
    expected="folders, each named after a student",
    recognise=lambda _: 0,
    read=lambda listing: [
        Piece(entry=name, owners=(plain_owner(name),)) for name in listing.folders
    ],
)
