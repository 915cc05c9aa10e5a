"""`autograder check`: grade the student's files, print the reports and save the progress.

Import this module after the worker has started. The worker imports numpy first, and this module
imports pytest first, so the two processes do not slow each other down.
"""

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
from autograder.report.terminal import StyledLine, body_lines, head_lines, score
from autograder.sandbox.child import Children
from autograder.student.listing import MARKS
from autograder.student.progress import progress_of, stage_of
from autograder.student.step import no_further_hint, read_attempts, shown_step
from autograder.student.targets import Target
from autograder.student.terminal import Terminal, from_here
from autograder.submission.source import Source, required_source

EVERY = 1000  # values that a report shows
LOOKING = "Looking for the line to change …"


class CheckOptions(msgspec.Struct, frozen=True):
    """Options of `check`. If `repairs` is None, only a single file is searched for a repair."""

    more: bool = False
    show_all: bool = False
    as_json: bool = False
    plot: bool = False
    seed: int | None = None
    repairs: bool | None = None


def check_targets(
    course: Course,
    targets: Sequence[Target],
    children: Children,
    terminal: Terminal,
    options: CheckOptions,
) -> list[ExerciseReport]:
    """Grade files, print the reports, and return the visible parts of the reports.

    If there are several files and `show_all` is false, each report has one or two lines. Unreadable
    files have reports too. If the only file is unreadable, raise a `UserError`.
    """
    is_single = len(targets) == 1
    if options.repairs is None:
        options = msgspec.structs.replace(options, repairs=is_single)
    sources: list[Source | ExerciseReport] = []
    for target in targets:  # check this before anything is started
        try:
            sources.append(required_source(target.path, target.exercise))
        except UserError as error:
            if is_single:
                raise
            unread = report_without_checks(target.exercise, "not loaded", str(error), ran=False)
            sources.append(unread)
    reports = []
    with Judge(course, [target.exercise for target in targets], children, options.seed) as judge:
        refuse_new_errors(course, list(judge.exercises.values()), only_code=True)
        checking = _Checking(judge, terminal, options, is_single)
        check = checking.in_full if is_single or options.show_all else checking.in_short
        for target, source in zip(targets, sources, strict=True):
            reports.append(check(target.path, source))
            if options.plot:
                from autograder.report.picture import save_picture

                message = save_picture(reports[-1], Path(f"{reports[-1].name}-check.png"))
                print(message, file=sys.stderr if options.as_json else sys.stdout)
    if options.as_json:
        seed = course.content.seed if options.seed is None else options.seed
        whole_check = whole_report("", course, reports, grader_record(course, seed))
        print(msgspec.json.format(msgspec.json.encode(whole_check), indent=2).decode())
    elif not is_single:
        terminal.show(_sum(reports))
    return reports


class _Checking(msgspec.Struct, frozen=True):
    """Check of one file or of several. A source that cannot be read is replaced by its report."""

    judge: Judge
    terminal: Terminal
    options: CheckOptions
    is_single: bool

    def show(self, lines: Iterable[StyledLine]) -> None:
        if not self.options.as_json:
            self.terminal.show(lines)

    def in_full(self, path: Path, source: Source | ExerciseReport) -> ExerciseReport:
        options, width, spoken = self.options, self.terminal.width, self.terminal.spoken
        graded, no_hint = None, ""
        if isinstance(source, ExerciseReport):
            report = source
        else:
            graded = self.judge.run(source)
            if options.more and self.is_single:
                seen, policy = read_attempts(path, source.name), self.judge.course.content.hints
                values = f"run `autograder check {source.name} --all` to see every value"
                no_hint = no_further_hint(seen, graded.report, policy, values, path.name)
            report = shown_step(self.judge.course, graded.report, path, options.more)
        self.show(head_lines(report, from_here(path), width, spoken))
        if graded is not None and options.repairs:
            report = msgspec.structs.replace(report, repair=repair_to_show(self.judge, graded))
        self.show(body_lines(report, EVERY if options.show_all else 1, width, spoken))
        if last := closing(report):
            self.show([*[[]] * (not spoken), [(last, "")]])
        if no_hint:
            self.show([[], [(no_hint, "")]])
        if not self.is_single:
            self.show([[]])
        return report

    def in_short(self, path: Path, source: Source | ExerciseReport) -> ExerciseReport:
        report = source
        if isinstance(report, Source):
            graded = self.judge.run(report)
            report = shown_step(self.judge.course, graded.report, path, in_short=True)
            if self.options.repairs:
                report = msgspec.structs.replace(report, repair=repair_to_show(self.judge, graded))
        repair = report.repair.said if report.repair is not None else ""
        message, stage = f"{opening(report).text} {repair}".strip(), stage_of(progress_of(report))
        mark, style = ("✗", "bad") if stage == "begun" else MARKS[stage]
        lines = [[(f"{mark} ", style), (report.name, "bold"), (f"  {score(report)}", "")]]
        if self.terminal.spoken:
            lines = [[(f"{report.name}: {score(report)}. {message}".strip(), "")]]
        elif message:
            lines.append([("  ", ""), (message, "")])
        self.show(lines)
        return report


def repair_to_show(judge: Judge, graded: Graded) -> Repair | None:
    """Search for a repair of a graded file, if a repair can help the student."""
    if graded.error is None and all(result.outcome == "passed" for result in graded.results):
        return None
    from rich.console import Console  # these modules are slow to import

    from autograder.grading.repair import repair_for_student

    return repair_for_student(judge, graded, Console(stderr=True).status(LOOKING))


def _sum(reports: Sequence[ExerciseReport]) -> Iterator[StyledLine]:
    points = number(sum(report.points for report in reports))
    most = number(sum(report.max_points for report in reports))
    yield []
    yield [(f"{points} of {most} points in {several(len(reports), 'exercise')}.", "bold")]
    unfinished = [report.name for report in reports if not progress_of(report).is_done]
    if unfinished:
        yield [(f"For a full report, run: autograder check {unfinished[0]}", "dim")]
