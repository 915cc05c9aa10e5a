"""Plugin for `pytest exercises/softmax.py`, which runs an exercise's checks.

pytest loads this module at every start. So its functions import the code for checks only when they
need it.
"""

from pathlib import Path
from typing import NoReturn

import pytest

from autograder.course.course_file import FILE_NAME, Course, find_course
from autograder.course.errors import UserError

COURSES = pytest.StashKey[dict[Path, Course | None]]()
MARKS = (
    "check(title, points=1, needs=(), hints=(), grades=()): a check of an exercise; its docstring "
    "may contain the hints, one per line; `grades` names requirements of the task's text",
    "hidden: a check whose inputs and values are not shown to students",
    "graded_when_handed_in: a check that a student kit does not judge",
)


def pytest_configure(config: pytest.Config) -> None:
    for line in MARKS:
        config.addinivalue_line("markers", line)


@pytest.fixture
def submission(request: pytest.FixtureRequest) -> NoReturn:
    """Fail, because the check runs without a student's file."""
    name = request.path.stem.removeprefix("test_")
    pytest.fail(
        f"Name the student's file, not the checks: pytest exercises/{name}.py", pytrace=False
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    taken_by_python = file_path.suffix == ".py" and (
        parent.session.isinitpath(file_path)
        or any(file_path.match(pattern) for pattern in parent.config.getini("python_files"))
    )
    return None if taken_by_python else pytest_pycollect_makemodule(file_path, parent)


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    """Return the checks of the exercise with the file's name. If there is none, return None."""
    course = _submission_course(module_path, parent.config)
    if course is None:
        return None
    from autograder.grading.pytest_run import HERE, CheckModule, SubmissionRun

    if HERE not in parent.config.stash:
        parent.config.stash[HERE] = SubmissionRun(parent.config, course)
    run = parent.config.stash[HERE]
    if run.course.root != course.root:
        raise pytest.UsageError(
            f"{module_path} belongs to the course in {course.root}, but this run checks the course "
            f"in {run.course.root}. Check one course at a time."
        )
    module: CheckModule = CheckModule.from_parent(parent, path=module_path)
    return module


def _submission_course(path: Path, config: pytest.Config) -> Course | None:
    if path.suffix not in {".py", ".ipynb"}:
        return None
    known = config.stash.setdefault(COURSES, {})
    if path.parent not in known:
        known[path.parent] = _course_of(path.parent, config)
    course = known[path.parent]
    if course is None or path.stem not in course.exercises:
        return None
    is_students = not any(folder in path.parents for folder in course.grading)
    return course if is_students and course.checks_file(path.stem).is_file() else None


def _course_of(folder: Path, config: pytest.Config) -> Course | None:
    try:
        return find_course(folder, config.invocation_params.dir)
    except UserError as error:
        if (config.rootpath / FILE_NAME).exists():
            raise pytest.UsageError(str(error)) from None
        return None
