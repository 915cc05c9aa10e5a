"""What a class handed in, as code to compare."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from autograder.classroom.folders import Folder
from autograder.classroom.intake import Work, read_work
from autograder.classroom.submissions import guarded, opened
from autograder.course import Course
from autograder.similarity.fingerprints import code_of
from autograder.submission.stubs import Stubs, read_stubs


class ClassCode(msgspec.Struct):
    """The code by exercise and student, who handed in together, and notes on what was not read."""

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
    """Read a class as `grade` does: the same folders, and of each student the same files.

    Raises:
        UserError: the submissions cannot be read.
    """
    stubs = read_stubs(course)
    found: dict[str, dict[str, str]] = {name: {} for name in exercises}
    notes: list[str] = []
    with opened(submissions, course, platform, roster) as there:
        for folder in there.folders:
            work = _read(folder, course, stubs)
            for name in exercises:
                if name in work.sources:
                    found[name][folder.student] = code_of(work.sources[name], course.exercises)
                elif name in work.unclear or name in work.not_loaded:
                    why = work.unclear.get(name) or work.not_loaded[name]
                    notes.append(f"{folder.student}: {name}: {why}")
        return ClassCode(found, _together(there.folders), notes)


def _read(folder: Folder, course: Course, stubs: Stubs) -> Work:
    def read() -> Work:
        return read_work(folder, course.exercises, stubs)

    return guarded(folder, course.exercises, read, lambda work: work)


def _together(folders: Sequence[Folder]) -> frozenset[frozenset[str]]:
    """Every two of those who are in the same entries of a download, as groups are."""
    by_entries: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for folder in folders:
        if folder.hand_in is not None and folder.hand_in.entries:
            by_entries[folder.hand_in.entries].append(folder.student)
    return frozenset(
        frozenset((one, other))
        for group in by_entries.values()
        for place, one in enumerate(group)
        for other in group[place + 1 :]
    )
