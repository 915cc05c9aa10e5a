"""One student's file for one exercise, as text; nothing of it is run here."""

import functools
import hashlib
import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from autograder.course.course_file import Exercise
from autograder.course.text import one_line
from autograder.course.variants import stated_variant
from autograder.submission.notebook import Cell, as_cells, holds_cells, read_cells
from autograder.submission.read import (
    UnreadableFile,
    decoded,
    read_bytes,
    read_text,
    without_surrogates,
)
from autograder.worker.messages import Unit

# The files beside a submission that it may import: read when it names them, within bounds.


MAX_SOURCE = 1024 * 1024
MAX_NAMES = 5000
MAX_READ = 50
MAX_KEPT = 8 * 1024 * 1024


class CharacterBudget:
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

    def __init__(self, folder: Path, room: CharacterBudget | None = None) -> None:
        paths = heapq.nsmallest(MAX_NAMES, folder.glob("*.py"))
        self._paths = {path.stem: path for path in paths if path.stem.isidentifier()}
        self._texts: dict[str, str | None] = {}
        self._known: dict[str, list[str]] = {}
        self._room = room or CharacterBudget()
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


MAX_NOTEBOOK = 32 * 1024 * 1024
MAX_ANSWER = 20_000
MAX_ANSWERS = 50
SUFFIXES = (".py", ".ipynb")
ALSO_READ = (".txt", ".json", ".pyw")  # what a browser or a mail program makes of them
_IMPORTED = re.compile(r"^[ \t\f]*(?:import|from)[ \t]+(\w+)", re.MULTILINE)


class Source(msgspec.Struct, frozen=True, dict=True):
    """The source of a submission: units that run one after the other.

    `helpers` are the files beside it that it names, and those that they name, by module name;
    `answers` are the text cells that answer a question, by its name. They are read, never run.
    `variant` is the key of the student's own numbers, where an exercise has such.
    """

    name: str
    label: str
    units: tuple[Unit, ...]
    helpers: dict[str, str] = {}
    answers: dict[str, str] = {}
    variant: str = ""

    @property
    def text(self) -> str:
        return "\n".join(unit.text for unit in self.units)

    def mentions(self, word: str) -> bool:
        """Whether a word stands anywhere in what will run."""
        return word in self.text or any(word in text for text in self.helpers.values())

    def imports(self, library: str) -> bool:
        """Whether an import of a library stands anywhere in what will run."""
        return library in self._imported

    @functools.cached_property
    def _imported(self) -> frozenset[str]:
        texts = (self.text, *self.helpers.values())
        return frozenset(name for text in texts for name in _IMPORTED.findall(text))

    @property
    def digest(self) -> str:
        """SHA-256 of all that will run."""
        parts: list[object] = [self.name, self.units, sorted(self.helpers.items())]
        if self.answers or self.variant:
            parts += [sorted(self.answers.items()), self.variant]
        data = msgspec.json.encode(parts)
        return hashlib.sha256(data).hexdigest()


def read_source(path: Path, exercise: str, siblings: Siblings | None = None) -> Source:
    """Read a script or a notebook; which of them it is, a suffix other than theirs does not say.

    Raises:
        UnreadableFile: it cannot be read, or is not what its name says; one sentence says why.
    """
    label = one_line(path.name, 100)
    suffix = path.suffix.casefold()
    data = read_bytes(path, MAX_SOURCE if suffix == ".py" else MAX_NOTEBOOK)
    if suffix == ".ipynb" or holds_cells(data):
        cells = read_cells(data, label)
        return _source(exercise, label, _units(cells, label), siblings, _answers(cells))
    if len(data) > MAX_SOURCE:
        raise UnreadableFile(f"{label} is larger than {MAX_SOURCE // 1024} KiB.")
    return from_text(decoded(data, label), exercise, label, siblings)


def read_own(path: Path, exercise: Exercise) -> Source:
    """A student's own file, with what lies beside it and by the numbers that it states.

    Raises:
        UnreadableFile: it cannot be read.
    """
    return with_stated_numbers(read_source(path, exercise.name, Siblings(path.parent)), exercise)


def from_text(text: str, exercise: str, label: str, siblings: Siblings | None = None) -> Source:
    """The text of a script, as `read_source` reads the file."""
    return _source(exercise, label, (Unit(label, text),), siblings, _answers_in_comments(text))


def from_notebook(notebook: Any, exercise: str, siblings: Siblings) -> Source:
    """A notebook that nbformat has read, as `read_source` reads the file."""
    cells, label = as_cells(notebook), f"{exercise}.ipynb"
    return _source(exercise, label, _units(cells, label), siblings, _answers(cells))


def from_cells(cells: Sequence[str], exercise: str, siblings: Siblings) -> Source:
    """The inputs of a running notebook, in the order in which they ran."""
    texts = [without_surrogates(text) for text in cells]
    units = tuple(Unit(f"cell In[{n}]", text) for n, text in enumerate(texts, 1) if text.strip())
    return _source(exercise, f"{exercise}.ipynb", units, siblings, {})


def _source(
    exercise: str,
    label: str,
    units: tuple[Unit, ...],
    siblings: Siblings | None,
    answers: dict[str, str],
) -> Source:
    text = "\n".join(unit.text for unit in units)
    helpers = siblings.named_in(text, exercise) if siblings is not None else {}
    return Source(exercise, label, units, helpers, answers)


def with_own_numbers(source: Source, variant: str) -> Source:
    """The source, to be graded by the numbers of a variant."""
    return msgspec.structs.replace(source, variant=variant)


def with_stated_numbers(source: Source, exercise: Exercise) -> Source:
    """The source with the variant that the file itself states, where the exercise has variants."""
    if exercise.variant == "none":
        return source
    return with_own_numbers(source, stated_variant(source.text))


def _answers(cells: Sequence[Cell]) -> dict[str, str]:
    """The text cells of a notebook that answer a question; of two with one name, the first."""
    found: dict[str, str] = {}
    for cell in cells:
        if cell.kind == "markdown" and cell.answer and len(found) < MAX_ANSWERS:
            found.setdefault(cell.answer[:100], cell.text[:MAX_ANSWER].strip())
    return found


def _answers_in_comments(text: str) -> dict[str, str]:
    """The same in a percent-format script, where a text cell is a comment."""
    found: dict[str, str] = {}
    name = ""
    for line in text.split("\n"):
        if line.startswith("# %%"):
            begins = re.match(r'# %% \[markdown\].*\banswer="(\w{1,100})"', line)
            name = begins.group(1) if begins and begins.group(1) not in found else ""
            name = name if len(found) < MAX_ANSWERS else ""
            if name:
                found[name] = ""
        elif name and len(found[name]) < MAX_ANSWER:
            found[name] += re.sub(r"^#? ?", "", line) + "\n"
    return {name: answer[:MAX_ANSWER].strip() for name, answer in found.items()}


def _units(cells: Sequence[Cell], label: str) -> tuple[Unit, ...]:
    units: list[Unit] = []
    for cell in cells:
        if cell.kind == "code" and not cell.is_check:
            units.append(Unit(f"code cell {len(units) + 1}", cell.text))
    if sum(len(unit.text) for unit in units) > MAX_SOURCE:
        raise UnreadableFile(f"{label} holds over {MAX_SOURCE // 2**20} MiB of code.")
    return tuple(units)
