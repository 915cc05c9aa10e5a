"""Cells of a notebook. Only the parts that grading needs are decoded."""

import re
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from autograder.course.text import one_line
from autograder.submission.read import EMPTY, NotPython, UnreadableFile, as_utf8, without_surrogates

CHECK = "check-"  # prefix of the ids of cells that call check()
MAX_OBJECTS = 200_000  # JSON objects in a notebook and its outputs; each cell is an object
MAX_WRITTEN = 4 * 1024 * 1024  # bytes of all sources that are read, as encoded in the file
_IN_PYTHON = re.compile(r"^(?:def \w+\(|class \w+[(:])", re.MULTILINE)
NO_TEXT = {b"null", b'""', b"[]", b'[""]'}
_NOTHING = msgspec.Raw(b"null")

T = TypeVar("T")


class Cell(msgspec.Struct):
    kind: str
    text: str
    answer: str = ""  # names a question
    is_check: bool = False  # true for the check cell


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


def read_cells(data: bytes, label: str) -> list[Cell]:
    """Return a notebook's code cells, and the text cells that answer a question.

    If it is not a Python notebook, raise `UnreadableFile`. Its message is a sentence.
    """
    data = as_utf8(data, label)
    if data.count(b"{") > MAX_OBJECTS:
        raise UnreadableFile(
            f"{label} has too many parts to read. Clear its outputs, and save it again."
        )
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
    code = "\n".join(cell.text for cell in cells if cell.kind == "code")
    if "python" not in (language or "python").casefold() and not _IN_PYTHON.search(code):
        raise NotPython(f"{label} is a notebook in {one_line(language, 40)}. Hand in Python.")
    return cells


def as_cells(book: Any) -> list[Cell]:
    cells = []
    for cell in book["cells"]:
        about = cell.get("metadata", {})
        mark, answer = about.get("nbgrader"), about.get("answer")
        cells.append(
            Cell(
                str(cell.get("cell_type", "")),
                without_surrogates(_joined(cell.get("source", ""))),
                answer if isinstance(answer, str) else "",
                _is_check(mark.get("grade_id") if isinstance(mark, dict) else None, cell.get("id")),
            )
        )
    return cells


def holds_cells(data: bytes) -> bool:
    start = data[:1000].removeprefix(b"\xef\xbb\xbf").lstrip()
    return start[:1] == b"{" and b'"cells"' in data and b'"nbformat"' in data


def _needed(cells: Iterable[_Fields], label: str) -> list[Cell]:
    needed: list[Cell] = []
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
        is_check = _is_check(cell.text("metadata", "nbgrader", "grade_id"), cell.text("id"))
        needed.append(Cell(kind, _joined(source or ""), answer, is_check))
    return needed


def _decoded(raw: msgspec.Raw, form: type[T]) -> T | None:
    try:
        return msgspec.json.decode(raw, type=form)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def _is_check(*names: str | None) -> bool:
    return any(name is not None and name.startswith(CHECK) for name in names)


def _joined(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)
