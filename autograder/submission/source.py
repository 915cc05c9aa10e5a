"""One student's file for one exercise, as text; nothing of it is run here."""

import functools
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from autograder.course.course_file import Exercise
from autograder.course.text import as_letters, one_line
from autograder.course.variants import stated_variant
from autograder.submission.notebook import Cell, as_cells, holds_cells, read_cells
from autograder.submission.read import (
    EMPTY,
    UnreadableFile,
    decoded,
    entries_of,
    read_bytes,
    read_text,
    without_surrogates,
)
from autograder.worker.messages import Unit

MAX_SOURCE = 1024 * 1024  # bytes of a script, characters of a notebook's code
MAX_NOTEBOOK = 32 * 1024 * 1024
MAX_NAMES, MAX_READ = 5000, 50  # files beside a submission: known by name, read
MAX_ENTRIES = 200_000  # of their folder
MAX_KEPT = 8 * 1024 * 1024  # characters of code of one student
MAX_ANSWER, MAX_ANSWERS = 20_000, 50
SUFFIXES = (".py", ".ipynb")
ALSO_READ = (".txt", ".json", ".pyw")  # what a browser or a mail program makes of them
IN_WORDS = (".txt", ".md")  # suffixes of a request to the instructor
_IMPORTED = re.compile(r"^[ \t\f]*(?:import|from)[ \t]+(\w+)", re.MULTILINE)


class CharacterBudget:
    """Number of characters of code that may still be kept for one student."""

    def __init__(self, left: int = MAX_KEPT) -> None:
        self.left = left

    def take(self, size: int) -> bool:
        """Take so many characters if they are left; return whether they were."""
        if size > self.left:
            return False
        self.left -= size
        return True


class Siblings:
    """Python files of a folder, which a submission may import; each is read once it is named.

    Those that cannot be read are not there, nor those over the budget, whose names are in
    `left_out`.
    """

    def __init__(self, folder: Path, budget: CharacterBudget | None = None) -> None:
        try:
            names = [Path(entry.name) for entry in entries_of(folder, MAX_ENTRIES)]
        except UnreadableFile:
            names = []
        modules = [name.stem for name in names if name.suffix == ".py" and name.stem.isidentifier()]
        self._paths = {name: folder / f"{name}.py" for name in modules[:MAX_NAMES]}
        self._read: dict[str, tuple[str, list[str]] | None] = {}  # each with what it names
        self._budget = budget or CharacterBudget()
        self.left_out: list[str] = []

    def named_in(self, text: str, exercise: str) -> dict[str, str]:
        """Return the files that a text names, and those that they name, but not `exercise`."""
        found: dict[str, str] = {}
        waiting = [self._names_in(text)]
        while waiting:
            for name in waiting.pop():
                if name in found or name == exercise:
                    continue
                if name not in self._read:
                    own = self._text_of(self._paths[name])
                    self._read[name] = None if own is None else (own, self._names_in(own))
                if (sibling := self._read[name]) is not None:
                    found[name], names = sibling
                    waiting.append(names)
        return found

    def _names_in(self, text: str) -> list[str]:
        words = {found.group() for found in re.finditer(r"\w+", text)}
        return sorted(words.intersection(self._paths))

    def _text_of(self, path: Path) -> str | None:
        if len(self._read) < MAX_READ and self._budget.left > 0:
            try:
                text = read_text(path, MAX_SOURCE)
            except UnreadableFile:
                return None
            if self._budget.take(len(text)):
                return text
        self.left_out.append(one_line(path.name, 100))
        return None


