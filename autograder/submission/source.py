"""One student's file for one exercise, as text; nothing of it is run here."""

import functools
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from autograder.course import Exercise
from autograder.submission.notebook import Cell, as_cells, holds_cells, read_cells
from autograder.submission.read import UnreadableFile, decoded, read_bytes, without_surrogates
from autograder.submission.siblings import MAX_SOURCE, Siblings
from autograder.text import one_line
from autograder.variants import stated_variant
from autograder.worker.messages import Unit

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
