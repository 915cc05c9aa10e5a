"""`check("softmax")` in a notebook: the report below the cell, and the points as its value."""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograder.course import Course
    from autograder.report.model import ExerciseReport

SECONDS = 300


def check(exercise: str) -> float:
    """Grade the cells that have run so far, show the report, and return the points.

    The functions still run in a process of their own. As the last line of a cell the points are
    what nbgrader takes as its score. `autograder check` in a terminal says the same.
    """
    asked = {"exercise": exercise, "cells": _cells(), "folder": os.getcwd()}
    answers = _answers(json.dumps(asked))
    answer = next(answers)
    update = _show(answer)
    for more in answers:
        answer = more
    update(answer)  # also where no more came: it is not looking any longer
    return float(answer["points"])


def _answers(asked: str) -> Iterator[dict[str, Any]]:
    """What the grader's process says: the report, and where it looks further, the report again."""
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "autograder.notebook"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        )
        assert process.stdin is not None and process.stdout is not None
        enough = threading.Timer(SECONDS, process.kill)
        enough.start()
        try:
            with process, process.stdin:
                process.stdin.write(asked)
                process.stdin.close()
                first = process.stdout.readline()
                yield _answer(first, said)
                for line in process.stdout:
                    yield _answer(line, said)
        finally:
            enough.cancel()


def _answer(line: str, said: IO[str]) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = json.loads(line)
    except ValueError:
        said.seek(0)
        lines = said.read().strip().splitlines()
        answer = {"error": (lines or ["The grader gave no answer."])[-1]}
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer


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


def _show(answer: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    """Show a report; what comes back puts another in its place, where one is to follow."""
    from IPython.display import display

    from autograder.repair import LOOKING

    if not answer["more"]:
        display(_faces(answer), raw=True)
        return lambda _: None
    looking = {"html": f"{answer['html']}<p>{LOOKING}</p>", "text": f"{answer['text']}\n{LOOKING}"}
    shown = display(_faces(looking), raw=True, display_id=True)
    return lambda later: shown.update(_faces(later), raw=True)


def _faces(answer: dict[str, Any]) -> dict[str, str]:
    return {"text/html": answer["html"], "text/plain": answer["text"]}


def answers_to(asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The report on some cells, as HTML, as text, and its points; or an error in one sentence.

    Where no mistake has a name a search follows, and then the report once more, with what it found.
    """
    from autograder.course import find_course
    from autograder.errors import UserError
    from autograder.extras import require_libraries
    from autograder.grading.scoring import exercise_report
    from autograder.grading.session import Judge
    from autograder.repair.look import is_worth_looking, with_repair
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
            graded = judge.grade(source)
            result = exercise_report(exercise, source, graded.results, graded.client)
            shown = _hints_shown(course, folder, result)
            worth = not _in_class() and is_worth_looking(
                exercise, graded.results, course.content.hints
            )
            yield _said(result, course, shown, more=worth)
            if worth:
                found = with_repair(result, judge, exercise, source, graded)
                yield _said(found, course, shown)
    except UserError as error:
        yield {"error": str(error)}


def _in_class() -> bool:
    return "NBGRADER_EXECUTION" in os.environ


def _hints_shown(course: "Course", folder: Path, result: "ExerciseReport") -> Any:
    """How many hints to show; a student gets one step at a time."""
    from autograder.report.attempts import attempts_file, read_attempts, write_attempts
    from autograder.report.hints import hints_shown, next_step

    if _in_class():
        return 1
    kept = attempts_file(folder / f"{result.name}.ipynb", result.name)
    attempts = next_step(read_attempts(kept), result, course.content.hints, False)
    write_attempts(kept, attempts)
    return hints_shown(attempts)


def _said(
    result: "ExerciseReport", course: "Course", shown: Any, more: bool = False
) -> dict[str, Any]:
    from autograder.report.html import exercise_html
    from autograder.report.redact import exercise_for_student
    from autograder.report.terminal import exercise_lines, plain

    mine = exercise_for_student(result, course.content.hints, shown)
    text = "\n".join(plain(line) for line in exercise_lines(mine))
    return {"html": exercise_html(mine), "text": text, "points": result.points, "more": more}


if __name__ == "__main__":
    for each in answers_to(json.load(sys.stdin)):
        print(json.dumps(each), flush=True)
