"""Checks as pytest sees them: their fixtures, their marks, and the options pytest starts with."""

import warnings
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from autograder.checks.proxy import Submission
from autograder.checks.reference_answers import StandInPackage, load_reference
from autograder.course.course_file import Course
from autograder.sandbox.session import WorkerSession


class Fixtures:
    """Plugin of pytest's with the fixtures of checks.

    `session_of` gives the submission that a check runs on; `seed` is that of its random inputs.
    """

    def __init__(
        self, course: Course, seed: int, session_of: Callable[[pytest.Item], WorkerSession]
    ) -> None:
        self.course = course
        self.seed = seed
        self.session_of = session_of

    @pytest.hookimpl(tryfirst=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Number a hidden check's parameters: pytest would show their values as names."""
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
        """The student's module; a call runs in the worker.

        A hidden check has a process of its own, in which only loading has run: it learns nothing of
        other checks, and nothing that is printed there is shown.
        """
        session = self.session_of(request.node)
        hidden = request.node.get_closest_marker("hidden") is not None
        return Submission(session.fresh() if hidden else session)

    @pytest.fixture
    def reference(self) -> ModuleType | StandInPackage:
        """The course's package of right answers."""
        return load_reference(self.course)

    @pytest.fixture
    def modules(self) -> ModuleType | StandInPackage:
        """The course's own torch modules; a check that asks for them imports torch."""
        return load_reference(self.course, "modules")

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> np.random.Generator:
        """Random numbers of the check's own, the same every time."""
        return np.random.default_rng([self.seed, zlib.crc32(request.node.name.encode())])

    @pytest.fixture
    def note(self, request: pytest.FixtureRequest) -> Callable[[str], None]:
        """Says something about a check that passes, such as "Right, from your a_scores."."""
        return lambda text: request.node.user_properties.append(("note", text))


MARKS = (
    "check(title, points=1, needs=(), hints=()): a check of an exercise; its docstring may "
    "hold the hints, one a line",
    "hidden: a check whose inputs and values are not shown to students",
)
INI = Path(__file__).with_name("judge.ini")
UNNEEDED = """
    terminal cacheprovider faulthandler logging junitxml doctest unittest pastebin nose warnings
    setuponly setupplan stepwise legacypath threadexception unraisableexception subtests debugging
""".split()  # noqa: SIM905
OPTIONS = [
    "--disable-plugin-autoload",
    *("-c", str(INI)),
    "--import-mode=importlib",
    "--noconftest",
    "--capture=no",
    *(part for name in UNNEEDED for part in ("-p", f"no:{name}")),
]


def register_marks(config: pytest.Config) -> None:
    """Make the marks of checks known."""
    for line in MARKS:
        config.addinivalue_line("markers", line)
    # the lint refuses unknown marks, with their line
    warnings.filterwarnings("ignore", category=pytest.PytestUnknownMarkWarning)
