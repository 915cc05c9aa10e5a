"""`check("softmax")` in a notebook: the report below the cell, and the points as its value."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

SECONDS = 300


class CannotCheck(RuntimeError):
    """Nothing could be checked; one sentence says why, and a notebook shows no more than that."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class _Points(float):
    """Points that stand in the report already: as a cell's last value they are not shown again."""

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
    asked = {"exercise": exercise, "cells": _cells(), "folder": os.getcwd(), "hint": hint}
    asked["saved"] = _saved(exercise)
    done = subprocess.run(
        [sys.executable, "-m", "autograder.student.notebook"],
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
        raise CannotCheck(answer["error"])
    _show(answer["html"], answer["text"])
    return _value(float(answer["points"]))


def _value(points: float) -> float:
    """The points, as nbgrader reads them off a cell's output, or as anybody else has them."""
    return points if "NBGRADER_EXECUTION" in os.environ else _Points(points)


def _cells() -> list[str]:
    """The inputs of the notebook, in the order in which they ran."""
    shell = _shell()
    if shell is None:
        raise CannotCheck(
            "check() belongs in a notebook. In a terminal there is: autograder check NAME"
        )
    return [str(text) for text in shell.user_ns.get("In", [])[1:]]


def _saved(exercise: str) -> str:
    """The file of this notebook, as VS Code or Jupyter names it; else where it should lie."""
    shell = _shell()
    named = shell.user_ns.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME", "")
    found = Path(str(named)) if str(named).endswith(".ipynb") else Path(f"{exercise}.ipynb")
    return str(found.absolute())


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
    from autograder.course.course_file import find_course
    from autograder.course.errors import NoCourse, UserError
    from autograder.course.installation import require_libraries
    from autograder.grading.judge import Judge
    from autograder.report.html import notebook_outputs
    from autograder.report.redaction import exercise_for_student
    from autograder.student.notebook_cell import ELSEWHERE, step_in_cell, with_answers
    from autograder.submission.source import Siblings, from_cells, with_stated_numbers

    folder = Path(asked["folder"])
    try:
        course = find_course(folder)
        exercise = course.exercise(asked["exercise"])
        require_libraries([exercise])
        source = from_cells(asked["cells"], exercise.name, Siblings(folder))
        source = with_stated_numbers(source, exercise)
        source = with_answers(source, exercise, Path(asked["saved"]))
        with Judge(course, [exercise]) as judge:
            result = judge.grade(source)
    except NoCourse:
        return {"error": f"There is no course.yml in {folder} or above it. {ELSEWHERE}"}
    except UserError as error:
        return {"error": str(error)}
    if "NBGRADER_EXECUTION" in os.environ:
        mine = exercise_for_student(result, course.content.hints)
        html, text = notebook_outputs(mine)
    else:  # a student, who gets one step at a time
        html, text = step_in_cell(course, result, folder, asked["hint"])
    return {"html": html, "text": text, "points": result.points}


if __name__ == "__main__":
    print(json.dumps(answer_of(json.load(sys.stdin))))
