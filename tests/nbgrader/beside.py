"""Comparison of nbgrader and this project on every kind of bad notebook: `make notebooks`.

It writes docs/bad-notebooks.md. Each kind is graded in a separate class, between a student before
and one after, which shows whether others lose points.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat.v4 import new_code_cell

from autograder.authoring.build import as_book
from autograder.course.text import number
from autograder.submission.stubs import BEGIN
from tests.nbgrader.course import ASSIGNMENT, ShortCourse, solution
from tests.nbgrader.kinds import DAMAGED, HONEST, HOSTILE, KINDS, LEFT_BEHIND, Kind

BEFORE, AFTER = "adam", "zoe"
NOTEBOOKS = ("softmax", "hand_computation")
PLAIN = "c = get_config()\nc.CourseDirectory.root = {root!r}\n"
SOFTMAX_TESTS = (
    (
        4,
        """\
import numpy as np

assert np.allclose(softmax([1, 2, 3]), [0.0900306, 0.2447285, 0.6652410])""",
    ),
    (
        4,
        """\
### BEGIN HIDDEN TESTS
def right(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)

x = np.array([[1.0, 2.0, 3.0], [0.0, 5.0, 1.0]])
assert np.allclose(softmax(x, axis=0), right(x, 0))
### END HIDDEN TESTS""",
    ),
    (
        4,
        """\
### BEGIN HIDDEN TESTS
np.testing.assert_allclose(softmax([1e4, 0.0]), [1.0, 0.0])
### END HIDDEN TESTS""",
    ),
)
HAND_TESTS = (
    (
        13,
        """\
import numpy as np

np.testing.assert_allclose(a_output, [[1.5, 1.5], [1.670, 1.330]], atol=0.01)
np.testing.assert_allclose(c_masked_row, [0.316, 0.426, 0.258, 0], atol=0.01)""",
    ),
)
INTRODUCTION = """\
# Bad notebooks, graded by nbgrader and by this project

`make notebooks` grades {count} kinds of damaged and hostile notebooks and writes this page. Each bad
notebook is the second in a class of three students. Each student hands in `softmax` (12 points) and
`hand_computation` (13 points). Most kinds change only `softmax`. Each class is graded in three ways:

- **nbgrader, asserts**: notebooks with usual nbgrader tests (for `softmax` one visible cell and two
  hidden ones), graded by `nbgrader autograde`
- **nbgrader, check()**: this project's notebooks, graded by `nbgrader autograde` with a kernel
- **this project**: the same notebooks, graded by `autograder nbgrader grade`

A table cell has the total of `nbgrader export`. Bold marks a wrong result. “Open” means that
`softmax` waits for a person and counts 0 until then; this project prints the reason. nbgrader was
version {nbgrader}, with its limit of 30 seconds for a cell. If it stopped early, it was started a
second time.
"""


class Outcome(NamedTuple):
    """Total of the middle student, or None without a row; `others` are the other totals."""

    total: float | None
    others: tuple[float | None, float | None]
    open: bool = False
    survivor: bool = False


class Way:
    """One way to grade: how the course is made, and the command; nbgrader by default."""

    title = ""

    def make(self, short: ShortCourse) -> None:
        raise NotImplementedError

    def grade(self, short: ShortCourse) -> None:
        """Run `nbgrader autograde`, and once more if it ended early, as an instructor would."""
        for _ in range(2):
            try:
                short.nbgrader("autograde", ASSIGNMENT)
            except AssertionError:
                continue
            return


class WithAsserts(Way):
    title = "nbgrader, asserts"

    def make(self, short: ShortCourse) -> None:
        source = short.directory / "source" / ASSIGNMENT
        source.mkdir(parents=True)
        plain = PLAIN.format(root=str(short.directory))
        (short.directory / "nbgrader_config.py").write_text(plain + short.exchange)
        for name, tests in zip(NOTEBOOKS, (SOFTMAX_TESTS, HAND_TESTS), strict=True):
            book = as_book(solution(name))
            for cell in book.cells:
                if cell["cell_type"] == "code" and BEGIN in cell["source"]:
                    _mark(cell, cell["id"], solution=True)
            for place, (points, text) in enumerate(tests, 1):
                book.cells.append(new_code_cell(text, id=f"check-{name}-{place}"))
                _mark(book.cells[-1], f"check-{name}-{place}", grade=True, locked=True)
                book.cells[-1].metadata.nbgrader["points"] = points
            nbformat.write(book, source / f"{name}.ipynb")


class WithCheck(Way):
    title = "nbgrader, check()"

    def make(self, short: ShortCourse) -> None:
        short.init()
        config = short.directory / "nbgrader_config.py"
        ours = ("c.Autograde.", "c.OverwriteCells")
        lines = [line for line in config.read_text().splitlines() if not line.startswith(ours)]
        config.write_text("\n".join(lines) + short.exchange)