class Source(msgspec.Struct, frozen=True, dict=True):
    """Source of a submission: units that run one after the other.

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
        """Return whether a word stands anywhere in what will run."""
        return word in self.text or any(word in text for text in self.helpers.values())

    def imports(self, library: str) -> bool:
        """Return whether an import of a library stands anywhere in what will run."""
        return library in self._imported

    @functools.cached_property
    def _imported(self) -> frozenset[str]:
        texts = (self.text, *self.helpers.values())
        return frozenset(name for text in texts for name in _IMPORTED.findall(text))

    @property
    def content(self) -> str:
        """Return letters that stand for what was written, whatever the files are called."""
        texts = [unit.text for unit in self.units]
        parts = texts, sorted(self.helpers.items()), sorted(self.answers.items())
        return as_letters(msgspec.json.encode(parts).decode())

    @property
    def digest(self) -> str:
        """Return the SHA-256 of all that will run."""
        units = [(unit.label, unit.text, "") for unit in self.units]  # marks are kept by digest
        parts: list[object] = [self.name, units, sorted(self.helpers.items())]
        if self.answers or self.variant:
            parts += [sorted(self.answers.items()), self.variant]
        return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def read_source(path: Path, exercise: str, siblings: Siblings | None = None) -> Source:
    """Read a script or a notebook; a suffix other than theirs does not say which it is.

    Raises:
        UnreadableFile: it cannot be read, or is not what its name says; one sentence says why.
    """
    label = one_line(path.name, 100)
    suffix = path.suffix.casefold()
    data = read_bytes(path, MAX_SOURCE if suffix == ".py" else MAX_NOTEBOOK)
    if suffix == ".ipynb" or holds_cells(data):
        return _from_cells(read_cells(data, label), exercise, label, siblings)
    if len(data) > MAX_SOURCE:
        raise UnreadableFile(f"{label} is larger than {MAX_SOURCE // 1024} KiB.")
    text = decoded(data, label)
    if not text.strip("\ufeff \t\r\n"):
        raise UnreadableFile(EMPTY.format(label))
    return from_text(text, exercise, label, siblings)


def read_own(path: Path, exercise: Exercise) -> Source:
    """Read a student's own file with the files beside it, by the numbers that it states.

    Raises:
        UnreadableFile: it cannot be read.
    """
    return with_stated_numbers(read_source(path, exercise.name, Siblings(path.parent)), exercise)


def from_text(text: str, exercise: str, label: str, siblings: Siblings | None = None) -> Source:
    """Return the source that a script with this text has."""
    return _source(exercise, label, (Unit(label, text),), siblings, _answers_in_comments(text))


def from_notebook(notebook: Any, exercise: str, siblings: Siblings) -> Source:
    """Return the source of a notebook that nbformat has read."""
    return _from_cells(as_cells(notebook), exercise, f"{exercise}.ipynb", siblings)


def from_cells(cells: Sequence[str], exercise: str, siblings: Siblings) -> Source:
    """Return the source that the inputs of a running notebook are, in the order they ran in."""
    texts = [without_surrogates(text) for text in cells]
    units = tuple(Unit(f"cell In[{n}]", text) for n, text in enumerate(texts, 1) if text.strip())
    return _source(exercise, f"{exercise}.ipynb", units, siblings, {})


def with_stated_numbers(source: Source, exercise: Exercise) -> Source:
    """Return the source with the variant that the file itself states, where there are variants."""
    if exercise.variant == "none":
        return source
    return msgspec.structs.replace(source, variant=stated_variant(source.text))


def _from_cells(
    cells: Sequence[Cell], exercise: str, label: str, siblings: Siblings | None
) -> Source:
    code = [cell.text for cell in cells if cell.kind == "code" and not cell.is_check]
    if sum(map(len, code)) > MAX_SOURCE:
        raise UnreadableFile(f"{label} holds over {MAX_SOURCE // 2**20} MiB of code.")
    answers: dict[str, str] = {}
    for cell in cells:
        if cell.kind == "markdown" and cell.answer and len(answers) < MAX_ANSWERS:
            answers.setdefault(cell.answer[:100], cell.text[:MAX_ANSWER].strip())
    units = tuple(Unit(f"code cell {number}", text) for number, text in enumerate(code, 1))
    return _source(exercise, label, units, siblings, answers)


def _answers_in_comments(text: str) -> dict[str, str]:
    """Return the answers of a percent-format script, where a text cell is a comment."""
    found: dict[str, str] = {}
    name = ""
    for line in text.split("\n"):
        if line.startswith("# %%"):
            begins = re.match(r'# %% \[markdown\].*\banswer="(\w{1,100})"', line)
            is_new = begins and begins.group(1) not in found and len(found) < MAX_ANSWERS
            name = begins.group(1) if begins and is_new else ""
            if name:
                found[name] = ""
        elif name and len(found[name]) < MAX_ANSWER:
            found[name] += re.sub(r"^#? ?", "", line) + "\n"
    return {name: answer[:MAX_ANSWER].strip() for name, answer in found.items()}


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
