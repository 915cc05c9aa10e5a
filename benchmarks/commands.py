"""Times of whole commands, beside a baseline."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.timing import Row, Size, in_turn

ROOT = Path(__file__).resolve().parent.parent
COMMAND = str(Path(sys.executable).with_name("autograder"))


def run(*command: str, fails: bool = False) -> Callable[[], object]:
    """Return an action that runs a command; with `fails` the command must end with 1."""

    def action() -> object:
        done = subprocess.run(command, capture_output=True, cwd=ROOT)
        assert done.returncode == int(fails), done.stderr
        return done

    return action


def check_against_import(exercise: str, library: str, aim: str, size: Size) -> Row:
    """Return the time to check a correct answer, and the time to import its libraries."""
    baseline, ours = in_turn(
        size.commands,
        run(sys.executable, "-c", f"import {library}"),
        run(COMMAND, "check", f"solutions/{exercise}.py"),
    )
    return (
        f"autograder check {exercise} / import {library}",
        f"{ours * 1000:.0f} ms / {baseline * 1000:.0f} ms",
        f"{ours / baseline:.1f}×",
        aim,
    )


def start_of_a_class(size: Size) -> Row:
    """Return the time of `autograder grade` for one file, which is mostly its start."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "class", "s01")
        folder.mkdir(parents=True)
        shutil.copy(ROOT / "solutions" / "softmax.py", folder)
        out = Path(scratch, "out")
        command = (COMMAND, "grade", str(folder.parent), "--out", str(out), "--course", str(ROOT))
        grade = run(*command, "--exercise", "softmax", "--workers", "1")

        def afresh() -> object:
            shutil.rmtree(out, ignore_errors=True)
            return grade()

        baseline, ours = in_turn(size.commands, run(sys.executable, "-c", "import numpy"), afresh)
    return (
        "autograder grade, one softmax / import numpy",
        f"{ours * 1000:.0f} ms / {baseline * 1000:.0f} ms",
        f"{ours / baseline:.1f}×",
        "0.6 s",
    )
