"""A small course with answers, and folders as on platforms' machines, for tests."""

import sys

from autograder.authoring.new import new_course
from autograder.course.course_file import load_course
from autograder.course.files import rights

RIGHT = "import numpy as np\n\n\ndef shares(x):\n    x = np.asarray(x, dtype=float)\n    return x / x.sum()\n"
WRONG = "import numpy as np\n\n\ndef shares(x):\n    print('<b>here</b>')\n    return np.asarray(x) / 2\n"
# Wrong, without the name of a mistake: a change in line 7 repairs it.
REPAIRABLE = """\
import numpy as np


def shares(x):
    x = np.asarray(x, dtype=float)
    total = x.sum()
    return x / total * 0.99
"""
LINE = "A change in line 7 makes every check pass."
MORE = """\
assignments:
  - name: week-1
    title: Week 1
    due: 2027-02-05T23:59:00+00:00
    exercises: [shares]
late:
  percent_a_day: 25
"""
HIDDEN = """

@pytest.mark.hidden
@pytest.mark.check("Other numbers", points=3, hints=("a", "b", "c"))
def test_others(submission, rng):
    x = rng.uniform(1, 2, size=4)
    expect_close(submission.shares(x), shares(x), "the shares")
"""


def small_course(folder, hints="practice"):
    """Return a course with one exercise, of two checks, the second hidden."""
    new_course(folder, "Small", "shares", "numpy")
    text = (folder / "course.yml").read_text() + MORE
    (folder / "course.yml").write_text(text.replace("hints: practice", f"hints: {hints}"))
    checks = folder / "reference" / "checks" / "test_shares.py"
    checks.write_text(checks.read_text() + HIDDEN)
    (folder / ".secret").write_text("nobody's business")
    return load_course(folder / "course.yml")


def put(files, folder):
    """Write a package's files into a folder."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(rights(data))
    return folder


def interpreter(folder, name):
    """Make a program with this name that starts this Python, as an image has it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    path.chmod(0o755)
    return path
