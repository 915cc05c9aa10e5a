"""An nbgrader course directory: made from the solutions, and opened with its configuration."""

import contextlib
import io
import logging
import re
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC
from pathlib import Path
from typing import Any

from autograder.authoring.build import as_book, checking_cells, written
from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.course.files import read_text
from autograder.course.text import one_line
from autograder.submission.stubs import BEGIN, END

CONFIG = "nbgrader_config.py"


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    logging.disable(logging.ERROR)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.disable(logging.NOTSET)


def open_directory(folder: Path) -> Any:
    if not (folder / CONFIG).is_file():
        raise UserError(
            f"There is no {CONFIG} in {folder}. Run this in nbgrader's course directory, or make "
            f"one: autograder nbgrader init FOLDER"
        )
    from nbgrader.apps import NbGrader
    from nbgrader.apps.api import NbGraderAPI

    app = NbGrader(raise_config_file_errors=True)
    try:
        app.initialize([])
        api = NbGraderAPI(config=app.config)
    except (Exception, SystemExit) as error:
        raise UserError(
            f"{folder / CONFIG} cannot be used: {reason_of(error)}. Correct it, or move it "
            f"elsewhere and run: autograder nbgrader init {folder}"
        ) from None
    try:
        with api.gradebook:
            api.get_assignments()
    except Exception as error:
        raise unusable(api.coursedir.db_url, error) from None
    return api


def unusable(address: str, error: Exception) -> UserError:
    """Return an error for an unusable gradebook, with advice."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        shown = make_url(address).render_as_string(hide_password=True)
    except ArgumentError:
        shown = "that is configured"
    advice = "If it is from another version of nbgrader, back it up and run: nbgrader db upgrade"
    if isinstance(error, ModuleNotFoundError):
        advice = f"Its driver is missing. Run: pip install {error.name}"
    elif "locked" in str(error):
        advice = "Another program is writing to it. Wait until that is done, then run this again."
    elif "connect" in str(error):
        advice = "Check that the database runs, and that CourseDirectory.db_url is right."
    return UserError(f"The gradebook {shown} cannot be used: {reason_of(error)}. {advice}")


def notebooks_of(api: Any, assignment: str) -> list[str]:
    from nbgrader.api import MissingEntry

    with api.gradebook as gradebook, contextlib.suppress(MissingEntry):
        names = [item.name for item in gradebook.find_assignment(assignment).notebooks]
        if names:
            return names
    known = {item["name"] for item in api.get_assignments()} | api.get_source_assignments()
    if assignment not in known:
        raise UserError(
            f"There is no assignment {assignment!r} in {api.coursedir.root}. Known: "
            f"{', '.join(sorted(known)) or 'none'}."
        )
    raise UserError(
        f"The assignment {assignment} is not in the gradebook yet. Run: nbgrader "
        f"generate_assignment {assignment}"
    )


def students_of(api: Any, assignment: str, wanted: Sequence[str]) -> list[str]:
    """Return the students with a hand-in, in order. If `wanted` are given, return only these."""
    there = sorted(api.get_submitted_students(assignment))
    unknown = sorted(set(wanted) - set(there))
    if unknown:
        raise UserError(
            f"submitted/ has no folder of {', '.join(unknown)} for {assignment}. Run: nbgrader "
            f"collect {assignment}"
        )
    if not there:
        raise UserError(
            f"Nothing was collected for {assignment}. Run: nbgrader collect {assignment}"
        )
    return [student for student in there if not wanted or student in wanted]


def must_be_writable(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UserError(
            f"{folder} cannot be written: {error.strerror}. It holds the gradebook and "
            f"autograded/. Give yourself write permission, then run this again."
        ) from None


def reason_of(error: BaseException) -> str:
    """Return an error's message on one line, or for a database error the database's message."""
    from sqlalchemy.exc import DBAPIError

    for cause in (error, error.__cause__, error.__context__):
        if isinstance(cause, DBAPIError):
            return one_line(str(cause.orig), 160)
    if isinstance(error, SystemExit) and error.__context__ is not None:
        error = error.__context__
    return one_line(str(error) or type(error).__name__, 160)


def source_notebook(course: Course, exercise: Exercise) -> str:
    """Return the notebook for `source/ASSIGNMENT/NAME.ipynb`, with solutions.

    A cell with a solution becomes an answer cell. One more cell has the exercise's points and calls
    `check`. A person grades answers in words. For students, the rubric is removed together with the
    model answer.
    """
    path = course.solution_file(exercise.name)
    checking = [] if exercise.questions else checking_cells(exercise)
    for cell in checking[1:]:
        _mark(cell, grade=True, locked=True, points=exercise.points)
    book = as_book(read_text(path), course.handed_out, checking)
    questions = {question.name: question for question in exercise.questions}
    for cell in book.cells:
        name = cell["metadata"].get("answer", "")
        question = questions.get(name)
        if name and question is None:
            raise UserError(
                f"{path} has a cell for an answer to {name}, but course.yml has no such question."
            )
        if question is not None:
            _mark(cell, grade=True, solution=True, points=question.points)
            rubric = "\n".join(f"- {line}" for line in question.rubric)
            cell["source"] = cell["source"].replace(END, f"\n{rubric}\n{END}")
        elif cell["cell_type"] == "code" and BEGIN in cell["source"]:
            _mark(cell, solution=True)
    return written(book)


def mark_of(kind: str, name: str, points: float | None = None, **fields: Any) -> dict[str, Any]:
    """Return nbgrader's metadata of a cell. The gradebook uses the cell's id as its name."""
    flags = dict.fromkeys(("grade", "solution", "locked", "task"), False)
    mark = flags | {"cell_type": kind, "grade_id": name, "schema_version": 3} | fields
    return mark if points is None else mark | {"points": points}


def _mark(cell: Any, points: float | None = None, **fields: bool) -> None:
    cell["metadata"]["nbgrader"] = mark_of(cell["cell_type"], cell["id"], points, **fields)


TEXT = """\
# Made by `autograder nbgrader init`. For all other settings, see nbgrader's documentation.
import os

