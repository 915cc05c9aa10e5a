"""`autograder nbgrader init`: a course directory for nbgrader."""

import contextlib
from datetime import UTC
from pathlib import Path

from autograder.course import Course
from autograder.errors import UserError
from autograder.nbgrader.directory import CONFIG, open_directory, quiet
from autograder.nbgrader.source import source_notebook

TEXT = """\
# Made by `autograder nbgrader init`. Everything else is nbgrader's own; its documentation has it.
from autograder.nbgrader.steps import GENERATE, GRADE, SANITIZE

c = get_config()

c.CourseDirectory.course_id = {course_id!r}
c.CourseDirectory.root = {root!r}

c.GenerateAssignment.preprocessors = GENERATE
c.Autograde.sanitize_preprocessors = SANITIZE
c.OverwriteCells.add_missing_cells = True

# Submissions are collected without what links in them lead to.
c.ExchangeFactory.collect = "autograder.nbgrader.exchange.CollectPlainFiles"

# Submissions run confined, in place of a kernel on this machine: for `nbgrader autograde` and for
# the button in formgrader. Take these lines out to have nbgrader run the notebooks itself.
c.ConfinedExecute.course = {course!r}
c.Autograde.autograde_preprocessors = GRADE
"""


def make_course(course: Course, folder: Path) -> list[Path]:
    """Write the configuration and the source notebooks of all assignments; what was written.

    A configuration that is there stays; notebooks are written anew.

    Raises:
        UserError: the course has no assignments, or the folder cannot be written.
    """
    folder = folder.resolve()
    if not course.content.assignments:
        raise UserError(f"{course.root / 'course.yml'} has no `assignments:` to make notebooks of.")
    texts: dict[Path, str] = {}
    config = folder / CONFIG
    if not config.exists():
        name = course.root.name
        root, home = str(folder), str(course.root.resolve())
        texts[config] = TEXT.format(course_id=name, root=root, course=home)
    for assignment in course.content.assignments:
        for name in assignment.exercises:
            path = folder / "source" / assignment.name / f"{name}.ipynb"
            texts[path] = source_notebook(course, course.exercise(name))
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UserError(f"{error.filename} cannot be written: {error.strerror}.") from None
    _set_due_dates(course, folder)
    return list(texts)


def _set_due_dates(course: Course, folder: Path) -> None:
    """The assignments in the gradebook, with what `course.yml` says is due when."""
    with contextlib.chdir(folder), quiet(), open_directory(folder).gradebook as gradebook:
        for assignment in course.content.assignments:
            due = assignment.due.astimezone(UTC).replace(tzinfo=None) if assignment.due else None
            gradebook.update_or_create_assignment(assignment.name, duedate=due)
