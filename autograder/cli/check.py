"""`autograder check`: one's own work, one exercise of it or several."""

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from autograder.cli.result_files import ResultFiles
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.course.installation import require_libraries
from autograder.course.text import number, several
from autograder.student.targets import Target, course_of, targets_of
from autograder.student.terminal import Terminal, from_here

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autograder.grading.judge import Judge
    from autograder.report.model import ExerciseReport
    from autograder.report.styled_lines import StyledLine
    from autograder.sandbox.child import Children
    from autograder.submission.source import Source


class CheckOptions(msgspec.Struct, frozen=True):
    """How the report is wanted."""

    more: bool = False
    show_all: bool = False
    as_json: bool = False
    plot: bool = False
    spoken: bool = False
    seed: int | None = None
    files: ResultFiles = ResultFiles()


def run(names: Sequence[str], course_path: Path | None, asked: CheckOptions) -> int:
    course = course_of(names, course_path)
    targets = targets_of(course, names)
    require_libraries(target.exercise for target in targets)
    terminal = Terminal(asked.spoken)
    if not targets:
        terminal.show([[("Nothing is begun yet. `autograder next` says where to start.", "")]])
        if asked.files:
            _write([], [], asked.files)
        return 1

    # The worker warms up on another core while this process imports what it needs.
    from autograder.sandbox.levels import children_for
    from autograder.sandbox.spawn import keep_to_one_thread

    keep_to_one_thread()
    children = children_for(course, targets[0].exercise.needs, targets[0].path)
    try:
        shown = _checked(course, targets, children, asked, terminal)
    finally:
        children.close()
    return 0 if all(_is_done(each) for each in shown) else 1


def _checked(
    course: Course,
    targets: Sequence[Target],
    children: "Children",
    asked: CheckOptions,
    terminal: Terminal,
) -> "list[ExerciseReport]":
    # First what the worker does not import: the two would be in each other's way with numpy.
    import pytest  # noqa: F401

    from autograder.authoring.lint import refuse_errors_in_code
    from autograder.authoring.lint_cache import unless_cached
    from autograder.grading.judge import Judge

    one = len(targets) == 1
    sources = [_read(target, one) for target in targets]  # before anything is started for them
    shown = []
    with Judge(course, [target.exercise for target in targets], children, asked.seed) as judge:
        unless_cached(refuse_errors_in_code, course, list(judge.exercises.values()))
        for target, source in zip(targets, sources, strict=True):
            shown.append(_looked_at(judge, target, source, one, asked, terminal))
    if asked.as_json:
        _print_json(course, shown, asked)
    elif not one:
        terminal.show(_sum(shown))
    if asked.files:
        _write(targets, shown, asked.files)
    return shown


def _write(
    targets: Sequence[Target], shown: "Sequence[ExerciseReport]", wanted: ResultFiles
) -> None:
    """The files for continuous integration, with paths as they are found from here."""
    from autograder.cli.result_files import write_result_files
    from autograder.report.test_results import ShownExercise
    from autograder.submission.read import UnreadableFile, read_text
    from autograder.submission.source import MAX_SOURCE

    found = []
    for target, each in zip(targets, shown, strict=True):
        text = ""
        with contextlib.suppress(UnreadableFile):
            text = read_text(target.path, MAX_SOURCE)
        found.append(ShownExercise(each, from_here(target.path), text))
    write_result_files(wanted, found)


def _read(target: Target, one: bool) -> "Source | ExerciseReport":
    """A student's file; beside others, one that cannot be read is a report that says so."""
    from autograder.grading.reports import report_without_checks
    from autograder.student.step import source_of

    try:
        return source_of(target.path, target.exercise)
    except UserError as error:
        if one:
            raise
        return report_without_checks(target.exercise, "not loaded", str(error), ran=False)


