"""Changes that students make to a notebook, by accident or on purpose, and their fair cost.

Each kind changes a folder with two correct notebooks, `softmax.ipynb` and `hand_computation.ipynb`.
In a kind with an attack, nothing in `softmax` is right.
"""

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.nbgrader.course import change

HONEST = 25.0
WITHOUT_SOFTMAX = 13.0
LEFT_BEHIND = "86399"  # seconds that a forbidden process sleeps

WRONG = "def softmax(x, axis=-1):\n    return x\n"
RIGHT = """\
import numpy as np

def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
"""
UP = """\
from pathlib import Path

def up(name):
    return next(folder / name for folder in Path.cwd().parents if (folder / name).exists())
"""


class Kind(NamedTuple):
    """Kind of change: `right` is the deserved total; with `person`, softmax is left open."""

    what: str
    edit: Callable[[Path], None]
    right: float
    person: bool = False


def _code_cell(text: str) -> dict[str, object]:
    return {
        "cell_type": "code", "id": "own", "metadata": {}, "source": text,
        "outputs": [], "execution_count": None,
    }  # fmt: skip


def _is_answer(cell) -> bool:
    mark = cell["metadata"].get("nbgrader", {})
    return mark.get("solution") and cell["cell_type"] == "code"


def _is_check(cell) -> bool:
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "").startswith("check-")


def _softmax(edit):
    """Return a change of the JSON of softmax.ipynb."""
    return lambda folder: change(folder / "softmax.ipynb", edit)


def _cells(edit):
    return _softmax(lambda book: book.update(cells=edit(book["cells"])))


def _marks(edit, which=lambda cell: "nbgrader" in cell["metadata"]):
    def edit_all(book):
        for cell in filter(which, book["cells"]):
            edit(cell["metadata"]["nbgrader"])

    return _softmax(edit_all)


def _answer(text: str):
    """Return a change that replaces the answer by other code."""

    def edit(book):
        for cell in filter(_is_answer, book["cells"]):
            cell["source"] = text

    return _softmax(edit)


def _attack(text: str):
    """Return a wrong answer with code that tries to make it count."""
    return _answer(WRONG + text)


def _each_twice(which):
    def edit(cells):
        return [each for cell in cells for each in [cell, copy.deepcopy(cell)][: 1 + which(cell)]]

    return _cells(edit)


def _file(name: str, data: bytes | None):
    """Return a change that replaces a file, or removes it for None."""

    def edit(folder):
        (folder / name).unlink()
        if data is not None:
            (folder / name).write_bytes(data)

    return edit


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


def _link(folder: Path) -> None:
    """Replace a notebook by a link to that of the student with the last name."""
    (folder / "softmax.ipynb").unlink()
    (folder / "softmax.ipynb").symlink_to("../../zoe/first/softmax.ipynb")


def _renamed(folder: Path) -> None:
    (folder / "softmax.ipynb").rename(folder / "Softmax (1).ipynb")


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "data.txt")


def _stripped(cells):
    return [{**cell, "metadata": {}} for cell in cells]


def _odd(cells):
    return [{"cell_type": "unheard of", "metadata": {}, "source": 3}, *cells]


def _nested(depth: int) -> bytes:
    return json.dumps({"cells": []}).replace("[]", "[" * depth + "]" * depth).encode()


