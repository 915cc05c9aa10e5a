"""Which cells of a table a run changes: whose, and of which exercises."""

from collections.abc import Sequence

import msgspec

from autograder.classroom.folders import Folder
from autograder.classroom.records import Records
from autograder.course import Course, Exercise
from autograder.errors import UserError
from autograder.text import nearest, one_line


class Chosen(msgspec.Struct, frozen=True):
    """What is graded now, and all that the table has.

    `names` are the exercises graded now, `exercises` all columns; `folders` are all rows, those of
    `others`, who are not graded now, without a path. `may_be_gone` are those of the others who
    could have been graded, had they handed in.
    """

    before: Records
    names: tuple[Exercise, ...]
    exercises: tuple[Exercise, ...]
    folders: list[Folder]
    others: frozenset[str] = frozenset()
    may_be_gone: bool = True


def choose(
    before: Records,
    course: Course,
    exercises: Sequence[Exercise],
    partial: bool,
    students: Sequence[str],
    folders: Sequence[Folder],
) -> Chosen:
    """What is to be graded in a class, and what stays as it is in the results that count.

    Without `partial` nothing does. With `students` it is theirs alone that changes.

    Raises:
        UserError: somebody is not there.
    """
    if not partial:
        return Chosen(before, tuple(exercises), tuple(exercises), list(folders))
    here = {folder.student for folder in folders}
    for student in students:
        if student not in here:
            near = nearest(student, here)
            meant = f" Did you mean {near}?" if near else ""
            raise UserError(
                f"There is nobody called {one_line(student, 60)!r} among the submissions.{meant}"
            )
    names = _names(course, exercises, bool(students), before)
    wanted = {exercise.name for exercise in names} | before.exercises.keys()
    columns = tuple(each for each in course.content.exercises if each.name in wanted)
    graded = [folder for folder in folders if not students or folder.student in students]
    others = frozenset(before.students) - {folder.student for folder in graded}
    rows = graded
    if others:
        rows = [*graded, *(Folder(student, None) for student in others)]
        rows.sort(key=lambda folder: folder.student)
    return Chosen(before, names, columns, rows, others, may_be_gone=not students)


def _names(
    course: Course, exercises: Sequence[Exercise], by_student: bool, before: Records
) -> tuple[Exercise, ...]:
    """The exercises: for students alone, and if none is named, those that the table has."""
    if by_student and len(exercises) == len(course.exercises):
        there = tuple(each for each in exercises if each.name in before.exercises)
        return there or tuple(exercises)
    return tuple(exercises)
