"""The commands as a person starts them, beside a baseline."""

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
    """Runs a command; one that `fails` ends with 1, as `check` does for a wrong answer."""

    def action() -> object:
        done = subprocess.run(command, capture_output=True, cwd=ROOT)
        assert done.returncode == int(fails), done.stderr
        return done

    return action


def check_against_import(exercise: str, library: str, aim: str, size: Size) -> Row:
    """A right answer checked by the command, beside the import of what it computes with."""
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
    """What `autograder grade` takes for one student's one file: nearly all of it is starting."""
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
