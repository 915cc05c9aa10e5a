"""`autograder check`: grades the student's files, prints the reports and saves the progress.

Import this module after the worker has started. Unlike the worker, it imports pytest. Without this
order, the two processes would slow each other down while they import numpy.
"""

import contextlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest  # noqa: F401

from autograder.authoring.lint_cache import refuse_new_errors
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.course.text import number, several
from autograder.grading.judge import Judge
from autograder.grading.reports import grader_record, report_without_checks, whole_report
from autograder.grading.scoring import Graded
from autograder.report.model import ExerciseReport, Repair
from autograder.report.presentation import closing, opening
from autograder.report.terminal import (
    StyledLine,
    body_lines,
    head_lines,
    score,
)
from autograder.sandbox.child import Children
from autograder.student.listing import MARKS
from autograder.student.progress import progress_of, stage_of
from autograder.student.step import (
    no_further_hint,
    read_attempts,
    shown_in_short,
    shown_step,
    source_of,
)
from autograder.student.targets import Target
from autograder.student.terminal import Terminal, from_here
from autograder.submission.source import Source

EVERY = 1000  # values that a report shows
LOOKING = "Looking for the line to change …"


class CheckOptions(msgspec.Struct, frozen=True):
    """Options of `check`: one more hint, all values, JSON, a picture, and the seed."""

    more: bool = False
    show_all: bool = False
    as_json: bool = False
    plot: bool = False
    seed: int | None = None


def check_targets(
    course: Course,
    targets: Sequence[Target],
    children: Children,
    terminal: Terminal,
    options: CheckOptions,
) -> list[ExerciseReport]:
    """Grade files and print their reports. Return the reports in the form that students may see.

    If there are several files and `show_all` is false, each report has one or two lines. If a file
    cannot be read, its report says so.

    Raises:
        UserError: the only file cannot be read, or the course has an authoring error.
    """
    is_single = len(targets) == 1
    sources: list[Source | ExerciseReport] = []
    for target in targets:  # check this before anything is started
        try:
            sources.append(source_of(target.path, target.exercise))
        except UserError as error:
            if is_single:
                raise
            unread = report_without_checks(target.exercise, "not loaded", str(error), ran=False)
            sources.append(unread)
    reports = []
    with Judge(course, [target.exercise for target in targets], children, options.seed) as judge:
        refuse_new_errors(course, list(judge.exercises.values()), only_code=True)
        for target, source in zip(targets, sources, strict=True):
            printer = _Printer(target.path, is_single, terminal, options)
            if isinstance(source, ExerciseReport):
                report = source
                printer.print_report(report)
            elif is_single or options.show_all:
                report = _check_step(judge, source, printer)
            else:
                report = shown_in_short(course, judge.run(source).report, target.path)
                printer.print_report(report)
            reports.append(report)
    if options.as_json:
        seed = course.content.seed if options.seed is None else options.seed
        whole_check = whole_report("", course, reports, grader_record(course, seed))
        print(msgspec.json.format(msgspec.json.encode(whole_check), indent=2).decode())
    elif not is_single:
        terminal.show(_sum(reports))
    return reports


class _Printer(msgspec.Struct, frozen=True):
    """Printer for the report on one file. If `as_json` is true, the caller prints the report."""

    path: Path
    is_single: bool
    terminal: Terminal
    options: CheckOptions

    def print_lines(self, lines: Iterable[StyledLine]) -> None:
        if not self.options.as_json:
            self.terminal.show(lines)

    def print_report(self, report: ExerciseReport) -> None:
        if self.is_single or self.options.show_all:
            self.print_head(report)
            self.print_body(report)
        else:
            self.print_lines(_in_short(report, self.terminal.spoken))
            self._save_picture(report)

    def print_head(self, report: ExerciseReport) -> None:
        """Print the part of the report that is known before the search for a repair."""
        where = from_here(self.path)
        self.print_lines(head_lines(report, where, self.terminal.width, self.terminal.spoken))

    def print_body(self, report: ExerciseReport) -> None:
        """Print the rest of the report, and save the picture if the options ask for one."""
        details = EVERY if self.options.show_all else 1
        self.print_lines(body_lines(report, details, self.terminal.width, self.terminal.spoken))
        if last := closing(report):
            self.print_lines([*[[]] * (not self.terminal.spoken), [(last, "")]])
        if not self.is_single:
            self.print_lines([[]])
        self._save_picture(report)

    def _save_picture(self, report: ExerciseReport) -> None:
        if self.options.plot:
            from autograder.report.picture import save_picture

            said = save_picture(report, Path(f"{report.name}-check.png"))
            print(said, file=sys.stderr if self.options.as_json else sys.stdout)


def _check_step(judge: Judge, source: Source, printer: _Printer) -> ExerciseReport:
    """Grade one file, with hints. If it is the only file, search for a repair too.

    The search may take seconds, so the head of the report is printed before it.
    """
    course, path, is_single = judge.course, printer.path, printer.is_single
    policy = course.content.hints
    graded = judge.run(source)
    message = ""
    if printer.options.more and is_single:
        seen = read_attempts(path, graded.report.name)
        values = f"run `autograder check {graded.report.name} --all` to see every value"
        message = no_further_hint(seen, graded.report, policy, values, path.name)
    report = shown_step(course, graded.report, path, printer.options.more)
    printer.print_head(report)
    if is_single:
        report = msgspec.structs.replace(report, repair=repair_to_show(judge, graded))
    printer.print_body(report)
    if message:
        printer.print_lines([[], [(message, "")]])
    return report


def repair_to_show(judge: Judge, graded: Graded) -> Repair | None:
    """Search for a repair of a graded file. Return None if none is found or no search is useful."""
    if graded.error is None and all(result.outcome == "passed" for result in graded.results):
        return None
    from autograder.grading.repair import repair_for_student  # not for right answers

    return repair_for_student(judge, graded, _search_notice())


@contextlib.contextmanager
def _search_notice() -> Iterator[None]:
    """Show a line on the screen while the grader searches for a repair."""
    screen = sys.stderr.isatty()
    if screen:
        print(LOOKING, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if screen:
            print(f"\r{' ' * len(LOOKING)}\r", end="", file=sys.stderr, flush=True)


def _in_short(report: ExerciseReport, spoken: bool) -> Iterator[StyledLine]:
    """Yield one or two lines on an exercise: its points, and the sentence that says what to do."""
    message = opening(report).text
    if spoken:
        yield [(f"{report.name}: {score(report)}. {message}".strip(), "")]
        return
    stage = stage_of(progress_of(report))
    mark, style = ("✗", "bad") if stage == "begun" else MARKS[stage]
    yield [(f"{mark} ", style), (report.name, "bold"), (f"  {score(report)}", "")]
    if message:
        yield [("  ", ""), (message, "")]


def _sum(reports: Sequence[ExerciseReport]) -> Iterator[StyledLine]:
    points = number(sum(report.points for report in reports))
    most = number(sum(report.max_points for report in reports))
    yield []
    yield [(f"{points} of {most} points in {several(len(reports), 'exercise')}.", "bold")]
    unfinished = [report.name for report in reports if not progress_of(report).is_done]
    if unfinished:
        yield [(f"For a full report, run: autograder check {unfinished[0]}", "dim")]
