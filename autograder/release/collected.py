"""A course's checks by their marks: what a released course has to know of them."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from autograder.checking.collection import OPTIONS
from autograder.course import Course
from autograder.grading.plugin import CheckPlugin, CheckResult
from autograder.lint.checks import Collected
from autograder.lint.slip import CourseSlips
from autograder.own_modules import importable

if TYPE_CHECKING:
    from autograder.sandbox.client import Client


class _NothingRuns:
    def pytest_runtestloop(self) -> bool:
        return True


def _nobody(_item: pytest.Item) -> "Client":
    raise AssertionError("nothing runs while checks are collected")


def checks_of(course: Course, exercises: Sequence[str]) -> dict[str, list[CheckResult]]:
    """The checks of some exercises in their order, none of which has run.

    Raises:
        CourseSlips: they cannot be collected.
    """
    collected = Collected(course)
    files = [str(course.checks_file(name)) for name in exercises]
    environment = os.environ.pop("PYTEST_ADDOPTS", None)
    try:
        with importable(course):
            plugins = [CheckPlugin(course, 0, _nobody), collected, _NothingRuns()]
            pytest.main([*OPTIONS, "--rootdir", str(course.root), *files], plugins=plugins)
    finally:
        if environment is not None:
            os.environ["PYTEST_ADDOPTS"] = environment
    slips = collected.look(exercises)
    if slips:
        raise CourseSlips(slips)
    return {name: [CheckResult(item) for item in collected.items[name]] for name in exercises}
