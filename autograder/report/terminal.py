"""A report in the terminal: lines of styled text."""

from collections.abc import Iterator

from autograder.report.model import CheckReport, Evidence, ExerciseReport
from autograder.report.panels import evidence_lines
from autograder.report.told import QUIET, adds_its_reason, as_told, diagnosed, opening
from autograder.report.wrap import StyledLine, cells, plain, wrapped
from autograder.text import number, several

MARKS = {
    "passed": ("✓", "good"),
    "failed": ("✗", "bad"),
    "not run": ("–", "dim"),
    "not told": ("·", "dim"),
    "timed out": ("✗", "bad"),
    "crashed": ("✗", "bad"),
    "error": ("!", "odd"),
}
INDENT = " " * 11
MAX_PRINTED = 8


def exercise_lines(
    exercise: ExerciseReport, details: int = 1, where: str = "", width: int | None = None
) -> Iterator[StyledLine]:
    """The report on an exercise; the values are shown for the first `details` failures.

    `where` is the file as it is found from here; no line is wider than `width`, where one is given.
    """
    yield from wrapped(_head(exercise, where or exercise.file), width)
    left = details
    said = {opening(exercise)}
    for check in as_told(exercise).checks:
        yield from check_lines(check, with_values=left > 0, said=said, width=width)
        if check.outcome not in QUIET and not check.hidden:
            left -= 1
    yield from wrapped(repair_lines(exercise), width)
    yield from wrapped(_foot(as_told(exercise)), width)


def repair_lines(exercise: ExerciseReport) -> Iterator[StyledLine]:
    """Where a small change makes every check pass, if such a place is known."""
    if exercise.repair is not None:
        yield [("  ", ""), (exercise.repair.said, "bold")]


def _head(exercise: ExerciseReport, where: str) -> Iterator[StyledLine]:
    """The finding first, then the score."""
    said = opening(exercise)
    if said:
        yield [(said, "bold")]
    style = "full" if exercise.points == exercise.max_points else "partial"
    if exercise.status == "by hand":
        style = ""
    file = f" ({where})" if where else ""
    yield [(exercise.title, ""), (file, "dim"), (": ", ""), (score(exercise), style)]
    if adds_its_reason(exercise, said):
        yield [(exercise.reason, "")]
    yield []


def _foot(exercise: ExerciseReport) -> Iterator[StyledLine]:
    """What is said besides, and what the code printed."""
    for note in exercise.notes:
        yield [("  Note: ", "bold"), (note, "")]
    if exercise.printed.strip():
        yield [("  Your code printed:", "bold")]
        lines = exercise.printed.strip().split("\n")
        for text in lines[:MAX_PRINTED]:
            yield [(f"    {text}", "dim")]
        if len(lines) > MAX_PRINTED:
            yield [(f"    … and {several(len(lines) - MAX_PRINTED, 'line')} more", "dim")]


def score(exercise: ExerciseReport) -> str:
    """The points, in words."""
    if exercise.status == "by hand":
        return f"{number(exercise.max_points)} points, given by a person"
    return f"{number(exercise.points)} of {number(exercise.max_points)} points"


def check_lines(
    check: CheckReport, with_values: bool, said: set[str], width: int | None = None
) -> Iterator[StyledLine]:
    """One check: its mark, points and title, then what went wrong, and hints.

    `said` holds what stands further up already: diagnoses, and why checks were not run.
    """
    told = diagnosed(check) if check.diagnosis is not None else ""
    is_new = bool(told) and told not in said
    if check.outcome != "passed" and is_new:
        said.add(told)
    known = check.outcome in QUIET and check.finding in said
    if check.outcome in QUIET:
        said.add(check.finding)
    yield from wrapped(_found(check, told, is_new, known), width)
    if check.outcome == "passed":
        return
    if with_values and check.evidence is not None:
        yield from _indented(check.evidence, width)
    if with_values or (check.hidden and is_new):
        hints: list[StyledLine] = [
            [(INDENT, ""), ("Hint: ", "hint"), (hint, "")] for hint in check.hints
        ]
        yield from wrapped(hints, width)


def _found(check: CheckReport, told: str, is_new: bool, known: bool) -> Iterator[StyledLine]:
    """The check, and what it found; why it was not run is `known` from one further up."""
    mark, style = MARKS[check.outcome]
    points = f"{number(check.points)}/{number(check.max_points)}" if check.max_points else ""
    yield [(f"  {mark} ", style), (f"{points:>5}  ", "dim"), (check.title, "")]
    if check.note:
        yield [(INDENT + check.note, "good")]
    if check.outcome == "passed":
        return
    if is_new:
        yield [(INDENT, ""), (told, "bold")]
    if check.hidden and not check.finding and not told and check.outcome not in QUIET:
        yield [(INDENT + "This check does not show its inputs.", "dim")]
    if check.finding and not told.startswith(check.finding) and not known:
        yield [(INDENT + check.finding, "dim" if check.outcome in QUIET else "")]


def _indented(evidence: Evidence, width: int | None) -> Iterator[StyledLine]:
    """The values, set in as far as there is room for them."""
    indent = INDENT
    if width is not None:
        beside = max(cells(plain(line)) for line in [[], *evidence_lines(evidence)])
        indent = INDENT if len(INDENT) + beside <= width else INDENT[:4]
    room = width - len(indent) if width is not None else None
    for line in evidence_lines(evidence, room):
        yield [(indent, ""), *line]
