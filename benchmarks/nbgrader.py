"""Times of nbgrader beside this project: the same students with two notebooks each."""

import shutil
import tempfile
from pathlib import Path

from benchmarks.classes import grade
from benchmarks.timing import Row, Size, ms, seconds
from tests.nbgrader.beside import NOTEBOOKS, Ours, WithAsserts, course_of, hand_in
from tests.nbgrader.course import ASSIGNMENT, ShortCourse


def against_nbgrader(size: Size) -> list[Row]:
    """Measure nbgrader with a kernel, and three ways of this project, on the same submissions.

    More students are added, to separate the cost of a notebook from the cost of the start.
    """
    students, more = size.notebooks, size.more_notebooks
    with tempfile.TemporaryDirectory() as scratch:
        plain, ours = Path(scratch, "plain"), Path(scratch, "ours")
        for folder in (plain, ours):
            folder.mkdir()
        with_kernel = _class(WithAsserts(), plain, students)
        theirs = seconds(lambda: with_kernel.nbgrader("autograde", ASSIGNMENT))
        confined = _class(Ours(), ours, students)
        alone, alone_each = _alone(confined, Path(scratch), students, more)
        button = seconds(lambda: confined.nbgrader("autograde", ASSIGNMENT))
        whole = _grade(confined)
        for number in range(students, students + more):
            hand_in(confined, f"s{number:03}", f"\n# {number}\n")
        each = (_grade(confined) - whole) / (more * len(NOTEBOOKS))
    notebooks = students * len(NOTEBOOKS)
    theirs_each = theirs / notebooks
    rows = [
        (f"nbgrader autograde with a kernel, {notebooks} notebooks", theirs, 1.0, ""),
        ("nbgrader autograde with our steps, the same, in all", button, theirs / button, ""),
        ("autograder nbgrader grade, the same, in all", whole, theirs / whole, "20×"),
        ("autograder grade, the same, in all", alone, theirs / alone, ""),
    ]
    return [
        *((what, f"{spent:.1f} s", f"{ratio:.0f}×", aim) for what, spent, ratio, aim in rows),
        ("nbgrader autograde, a notebook", ms(theirs_each), "1×", ""),
        (
            "autograder nbgrader grade, a notebook more",
            ms(each),
            f"{theirs_each / each:.0f}×",
            "40×",
        ),
        (
            "autograder grade, a notebook more",
            ms(alone_each),
            f"{theirs_each / alone_each:.0f}×",
            "100×",
        ),
        ("  nbgrader's sanitising and database of it", f"{1 - alone_each / each:.0%}", "", ""),
    ]


def _class(way: WithAsserts | Ours, folder: Path, students: int) -> ShortCourse:
    short = course_of(way, folder)
    for number in range(students):
        hand_in(short, f"s{number:03}", f"\n# {number}\n")
    return short


def _grade(short: ShortCourse) -> float:
    """Return the seconds of one run over all submissions."""
    return seconds(lambda: short.autograder("grade", ASSIGNMENT, "--workers", "2"))


def _alone(short: ShortCourse, scratch: Path, students: int, more: int) -> tuple[float, float]:
    """Return the seconds of `autograder grade` on the same notebooks, and of one more notebook."""
    few, many = scratch / "class", scratch / "more"
    for number, folder in enumerate(sorted((short.directory / "submitted").iterdir())):
        shutil.copytree(folder / ASSIGNMENT, few / folder.name)
        for copy in range(more // students + 1):
            place = many / f"{folder.name}-{copy}"
            shutil.copytree(folder / ASSIGNMENT, place)
            for path in place.glob("*.ipynb"):
                path.write_text(path.read_text().replace(f"# {number}\\n", f"# {number}-{copy}\\n"))
    whole, _ = grade(few, scratch / "out", 2, NOTEBOOKS)
    longer, _ = grade(many, scratch / "out-more", 2, NOTEBOOKS)
    return whole, (longer - whole) / (more * len(NOTEBOOKS))
