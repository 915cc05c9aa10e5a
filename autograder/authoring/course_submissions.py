"""The course's own answers to an exercise, and a judge that grades them."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.grading.judge import Judge
from autograder.sandbox.levels import children_on, choose
from autograder.submission.read import UnreadableFile
from autograder.submission.source import SUFFIXES, Siblings, Source, read_source


def right_answers(course: Course, exercise: Exercise) -> Iterator[Source]:
    """Yield the solution and the alternative solutions of an exercise."""
    yield read_course_work(course.solution_file(exercise.name), exercise)
    yield from _read_all(course.root / course.content.right / exercise.name, exercise)


def own_work(course: Course, exercise: Exercise) -> Iterator[Source]:
    """Yield the solution, the alternative solutions and the wrong answers of an exercise."""
    yield from right_answers(course, exercise)
    yield from _read_all(
        (course.root / course.content.right).parent / "wrong" / exercise.name, exercise
    )


def _read_all(folder: Path, exercise: Exercise) -> Iterator[Source]:
    for path in sorted(each for each in folder.glob("*") if each.suffix in SUFFIXES):
        yield read_course_work(path, exercise)


def read_course_work(path: Path, exercise: Exercise) -> Source:
    """Read a solution, or another answer that belongs to the course."""
    try:
        return read_source(path, exercise.name, Siblings(path.parent))
    except UnreadableFile as error:
        raise UserError(f"{error} ({path})") from None


@contextlib.contextmanager
def judge_for(course: Course, exercise: Exercise, seed: int | None = None) -> Iterator[Judge]:
    """Start a judge for the course's own code, which needs less confinement than a student's."""
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        children = children_on(choose(None, own_code=True), course, [], Path(scratch))
        with Judge(course, [exercise], children, seed) as judge:
            yield judge
