"""One student's file for one exercise, as text; nothing of it is run here."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from autograder.course import Exercise
from autograder.submission.read import NotPython, UnreadableFile, decoded, read_bytes
from autograder.submission.siblings import MAX_SOURCE, Siblings
from autograder.text import one_line
from autograder.variants import stated_variant
from autograder.worker.messages import Unit

MAX_NOTEBOOK = 32 * 1024 * 1024
CHECK = "check-"  # how the ids of cells begin that call check()
MAX_ANSWER = 20_000
MAX_ANSWERS = 50
SUFFIXES = (".py", ".ipynb")
_IN_PYTHON = re.compile(r"^(?:def \w+\(|class \w+[(:])", re.MULTILINE)


class Source(msgspec.Struct, frozen=True):
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
        line = re.compile(rf"^\s*(import|from)\s+{library}\b", re.MULTILINE)
        return any(line.search(text) for text in (self.text, *self.helpers.values()))

    @property
    def digest(self) -> str:
        """SHA-256 of all that will run."""
        parts: list[object] = [self.name, self.units, sorted(self.helpers.items())]
        if self.answers or self.variant:
            parts += [sorted(self.answers.items()), self.variant]
        data = msgspec.json.encode(parts)
        return hashlib.sha256(data).hexdigest()


def _named(text: str, name: str, siblings: Mapping[str, str]) -> dict[str, str]:
    """The siblings whose names occur in a text, and those that occur in them."""
    found: dict[str, str] = {}
    texts = [text]
    while texts:
        words = set(re.findall(r"\w+", texts.pop()))
        for sibling in sorted(words.intersection(siblings) - found.keys() - {name}):
            source = siblings.get(sibling)
            if source is not None:
                found[sibling] = source
                texts.append(source)
    return found


class _Cell(msgspec.Struct):
    cell_type: str = ""
    source: str | list[str] = ""
    metadata: dict[str, Any] = {}
    id: str = ""

    @property
    def is_check(self) -> bool:
        """Whether it is the cell that shows the report: it is not the student's."""
        mark = self.metadata.get("nbgrader")
        name = mark.get("grade_id") if isinstance(mark, dict) else None
        return any(str(each).startswith(CHECK) for each in (name, self.id))

    @property
    def text(self) -> str:
        return self.source if isinstance(self.source, str) else "".join(self.source)


class _Notebook(msgspec.Struct):
    cells: list[_Cell]
    metadata: dict[str, Any] = {}

    @property
    def language(self) -> str:
        """The language that the notebook says it is in; empty where it says nothing."""
        for part, field in (("language_info", "name"), ("kernelspec", "language")):
            about = self.metadata.get(part)
            said = about.get(field) if isinstance(about, dict) else None
            if isinstance(said, str) and said.strip():
                return said.strip()
        return ""


def read_source(path: Path, exercise: str, siblings: Mapping[str, str] | None = None) -> Source:
    """Read a script or a notebook; which of them it is, a suffix other than theirs does not say.

    Raises:
        UnreadableFile: it cannot be read, or is not what its name says; one sentence says why.
    """
    label = one_line(path.name, 100)
    suffix = path.suffix.casefold()
    data = read_bytes(path, MAX_SOURCE if suffix == ".py" else MAX_NOTEBOOK)
    if suffix == ".ipynb" or _holds_cells(data):
        cells = _cells(data, label)
        units, answers = _units(cells, label), _answers(cells)
    else:
        text = decoded(data, label)
        if len(text) > MAX_SOURCE:
            raise UnreadableFile(f"{label} is larger than {MAX_SOURCE // 1024} KiB.")
        units, answers = (Unit(label, text),), _answers_in_comments(text)
    text = "\n".join(unit.text for unit in units)
    return Source(exercise, label, units, _named(text, exercise, siblings or {}), answers)


def from_notebook(notebook: Any, exercise: str, siblings: Mapping[str, str]) -> Source:
    """A notebook that nbformat has read, as `read_source` reads the file."""
    cells = msgspec.convert(notebook["cells"], list[_Cell])
    units = _units(cells, f"{exercise}.ipynb")
    text = "\n".join(unit.text for unit in units)
    named = _named(text, exercise, siblings)
    return Source(exercise, f"{exercise}.ipynb", units, named, _answers(cells))


def from_cells(cells: Sequence[str], exercise: str, siblings: Mapping[str, str]) -> Source:
    """The inputs of a running notebook, in the order in which they ran."""
    units = tuple(Unit(f"cell In[{n}]", text) for n, text in enumerate(cells, 1) if text.strip())
    text = "\n".join(unit.text for unit in units)
    return Source(exercise, f"{exercise}.ipynb", units, _named(text, exercise, siblings))


def with_own_numbers(source: Source, variant: str) -> Source:
    """The source, to be graded by the numbers of a variant."""
    return msgspec.structs.replace(source, variant=variant)


def with_stated_numbers(source: Source, exercise: Exercise) -> Source:
    """The source with the variant that the file itself states, where the exercise has variants."""
    if exercise.variant == "none":
        return source
    return with_own_numbers(source, stated_variant(source.text))


def read_siblings(folder: Path) -> Siblings:
    """The Python files of a folder by module name, read when they are named."""
    return Siblings(folder)


def _answers(cells: Sequence[_Cell]) -> dict[str, str]:
    """The text cells of a notebook that answer a question; of two with one name, the first."""
    found: dict[str, str] = {}
    for cell in cells:
        name = cell.metadata.get("answer")
        if cell.cell_type == "markdown" and isinstance(name, str) and len(found) < MAX_ANSWERS:
            found.setdefault(name[:100], cell.text[:MAX_ANSWER].strip())
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
    return {name: answer.strip() for name, answer in found.items()}


def _cells(data: bytes, label: str) -> list[_Cell]:
    try:
        notebook = msgspec.json.decode(data, type=_Notebook)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        if b'"worksheets"' in data[:2000]:
            reason = "it is in the format of 2014 (nbformat 3); open and save it in Jupyter"
        else:
            reason = f"its JSON is damaged ({one_line(str(error), 120)})"
        raise UnreadableFile(f"{label} is not a notebook that can be read: {reason}.") from None
    code = "\n".join(cell.text for cell in notebook.cells if cell.cell_type == "code")
    if "python" not in (notebook.language or "python").casefold() and not _IN_PYTHON.search(code):
        raise NotPython(
            f"{label} is a notebook in {one_line(notebook.language, 40)}. The exercises are "
            f"graded in Python."
        )
    return notebook.cells


def _holds_cells(data: bytes) -> bool:
    """Whether a file is a notebook, whatever its name."""
    return data.lstrip()[:1] == b"{" and b'"cells"' in data and b'"nbformat"' in data


def _units(cells: Sequence[_Cell], label: str) -> tuple[Unit, ...]:
    units: list[Unit] = []
    for cell in cells:
        if cell.cell_type == "code" and not cell.is_check:
            units.append(Unit(f"code cell {len(units) + 1}", cell.text))
    if sum(len(unit.text) for unit in units) > MAX_SOURCE:
        raise UnreadableFile(f"{label} holds over {MAX_SOURCE // 2**20} MiB of code.")
    return tuple(units)
