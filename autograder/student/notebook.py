"""`check("softmax")` in a notebook: show the report and return the points.

This module imports little, so that it loads quickly in the student's kernel.
"""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

SECONDS = 300
EXECUTION = "NBGRADER_EXECUTION"  # set by nbgrader when it runs a notebook


class CannotCheck(RuntimeError):
    """Error of `check()`. A notebook shows only the message, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class QuietPoints(float):
    """Points of an exercise, which a notebook does not show a second time below the report."""

    def _ipython_display_(self) -> None:
        return


def check(exercise: str, hint: bool = False) -> float:
    """Grade the cells that have run so far, show the report, and return the points.

    With `hint=True`, show the next hint, if the course allows it. The student's functions run in
    another process. If this call is the last line of a cell, nbgrader takes the points as the
    score. `autograder check` in a terminal gives the same report.

    Raises:
        CannotCheck: there is no notebook, no such exercise or no course here.
    """
    shell = None
    with contextlib.suppress(ImportError):
        from IPython import get_ipython

        shell = get_ipython()
    if shell is None:
        raise CannotCheck("check() needs a notebook. In a terminal, run: autograder check NAME")
    # The notebook's file from VS Code or Jupyter, or else the file where it should be.
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
            terminal = getattr(sys.stderr, "_original_stdstream_copy", 2)  # not captured
            os.write(terminal, f"autograder: nothing was graded. {answer['error']}\n".encode())
            os._exit(1)
        raise CannotCheck(answer["error"])
    from IPython.display import display

    display({"text/html": answer["html"], "text/plain": answer["text"]}, raw=True)
    return points_value(float(answer["points"]))


def points_value(points: float) -> float:
    """Return the points, for nbgrader or in a form that a notebook does not show."""
    return points if EXECUTION in os.environ else QuietPoints(points)
