"""`pytest exercises/softmax.py`: collect that exercise's checks and run them on that file.

pytest loads this module at every start, so what runs checks is imported with the first of them.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from autograder.course.course_file import FILE_NAME, Course, find_course
from autograder.course.errors import UserError
from autograder.course.own_modules import importable
from autograder.grading.check_marks import register_marks

if TYPE_CHECKING:
    from autograder.grading.pytest_run import SubmissionRun

COURSES = pytest.StashKey[dict[Path, Course | None]]()
FIRST = pytest.StashKey[Course]()
HERE: "pytest.StashKey[SubmissionRun]" = pytest.StashKey()


class CheckModule(pytest.Module):
    """The checks of an exercise, collected under the path of the student's file.

    The module that is imported is the checks'; the student's file is never imported here.
    """

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        """All that is in it, of which ids or `-k` may take some; the report is on all checks."""
        found = list(super().collect())
        self.config.stash[HERE].add(self.path, list(_items_in(found)))
        return found

    def _getobj(self) -> object:
        from _pytest.python import importtestmodule

        course = self.config.stash[HERE].course
        path = course.checks_file(self.path.stem)
        try:
            with importable(course):
                return importtestmodule(path, self.config)
        except Exception as error:
            from autograder.course.authoring_errors import InvalidCourse
            from autograder.grading.check_collection import load_error

            wrong = load_error(course, path, error)
            raise self.CollectError(str(InvalidCourse([wrong]))) from None


def _items_in(nodes: Iterable[pytest.Item | pytest.Collector]) -> Iterator[pytest.Item]:
    for node in nodes:
        if isinstance(node, pytest.Item):
            yield node
        else:
            yield from _items_in(node.collect())


def is_check(item: pytest.Item) -> bool:
    """Return whether a test looks at a student's file."""
    return item.getparent(CheckModule) is not None


def submission_course(path: Path, config: pytest.Config) -> Course | None:
    """The course, if `path` is a file that an exercise of it is named after."""
    if path.suffix not in {".py", ".ipynb"}:
        return None
    course = _course_of(path.parent, config)
    if course is None or path.stem not in course.exercises:
        return None
    if not course.checks_file(path.stem).is_file():
        return None
    if any(folder in path.parents for folder in course.grading):
        return None
    first = config.stash.setdefault(FIRST, course)
    if first.root != course.root:
        raise pytest.UsageError(
            f"{path} belongs to the course in {course.root}, and this run checks files of the one "
            f"in {first.root}. Name the files of one course at a time."
        )
    return course


def _course_of(folder: Path, config: pytest.Config) -> Course | None:
    """The course that a folder is in, else the one that pytest was started in."""
    known = config.stash.setdefault(COURSES, {})
    if folder not in known:
        try:
            known[folder] = find_course(folder, config.invocation_params.dir)
        except UserError as error:
            if (config.rootpath / FILE_NAME).exists():
                raise pytest.UsageError(str(error)) from None
            known[folder] = None
    return known[folder]


def pytest_configure(config: pytest.Config) -> None:
    register_marks(config)


@pytest.fixture
def submission(request: pytest.FixtureRequest) -> NoReturn:
    """Stands in until a submission is named; the checks alone have nothing to look at."""
    name = request.path.stem.removeprefix("test_")
    pytest.fail(
        f"Name the file to check, not the checks: pytest exercises/{name}.py, say.", pytrace=False
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    taken_by_python = file_path.suffix == ".py" and (
        parent.session.isinitpath(file_path)
        or any(file_path.match(pattern) for pattern in parent.config.getini("python_files"))
    )
    return None if taken_by_python else _module(file_path, parent)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> CheckModule | None:
    return _module(module_path, parent)


def _module(path: Path, parent: pytest.Collector) -> CheckModule | None:
    course = submission_course(path, parent.config)
    if course is None:
        return None
    if HERE not in parent.config.stash:
        from autograder.grading.pytest_run import SubmissionRun

        parent.config.stash[HERE] = SubmissionRun(parent.config, course, is_check)
    module: CheckModule = CheckModule.from_parent(parent, path=path)
    return module
