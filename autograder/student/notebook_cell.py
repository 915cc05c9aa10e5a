"""Grader for the cells of a notebook. Request and reply are JSON."""

import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from autograder.course.course_file import Course, Exercise, find_course
from autograder.course.errors import NoCourse, UserError
from autograder.course.installation import require_libraries
from autograder.grading.judge import Judge
from autograder.report.html import notebook_outputs
from autograder.report.model import ExerciseReport
from autograder.report.redaction import exercise_for_student
from autograder.report.terminal import StyledLine
from autograder.student.listing import progress_bar, remark
from autograder.student.notebook import EXECUTION
from autograder.student.progress import (
    ExerciseProgress,
    LastCheck,
    course_progress,
    next_unfinished,
    progress_of,
    read_progress,
    stage_of,
)
from autograder.student.step import change_since, no_further_hint, read_attempts, shown_step
from autograder.submission.code import read_code
from autograder.submission.read import UnreadableFile
from autograder.submission.source import (
    Siblings,
    Source,
    from_cells,
    read_source,
    with_stated_numbers,
)
from autograder.worker.messages import Unit

ELSEWHERE = (
    "Copy the course's folder to the computer on which this notebook runs. Then run in a cell: "
    '%cd FOLDER. Or run: import os; os.environ["AUTOGRADER_COURSE"] = "FOLDER".'
)


def answer_of(request: dict[str, Any]) -> dict[str, Any]:
    """Return the points and the report on some cells as HTML and text, or an error."""
    folder = Path(request["folder"])
    try:
        course = find_course(folder)
        exercise = course.exercise(request["exercise"])
        require_libraries([exercise])
        source = from_cells(without_corrected(request["cells"]), exercise.name, Siblings(folder))
        source = with_stated_numbers(source, exercise)
        source = with_answers(source, exercise, Path(request["saved"]))
        with Judge(course, [exercise]) as judge:
            report = judge.run(source).report
    except NoCourse:
        return {"error": f"There is no course.yml in {folder} or above it. {ELSEWHERE}"}
    except UserError as error:
        return {"error": str(error)}
    if EXECUTION in os.environ:
        if report.status == "needs a person":
            return {"error": f"{report.name} needs a person. {report.reason}"}
        html, text = notebook_outputs(
            exercise_for_student(report, course.content.hints, hidden=course.hidden_checks)
        )
    else:  # a student runs the cell: show one hint more at a time
        notebook = folder / f"{report.name}.ipynb"
        before = read_progress(notebook, report.name)
        seen = read_attempts(notebook, report.name)
        shown = shown_step(course, report, notebook, more=request["hint"], saved=False)
        first, last = _context_lines(course, shown, before)
        if request["hint"]:
            values = f"run `autograder check {report.name} --all` in a terminal"
            message = no_further_hint(seen, report, course.content.hints, values, notebook.name)
            last = [[(message, "")], *last] if message else last
        html, text = notebook_outputs(shown, first, last)
    return {"html": html, "text": text, "points": report.points}


def without_corrected(cells: Sequence[str]) -> list[str]:
    """Return the cells. Invalid cells become empty if later cells define all of their names."""
    codes, later = [read_code([Unit("cell", text)]) for text in cells], set[str]()
    texts = list(cells)
    for number, code in reversed(list(enumerate(codes))):
        if not code.broken:
            later |= code.names.keys()
        elif number < len(cells) - 2 and code.names.keys() <= later:  # the last cell calls `check`
            texts[number] = ""
    return texts


def with_answers(source: Source, exercise: Exercise, saved: Path) -> Source:
    if not exercise.questions:
        return source
    if not saved.is_file():
        raise UserError(
            f"The grader reads answers in words from the saved notebook, but {saved.parent} has no "
            f"{saved.name}. Save the notebook there under this name, and run the cell again."
        )
    try:
        answers = read_source(saved, exercise.name).answers
    except UnreadableFile as error:
        raise UserError(str(error)) from None
    return msgspec.structs.replace(source, answers=answers)


def _context_lines(
    course: Course, report: ExerciseReport, before: LastCheck | None
) -> tuple[list[StyledLine], list[StyledLine]]:
    progress = course_progress(course)
    exercise = progress[report.name]
    now = progress_of(report)
    if exercise.last_check is None or exercise.last_check.passed != now.passed:  # not saved
        exercise = ExerciseProgress(exercise.exercise, stage_of(now), exercise.file, now)
        progress[report.name] = exercise
    first: list[StyledLine] = []
    if before is not None and (change := change_since(before.passed, None, report)):
        first.append([(change, "")])
    last: list[StyledLine] = [[], progress_bar(list(progress.values()), None)]
    is_over = exercise.state in {"done", "graded when handed in"}
    following = next_unfinished(course, progress) if is_over else None
    if following is not None and following.exercise.name != report.name:
        title = f"{following.exercise.title} ({following.exercise.name})"
        last.append([("Next: ", ""), (f"{title}, {remark(following, datetime.now(UTC))}", "")])
    return first, last


if __name__ == "__main__":
    print(json.dumps(answer_of(json.load(sys.stdin))))
