"""Work on an exercise that the course itself has, and a judge for it."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from autograder.course.course_file import Course, Exercise
from autograder.grading.judge import Judge
from autograder.sandbox.levels import children_on, choose
from autograder.submission.read import UnreadableFile
from autograder.submission.source import SUFFIXES, Siblings, Source, read_source


def own_work(course: Course, exercise: Exercise) -> Iterator[Source]:
    """Yield the solution of an exercise, the right answers, and the wrong ones."""
    right = course.root / course.content.right / exercise.name
    paths = [course.solution_file(exercise.name)]
    for folder in (right, right.parent.parent / "wrong" / exercise.name):
        paths += sorted(each for each in folder.glob("*") if each.suffix in SUFFIXES)
    for path in paths:
        with contextlib.suppress(UnreadableFile):
            yield read_source(path, exercise.name, Siblings(path.parent))


@contextlib.contextmanager
def judge_for(course: Course, exercise: Exercise, seed: int | None = None) -> Iterator[Judge]:
    """Start a judge of a course for work of its own: confined as far as that needs."""
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        children = children_on(choose(None, own_code=True), course, [], Path(scratch))
        with Judge(course, [exercise], children, seed) as judge:
            yield judge
