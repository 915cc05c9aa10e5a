"""The files beside a submission that it may import: read when it names them, within bounds."""

import heapq
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder.submission.read import UnreadableFile, read_text
from autograder.text import one_line

MAX_SOURCE = 1024 * 1024
MAX_NAMES = 5000
MAX_READ = 50
MAX_KEPT = 8 * 1024 * 1024


class Room:
    """How many characters of code may still be kept for one student."""

    def __init__(self, left: int = MAX_KEPT) -> None:
        self.left = left

    def take(self, size: int) -> bool:
        """Whether there was room for that much; it is then taken."""
        if size > self.left:
            return False
        self.left -= size
        return True


class Siblings(Mapping[str, str]):
    """The Python files of a folder by module name; each is read when it is first asked for.

    Those that cannot be read are not there; nor are those that there is no room for, whose names
    are in `left_out`.
    """

    def __init__(self, folder: Path, room: Room | None = None) -> None:
        paths = heapq.nsmallest(MAX_NAMES, folder.glob("*.py"))
        self._paths = {path.stem: path for path in paths if path.stem.isidentifier()}
        self._texts: dict[str, str | None] = {}
        self._known: dict[str, list[str]] = {}
        self._room = room or Room()
        self.left_out: list[str] = []

    def __getitem__(self, name: str) -> str:
        if name not in self._texts:
            self._texts[name] = self._read(self._paths[name])
        text = self._texts[name]
        if text is None:
            raise KeyError(name)
        return text

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def named_in(self, text: str, name: str) -> dict[str, str]:
        """The files that a text names, and those that they name; never `name` itself."""
        found: dict[str, str] = {}
        waiting = [self._names_in(text)]
        while waiting:
            for sibling in waiting.pop():
                if sibling in found or sibling == name or self.get(sibling) is None:
                    continue
                found[sibling] = self[sibling]
                known = self._known.get(sibling)
                if known is None:  # looked for once, however many files name it
                    known = self._names_in(found[sibling])
                self._known[sibling] = [each for each in known if not self._is_left_out(each)]
                waiting.append(self._known[sibling])
        return found

    def _names_in(self, text: str) -> list[str]:
        words = {found.group() for found in re.finditer(r"\w+", text)}
        return sorted(words.intersection(self._paths))

    def _is_left_out(self, name: str) -> bool:
        """Whether it has been tried, and there is no text of it."""
        return name in self._texts and self._texts[name] is None

    def _read(self, path: Path) -> str | None:
        if len(self._texts) >= MAX_READ or self._room.left <= 0:
            self.left_out.append(one_line(path.name, 100))
            return None
        try:
            text = read_text(path, MAX_SOURCE)
        except UnreadableFile:
            return None
        if not self._room.take(len(text)):
            self.left_out.append(one_line(path.name, 100))
            return None
        return text
