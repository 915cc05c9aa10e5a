"""The cell of a notebook that checks it: whose answers it grades, and how the course stands."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from autograder.course import Course, Exercise
from autograder.errors import UserError
from autograder.report.attempts import attempts_file, read_attempts
from autograder.report.cell import cell_faces
from autograder.report.model import ExerciseReport
from autograder.report.wrap import StyledLine
from autograder.study.celebration import celebrated
from autograder.study.changes import what_changed
from autograder.study.further_hint import no_further_hint
from autograder.study.listing import bar, remark
from autograder.study.progress import LastCheck, progress_of, read_progress
from autograder.study.standing import Standing, in_groups, next_of, standings
from autograder.study.step import shown_step
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


def around(
    course: Course, shown: ExerciseReport, before: LastCheck | None
) -> tuple[list[StyledLine], list[StyledLine]]:
    """What has changed since the last check, and how the course stands.

    `before` is how the exercise stood when it was last checked.
    """
    found = standings(course)
    mine = found[shown.name]
    now = progress_of(shown)
    if mine.progress is None or mine.progress.passed != now.passed:  # it could not be kept
        mine = Standing(mine.exercise, "done" if now.is_done else "begun", mine.file, now)
        found[shown.name] = mine
    groups = in_groups(course, found)
    first: list[StyledLine] = []
    changed = what_changed(before.passed, None, shown) if before is not None else ""
    if changed:
        first.append([(changed, "")])
    if now.is_done and not (before is not None and before.is_done):
        first += celebrated(mine, groups, found, spoken=False)
    last: list[StyledLine] = [[], bar(list(found.values()), None)]
    following = next_of(course, found) if now.is_done else None
    if following is not None:
        last.append(_next(following))
    return first, last


def step_in_cell(course: Course, full: ExerciseReport, folder: Path, more: bool) -> tuple[str, str]:
    """What a student sees below the cell, as HTML and as text; with `more`, one hint more."""
    beside = folder / f"{full.name}.ipynb"
    before, seen = read_progress(beside, full.name), read_attempts(attempts_file(beside, full.name))
    mine = shown_step(course, full, beside, more=more, saved=False)
    first, last = around(course, mine, before)
    values = f"`autograder check {full.name} --all` in a terminal"
    hints = course.content.hints
    said = no_further_hint(seen, full, hints, values, beside.name) if more else ""
    return cell_faces(mine, first, [[(said, "")], *last] if said else last)


def _next(standing: Standing) -> StyledLine:
    said = f"{standing.exercise.title} ({standing.exercise.name})"
    return [("Next: ", ""), (f"{said}, {remark(standing, datetime.now(UTC))}", "")]
