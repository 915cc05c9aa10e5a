"""Whole classes: `grade` beside nbgrader and beside a fresh process for each submission."""

import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from autograder.authoring.build import notebook
from benchmarks.commands import COMMAND, ROOT
from benchmarks.timing import Row, in_turn, seconds

NOTEBOOKS = 20
SOFTMAX = (ROOT / "examples" / "class" / "s01" / "softmax.py").read_text()
STUDENTS = 60
FOUR = ("softmax", "scaled_dot_product_attention", "causal_mask", "multi_head_reshape")
TESTS = """
import numpy as np
x = np.array([[1.0, 2.0, 3.0], [0.0, 5.0, 1.0]])
e = np.exp(x)
assert np.allclose(softmax(x), e / e.sum(axis=-1, keepdims=True))
assert np.allclose(softmax(x, axis=0), e / e.sum(axis=0, keepdims=True))
assert np.isfinite(softmax(np.array([1e4, -1e4]))).all()
assert softmax([1, 2]).shape == (2,)
"""


def make_class(folder: Path, count: int) -> Path:
    """`count` students, each with a right softmax.py of their own."""
    students = folder / "class"
    for number in range(count):
        place = students / f"s{number:05}"
        place.mkdir(parents=True)
        (place / "softmax.py").write_text(f"{SOFTMAX}\n# {number}\n")
    return students


