"""Code that nobody has to have from a classmate: what is handed out, and what is published."""

import contextlib
from collections.abc import Iterator

import numpy as np

from autograder.course import Course
from autograder.similarity.fingerprints import Prints, code_of, prints_of, tidy
from autograder.submission.read import UnreadableFile
from autograder.submission.source import SUFFIXES, Source, read_source


def known_prints(course: Course) -> Prints:
    """The fingerprints of all that is handed out and of all solutions, whatever the exercise."""
    found = [prints_of(code_of(source, course.exercises)) for source in _published(course)]
    return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *found]))


def _published(course: Course) -> Iterator[Source]:
    for name in course.exercises:
        forms = [course.handed_out / f"{name}{suffix}" for suffix in SUFFIXES]
        handed_out = [path for path in forms if path.is_file()][:1]  # the forms have the same code
        for path in [*handed_out, course.solution_file(name)]:
            with contextlib.suppress(UnreadableFile):
                yield read_source(path, name)


def right_answers(course: Course, exercise: str) -> list[str]:
    """The code of the course's right answers in other styles, each written on its own."""
    folder = course.root / course.content.right / exercise
    found = []
    for path in sorted(folder.glob("*")) if folder.is_dir() else []:
        if path.suffix in SUFFIXES:
            with contextlib.suppress(UnreadableFile):
                found.append(tidy(read_source(path, exercise).text))
    return found
