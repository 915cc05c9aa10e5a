"""Builder of the files `exercises/NAME.py` and `exercises/NAME.ipynb` from `solutions/NAME.py`."""

import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder.authoring.pictures import attach, require_pictures
from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.course.installation import require
from autograder.course.variants import personalised
from autograder.submission.notebook import check_cell
from autograder.submission.stubs import strip_solutions

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
# It shows your points. If something is wrong, it shows what, and a hint. Add `--hint` to get the
# next hint. Write `watch` instead of `check`, and it checks each time you save.
"""
CHECKED = """\
## Check your work

Run the cells with your answer. Then run the cell below, which checks them. It shows your points. If
something is wrong, it shows what, and a hint.

If Python finds no module named `autograder`, choose the kernel of the environment in which you
installed the course. Or install the course where this kernel runs."""
ANSWERED = """\
## Check your work

Save this notebook, then run the cell below. It shows which questions you have answered. A person
reads your answers and gives the points."""


def build_exercise(course: Course, exercise: Exercise, variant: str = "") -> dict[Path, str]:
    """Return a dict from the paths of an exercise's files to the texts of the files.

    If `variant` is given, the files have that variant's numbers.

    Raises:
        UserError: there is no solution, its markers do not match, or it has no variants.
    """
    folder = course.handed_out
    return {
        folder / f"{exercise.name}.py": stub_text(course, exercise, variant),
        folder / f"{exercise.name}.ipynb": stub_notebook(course, exercise, variant),
    }


def stub_text(course: Course, exercise: Exercise, variant: str = "") -> str:
    """Return the student's script: the text without solutions, and advice on how to check it.

    Raises:
        UserError: there is no solution, its markers do not match, or it has no variants.
    """
    # the text on checking comes last, or before the cells marked `after="check"`
    lesson, *after = AFTER.split(_lesson(course, exercise, variant))
    ends = "".join(f"\n{CELL}\n{text.strip()}\n" for text in after)
    return lesson.rstrip("\n") + "\n" + CLOSING.format(name=exercise.name) + ends


def stub_notebook(course: Course, exercise: Exercise, variant: str = "", last: str = "") -> str:
    """Return the student's notebook with pictures, a check cell, and a `last` cell if given.

    Raises:
        UserError: there is no solution, its markers do not match, or jupytext is not installed.
    """
    lesson = _lesson(course, exercise, variant)
    book = as_book(lesson, course.handed_out, checking_cells(exercise))
    if last:
        from nbformat.v4 import new_code_cell

        book.cells.append(new_code_cell(last, id="handed-out"))
    return written(book)


def _lesson(course: Course, exercise: Exercise, variant: str) -> str:
    solution = course.solution_file(exercise.name)
    try:
        text = solution.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{solution} cannot be read: {error.strerror}.") from None
    if variant:
        text = personalised(course, exercise, text, variant)
    return strip_solutions(text, str(solution)).rstrip("\n") + "\n"


def require_lesson(course: Course, exercise: Exercise) -> None:
    """Refuse an exercise if students could not see the pictures in its text.

    Raises:
        UserError: there is no solution, or a picture cannot be shown.
    """
    require_pictures(course, exercise, _lesson(course, exercise, ""))


def outdated(path: Path, text: str) -> bool:
    return not path.is_file() or path.read_text(encoding="utf-8") != text


def checking_cells(exercise: Exercise) -> list[Any]:
    """Return the cells with which students check a notebook: a text, and the call of `check`."""
    from nbformat.v4 import new_code_cell, new_markdown_cell

    name = check_cell(exercise.name)
    text = new_markdown_cell(ANSWERED if exercise.questions else CHECKED, id=f"about-{name}")
    code = f'from autograder import check\n\ncheck("{exercise.name}")'
    return [text, new_code_cell(code, id=name)]


def written(book: Any) -> str:
    """Validate a notebook, and return it as text."""
    import nbformat

    nbformat.validate(book)
    return str(nbformat.writes(book, indent=1)).rstrip("\n") + "\n"


def as_book(text: str, pictures: Path | None = None, checking: Sequence[Any] = ()) -> Any:
    """Return a percent-format script as an nbformat notebook, with pictures from a folder.

    The `checking` cells come before cells that are marked `after="check"`. A cell's id is made from
    the function or heading in the cell. So the id stays the same when another cell is added.

    Raises:
        UserError: jupytext is not installed.
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
            attach(cell, pictures)
    book["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    book["nbformat_minor"] = 5
    return book


def _identifier(cell: Any, taken: set[str]) -> str:
    defined = re.search(r"^(?:def|class) (\w+)", cell["source"], re.MULTILINE)
    first = defined.group(1) if defined else cell["source"].split("\n")[0]
    first = cell["metadata"].get("answer") or first
    stem = re.sub(r"[^a-z0-9]+", "-", first.lower()).strip("-")[:40] or cell["cell_type"]
    names = itertools.chain([stem], (f"{stem}-{count}" for count in itertools.count(2)))
    name = next(name for name in names if name not in taken)
    taken.add(name)
    return name
