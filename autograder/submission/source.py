"""Text of one student's file for one exercise."""

import functools
import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from autograder.course.course_file import Exercise
from autograder.course.errors import UserError
from autograder.course.text import as_letters, one_line
from autograder.course.variants import stated_variant
from autograder.submission.code import RUNNING_CELL
from autograder.submission.read import (
    EMPTY,
    NotPython,
    UnreadableFile,
    as_utf8,
    decoded,
    entries_of,
    read_bytes,
    read_text,
    without_surrogates,
)
from autograder.worker.messages import Unit

MAX_SOURCE = 1024 * 1024  # bytes of a script, characters of a notebook's code
MAX_NOTEBOOK = 32 * 1024 * 1024
MAX_NAMES, MAX_READ = 5000, 50  # files beside a submission: names listed, contents read
MAX_ENTRIES = 200_000  # maximum number of names that are listed
MAX_KEPT = 8 * 1024 * 1024  # characters of code for each student
MAX_ANSWER, MAX_ANSWERS = 20_000, 50
SUFFIXES = (".py", ".ipynb")
ALSO_READ = (".txt", ".json", ".pyw")  # suffixes that a browser or a mail program may add
IN_WORDS = (".txt", ".md")  # suffixes of a request to the instructor
CHECK = "check-"  # prefix of the ids of cells that call check()
MAX_OBJECTS = 200_000  # JSON objects in a notebook and its outputs; each cell is an object
MAX_WRITTEN = 4 * 1024 * 1024  # bytes of all sources that are read, as encoded in the file
_IN_PYTHON = re.compile(r"^(?:def \w+\(|class \w+[(:])", re.MULTILINE)
NO_TEXT = {b"null", b'""', b"[]", b'[""]'}
_NOTHING = msgspec.Raw(b"null")
_IMPORTED = re.compile(r"^[ \t\f]*(?:import|from)[ \t]+(\w+)", re.MULTILINE)

T = TypeVar("T")
Cells = tuple[list[str], dict[str, str]]  # texts of code cells, and answers in words by question


class CharacterBudget:
    """Number of characters of code that one student may still use."""

    def __init__(self, left: int = MAX_KEPT) -> None:
        self.left = left

    def take(self, size: int) -> bool:
        """Use up `size` characters and return True. If fewer are left, return False."""
        if size > self.left:
            return False
        self.left -= size
        return True


class Siblings:
    """Python files of a folder that a submission may import. A file is read when code names it.

    Unreadable files are ignored. `left_out` has the names of files over the budget.
    """

    def __init__(self, folder: Path, budget: CharacterBudget | None = None) -> None:
        try:
            names = [Path(entry.name) for entry in entries_of(folder, MAX_ENTRIES)]
        except UnreadableFile:
            names = []
        modules = [name.stem for name in names if name.suffix == ".py" and name.stem.isidentifier()]
        self._paths = {name: folder / f"{name}.py" for name in modules[:MAX_NAMES]}
        self._read: dict[str, tuple[str, list[str]] | None] = {}  # a file's text, and its names
        self._budget = budget or CharacterBudget()
        self.left_out: list[str] = []

    def named_in(self, text: str, exercise: str) -> dict[str, str]:
        """Return the files, except `exercise`, that a text or a file named in it names."""
        helpers: dict[str, str] = {}
        waiting = [self._names_in(text)]
        while waiting:
            for name in waiting.pop():
                if name in helpers or name == exercise:
                    continue
                if name not in self._read:
                    own = self._text_of(self._paths[name])
                    self._read[name] = None if own is None else (own, self._names_in(own))
                if (sibling := self._read[name]) is not None:
                    helpers[name], names = sibling
                    waiting.append(names)
        return helpers

    def _names_in(self, text: str) -> list[str]:
        words = {match.group() for match in re.finditer(r"\w+", text)}
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
    """Source of a submission: pieces of code (units) that run in order, and answers in words."""

    name: str
    label: str
    units: tuple[Unit, ...]
    helpers: dict[str, str] = {}  # dict from module name to text of the needed neighbouring files
    answers: dict[str, str] = {}  # dict from question to answer in words
    variant: str = ""  # key of the student's own numbers, or an empty text

    @property
    def text(self) -> str:
        return "\n".join(unit.text for unit in self.units)

    def mentions(self, word: str) -> bool:
        return word in self.text or any(word in text for text in self.helpers.values())

    def imports(self, library: str) -> bool:
        return library in self._imported

    @functools.cached_property
    def _imported(self) -> frozenset[str]:
        texts = (self.text, *self.helpers.values())
        return frozenset(name for text in texts for name in _IMPORTED.findall(text))

    @property
    def content(self) -> str:
        """Return letters that identify the source's content without file names."""
        texts = [unit.text for unit in self.units]
        parts = texts, sorted(self.helpers.items()), sorted(self.answers.items())
        return as_letters(msgspec.json.encode(parts).decode())

    @property
    def digest(self) -> str:
        """Return the SHA-256 of all content that can change the report."""
        units = [(unit.label, unit.text, "") for unit in self.units]  # grades are stored by digest
        parts: list[object] = [self.name, units, sorted(self.helpers.items())]
        if self.answers or self.variant:
            parts += [sorted(self.answers.items()), self.variant]
        return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


