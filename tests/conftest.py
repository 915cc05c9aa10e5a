"""Helpers for all tests of the project."""

import contextlib
import functools
import os
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings

from autograder.checks.proxy import Submission
from autograder.classroom.judge_pool import Reports, Setup, Task
from autograder.course.course_file import Course, Limits, load_course
from autograder.grading.judge import Judge, RunOptions
from autograder.report.model import ExerciseReport
from autograder.sandbox.child import Child, ChildKind, Children
from autograder.sandbox.levels import children_for, children_on, choose
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.source import Siblings, Source, read_source
from autograder.worker.messages import Unit

ROOT = Path(__file__).resolve().parent.parent

pytest_plugins = ["pytester"]

# Threads of torch that wait for each other took seven times the processor time of one thread.
os.environ.setdefault("OMP_NUM_THREADS", "1")

SHORT = Limits(load_seconds=3, call_seconds=1, total_seconds=20, memory_mb=512)
ENDLESS = Limits(load_seconds=0.5, call_seconds=0.25, total_seconds=20, memory_mb=512)  # for loops


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="all tests, not one of each kind")


def pytest_configure(config: pytest.Config) -> None:
    """Give property tests the same examples each time, and no time limit."""
    thorough = config.getoption("--thorough")
    examples = 100 if thorough else 25
    settings.register_profile(
        "course", deadline=None, derandomize=not thorough, max_examples=examples
    )
    settings.load_profile("course")


# The slowest files begin first, so that no process waits at the end for another one.
LONG = ("test_first_message.py", "test_in_browser.py", "test_grade_class.py",
        "test_in_a_browser.py", "test_attacks.py", "test_kit_judgement.py", "test_cycle.py",
        "test_local_cluster.py", "test_site.py", "test_repair.py", "test_pytest_display.py",
        "test_worked_course.py", "test_commands.py", "test_bad_notebooks.py",
        "test_false_credit.py", "test_groups.py", "test_pytest_plugin.py",
        "test_accessibility.py", "test_endurance.py")  # fmt: skip


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Let the first of several processes compile the tests, and the others read what it compiled."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return (yield)
    import fcntl

    with open(__file__) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(file, fcntl.LOCK_SH)
        return (yield)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: LONG.index(item.path.name) if item.path.name in LONG else len(LONG))
    if config.getoption("--thorough"):
        return
    met: Counter[str] = Counter()
    kept, left_out = [], []
    for item in items:
        each = item.get_closest_marker("one_in")
        function = item.nodeid.partition("[")[0]
        met[function] += 1
        left = each is not None and (met[function] - 1) % each.args[0] != 0
        (left_out if left or item.get_closest_marker("thorough") else kept).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


@pytest.fixture(autouse=True)
def no_open_figures() -> Iterator[None]:
    """Close a test's figures: matplotlib warns if more than 20 are open."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


class Lent(NamedTuple):
    """Children of a source that `close` gives back."""

    source: Children
    close: Callable[[], None]

    def take(self, kind: ChildKind) -> Child:
        return self.source.take(kind)


@pytest.fixture(scope="session", autouse=True)
def kept_children() -> Iterator[None]:
    """Keep what a command forks from for the next command on the same course.

    To start it takes a third of the time of `autograder check`. It is kept for two courses.
    """
    idle: dict[str, Children] = {}

    def lent(course: Course, *start: object) -> Children:
        reference = course.content.reference
        source = idle.pop(reference, None) or children_for(course, *start)

        @functools.cache  # whoever uses it may close it twice
        def give_back() -> None:
            while len(idle) > 1:
                idle.pop(next(iter(idle))).close()
            if reference in idle:
                source.close()
            else:
                idle[reference] = source

        return Lent(source, give_back)

    with pytest.MonkeyPatch.context() as patch:
        for module in ("sandbox.levels", "grading.judge", "grading.pytest_run"):
            patch.setattr(f"autograder.{module}.children_for", lent)
        yield
    for source in idle.values():
        source.close()


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def course() -> Course:
    return load_course(ROOT / "course.yml")


@pytest.fixture(scope="session")
def children(course: Course, tmp_path_factory) -> Iterator[Children]:
    """Yield workers as in `grade`: forked from a process with imports done, where possible."""
    scratch = tmp_path_factory.mktemp("workers")
    made = children_on(choose(None, own_code=True), course, [], scratch)
    yield made
    made.close()


@pytest.fixture(scope="session")
def judge(course: Course, children: Children) -> Iterator[Judge]:
    """Yield one judge of all the course's exercises, for the whole run."""
    with Judge(course, course.content.exercises, children) as judge:
        yield judge


@pytest.fixture
def one_judge(judge: Judge, monkeypatch) -> None:
    """Grade classes with this one judge; other tests cover the judge processes."""

    def graded(tasks: Iterable[Task], setup: Setup) -> Iterator[tuple[Task, Reports]]:
        wanted = RunOptions(seed=setup.seed)
        for task in tasks:
            yield task, {each.name: judge.run(each, wanted).encoded for each in task.sources}

    ready = contextlib.nullcontext(graded)
    monkeypatch.setattr("autograder.classroom.grade_class.open_pool", lambda *_: ready)


@pytest.fixture(scope="session")
def grade_source(judge: Judge) -> Callable[[Source], ExerciseReport]:
    return lambda source: judge.run(source).report


@pytest.fixture(scope="session")
def grade_file(grade_source) -> Callable[[Path, str], ExerciseReport]:
    def grade(path: Path, exercise: str) -> ExerciseReport:
        return grade_source(read_source(path, exercise, Siblings(path.parent)))

    return grade


@pytest.fixture(scope="session")
def grade_text(grade_source) -> Callable[[str, str], ExerciseReport]:
    """Return a function that grades a text: `grade_text("softmax", "def softmax(x): ...")`."""

    def grade(exercise: str, text: str) -> ExerciseReport:
        label = f"{exercise}.py"
        return grade_source(Source(exercise, label, (Unit(label, textwrap.dedent(text)),)))

    return grade


@pytest.fixture(scope="session")
def warm_sources(course: Course) -> Iterator[list[Children]]:
    """Yield the sources of children that no test uses now. Each has one child at a time."""
    free: list[Children] = []
    yield free
    for source in free:
        source.close()


@pytest.fixture
def submit(course: Course, warm_sources: list[Children]) -> Iterator[Callable[..., Submission]]:
    """Yield a function that runs a text in a worker: `submit("def f(): ...").f()`."""
    used: list[tuple[WorkerSession, Children]] = []

    def make(text: str, limits: Limits = SHORT, **siblings: str) -> Submission:
        units = (Unit("work.py", textwrap.dedent(text)),)
        source = Source("work", "work.py", units, siblings)
        children = warm_sources.pop() if warm_sources else children_for(course)
        used.append((WorkerSession(Workers(source, "numpy", limits, children)), children))
        return Submission(used[-1][0])

    yield make
    for session, children in used:
        session.close()
        warm_sources.append(children)