class Ours(Way):
    title = "this project"

    def make(self, short: ShortCourse) -> None:
        short.init()

    def grade(self, short: ShortCourse) -> None:
        short.autograder("grade", ASSIGNMENT, "--workers", "1")


WAYS = (WithAsserts(), WithCheck(), Ours())


def _mark(cell, name: str, **fields: bool) -> None:
    plain = {"grade": False, "solution": False, "locked": False, "task": False}
    cell.metadata["nbgrader"] = {**plain, "grade_id": name, "schema_version": 3, **fields}


def course_of(way: Way, folder: Path) -> ShortCourse:
    """Return a new course directory, ready for submissions."""
    short = ShortCourse(folder)
    short.directory.mkdir(exist_ok=True)
    way.make(short)
    short.nbgrader("generate_assignment", ASSIGNMENT)
    return short


def hand_in(short: ShortCourse, student: str, more: str = "") -> Path:
    """Hand in both notebooks, filled in correctly, plus some code; return the folder."""
    return short.hand_in(student, **{name: solution(name) + more for name in NOTEBOOKS})


def outcome(way: Way, name: str, kind: Kind, folder: Path) -> Outcome:
    """Grade a class of three in a separate course directory."""
    short = course_of(way, folder)
    for student in (BEFORE, name, AFTER):
        place = hand_in(short, student)
        if student == name:
            kind.edit(place)
    way.grade(short)
    survivor = _end_survivors()
    totals = short.totals()
    return Outcome(
        totals.get(name) if _has_row(short, name) else None,
        tuple(totals.get(each) if _has_row(short, each) else None for each in (BEFORE, AFTER)),
        _is_open(short, name),
        survivor,
    )


def _has_row(short: ShortCourse, student: str) -> bool:
    """Return True if a student has a row: the export prints 0 for students without one."""
    with short.gradebook() as gradebook:
        return any(each.id == student and each.submissions for each in gradebook.students)


def _is_open(short: ShortCourse, student: str) -> bool:
    """Return True if a grade of softmax waits for a person."""
    return any(row[0] == student and row[1] == "softmax" and row[5] for row in short.rows())


def _end_survivors() -> bool:
    """End an attack's process that is still running; return True if there was one."""
    found = False
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[:2] == [b"sleep", LEFT_BEHIND.encode()]:
            found = True
            os.kill(int(entry.name), signal.SIGKILL)
    return found


def as_words(kind: Kind, found: Outcome) -> str:
    """Return a cell of the table."""
    wrong = []
    if found.total is None:
        said = "no row"
    else:
        said = number(found.total) + (" (open)" if found.open else "")
    right = found.total == kind.right and found.open == kind.person
    said = said if right else f"**{said}**"
    lost = [
        f"{when} {'not graded' if total is None else f'gets {number(total)}'}"
        for when, total in zip(("previous student", "next student"), found.others, strict=True)
        if total != HONEST
    ]
    wrong += [f"**{each}**" for each in lost]
    wrong += ["**a process keeps running**"] if found.survivor else []
    return ", ".join([said, *wrong])


def table(kinds: dict[str, Kind], row: Callable[[str, Kind], list[str]]) -> str:
    lines = ["| bad notebook | correct total | " + " | ".join(way.title for way in WAYS) + " |"]
    lines += ["|---" * (2 + len(WAYS)) + "|"]
    for name, kind in kinds.items():
        deserved = number(kind.right) + (" (open)" if kind.person else "")
        lines.append(f"| {kind.what} | {deserved} | {' | '.join(row(name, kind))} |")
    return "\n".join(lines) + "\n"


def main(target: Path, only: str = "") -> None:
    chosen = {name: kind for name, kind in KINDS.items() if not only or name == only}
    found: dict[tuple[str, str], str] = {}
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:

        def one(way: Way, name: str) -> None:
            folder = Path(scratch, f"{name}-{way.title.replace(' ', '-')}")
            folder.mkdir()
            cell = as_words(KINDS[name], outcome(way, name, KINDS[name], folder))
            found[way.title, name] = cell
            print(
                f"{len(found)} of {len(chosen) * len(WAYS)}: {way.title}: {name}: {cell}",
                flush=True,
            )

        for each in [pool.submit(one, way, name) for name in chosen for way in WAYS]:
            each.result()
    if only:
        return

    def row(name: str, kind: Kind) -> list[str]:
        return [found[way.title, name] for way in WAYS]

    version = subprocess.run(
        [sys.executable, "-m", "nbgrader", "--version"], capture_output=True, text=True
    ).stdout.split()[-1]
    text = INTRODUCTION.format(count=len(KINDS), nbgrader=version)
    text += f"\n## Damaged\n\n{table(DAMAGED, row)}\n## Hostile\n\n{table(HOSTILE, row)}"
    target.write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