class _Fields(msgspec.Struct):
    """Fields of a cell or of metadata. They have any type, and are decoded when used."""

    cell_type: msgspec.Raw = _NOTHING
    source: msgspec.Raw = _NOTHING
    metadata: msgspec.Raw = _NOTHING
    id: msgspec.Raw = _NOTHING
    answer: msgspec.Raw = _NOTHING
    nbgrader: msgspec.Raw = _NOTHING
    grade_id: msgspec.Raw = _NOTHING
    language_info: msgspec.Raw = _NOTHING
    kernelspec: msgspec.Raw = _NOTHING
    name: msgspec.Raw = _NOTHING
    language: msgspec.Raw = _NOTHING

    def text(self, *path: str) -> str | None:
        fields = self
        for name in path[:-1]:
            fields = _decoded(getattr(fields, name), _Fields) or _Fields()
        return _decoded(getattr(fields, path[-1]), str)


class _Notebook(msgspec.Struct):
    cells: list[_Fields]
    metadata: msgspec.Raw = _NOTHING


def check_cell(exercise: str) -> str:
    return f"{CHECK}{exercise}"


def read_cells(data: bytes, label: str) -> Cells:
    """Return a notebook's code cells, without the check cell, and the answers in words.

    If it is not a Python notebook, raise `UnreadableFile`. Its message is a sentence.
    """
    data = as_utf8(data, label)
    if data.count(b"{") > MAX_OBJECTS:
        raise UnreadableFile(f"{label} has too many parts to read. Clear its outputs and save it.")
    try:
        notebook = msgspec.json.decode(data, type=_Notebook)
        cells = _needed(notebook.cells, label)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        if b'"worksheets"' in data[:2000]:
            reason = "its format is from 2014 (nbformat 3). Open it in Jupyter, and save it"
        else:
            reason = f"its JSON is damaged ({one_line(str(error), 120)})"
        raise UnreadableFile(f"{label} is not a readable notebook: {reason}.") from None
    if all(bytes(cell.source) in NO_TEXT for cell in notebook.cells):
        raise UnreadableFile(EMPTY.format(label))
    about = _Fields(metadata=notebook.metadata)
    language = (about.text("metadata", "language_info", "name") or "").strip()
    language = language or (about.text("metadata", "kernelspec", "language") or "").strip()
    code = "\n".join(cells[0])
    if "python" not in (language or "python").casefold() and not _IN_PYTHON.search(code):
        raise NotPython(f"{label} is a notebook in {one_line(language, 40)}. Hand in Python.")
    return cells


def _needed(cells: Iterable[_Fields], label: str) -> Cells:
    code: list[str] = []
    answers: dict[str, str] = {}
    left = MAX_WRITTEN
    for cell in cells:
        kind = cell.text("cell_type") or ""
        answer = cell.text("metadata", "answer") or ""
        if kind != "code" and not answer:
            continue
        left -= len(bytes(cell.source))
        if left < 0:
            raise UnreadableFile(f"{label} holds over {MAX_WRITTEN // 2**20} MiB of text.")
        source = msgspec.json.decode(cell.source, type=str | list[str] | None)
        text = source if isinstance(source, str) else "".join(source or ())
        names = cell.text("metadata", "nbgrader", "grade_id"), cell.text("id")
        if kind == "code" and not any((name or "").startswith(CHECK) for name in names):
            code.append(text)
        elif kind == "markdown" and len(answers) < MAX_ANSWERS:
            answers.setdefault(answer[:100], text[:MAX_ANSWER].strip())
    return code, answers