DAMAGED = {
    "honest": Kind("a correct notebook", lambda folder: None, HONEST),
    "answer-duplicated": Kind(
        "the answer cell twice", _each_twice(lambda cell: bool(_is_answer(cell))), HONEST
    ),
    "answer-deleted": Kind(
        "no answer cell",
        _cells(lambda cells: [cell for cell in cells if not _is_answer(cell)]),
        WITHOUT_SOFTMAX,
    ),
    "check-duplicated": Kind("the test cell twice", _each_twice(_is_check), HONEST),
    "check-deleted": Kind(
        "no test cells",
        _cells(lambda cells: [cell for cell in cells if not _is_check(cell)]),
        HONEST,
    ),
    "metadata-stripped": Kind("cells without metadata", _cells(_stripped), HONEST),
    "ids-renamed": Kind(
        "other ids of nbgrader's cells",
        _marks(lambda mark: mark.update(grade_id=mark["grade_id"] + "-mine")),
        HONEST,
    ),
    "old-schema": Kind(
        "metadata in the format of nbgrader 0.4",
        _marks(
            lambda mark: [
                mark.update(schema_version=1),
                mark.pop("task", None),
                mark.pop("cell_type", None),
            ]
        ),
        HONEST,
    ),
    "new-schema": Kind(
        "metadata in an unknown newer format",
        _marks(lambda mark: mark.update(schema_version=99)),
        HONEST,
    ),
    "warns": Kind(
        "a correct answer that raises a warning",
        _answer(RIGHT.replace("    x =", "    import warnings; warnings.warn('slow')\n    x =")),
        HONEST,
    ),
    "raises": Kind("an answer cell that raises an exception", _answer("1 / 0"), WITHOUT_SOFTMAX),
    "endless-loop": Kind("an endless loop", _answer("while True: pass"), WITHOUT_SOFTMAX),
    "endless-output": Kind(
        "endless output",
        _answer("def softmax(x, axis=-1):\n    while True: print('x' * 10000)"),
        WITHOUT_SOFTMAX,
    ),
    "broken-json": Kind(
        "a truncated file", _file("softmax.ipynb", b'{"cells": ['), WITHOUT_SOFTMAX, True
    ),
    "empty-file": Kind("an empty file", _file("softmax.ipynb", b""), WITHOUT_SOFTMAX, True),
    "odd-cell": Kind("a cell of an unknown type", _cells(_odd), WITHOUT_SOFTMAX, True),
    "other-name": Kind("another file name", _renamed, WITHOUT_SOFTMAX, True),
    "missing": Kind("a missing notebook", _file("softmax.ipynb", None), WITHOUT_SOFTMAX),
    "no-time": Kind(
        "no time in `timestamp.txt`",
        lambda folder: (folder / "timestamp.txt").write_text("when I was done"),
        HONEST,
    ),
    "empty-folder": Kind("an empty folder", _empty, 0.0),
}
HOSTILE = {
    "exits": Kind(
        "code that calls `os._exit(0)`", _attack("import os; os._exit(0)"), WITHOUT_SOFTMAX
    ),
    "check-rewritten": Kind(
        "a number instead of the code in the test cell",
        _softmax(
            lambda book: (
                [cell.update(source="12.0") for cell in book["cells"] if _is_check(cell)]
                + [cell.update(source=WRONG) for cell in book["cells"] if _is_answer(cell)]
            )
        ),
        WITHOUT_SOFTMAX,
    ),
    "points-raised": Kind(
        "higher points in the metadata",
        _marks(lambda mark: mark.update(points=1000), _is_check),
        HONEST,
    ),
    "answer-with-points": Kind(
        "an answer that is marked as a test with points",
        _marks(lambda mark: mark.update(grade=True, points=100), _is_answer),
        HONEST,
    ),
    "asserts-replaced": Kind(
        "code that replaces NumPy's assertions",
        _attack(
            "import numpy as np\nnp.testing.assert_allclose = np.allclose = lambda *a, **k: True\n"
        ),
        WITHOUT_SOFTMAX,
    ),
    "agrees-with-all": Kind(
        "an array that equals every other array",
        _answer(
            "import numpy as np\n"
            "class Agrees(np.ndarray):\n"
            "    def __array_function__(self, *_):\n"
            "        return True\n"
            "def softmax(x, axis=-1):\n"
            "    return np.asarray(x, dtype=float).view(Agrees)\n"
        ),
        WITHOUT_SOFTMAX,
    ),
    "cells-transformed": Kind(
        "an input transformer that turns tests into `pass`",
        _attack("get_ipython().input_transformers_cleanup.append(lambda lines: ['pass'])"),
        WITHOUT_SOFTMAX,
    ),
    "tree-transformed": Kind(
        "a syntax tree transformer that removes assertions",
        _attack(
            "import ast\n"
            "class Drop(ast.NodeTransformer):\n"
            "    def visit_Assert(self, node): return ast.Pass()\n"
            "    def visit_Expr(self, node): return ast.Pass()\n"
            "get_ipython().ast_transformers.append(Drop())\n"
        ),
        WITHOUT_SOFTMAX,
    ),
    "shows-a-number": Kind(
        "a function that displays 4.0 through `displayhook`",
        _answer("import sys\ndef softmax(x, axis=-1):\n    sys.displayhook(4.0)\n    return x\n"),
        WITHOUT_SOFTMAX,
    ),
    "forges-check": Kind(
        "code that replaces the kit's `check`",
        _attack("import autograder\nautograder.check = lambda *_: 12.0"),
        WITHOUT_SOFTMAX,
    ),
    "reads-the-source": Kind(
        "code that runs the solution in `source/`",
        _answer(
            UP + "import json\n"
            "book = json.loads(up('source/first/softmax.ipynb').read_text())\n"
            "texts = [''.join(cell['source']) for cell in book['cells']]\n"
            "exec(next(text for text in texts if 'def softmax' in text))\n"
        ),
        WITHOUT_SOFTMAX,
    ),
    "takes-the-reference": Kind(
        "code that takes the reference from the test's frame",
        _answer(
            "import sys\n"
            "def softmax(x, axis=-1):\n"
            "    theirs = sys._getframe(1).f_globals.get('right')\n"
            "    return theirs(x, axis) if theirs else [0.0900306, 0.2447285, 0.6652410]\n"
        ),
        WITHOUT_SOFTMAX,
    ),
    "writes-the-gradebook": Kind(
        "SQL that gives itself 99 points and earlier students 0",
        _attack(
            UP + "import sqlite3\n"
            "db = sqlite3.connect(up('gradebook.db'))\n"
            "db.execute('update grade set manual_score = 0 where auto_score is not null')\n"
            "db.execute('update grade set manual_score = 99 where auto_score is null')\n"
            "db.commit()\n"
        ),
        WITHOUT_SOFTMAX,
    ),
    "overwrites-others": Kind(
        "code that empties the next student's notebook",
        _attack(UP + "up('submitted/zoe/first/softmax.ipynb').write_text('{}')"),
        WITHOUT_SOFTMAX,
    ),
    "kills-the-grader": Kind(
        "code that kills its parent process",
        _attack("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)"),
        WITHOUT_SOFTMAX,
    ),
    "leaves-a-process": Kind(
        "code that leaves a process running",
        _attack(
            "import subprocess\n"
            f"subprocess.Popen(['sleep', '{LEFT_BEHIND}'], start_new_session=True)\n"
        ),
        WITHOUT_SOFTMAX,
    ),
    "takes-memory": Kind(
        "code that uses 2 GiB, then answers correctly",
        _answer(RIGHT.replace("    x =", "    np.ones(2**28)\n    x =", 1)),
        WITHOUT_SOFTMAX,
    ),
    "a-link": Kind("a link to another student's notebook", _link, WITHOUT_SOFTMAX, True),
    "a-pipe": Kind("a named pipe in the folder", _pipe, HONEST),
    "nested": Kind(
        "JSON with 100,000 nested lists",
        _file("softmax.ipynb", _nested(100_000)),
        WITHOUT_SOFTMAX,
        True,
    ),
}
KINDS = DAMAGED | HOSTILE
