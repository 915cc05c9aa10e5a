"""A person's run of pytest on students' files, with reports at the end.

pytest shows only texts that the course's hint policy allows, and never a check's source.
"""

import subprocess
import tempfile
import warnings
from collections.abc import Generator, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from _pytest.debugging import PdbInvoke
from _pytest.nodes import Node
from _pytest.python import importtestmodule
from _pytest.reports import BaseReport

from autograder.checks.check_result import CheckResult, without_judgement
from autograder.course.authoring_errors import InvalidCourse
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.course.installation import require_libraries
from autograder.course.own_modules import importable
from autograder.grading.author_exceptions import as_internal_error
from autograder.grading.check_collection import errors_in_marks, load_error
from autograder.grading.check_plugin import (
    RUN,
    CheckPlugin,
    CheckRun,
    check_of,
    with_unreadable_answers,
)
from autograder.grading.diagnoses import catalogue_of, with_diagnoses
from autograder.grading.judge import is_sound, session_of
from autograder.grading.scoring import Graded, check_report
from autograder.report.model import Cause, CheckOutcome, ExerciseReport
from autograder.report.redaction import exercise_for_student, holds_back
from autograder.report.terminal import check_lines, exercise_lines, plain
from autograder.sandbox.levels import children_for
from autograder.sandbox.problems import Raised
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.spawn import WARM, environment, worker_command
from autograder.submission.read import UnreadableFile
from autograder.submission.source import read_own
from autograder.worker.codec import FRAME, encode
from autograder.worker.messages import Request

NOT_JUDGED: CheckOutcome = "graded when handed in"
EDITOR = "vscode_pytest"  # the name of VS Code's plugin, which asks for a tree of tests
# Options that show the frames of a check. The keys are the names in pytest's settings.
OPENING = {"usepdb": "--pdb", "trace": "--trace", "debug": "--debug"}
NOT_RUN_HERE = (
    "This run leaves out the checks that an exam hides. They are graded when you hand in your work."
)
HERE: "pytest.StashKey[SubmissionRun]" = pytest.StashKey()


class CheckModule(pytest.Module):
    """The checks of an exercise, under the path of the student's file."""

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        """Return all checks. The report needs them all, even if ids or `-k` select only some."""
        nodes = list(super().collect())
        self.config.stash[HERE].add(self.path, list(_items_in(nodes)))
        return nodes

    def _getobj(self) -> object:
        course = self.config.stash[HERE].course
        path = course.checks_file(self.path.stem)
        try:
            with importable(course):
                return importtestmodule(path, self.config)
        except Exception as error:
            raise self.CollectError(str(InvalidCourse([load_error(course, path, error)]))) from None


def _items_in(nodes: Iterable[pytest.Item | pytest.Collector]) -> Iterator[pytest.Item]:
    for node in nodes:
        if isinstance(node, pytest.Item):
            yield node
        else:
            yield from _items_in(node.collect())


def is_check(item: pytest.Item) -> bool:
    return item.getparent(CheckModule) is not None