def _decoded(raw: msgspec.Raw, form: type[T]) -> T | None:
    try:
        return msgspec.json.decode(raw, type=form)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def read_source(path: Path, exercise: str, siblings: Siblings | None = None) -> Source:
    """Read a script or a notebook, as its suffix or content shows, or raise `UnreadableFile`."""
    label = one_line(path.name, 100)
    suffix = path.suffix.casefold()
    data = read_bytes(path, MAX_SOURCE if suffix == ".py" else MAX_NOTEBOOK)
    start = data[:1000].removeprefix(b"\xef\xbb\xbf").lstrip()
    holds_cells = start[:1] == b"{" and b'"cells"' in data and b'"nbformat"' in data
    if suffix == ".ipynb" or holds_cells:
        return _from_cells(read_cells(data, label), exercise, label, siblings)
    if len(data) > MAX_SOURCE:
        raise UnreadableFile(f"{label} is larger than {MAX_SOURCE // 1024} KiB.")
    text = decoded(data, label)
    if not text.strip("\ufeff \t\r\n"):
        raise UnreadableFile(EMPTY.format(label))
    return from_text(text, exercise, label, siblings)


def read_own(path: Path, exercise: Exercise) -> Source:
    return with_stated_numbers(read_source(path, exercise.name, Siblings(path.parent)), exercise)


def required_source(path: Path, exercise: Exercise) -> Source:
    """Read a file and its neighbours, or raise a `UserError` that names the path."""
    try:
        return read_own(path, exercise)
    except UnreadableFile as error:
        raise UserError(f"{error} ({one_line(str(path), 300)})") from None


def from_text(text: str, exercise: str, label: str, siblings: Siblings | None = None) -> Source:
    helpers = siblings.named_in(text, exercise) if siblings is not None else {}
    return Source(exercise, label, (Unit(label, text),), helpers, _answers_in_comments(text))


def from_notebook(notebook: Any, exercise: str, siblings: Siblings) -> Source:
    data = without_surrogates(json.dumps(notebook, ensure_ascii=False)).encode()
    label = f"{exercise}.ipynb"
    cells = _needed(msgspec.json.decode(data, type=_Notebook).cells, label)
    return _from_cells(cells, exercise, label, siblings)


def from_cells(cells: Sequence[str], exercise: str, siblings: Siblings) -> Source:
    """Return the source of a running notebook: its finished cells in their order of running."""
    texts = [without_surrogates(text) for text in cells]
    units = tuple(
        Unit(f"{RUNNING_CELL}{n}]", text) for n, text in enumerate(texts, 1) if text.strip()
    )
    return Source(exercise, f"{exercise}.ipynb", units, _helpers(units, exercise, siblings))


def with_stated_numbers(source: Source, exercise: Exercise) -> Source:
    if exercise.variant == "none":
        return source
    return msgspec.structs.replace(source, variant=stated_variant(source.text))


def _from_cells(cells: Cells, exercise: str, label: str, siblings: Siblings | None) -> Source:
    code, answers = cells
    if sum(map(len, code)) > MAX_SOURCE:
        raise UnreadableFile(f"{label} holds over {MAX_SOURCE // 2**20} MiB of code.")
    units = tuple(Unit(f"code cell {number}", text) for number, text in enumerate(code, 1))
    return Source(exercise, label, units, _helpers(units, exercise, siblings), answers)


def _answers_in_comments(text: str) -> dict[str, str]:
    """Return the answers in the text cells of a percent-format script, which are comments."""
    answers: dict[str, str] = {}
    name = ""
    for line in text.split("\n"):
        if line.startswith("# %%"):
            begins = re.match(r'# %% \[markdown\].*\banswer="(\w{1,100})"', line)
            is_new = begins and begins.group(1) not in answers and len(answers) < MAX_ANSWERS
            name = begins.group(1) if begins and is_new else ""
            if name:
                answers[name] = ""
        elif name and len(answers[name]) < MAX_ANSWER:
            answers[name] += re.sub(r"^#? ?", "", line) + "\n"
    return {name: answer[:MAX_ANSWER].strip() for name, answer in answers.items()}


def _helpers(units: Sequence[Unit], exercise: str, siblings: Siblings | None) -> dict[str, str]:
    text = "\n".join(unit.text for unit in units)
    return siblings.named_in(text, exercise) if siblings is not None else {}
