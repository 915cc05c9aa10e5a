"""The commands as a person starts them, beside a baseline."""

import subprocess
import sys
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


def check_against_numpy(size: Size) -> Row:
    baseline, ours = in_turn(
        size.commands,
        run(sys.executable, "-c", "import numpy"),
        run(COMMAND, "check", "solutions/softmax.py"),
    )
    return (
        "autograder check softmax / import numpy",
        f"{ours * 1000:.0f} ms / {baseline * 1000:.0f} ms",
        f"{ours / baseline:.1f}×",
        "at most 4×",
    )