def _looked_at(
    judge: "Judge",
    target: Target,
    source: "Source | ExerciseReport",
    one: bool,
    asked: CheckOptions,
    terminal: Terminal,
) -> "ExerciseReport":
    """What the student sees of one file, printed."""
    from autograder.report.model import ExerciseReport
    from autograder.report.terminal import repair_lines
    from autograder.student.step import (
        may_have_repair,
        shown_in_short,
        shown_step,
        with_repair_found,
    )

    def show(shown: ExerciseReport) -> ExerciseReport:
        if not asked.as_json:
            _print(shown, target, one, asked, terminal)
        return shown

    if isinstance(source, ExerciseReport):
        return show(source)
    done = judge.run(source)
    if not (one or asked.show_all):
        return show(shown_in_short(judge.course, done.report, target.path))
    said = _no_further_hint(judge.course, done.report, target.path) if asked.more and one else ""
    shown = show(shown_step(judge.course, done.report, target.path, asked.more))
    if said and not asked.as_json:
        terminal.show([[], [(said, "")]])
    if one and may_have_repair(judge, done):
        with _saying_that_it_looks():
            shown = with_repair_found(shown, judge, done)
        if not asked.as_json:
            terminal.show(repair_lines(shown))
    return shown


def _no_further_hint(course: Course, full: "ExerciseReport", path: Path) -> str:
    """What to say where a hint is asked for, and the last was shown before."""
    from autograder.student.attempts import attempts_path, read_attempts
    from autograder.student.step import no_further_hint

    before = read_attempts(attempts_path(path, full.name))
    values = f"`autograder check {full.name} --all` with every value"
    return no_further_hint(before, full, course.content.hints, values, path.name)


@contextlib.contextmanager
def _saying_that_it_looks() -> "Iterator[None]":
    """A word on the screen for as long as the search takes."""
    from autograder.grading.repair import LOOKING

    screen = sys.stderr.isatty()
    if screen:
        print(LOOKING, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if screen:
            print(f"\r{' ' * len(LOOKING)}\r", end="", file=sys.stderr, flush=True)


def _print(
    shown: "ExerciseReport", target: Target, one: bool, asked: CheckOptions, terminal: Terminal
) -> None:
    from autograder.student.step import report_lines

    if one or asked.show_all:
        details, where = 1000 if asked.show_all else 1, from_here(target.path)
        terminal.show(report_lines(shown, details, where, terminal.width, asked.spoken))
        if not one:
            terminal.show([[]])
    else:
        terminal.show(_in_short(shown, asked.spoken))
    if asked.plot:
        from autograder.report.picture import save_picture

        print(save_picture(shown, Path(f"{shown.name}-check.png")))


def _in_short(shown: "ExerciseReport", spoken: bool) -> "Iterator[StyledLine]":
    """An exercise in a line or two: its points, and the one sentence to act on."""
    from autograder.report.presentation import opening
    from autograder.report.terminal import score

    said = opening(shown)
    if spoken:
        yield [(f"{shown.name}: {score(shown)}. {said}".strip(), "")]
        return
    mark, style = ("✓", "good") if _is_done(shown) else ("✗", "bad")
    yield [(f"{mark} ", style), (shown.name, "bold"), (f"  {score(shown)}", "")]
    if said:
        yield [("  ", ""), (said, "")]


def _sum(shown: "Sequence[ExerciseReport]") -> "Iterator[StyledLine]":
    points, whole = sum(each.points for each in shown), sum(each.max_points for each in shown)
    yield []
    said = f"{number(points)} of {number(whole)} points in {several(len(shown), 'exercise')}."
    yield [(said, "bold")]
    open_ones = [each.name for each in shown if not _is_done(each)]
    if open_ones:
        yield [(f"autograder check {open_ones[0]} shows more of it.", "dim")]


def _print_json(course: Course, shown: "Sequence[ExerciseReport]", asked: CheckOptions) -> None:
    from autograder.grading.reports import grader_record, whole_report

    seed = course.content.seed if asked.seed is None else asked.seed
    report = whole_report("", course, shown, grader_record(course, seed))
    print(msgspec.json.format(msgspec.json.encode(report), indent=2).decode())


def _is_done(shown: "ExerciseReport") -> bool:
    from autograder.student.progress import progress_of

    return progress_of(shown).is_done
