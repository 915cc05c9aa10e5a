"""What pytest prints of a check: the lines of every other face, never the check's source."""

import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autograder.course.course_file import Course

if TYPE_CHECKING:
    from autograder.checks.check_result import CheckResult


# How editors see the checks that pytest collects: in the student's file, and by their titles.
#
# VS Code asks pytest for a tree of tests (its plugin is `vscode_pytest`, with `--collect-only`) and
# takes names and lines from the items; later it runs them by their ids. PyCharm and JUnit take ids
# and places from the reports. So an id stays what it is, a place is in the student's file, and a
# title takes a name's place only where nothing is run.


TREE = "vscode_pytest"


def title_of(item: pytest.Item) -> str:
    """Return the title of a check."""
    mark = item.get_closest_marker("check")
    return str(mark.args[0]) if mark and mark.args else item.name


def place_in_file(item: pytest.Item) -> None:
    """Say that a check is at the top of the student's file; where its own code lies is hidden."""
    item.location = (item.nodeid.split("::")[0], 0, item.name)


def name_by_titles(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """Give the checks their titles for names, where an editor only collects.

    A check with parameters keeps its brackets, by which the editor groups them.
    """
    if not (config.option.collectonly and config.pluginmanager.hasplugin(TREE)):
        return
    for item in items:
        grouped = hasattr(item, "callspec")
        item.name = f"{item.name.split('[')[0]}[{title_of(item)}]" if grouped else title_of(item)


# Options that open the checks' own frames, by their names in pytest's settings.
OPENING = {"usepdb": "--pdb", "trace": "--trace", "debug": "--debug"}
NOT_RUN_HERE = "Checks that do not show themselves in an exam are not run here; their points come"
NOT_RUN_HERE += " when it is graded."


class PolicyPlugin:
    """Makes each test's report from what the course's hint policy shows of the check.

    `results_of` gives the results of all checks of a file, in their order.
    """

    def __init__(
        self,
        config: pytest.Config,
        course: Course,
        is_check: Callable[[pytest.Item], bool],
        results_of: Callable[[Path], "Sequence[CheckResult]"],
    ) -> None:
        self.policy = course.content.hints
        self.is_check = is_check
        self.results_of = results_of
        self.failed: list[tuple[pytest.Item, pytest.TestReport]] = []
        self.config = config
        config.option.fulltrace = False  # a run that is broken off would show where the check was
        config.option.setupshow = False  # and this, what fixtures and parameters hold

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Refuse what would show the checks from within; leave out what an exam holds back."""
        ours = [item for item in items if self.is_check(item)]
        if not ours or self.policy == "practice":
            return
        for name, option in OPENING.items():
            if self.config.getoption(name, None):
                raise pytest.UsageError(
                    f"{option} would show the answers, and this course does not allow that "
                    f"(`hints: {self.policy}` in course.yml)."
                )
        if self.policy == "exam":
            hidden = [item for item in ours if item.get_closest_marker("hidden")]
            if hidden:
                self.config.hook.pytest_deselected(items=hidden)
                items[:] = [item for item in items if item not in hidden]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """A warning is shown with its line, which is the check's."""
        if not self.is_check(item):
            return (yield)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if not self.is_check(item):
            return report
        report.sections = []
        if self.policy == "exam" or item.get_closest_marker("hidden"):
            report.user_properties = []
        if report.when == "teardown":  # of which JUnit takes the properties
            report.user_properties.append(("title", title_of(item)))
        if call.excinfo is None:
            return report
        if isinstance(call.excinfo.value, pytest.UsageError):  # the file cannot even be read
            report.longrepr = str(call.excinfo.value)
        elif report.skipped:
            said = " ".join(line.strip() for line in self._lines(item, 0)[1:])
            report.longrepr = str(item.path), 0, said or "Not run."
        else:
            report.longrepr = "\n".join(self._lines(item, 0))
            self.failed.append((item, report))
        return report

    def tell_diagnoses(self) -> None:
        """Say it again, now that it is known which mistakes were made."""
        for item, report in self.failed:
            report.longrepr = "\n".join(self._lines(item, 1))

    def _lines(self, item: pytest.Item, hints: int) -> list[str]:
        """The title of a check, and what the policy shows of it, with so many hints."""
        from autograder.grading.scoring import check_report
        from autograder.report.model import ExerciseReport
        from autograder.report.redaction import exercise_for_student
        from autograder.report.terminal import check_lines, plain

        exercise = ExerciseReport(
            name=item.path.stem,
            title=item.path.stem,
            status="graded",
            points=0.0,
            max_points=0.0,
            checks=tuple(check_report(result, 0.0, False) for result in self.results_of(item.path)),
        )
        for check in exercise_for_student(exercise, self.policy, hints).checks:
            if check.name == item.name:
                lines = check_lines(check, with_values=True, shown_texts=set())
                return [check.title, *[plain(line) for line in lines][1:]]
        return []
