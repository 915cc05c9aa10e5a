"""An nbgrader course directory, opened with the configuration that is in it."""

import contextlib
import io
import logging
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from autograder.course.errors import UserError
from autograder.course.text import one_line

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
