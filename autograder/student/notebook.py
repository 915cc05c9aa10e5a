"""`check("softmax")` in a notebook: the report below the cell, and the points as its value.

It runs in the student's kernel, so it is light; `autograder.student.notebook_cell` grades.
"""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

SECONDS = 300
EXECUTION = "NBGRADER_EXECUTION"  # where nbgrader runs a notebook, and what for


class CannotCheck(RuntimeError):
    """Nothing could be checked; one sentence says why, and a notebook shows no more than that."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class QuietPoints(float):
    """Points that the report shows already: as a cell's last value they are not shown again."""

    def _ipython_display_(self) -> None:
        return


def check(exercise: str, hint: bool = False) -> float:
    """Grade the cells that have run so far, show the report, and return the points.

    With `hint=True` it shows one hint more, where the course allows that. The functions still run
    in a process of their own. As the last line of a cell the points are what nbgrader takes as its
    score. `autograder check` in a terminal says the same.

    Raises:
        CannotCheck: this is no notebook, the exercise is not known, or there is no course here.
    """
    shell = None
    with contextlib.suppress(ImportError):
        from IPython import get_ipython

        shell = get_ipython()
    if shell is None:
        raise CannotCheck(
            "check() works only in a notebook. In a terminal, run: autograder check NAME"
        )
    # The notebook's file, as VS Code or Jupyter names it; else where it should lie.
    named = shell.user_ns.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME", "")
    saved = Path(str(named)) if str(named).endswith(".ipynb") else Path(f"{exercise}.ipynb")
    request = {
        "exercise": exercise,
        "cells": [str(text) for text in shell.user_ns.get("In", [])[1:]],
        "folder": os.getcwd(),
        "hint": hint,
        "saved": str(saved.absolute()),
    }
    done = subprocess.run(
        [sys.executable, "-m", "autograder.student.notebook_cell"],
        input=json.dumps(request),
        capture_output=True,
        check=False,
        text=True,
        timeout=SECONDS,
    )
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = {"error": (done.stderr.strip().splitlines() or ["The grader gave no answer."])[-1]}
    if "error" in answer:
        if os.environ.get(EXECUTION) == "autograde":
            # nbgrader takes an exception for 0 points, but refuses a notebook without a kernel
            terminal = getattr(sys.stderr, "_original_stdstream_copy", 2)  # not the captured one
            os.write(terminal, f"autograder: nothing was graded. {answer['error']}\n".encode())
            os._exit(1)
        raise CannotCheck(answer["error"])
    from IPython.display import display

    display({"text/html": answer["html"], "text/plain": answer["text"]}, raw=True)
    return points_value(float(answer["points"]))


def points_value(points: float) -> float:
    """Return points as nbgrader reads them off a cell's output, or quiet for anybody else."""
    return points if EXECUTION in os.environ else QuietPoints(points)
