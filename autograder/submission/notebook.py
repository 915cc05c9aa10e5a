"""The cells of a notebook: only what is needed of a file is ever made into objects."""

import re
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from autograder.course.text import one_line
from autograder.submission.read import (
    NotPython,
    UnreadableFile,
    as_utf8,
    without_surrogates,
)

CHECK = "check-"  # how the ids of cells begin that call check()
MAX_OBJECTS = 200_000  # in all of a notebook, its outputs too: each cell is one
MAX_WRITTEN = 4 * 1024 * 1024  # bytes of all sources that are looked at, as they stand in the file
_IN_PYTHON = re.compile(r"^(?:def \w+\(|class \w+[(:])", re.MULTILINE)
_NOTHING = msgspec.Raw(b"null")

T = TypeVar("T")


class Cell(msgspec.Struct):
    """A cell: its kind, its text, the question that it answers and what shows whose it is."""

    kind: str
    text: str
    answer: str = ""
    is_check: bool = False


# Everything a file may hold in any form stays undecoded until its form is asked for.
class _Written(msgspec.Struct):
    cell_type: msgspec.Raw = _NOTHING
    source: msgspec.Raw = _NOTHING
    metadata: msgspec.Raw = _NOTHING
    id: msgspec.Raw = _NOTHING


class _Notebook(msgspec.Struct):
    cells: list[_Written]
    metadata: msgspec.Raw = _NOTHING


class _About(msgspec.Struct):
    """What metadata say, of a cell or of a notebook."""

    answer: msgspec.Raw = _NOTHING
    nbgrader: msgspec.Raw = _NOTHING
    language_info: msgspec.Raw = _NOTHING
    kernelspec: msgspec.Raw = _NOTHING


class _Part(msgspec.Struct):
    """What a part of the metadata says."""

    grade_id: msgspec.Raw = _NOTHING
    name: msgspec.Raw = _NOTHING
    language: msgspec.Raw = _NOTHING


def check_cell(exercise: str) -> str:
    """The id of the cell that checks an exercise (and holds its points, in nbgrader)."""
    return f"{CHECK}{exercise}"


def read_cells(data: bytes, label: str) -> list[Cell]:
    """The code cells of a notebook, and the text cells that answer a question.

    Raises:
        UnreadableFile: it cannot be read, or is not in Python; one sentence says why.
    """
    data = as_utf8(data, label)
    if data.count(b"{") > MAX_OBJECTS:
        raise UnreadableFile(
            f"{label} has too many parts to be read. Clear its outputs, and save it again."
        )
    try:
        notebook = msgspec.json.decode(data, type=_Notebook)
        cells = _needed(notebook.cells, label)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        if b'"worksheets"' in data[:2000]:
            reason = "it is in the format of 2014 (nbformat 3); open and save it in Jupyter"
        else:
            reason = f"its JSON is damaged ({one_line(str(error), 120)})"
        raise UnreadableFile(f"{label} is not a notebook that can be read: {reason}.") from None
    language = _language(notebook.metadata)
    code = "\n".join(cell.text for cell in cells if cell.kind == "code")
    if "python" not in (language or "python").casefold() and not _IN_PYTHON.search(code):
        raise NotPython(
            f"{label} is a notebook in {one_line(language, 40)}. The exercises are "
            f"graded in Python."
        )
    return cells


def as_cells(book: Any) -> list[Cell]:
    """The same of a notebook that nbformat has read."""
    found = []
    for each in book["cells"]:
        about = each.get("metadata", {})
        mark = about.get("nbgrader")
        name = mark.get("grade_id") if isinstance(mark, dict) else None
        said = about.get("answer")
        found.append(
            Cell(
                str(each.get("cell_type", "")),
                without_surrogates(_joined(each.get("source", ""))),
                said if isinstance(said, str) else "",
                _is_check(name, each.get("id")),
            )
        )
    return found


def holds_cells(data: bytes) -> bool:
    """Whether a file is a notebook, whatever its name."""
    start = data[:1000].removeprefix(b"\xef\xbb\xbf").lstrip()
    return start[:1] == b"{" and b'"cells"' in data and b'"nbformat"' in data


def _needed(cells: Iterable[_Written], label: str) -> list[Cell]:
    found: list[Cell] = []
    left = MAX_WRITTEN
    for each in cells:
        kind = _loosely(each.cell_type, str) or ""
        about = _loosely(each.metadata, _About) or _About()
        answer = _loosely(about.answer, str) or ""
        if kind != "code" and not answer:
            continue
        left -= len(bytes(each.source))
        if left < 0:
            raise UnreadableFile(f"{label} holds over {MAX_WRITTEN // 2**20} MiB of text.")
        source = msgspec.json.decode(each.source, type=str | list[str] | None)
        mark = _loosely(about.nbgrader, _Part) or _Part()
        is_check = _is_check(_loosely(mark.grade_id, str), _loosely(each.id, str))
        found.append(Cell(kind, _joined(source or ""), answer, is_check))
    return found


def _language(metadata: msgspec.Raw) -> str:
    """The language that the notebook says it is in; empty where it says nothing."""
    about = _loosely(metadata, _About) or _About()
    info = _loosely(about.language_info, _Part) or _Part()
    kernel = _loosely(about.kernelspec, _Part) or _Part()
    said = (_loosely(info.name, str) or "").strip()
    return said or (_loosely(kernel.language, str) or "").strip()


def _loosely(raw: msgspec.Raw, form: type[T]) -> T | None:
    """What stands there, if it is of that form."""
    try:
        return msgspec.json.decode(raw, type=form)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def _is_check(*names: str | None) -> bool:
    """Whether it is the cell that shows the report: it is not the student's."""
    return any(name is not None and name.startswith(CHECK) for name in names)


def _joined(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)
