"""How the course stands: what is done, begun and untouched, by what is kept; nothing is run."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec

from autograder.course import Course, Exercise
from autograder.errors import UserError
from autograder.study.find import find_file
from autograder.study.progress import LastCheck, read_progress
from autograder.submission.code import read_code
from autograder.submission.read import UnreadableFile
from autograder.submission.siblings import Siblings
from autograder.submission.source import Source, read_source, with_stated_numbers
from autograder.submission.stubs import Stubs, read_stubs

Stage = Literal["done", "begun", "untouched", "missing", "unreadable"]


class Standing(msgspec.Struct, frozen=True):
    """Where one exercise stands. `changed` if its file is another than the one last checked."""

    exercise: Exercise
    state: Stage
    file: Path | None = None
    progress: LastCheck | None = None
    changed: bool = False
    why: str = ""

    @property
    def points(self) -> float:
        """The points of the last check."""
        return self.progress.points if self.progress is not None else 0.0


class Group(msgspec.Struct, frozen=True):
    """Exercises that are due together."""

    title: str
    due: datetime | None
    standings: tuple[Standing, ...]


def standings(course: Course) -> dict[str, Standing]:
    """Where every exercise stands, by name, in the course's order."""
    stubs = read_stubs(course)
    return {
        name: standing_of(course, exercise, stubs) for name, exercise in course.exercises.items()
    }


def standing_of(
    course: Course, exercise: Exercise, stubs: Stubs, file: Path | None = None
) -> Standing:
    """Where one exercise stands; `file` is the one that is worked in, where that is known."""
    try:
        file = file or find_file(course, exercise, stubs)
    except UserError:
        return Standing(exercise, "missing")
    progress = read_progress(file, exercise.name)
    try:
        source = read_source(file, exercise.name, Siblings(file.parent))
    except UnreadableFile as error:
        return Standing(exercise, "unreadable", file, progress, changed=True, why=str(error))
    source = with_stated_numbers(source, exercise)
    changed = progress is not None and progress.digest not in {"", source.digest}
    if progress is not None and progress.is_done:
        return Standing(exercise, "done", file, progress, changed)
    if not (progress is not None and progress.points) and _is_untouched(source, stubs):
        return Standing(exercise, "untouched", file)
    return Standing(exercise, "begun", file, progress, changed)


def _is_untouched(source: Source, stubs: Stubs) -> bool:
    stub = stubs.get(source.name)
    if stub is None or not stub.left_to_write():
        return False
    return stub.is_untouched(read_code(source.units), source.answers)


def in_groups(course: Course, found: dict[str, Standing]) -> list[Group]:
    """The exercises by assignment, in the course's order, and then those that are in none."""
    groups = [
        Group(each.title, each.due, tuple(found[name] for name in each.exercises))
        for each in course.content.assignments
    ]
    placed = {name for each in course.content.assignments for name in each.exercises}
    rest = tuple(standing for name, standing in found.items() if name not in placed)
    if rest:
        groups.append(Group("Other exercises" if groups else "", None, rest))
    return groups


def next_of(
    course: Course, found: dict[str, Standing], after: str | None = None
) -> Standing | None:
    """The first exercise that is not done, in the order in which they are due; None if all are.

    With `after`, the first behind that one, and then from the start again.
    """
    ordered = [each for group in in_groups(course, found) for each in group.standings]
    names = [each.exercise.name for each in ordered]
    start = names.index(after) + 1 if after in names else 0
    return _first_open(ordered[start:]) or _first_open(ordered[:start])


def _first_open(ordered: Sequence[Standing]) -> Standing | None:
    return next((each for each in ordered if each.state not in {"done", "missing"}), None)
