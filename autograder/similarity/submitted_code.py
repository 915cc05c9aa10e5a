"""Code for comparison: the submissions of a class, and code that students may share."""

import contextlib
import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from autograder.classroom.hand_ins import Folder
from autograder.classroom.submissions import opened, read_work_guarded
from autograder.course.course_file import Course
from autograder.similarity.pairs import Fingerprints, fingerprints_of
from autograder.submission.read import UnreadableFile
from autograder.submission.source import SUFFIXES, Source, read_source
from autograder.submission.stubs import read_stubs

LONGEST = 32 * 1024  # the most characters of a submission that are compared


def code_of(source: Source, others: Iterable[str]) -> str:
    """Return the code in a submission's cells and helper files, without other exercises."""
    helpers = [text for name, text in sorted(source.helpers.items()) if name not in set(others)]
    return normalized("\n".join([source.text, *helpers]))


def normalized(text: str) -> str:
    """Return a text in normal form. Positions of fingerprints refer to this form."""
    return text.replace("\r\n", "\n").replace("\r", "\n")[:LONGEST].strip("\n") + "\n"


class ClassCode(msgspec.Struct):
    """Code by exercise and student, pairs who submitted together, and unreadable files."""

    code: dict[str, dict[str, str]]
    together: frozenset[frozenset[str]]
    notes: list[str]


def read_class(
    submissions: Path,
    course: Course,
    exercises: Collection[str],
    platform: str | None = None,
    roster: Path | None = None,
) -> ClassCode:
    stubs = read_stubs(course)
    code: dict[str, dict[str, str]] = {name: {} for name in exercises}
    notes: list[str] = []
    with opened(submissions, course, platform, roster) as found:
        for folder in found.folders:
            work = read_work_guarded(folder, course.exercises, stubs)
            for name in exercises:
                problem = work.unclear.get(name) or work.not_loaded.get(name)
                if name in work.sources:
                    code[name][folder.student] = code_of(work.sources[name], course.exercises)
                elif problem is not None:
                    notes.append(f"{folder.student}: {name}: {problem}")
        return ClassCode(code, handed_in_together(found.folders), notes)


def handed_in_together(folders: Sequence[Folder]) -> frozenset[frozenset[str]]:
    """Return all pairs of students who share an entry of a download, as teams do."""
    by_entries: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for folder in folders:
        if folder.hand_in is not None and folder.hand_in.entries:
            by_entries[folder.hand_in.entries].append(folder.student)
    pairs = (itertools.combinations(team, 2) for team in by_entries.values())
    return frozenset(frozenset(pair) for pair in itertools.chain.from_iterable(pairs))


def known_fingerprints(course: Course) -> Fingerprints:
    known = [np.empty(0, dtype=np.int64)]
    for name in course.exercises:
        forms = [course.handed_out / f"{name}{suffix}" for suffix in SUFFIXES]
        handed_out = [path for path in forms if path.is_file()][:1]  # both have the same code
        for path in [*handed_out, course.solution_file(name)]:
            with contextlib.suppress(UnreadableFile):
                known.append(fingerprints_of(code_of(read_source(path, name), course.exercises)))
    return np.unique(np.concatenate(known))


def right_answers(course: Course, exercise: str) -> list[str]:
    _, *others = course.right_answers(exercise)  # the solution comes first
    answers = []
    for path in others:
        with contextlib.suppress(UnreadableFile):
            answers.append(normalized(read_source(path, exercise).text))
    return answers