class SubmissionRun:
    """Pytest plugin with a run of checks for each student's file, and the reports at the end.

    VS Code reads the names and lines of the collected checks, and later runs checks by their ids.
    PyCharm and JUnit read ids and places from the reports. So ids never change, and all places are
    in the student's file. If pytest only collects the checks, titles replace their names.
    """

    def __init__(self, config: pytest.Config, course: Course) -> None:
        self.config = config
        self.course = course
        self.policy = course.content.hints
        self.children = children_for(course)
        self.items: dict[Path, list[pytest.Item]] = {}
        self.runs: dict[Path, CheckRun] = {}
        self.graded: dict[Path, Graded] = {}
        self.failed: list[tuple[pytest.Item, pytest.TestReport]] = []
        self.not_judged: set[tuple[str, str | None]] = set()  # pairs of an id and a phase
        for plugin in (CheckPlugin(course), self):
            config.pluginmanager.register(plugin, f"autograder-{type(plugin).__name__}")
        if config.option.usepdb:
            config.pluginmanager.unregister(name="pdbinvoke")
            config.pluginmanager.register(StudentDebugger(course), "pdbinvoke")
        config.option.fulltrace = False  # else an interrupted run would show a check's line
        config.option.setupshow = False  # otherwise pytest would show fixtures and parameters

    def add(self, path: Path, items: list[pytest.Item]) -> None:
        """Add all checks of a file, even if ids or `-k` select only some checks."""
        self.items[path] = items
        self.runs[path] = CheckRun(lambda: self._session(path), self.course.content.seed)

    def _session(self, path: Path) -> WorkerSession:
        __tracebackhide__ = True
        exercise = self.course.exercise(path.stem)
        try:
            require_libraries([exercise])
            source = read_own(path, exercise)
        except (UnreadableFile, UserError) as error:
            raise pytest.UsageError(str(error)) from None
        return session_of(self.course, source, self.children)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Give checks places in the student's file.

        Remove checks that the hint policy `exam` hides.

        Raises:
            pytest.UsageError: a mark has an authoring error, or an option would show code of
                checks.
        """
        checks = [item for item in items if is_check(item)]
        for item in checks:  # may be other objects than in `add`; hide the place of the check
            item.stash[RUN] = self.runs[item.path]
            item.location = (item.nodeid.split("::")[0], 0, item.name)
        for path, collected in self.items.items():
            errors = errors_in_marks(self.course, path.stem, collected)
            if errors:
                raise pytest.UsageError(str(InvalidCourse(errors)))
        for name, option in OPENING.items() if checks and self.policy != "practice" else ():
            if self.config.getoption(name, None):
                raise pytest.UsageError(
                    f"{option} would show the answers, and this course does not allow that "
                    f"(`hints: {self.policy}` in course.yml)."
                )
        hidden = [
            item
            for item in checks
            if item.get_closest_marker("hidden")
            and holds_back(self.policy, self.course.hidden_checks(item.path.stem))
        ]
        if hidden:
            self.config.hook.pytest_deselected(items=hidden)
            items[:] = [item for item in items if item not in hidden]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Replace names of checks by titles, except brackets, if an editor only collects checks."""
        if not (self.config.option.collectonly and self.config.pluginmanager.hasplugin(EDITOR)):
            return
        for item in filter(is_check, session.items):
            title, has_parameters = check_of(item).title, hasattr(item, "callspec")
            item.name = f"{item.name.split('[')[0]}[{title}]" if has_parameters else title

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run a check, and drop pytest's warnings, because they show a line of the check."""
        if not is_check(item):
            return (yield)
        with importable(self.course), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if not is_check(item):
            return report
        report.sections = []
        if self.policy == "exam" or item.get_closest_marker("hidden"):
            report.user_properties = []
        if report.when == "teardown":  # JUnit takes the properties of this phase
            report.user_properties.append(("title", check_of(item).title))
        if call.excinfo is None:
            return report
        if isinstance(call.excinfo.value, pytest.UsageError):  # the file cannot be read
            report.longrepr = str(call.excinfo.value)
        elif report.skipped:
            if self.runs[item.path].results[item.nodeid].outcome == NOT_JUDGED:
                self.not_judged.add((report.nodeid, report.when))
            message = " ".join(line.strip() for line in self._lines(item, hints=0)[1:])
            report.longrepr = str(item.path), 0, message or "Not run."
        else:
            report.longrepr = "\n".join(self._lines(item, hints=0))
            self.failed.append((item, report))
        return report

    def _lines(self, item: pytest.Item, hints: int) -> list[str]:
        reports = [check_report(result, 0.0, False) for result in self._results(item.path)]
        exercise = ExerciseReport(
            name=item.path.stem,
            title=item.path.stem,
            status="graded",
            points=0.0,
            max_points=0.0,
            checks=tuple(reports),
        )
        for check in exercise_for_student(
            exercise, self.policy, hints, self.course.hidden_checks
        ).checks:
            if check.name == item.name:
                lines = check_lines(check, with_values=True, shown_texts=set())
                return [check.title, *[plain(line) for line in lines][1:]]
        return []

    def pytest_report_teststatus(
        self, report: pytest.CollectReport | pytest.TestReport
    ) -> tuple[str, str, str] | None:
        """Show "graded when handed in" instead of "skipped" for checks that a kit cannot judge."""
        if (report.nodeid, report.when) in self.not_judged:
            return NOT_JUDGED, "h", NOT_JUDGED.upper()
        return None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Make the reports. If a check was not judged, set an exit code of failure."""
        for path, run in self.runs.items():
            if run.has_begun:
                self.graded[path] = self._concluded(path, run)
        judged = (graded for graded in self.graded.values() if graded.error is None)
        unwritten = any(
            each.kind == "not written" for graded in judged for each in graded.results
        )  # perhaps not in the kit
        if (self.not_judged or unwritten) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        for item, report in self.failed:  # the diagnoses are known only now
            report.longrepr = "\n".join(self._lines(item, hints=1))
        self.children.close()

    def _concluded(self, path: Path, run: CheckRun) -> Graded:
        """Return a file's graded checks in the form in which a judge returns them."""
        exercise, error = self.course.exercise(path.stem), run.error
        results = self._results(path)
        try:
            if error is None:
                catalogue, items = catalogue_of(self.course), self.items[path]
                with importable(self.course):
                    results = with_unreadable_answers(
                        results, partial(is_sound, self.course, items, run)
                    )
                    results = with_diagnoses(catalogue, path.stem, results, run.session)
            run.session.close()
        except Exception as failure:
            error = as_internal_error(failure)
        return Graded(exercise, run.session, results, error=error)

    def _results(self, path: Path) -> list[CheckResult]:
        if path in self.graded and self.graded[path].error is None:
            return self.graded[path].results
        results, ran = [], self.runs[path].results
        is_part = any(i.nodeid not in ran and not check_of(i).hidden for i in self.items[path])
        for item in self.items[path]:
            result = ran.get(item.nodeid)
            if result is None:
                cause = Cause(code="not_selected")
                result = without_judgement(check_of(item), "not run", cause)
            elif result.cause and result.cause.code == "given_own_step" and is_part:
                cause = Cause(code="not_all_ran", names=result.cause.names)
                result = without_judgement(result.check, result.outcome, cause)
            results.append(result)
        return self.runs[path].with_unreleased(self.course, path, results)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for path, graded in self.graded.items():
            result = graded.report
            shown = exercise_for_student(result, self.policy, hidden=self.course.hidden_checks)
            terminalreporter.section(f"{result.title}: {path.name}")
            for line in exercise_lines(shown):
                terminalreporter.write_line(plain(line))
            if len(shown.checks) < len(result.checks):
                terminalreporter.write_line(NOT_RUN_HERE)


