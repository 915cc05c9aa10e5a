"""Fixtures of checks, as a pytest plugin."""

import zlib
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from autograder.checks.proxy import Submission
from autograder.checks.recorded_answers import StandInPackage, load_reference
from autograder.course.course_file import Course
from autograder.sandbox.session import WorkerSession


class Fixtures:
    """Pytest plugin with the fixtures of checks. A subclass chooses the submission."""

    def __init__(self, course: Course) -> None:
        self.course = course

    def session_of(self, item: pytest.Item) -> WorkerSession:
        """Return the worker session through which a check calls the submission."""
        raise AssertionError(f"{item.name} runs, and checks are only collected")

    def seed_of(self, item: pytest.Item) -> int:
        raise AssertionError(f"{item.name} runs, and checks are only collected")

    @pytest.hookimpl(tryfirst=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Number the parametrised hidden checks, because pytest shows parameters in names."""
        if metafunc.definition.get_closest_marker("hidden") is None:
            return
        parametrize = metafunc.parametrize

        def numbered(names: Any, values: Iterable[Any], *args: Any, **kwargs: Any) -> None:
            sets = [each._replace(id=None) if hasattr(each, "marks") else each for each in values]
            ids = [str(number) for number in range(1, len(sets) + 1)]
            parametrize(names, sets, *args, **{**kwargs, "ids": ids})

        metafunc.parametrize = numbered  # type: ignore[assignment,method-assign]

    @pytest.fixture
    def submission(self, request: pytest.FixtureRequest) -> Submission:
        """The student's module. Each call of one of its functions runs in the worker.

        For a hidden check, the module is loaded in a new process. The report does not show what
        this process prints.
        """
        session = self.session_of(request.node)
        hidden = request.node.get_closest_marker("hidden") is not None
        return Submission(session.fresh() if hidden else session)

    @pytest.fixture
    def reference(self) -> ModuleType | StandInPackage:
        """The course's package of correct functions."""
        return load_reference(self.course)

    @pytest.fixture
    def modules(self) -> ModuleType | StandInPackage:
        """The torch modules of the reference. Only checks that use this fixture import torch."""
        return load_reference(self.course, "modules")

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> np.random.Generator:
        """Random generator of the check, with the same numbers in every run."""
        seed = self.seed_of(request.node)
        return np.random.default_rng([seed, zlib.crc32(request.node.name.encode())])

    @pytest.fixture
    def note(self, request: pytest.FixtureRequest) -> Callable[[str], None]:
        """A function that records why a wrong result passes: `note("Right, from your a.")`."""
        return lambda text: request.node.user_properties.append(("note", text))

    @pytest.fixture
    def grading(self, request: pytest.FixtureRequest) -> Callable[[str], None]:
        """A function that names the next requirement that a check grades: `grading("sizes")`."""
        mark = request.node.get_closest_marker("check")
        names = mark.kwargs.get("grades", ()) if mark is not None else ()

        def grading(name: str) -> None:
            if name not in names:
                raise ValueError(f"{request.node.name} does not grade {name!r}: add it to `grades`")
            request.node.user_properties.append(("requirement", name))

        return grading
