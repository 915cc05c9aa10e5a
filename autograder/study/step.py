"""One step of a student's: a file is graded, and what they may see of it is kept and shown."""

from pathlib import Path

import msgspec

from autograder.course import Course, Exercise
from autograder.errors import UserError
from autograder.grading.graded import Graded
from autograder.grading.session import Judge
from autograder.repair.look import is_worth_looking, with_repair
from autograder.report.attempts import attempts_file, read_attempts, write_attempts
from autograder.report.hints import hints_shown, next_step
from autograder.report.model import ExerciseReport
from autograder.report.redact import exercise_for_student
from autograder.report.spoken import exercise_words
from autograder.report.terminal import exercise_lines
from autograder.report.wrap import StyledLine
from autograder.study.progress import write_progress
from autograder.submission.read import UnreadableFile
from autograder.submission.source import Source, read_own
from autograder.text import one_line


def source_of(path: Path, exercise: Exercise) -> Source:
    """The student's file, with what lies beside it.

    Raises:
        UserError: it cannot be read.
    """
    try:
        return read_own(path, exercise)
    except UnreadableFile as error:
        raise UserError(f"{error} ({one_line(str(path), 300)})") from None


def is_unnamed(judge: Judge, done: Graded) -> bool:
    """Whether it is worth looking for a change after which every check passes."""
    return done.trouble is None and is_worth_looking(
        done.exercise, done.client.source, done.results, judge.course.content.hints
    )


def with_change(shown: ExerciseReport, judge: Judge, done: Graded) -> ExerciseReport:
    """What is shown of a full report, with where such a change is, if one is found."""
    found = with_repair(done.report, judge, done.exercise, done.client.source, done)
    seen = exercise_for_student(found, judge.course.content.hints, 0)
    return msgspec.structs.replace(shown, repair=seen.repair)


def shown_step(
    course: Course, full: ExerciseReport, path: Path, more: bool, saved: bool = True
) -> ExerciseReport:
    """What the student sees of a report now; that it was seen, and how it stands, is kept.

    Unless it was `saved`, what was graded is the cells that ran, not what is in the file.

    A file that cannot be loaded, half written perhaps, is no attempt: hints stay as they were.
    Where the grader itself failed nothing is known of the file, and all that is kept stays.
    """
    if _says_nothing(full):
        return exercise_for_student(full, course.content.hints, 0)
    kept, policy = attempts_file(path, full.name), course.content.hints
    attempts = next_step(read_attempts(kept), full, policy, more)
    if full.status != "not loaded":
        write_attempts(kept, attempts)
    shown = exercise_for_student(full, policy, hints_shown(attempts))
    write_progress(path, shown if saved else msgspec.structs.replace(shown, digest=""))
    return shown


def glanced_at(course: Course, full: ExerciseReport, path: Path) -> ExerciseReport:
    """What the student sees where there is room for the finding alone: no hint counts as seen."""
    shown = exercise_for_student(full, course.content.hints, 0)
    if not _says_nothing(full):
        write_progress(path, shown)
    return shown


def _says_nothing(full: ExerciseReport) -> bool:
    """Whether no check looked at the file, for a reason of the grader's own."""
    return full.status == "needs a person" and not full.checks


def face(
    shown: ExerciseReport, details: int, where: str, width: int | None, spoken: bool
) -> list[StyledLine]:
    """A report that its student may see, for a terminal: in columns, or `spoken`, in words."""
    if spoken:
        return list(exercise_words(shown, details, where))
    return list(exercise_lines(shown, details, where, width))