class StudentDebugger(PdbInvoke):
    """pytest's debugger, in the frame of the student's code that raised the exception.

    Another process repeats the call. It uses the terminal, and contains no solution. If the call
    cannot be repeated, the debugger opens in the check's frame.
    """

    def __init__(self, course: Course) -> None:
        self.course = course

    def pytest_exception_interact(
        self, node: Node, call: pytest.CallInfo[Any], report: BaseReport
    ) -> None:
        """Open the debugger in the student's frame. If there is none, use the check's frame."""
        submission = getattr(node, "funcargs", {}).get("submission")
        error = call.excinfo.value if call.excinfo is not None else None
        again = submission.to_debug() if isinstance(error, Raised) and submission else None
        if again is None:
            return super().pytest_exception_interact(node, call, report)
        capture = node.config.pluginmanager.getplugin("capturemanager")
        if capture is not None:
            capture.suspend_global_capture(in_=True)
        source, repeated_call = again
        load = Request("load", source.name, units=list(source.units), helpers=source.helpers)
        modules = WARM[self.course.exercise(node.path.stem).needs]
        with tempfile.TemporaryDirectory() as folder:
            requests = Path(folder, "requests")
            with requests.open("wb") as file:
                for request in (load, repeated_call):
                    header, payload, buffers = encode(request)
                    file.write(b"".join([FRAME.pack(header, payload, 0), *buffers]))
            command = worker_command("debugger", modules, ("reference",), requests=str(requests))
            subprocess.run(command, env=environment(folder), check=False)
        return None
