"""Builder of the files `exercises/NAME.py` and `exercises/NAME.ipynb` from `solutions/NAME.py`.

A text shows a picture as in Markdown, `![description](figures/NAME.png)`. Scripts use the picture
in the students' folder, and a notebook contains its own copy.
"""

import base64
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.course.files import read_text
from autograder.course.installation import require
from autograder.course.variants import personalised
from autograder.submission.source import check_cell
from autograder.submission.stubs import strip_solutions

PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif"}
MAX_PICTURE = 60_000  # bytes of one picture; each notebook contains a copy
_SHOWN = re.compile(r"!\[([^\]]*)\]\(([^()\s]+)\)")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|/", re.IGNORECASE)
CELL = "# %% [markdown]"
AFTER = re.compile(rf'^{re.escape(CELL)} after="check"$', re.MULTILINE)
CLOSING = """
# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check {name}
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.
"""
CHECKED = """\
## Check your work

Run the cells with your answer. Then run the cell below, which checks them. The cell shows your
points. If something is wrong, the cell shows the mistake and a hint.

If Python finds no module named `autograder`, choose the kernel of the environment in which you
installed the course. Or install the course where this kernel runs."""
ANSWERED = """\
## Check your work

Save this notebook, then run the cell below. The cell shows which questions you have answered. A
person reads your answers and gives the points."""


def build_exercise(course: Course, exercise: Exercise, variant: str = "") -> dict[Path, str]:
    """Return the texts of an exercise's files by path, with the numbers of the `variant`."""
    folder = course.handed_out
    return {
        folder / f"{exercise.name}.py": stub_text(course, exercise, variant),
        folder / f"{exercise.name}.ipynb": stub_notebook(course, exercise, variant),
    }


def stub_text(course: Course, exercise: Exercise, variant: str = "") -> str:
    """Return the student's script: the text without solutions, with a text on how to check it."""
    # the text on checking comes last, or before the cells marked `after="check"`
    lesson, *after = AFTER.split(_lesson(course, exercise, variant))
    ends = "".join(f"\n{CELL}\n{text.strip()}\n" for text in after)
    return lesson.rstrip("\n") + "\n" + CLOSING.format(name=exercise.name) + ends


def stub_notebook(course: Course, exercise: Exercise, variant: str = "", last: str = "") -> str:
    """Return the student's notebook with pictures, a check cell, and the optional cell `last`."""
    book = as_book(_lesson(course, exercise, variant), course.handed_out, checking_cells(exercise))
    if last:
        from nbformat.v4 import new_code_cell

        book.cells.append(new_code_cell(last, id="handed-out"))
    return written(book)


def _lesson(course: Course, exercise: Exercise, variant: str) -> str:
    solution = course.solution_file(exercise.name)
    text = read_text(solution)
    if variant:
        text = personalised(course, exercise, text, variant)
    return strip_solutions(text, str(solution)).rstrip("\n") + "\n"


def require_lesson(course: Course, exercise: Exercise) -> None:
    """Refuse an exercise if its text has pictures that students could not see."""
    name = course.solution_file(exercise.name).name
    for description, path in _local(_lesson(course, exercise, "")):
        file = course.handed_out / path
        wrong = ""
        if not description.strip(" #\n"):
            wrong = "has no description: describe the picture between ![ and ]"
        elif file.suffix.lower() not in PICTURES:
            wrong = f"is not a kind of picture that a notebook can hold ({', '.join(PICTURES)})"
        elif not file.is_file():
            wrong = f"does not exist: expected it at {file}"
        elif file.stat().st_size > MAX_PICTURE:
            wrong = f"has {file.stat().st_size:,} bytes; at most {MAX_PICTURE:,} are allowed"
        if wrong:
            raise UserError(f"{name} shows {path}, which {wrong}.")


def outdated(path: Path, text: str) -> bool:
    return not path.is_file() or path.read_text(encoding="utf-8") != text


def checking_cells(exercise: Exercise) -> list[Any]:
    from nbformat.v4 import new_code_cell, new_markdown_cell

    name = check_cell(exercise.name)
    text = new_markdown_cell(ANSWERED if exercise.questions else CHECKED, id=f"about-{name}")
    code = f'from autograder import check\n\ncheck("{exercise.name}")'
    return [text, new_code_cell(code, id=name)]


def written(book: Any) -> str:
    import nbformat

    nbformat.validate(book)
    return str(nbformat.writes(book, indent=1)).rstrip("\n") + "\n"


def as_book(text: str, pictures: Path | None = None, checking: Sequence[Any] = ()) -> Any:
    """Return a percent-format script as an nbformat notebook, with pictures from a folder.

    The `checking` cells come before cells that are marked `after="check"`. The id of a cell is made
    from its function or heading, so the id does not depend on other cells.
    """
    require("authoring", "A notebook")
    import jupytext

    book = jupytext.reads(text, fmt="py:percent")
    taken: set[str] = set()
    after = [cell for cell in book.cells if cell["metadata"].get("after") == "check"]
    book.cells = [*(cell for cell in book.cells if cell not in after), *checking, *after]
    for cell in book.cells:
        if cell in checking:
            continue
        cell["id"] = _identifier(cell, taken)
        answer = cell["metadata"].get("answer")
        cell["metadata"] = {"answer": answer} if answer else {}
        if pictures is not None and cell["cell_type"] == "markdown":
            _attach(cell, pictures)
    book["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    book["nbformat_minor"] = 5
    return book


def _attach(cell: Any, folder: Path) -> None:
    for path in pictures_in(cell["source"]):
        file = folder / path
        kind = PICTURES.get(file.suffix.lower())
        if file.is_file() and kind:
            data = base64.b64encode(file.read_bytes()).decode("ascii")
            cell.setdefault("attachments", {})[file.name] = {kind: data}
            cell["source"] = cell["source"].replace(f"]({path})", f"](attachment:{file.name})")


def _identifier(cell: Any, taken: set[str]) -> str:
    defined = re.search(r"^(?:def|class) (\w+)", cell["source"], re.MULTILINE)
    first = defined.group(1) if defined else cell["source"].split("\n")[0]
    first = cell["metadata"].get("answer") or first
    stem = re.sub(r"[^a-z0-9]+", "-", first.lower()).strip("-")[:40] or cell["cell_type"]
    names = itertools.chain([stem], (f"{stem}-{count}" for count in itertools.count(2)))
    name = next(name for name in names if name not in taken)
    taken.add(name)
    return name


def pictures_in(text: str) -> list[str]:
    """Return the distinct paths of the pictures in a text, relative to the students' files."""
    return list(dict.fromkeys(path for _, path in _local(text)))


def pictures_of(course: Course, texts: Iterable[str]) -> dict[str, bytes]:
    """Return the pictures in some texts, by path. Missing files are left out."""
    paths = dict.fromkeys(path for text in texts for path in pictures_in(text))
    files = {path: course.handed_out / path for path in paths}
    return {path: file.read_bytes() for path, file in files.items() if file.is_file()}


def _local(text: str) -> Iterator[tuple[str, str]]:
    for description, path in _SHOWN.findall(text):
        if not _ELSEWHERE.match(path) and ".." not in path.split("/"):
            yield description, path
