"""What a command imports before it is needed."""

import subprocess
import sys

SLOW = {"numpy", "pytest", "torch", "matplotlib", "pandas", "scipy"}


def test_who_starts_judges_imports_nothing_that_takes_long():
    said = "import autograder.cli.grade_run, autograder.sandbox.levels, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert SLOW.isdisjoint(done.stdout.split())
