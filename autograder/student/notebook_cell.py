"""The cell of a notebook that checks it: whose answers it grades, and how the course stands."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.report.html import notebook_outputs
from autograder.report.model import ExerciseReport
from autograder.report.styled_lines import StyledLine
from autograder.student.attempts import attempts_path, read_attempts
from autograder.student.listing import completion_lines, progress_bar, remark
from autograder.student.progress import (
    ExerciseProgress,
    LastCheck,
    by_assignment,
    course_progress,
    next_unfinished,
    progress_of,
    read_progress,
)
from autograder.student.step import change_since, no_further_hint, shown_step
from autograder.submission.read import UnreadableFile
from autograder.submission.source import Source, read_source

ELSEWHERE = (
    "Put the course's folder where this notebook runs, and go there in a cell: %cd FOLDER. Or name "
    'it in a cell: import os; os.environ["AUTOGRADER_COURSE"] = "FOLDER".'
)


def with_answers(source: Source, exercise: Exercise, saved: Path) -> Source:
    """The source with the answers in words, which a running notebook does not know of itself.

    Raises:
        UserError: the exercise has questions, and the saved notebook cannot be read.
    """
    if not exercise.questions:
        return source
    if not saved.is_file():
        raise UserError(
            f"Answers in words are read from the saved notebook, and there is no {saved.name} in "
            f"{saved.parent}. Save it there under this name, and run the cell again."
        )
    try:
        answers = read_source(saved, exercise.name).answers
    except UnreadableFile as error:
        raise UserError(str(error)) from None
    return msgspec.structs.replace(source, answers=answers)


def context_lines(
    course: Course, shown: ExerciseReport, before: LastCheck | None
) -> tuple[list[StyledLine], list[StyledLine]]:
    """What has changed since the last check, and how the course stands.

    `before` is how the exercise stood when it was last checked.
    """
    found = course_progress(course)
    mine = found[shown.name]
    now = progress_of(shown)
    if mine.progress is None or mine.progress.passed != now.passed:  # it could not be kept
        mine = ExerciseProgress(mine.exercise, "done" if now.is_done else "begun", mine.file, now)
        found[shown.name] = mine
    groups = by_assignment(course, found)
    first: list[StyledLine] = []
    changed = change_since(before.passed, None, shown) if before is not None else ""
    if changed:
        first.append([(changed, "")])
    if now.is_done and not (before is not None and before.is_done):
        first += completion_lines(mine, groups, found, spoken=False)
    last: list[StyledLine] = [[], progress_bar(list(found.values()), None)]
    following = next_unfinished(course, found) if now.is_done else None
    if following is not None:
        last.append(_next(following))
    return first, last


def step_in_cell(course: Course, full: ExerciseReport, folder: Path, more: bool) -> tuple[str, str]:
    """What a student sees below the cell, as HTML and as text; with `more`, one hint more."""
    beside = folder / f"{full.name}.ipynb"
    before, seen = read_progress(beside, full.name), read_attempts(attempts_path(beside, full.name))
    mine = shown_step(course, full, beside, more=more, saved=False)
    first, last = context_lines(course, mine, before)
    values = f"`autograder check {full.name} --all` in a terminal"
    hints = course.content.hints
    said = no_further_hint(seen, full, hints, values, beside.name) if more else ""
    return notebook_outputs(mine, first, [[(said, "")], *last] if said else last)


def _next(standing: ExerciseProgress) -> StyledLine:
    said = f"{standing.exercise.title} ({standing.exercise.name})"
    return [("Next: ", ""), (f"{said}, {remark(standing, datetime.now(UTC))}", "")]