def grade(
    students: Path, out: Path, workers: int, exercises: Sequence[str] = ("softmax",)
) -> tuple[float, int]:
    """Seconds of one run of `grade`, and the largest memory of one of its processes, in MB."""
    command = [COMMAND, "grade", str(students), "--out", str(out)]
    command += [part for name in exercises for part in ("--exercise", name)]
    start = time.perf_counter()
    run = subprocess.Popen(
        [*command, "--workers", str(workers)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    assert run.returncode == 0
    return time.perf_counter() - start, usage.ru_maxrss // 1024


def efficiency() -> list[Row]:
    """Rates of one worker and of two, for students with four exercises each.

    Starting up is measured apart and taken off; the median of three runs in turn.
    """
    with tempfile.TemporaryDirectory() as scratch:
        classes = {count: Path(scratch, str(count)) for count in (1, STUDENTS)}
        for count, folder in classes.items():
            for number in range(count):
                place = folder / f"s{number:03}"
                place.mkdir(parents=True)
                for name in FOUR:
                    text = (ROOT / "solutions" / f"{name}.py").read_text()
                    (place / f"{name}.py").write_text(f"{text}\n# {number}\n")
        runs = itertools.count()

        def timed(count: int, workers: int) -> Callable[[], object]:
            return lambda: grade(classes[count], Path(scratch, f"out-{next(runs)}"), workers, FOUR)

        times = in_turn(3, timed(1, 1), timed(STUDENTS, 1), timed(1, 2), timed(STUDENTS, 2))
    graded = (STUDENTS - 1) * len(FOUR)
    one, two = graded / (times[1] - times[0]), graded / (times[3] - times[2])
    return [
        ("grade, 1 worker", f"{one:.0f} submissions/s", "1×", ""),
        ("grade, 2 workers", f"{two:.0f} submissions/s", f"{two / one:.2f}×", ""),
        ("parallel efficiency, 1 to 2", f"{two / one / 2:.2f}", "", "at least 0.85"),
    ]


def large(count: int, aim: str) -> Row:
    """A whole run over a large class: rate and peak memory of the largest process."""
    with tempfile.TemporaryDirectory() as scratch:
        students = make_class(Path(scratch), count)
        spent, peak = grade(students, Path(scratch, "out"), 2)
    return (f"grade, {count:,} submissions", f"{count / spent:.0f}/s", f"peak {peak} MB", aim)


def against_fresh_processes() -> list[Row]:
    with tempfile.TemporaryDirectory() as scratch:
        students = make_class(Path(scratch), NOTEBOOKS)

        def fresh() -> None:
            for folder in students.iterdir():
                command = [COMMAND, "check", str(folder / "softmax.py")]
                subprocess.run(command, check=True, capture_output=True, cwd=ROOT)

        alone = seconds(fresh)
        ours, _ = grade(students, Path(scratch, "out"), 2)
    return [
        ("a fresh `autograder check` each", f"{NOTEBOOKS / alone:.1f} submissions/s", "1×", ""),
        (
            "grade, 2 workers, start-up included",
            f"{NOTEBOOKS / ours:.1f} submissions/s",
            f"{alone / ours:.1f}×",
            "",
        ),
    ]


def against_nbgrader() -> list[Row]:
    """`nbgrader autograde` and `grade` on the same 20 notebooks."""
    try:
        import nbgrader  # noqa: F401
    except ImportError:
        return [("nbgrader autograde", "not installed", "", "")]
    with tempfile.TemporaryDirectory() as scratch:
        course = Path(scratch, "course")
        _nbgrader_course(course)
        theirs = seconds(lambda: _nbgrader(course, "autograde", "week"))
        students = Path(scratch, "class")
        for folder in (course / "submitted").iterdir():
            place = students / folder.name
            place.mkdir(parents=True)
            text = (folder / "week" / "softmax.ipynb").read_text()
            (place / "softmax.ipynb").write_text(text)
        whole, _ = grade(students, Path(scratch, "out"), 2)
        more = Path(scratch, "more")
        for number in range(10 * NOTEBOOKS):
            (more / f"s{number:03}").mkdir(parents=True)
            changed = text.replace("# 0", f"# {number}")
            (more / f"s{number:03}" / "softmax.ipynb").write_text(changed)
        longer, _ = grade(more, Path(scratch, "out-more"), 2)
    each = (longer - whole) / (9 * NOTEBOOKS)
    return [
        ("nbgrader autograde, 20 notebooks", f"{theirs:.1f} s", "1×", ""),
        ("grade, the same 20, in all", f"{whole:.1f} s", f"{theirs / whole:.0f}×", ""),
        (
            "grade, a notebook more",
            f"{each * 1000:.0f} ms",
            f"{theirs / NOTEBOOKS / each:.0f}×",
            "100×",
        ),
    ]


def _nbgrader(course: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "nbgrader", *arguments]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # it calls alembic
    environment = {**os.environ, "PATH": path}
    done = subprocess.run(
        command, cwd=course, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])


def _nbgrader_course(course: Path) -> None:
    """A course with one assignment, released and handed in by 20 students."""
    source = course / "source" / "week"
    source.mkdir(parents=True)
    (course / "nbgrader_config.py").write_text(
        f"c = get_config()\nc.CourseDirectory.course_id = 'bench'\n"
        f"c.CourseDirectory.root = {str(course)!r}\n"
    )
    text = (ROOT / "solutions" / "softmax.py").read_text() + f"\n# %%\n{TESTS}\n"
    book = json.loads(notebook(text))
    for cell in book["cells"]:
        if cell["cell_type"] != "code":
            continue
        body = "".join(cell["source"])
        kind = {"solution": "def softmax" in body, "grade": "assert" in body}
        if any(kind.values()):
            cell["metadata"]["nbgrader"] = {
                **kind,
                "grade_id": re.sub(r"\W", "-", cell["id"]),
                "locked": kind["grade"],
                "schema_version": 3,
                "task": False,
                **({"points": 4} if kind["grade"] else {}),
            }
    (source / "softmax.ipynb").write_text(json.dumps(book))
    _nbgrader(course, "generate_assignment", "week")
    released = (course / "release" / "week" / "softmax.ipynb").read_text()
    for number in range(NOTEBOOKS):
        place = course / "submitted" / f"s{number:03}" / "week"
        place.mkdir(parents=True)
        handed_in = json.loads(released)
        for cell in handed_in["cells"]:
            if "def softmax" in "".join(cell["source"]):
                cell["source"] = f"{SOFTMAX}\n# {number}\n"
        (place / "softmax.ipynb").write_text(json.dumps(handed_in))
