"""`check("softmax")` in a notebook: the report below the cell, and the points as its value."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

SECONDS = 300


def check(exercise: str) -> float:
    """Grade the cells that have run so far, show the report, and return the points.

    The functions still run in a process of their own. As the last line of a cell the points are
    what nbgrader takes as its score. `autograder check` in a terminal says the same.
    """
    asked = {"exercise": exercise, "cells": _cells(), "folder": os.getcwd()}
    done = subprocess.run(
        [sys.executable, "-m", "autograder.notebook"],
        input=json.dumps(asked),
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
        raise RuntimeError(answer["error"])
    _show(answer["html"], answer["text"])
    return float(answer["points"])


def _cells() -> list[str]:
    """The inputs of the notebook, in the order in which they ran."""
    shell = _shell()
    if shell is None:
        raise RuntimeError(
            "check() belongs in a notebook. In a terminal there is: autograder check NAME"
        )
    return [str(text) for text in shell.user_ns.get("In", [])[1:]]


def _shell() -> Any:
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def _show(html: str, text: str) -> None:
    from IPython.display import display

    display({"text/html": html, "text/plain": text}, raw=True)


def answer_of(asked: dict[str, Any]) -> dict[str, Any]:
    """The report on some cells, as HTML, as text, and its points; or an error in one sentence."""
    from autograder.course import find_course
    from autograder.errors import UserError
    from autograder.extras import require_libraries
    from autograder.grading.session import Judge
    from autograder.report.html import exercise_html
    from autograder.report.redact import exercise_for_student
    from autograder.report.terminal import exercise_lines
    from autograder.report.wrap import plain
    from autograder.study.step import shown_step
    from autograder.submission.siblings import Siblings
    from autograder.submission.source import from_cells, with_stated_numbers

    folder = Path(asked["folder"])
    try:
        course = find_course(folder)
        exercise = course.exercise(asked["exercise"])
        require_libraries([exercise])
        source = from_cells(asked["cells"], exercise.name, Siblings(folder))
        source = with_stated_numbers(source, exercise)
        with Judge(course, [exercise]) as judge:
            result = judge.grade(source)
    except UserError as error:
        return {"error": str(error)}
    if "NBGRADER_EXECUTION" in os.environ:
        mine = exercise_for_student(result, course.content.hints)
    else:  # a student, who gets one step at a time
        beside = folder / f"{exercise.name}.ipynb"
        mine = shown_step(course, result, beside, more=False, saved=False)
    text = "\n".join(plain(line) for line in exercise_lines(mine))
    return {"html": exercise_html(mine), "text": text, "points": result.points}


if __name__ == "__main__":
    print(json.dumps(answer_of(json.load(sys.stdin))))