from autograder.nbgrader.steps import GENERATE, GRADE, SANITIZE

c = get_config()
os.environ["AUTOGRADER_COURSE"] = {course!r}  # where check() finds the course

c.CourseDirectory.course_id = {course_id!r}
c.CourseDirectory.root = {root!r}

c.GenerateAssignment.preprocessors = GENERATE
c.Autograde.sanitize_preprocessors = SANITIZE
c.OverwriteCells.add_missing_cells = True

# Late penalties follow `late:` in course.yml.
c.AssignLatePenalties.plugin_class = "autograder.nbgrader.steps.CourseLatePolicy"

# `nbgrader collect` does not follow links in submissions.
c.ExchangeFactory.collect = "autograder.nbgrader.exchange.CollectPlainFiles"

# Submissions run confined, not in a kernel on this machine, if you use `nbgrader autograde` or the
# button in Formgrader. If nbgrader should run the notebooks in its own kernel, delete these lines.
c.ConfinedExecute.course = {course!r}
c.Autograde.autograde_preprocessors = GRADE
"""


def course_id(course: Course) -> str:
    """Return the course's id in nbgrader: its title, with only characters of folder names."""
    return re.sub(r"[^a-z0-9]+", "-", course.title.lower()).strip("-")[:40] or course.root.name


def configuration(course: Course, folder: Path) -> str:
    return TEXT.format(course_id=course_id(course), root=str(folder), course=str(course.root))


def missing_lines(course: Course, folder: Path) -> list[str]:
    text = (folder / CONFIG).read_text(encoding="utf-8")
    ours = configuration(course, folder).splitlines()
    lines = [line for line in ours if line and not line.startswith("#")]
    return [line for line in lines if line.partition(" =")[0] not in text]


def make_course(course: Course, folder: Path) -> list[Path]:
    folder = folder.resolve()
    if not course.content.assignments:
        raise UserError(
            f"{course.root / 'course.yml'} has no `assignments:`. Add one to make notebooks."
        )
    texts: dict[Path, str] = {}
    config = folder / CONFIG
    if not config.exists():
        texts[config] = configuration(course, folder)
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
    with contextlib.chdir(folder), quiet(), open_directory(folder).gradebook as gradebook:
        for assignment in course.content.assignments:
            due = assignment.due.astimezone(UTC).replace(tzinfo=None) if assignment.due else None
            gradebook.update_or_create_assignment(assignment.name, duedate=due)
    return list(texts)
