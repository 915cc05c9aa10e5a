"""A report in the terminal: lines of styled text."""

import math
from collections.abc import Iterator, Sequence

from autograder.report.model import CheckReport, Curve, Evidence, ExerciseReport, Matrix
from autograder.report.values import difference, digits_for, index, shape, shown
from autograder.text import number, several

# A line is a list of (text, style); what a style looks like is for whoever prints it.
Line = list[tuple[str, str]]

MARKS = {
    "passed": ("✓", "good"),
    "failed": ("✗", "bad"),
    "not run": ("–", "dim"),
    "timed out": ("✗", "bad"),
    "crashed": ("✗", "bad"),
    "error": ("!", "odd"),
}
INDENT = " " * 11
MAX_PRINTED = 8
BLOCKS = "·░▒▓█"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def exercise_lines(exercise: ExerciseReport, details: int = 1) -> Iterator[Line]:
    """The report on an exercise; the values are shown for the first `details` failures."""
    yield from _head(exercise)
    left = details
    first = first_failure(exercise)
    said = {headline(first)} if first is not None else set()
    for check in exercise.checks:
        yield from check_lines(check, with_values=left > 0, said=said)
        if check.outcome not in {"passed", "not run"} and not check.hidden:
            left -= 1
    yield from repair_lines(exercise)
    for note in exercise.notes:
        yield [("  Note: ", "bold"), (note, "")]
    if exercise.printed.strip():
        yield [("  Your code printed:", "bold")]
        lines = exercise.printed.strip().split("\n")
        for text in lines[:MAX_PRINTED]:
            yield [(f"    {text}", "dim")]
        if len(lines) > MAX_PRINTED:
            yield [(f"    … and {several(len(lines) - MAX_PRINTED, 'line')} more", "dim")]


def repair_lines(exercise: ExerciseReport) -> Iterator[Line]:
    """Where a small change makes every check pass, if such a place is known."""
    if exercise.repair is not None:
        yield [("  ", ""), (exercise.repair.said, "bold")]


def _head(exercise: ExerciseReport) -> Iterator[Line]:
    """The finding first, then the score."""
    first = first_failure(exercise)
    said = headline(first) if first is not None else exercise.reason
    if said:
        yield [(said, "bold")]
    style = "full" if exercise.points == exercise.max_points else "partial"
    score = f"{number(exercise.points)} of {number(exercise.max_points)} points"
    if exercise.status == "by hand":
        style, score = "", f"{number(exercise.max_points)} points, given by a person"
    file = f" ({exercise.file})" if exercise.file else ""
    yield [(exercise.title, ""), (file, "dim"), (": ", ""), (score, style)]
    if exercise.reason and exercise.reason != said:
        yield [(exercise.reason, "")]
    yield []


def first_failure(exercise: ExerciseReport) -> CheckReport | None:
    """The first check that went wrong by itself, and not because another did."""
    failures = (c for c in exercise.checks if c.outcome not in {"passed", "not run"})
    return next(failures, None)


def headline(check: CheckReport) -> str:
    """The one sentence to act on: which mistake it is, or else what the check found."""
    if check.diagnosis is None:
        return f"{check.title}: {check.finding}" if check.finding else ""
    return diagnosed(check)


def diagnosed(check: CheckReport) -> str:
    """The diagnosis of a check, with the name of the function that it is about."""
    assert check.diagnosis is not None
    said, function = check.diagnosis.finding, check.diagnosis.function
    return said if said.startswith(function) else f"{function}: {said}"


def check_lines(check: CheckReport, with_values: bool, said: set[str]) -> Iterator[Line]:
    """One check: its mark, points and title, then what went wrong, and hints.

    `said` holds the diagnoses that stand further up already.
    """
    mark, style = MARKS[check.outcome]
    points = f"{number(check.points)}/{number(check.max_points)}" if check.max_points else ""
    yield [(f"  {mark} ", style), (f"{points:>5}  ", "dim"), (check.title, "")]
    if check.note:
        yield [(INDENT + check.note, "good")]
    if check.outcome == "passed":
        return
    told = diagnosed(check) if check.diagnosis is not None else ""
    is_new = bool(told) and told not in said
    if is_new:
        said.add(told)
        yield [(INDENT, ""), (told, "bold")]
    if check.hidden and not check.finding and not told:
        yield [(INDENT + "This check does not show its inputs.", "dim")]
    if check.finding and not told.startswith(check.finding):
        yield [(INDENT + check.finding, "dim" if check.outcome == "not run" else "")]
    if with_values and check.evidence is not None:
        for line in evidence_lines(check.evidence):
            yield [(INDENT, ""), *line]
    if with_values or (check.hidden and is_new):
        for hint in check.hints:
            yield [(INDENT, ""), ("Hint: ", "hint"), (hint, "")]


def evidence_lines(evidence: Evidence) -> Iterator[Line]:
    """The call, then yours, expected and their difference side by side, or curves as a table."""
    if evidence.call:
        yield [("  after ", "dim"), (evidence.call, "")]
    for curve in evidence.curves:
        yield from _curve_lines(curve)
    yours, expected = evidence.yours, evidence.expected
    if yours is None:
        return
    digits = digits_for(yours, expected) if expected is not None else 3
    panels = [[*_title("yours", yours), *_rows(yours, digits)]]
    if expected is not None:
        panels.append([*_title("expected", expected), *_rows(expected, digits)])
        apart = difference(yours, expected)
        if apart and not yours.groups:
            panels.append([[("difference", "bold")], *_blocks(apart)])
    for row in range(max(len(panel) for panel in panels)):
        line: Line = [("    ", "")]
        for panel in panels:
            mine = panel[row] if row < len(panel) else []
            gap = " " * (max(_width(other) for other in panel) - _width(mine) + 4)
            line += [*mine, (gap, "")]
        yield line[:-1]
    if evidence.groups:
        yield [(f"    A, B, …: the {evidence.groups} that the number belongs to", "dim")]


def _curve_lines(curve: Curve) -> Iterator[Line]:
    yield [(f"    {curve.name}", "bold")]
    for x, mine, low, high in zip(curve.x, curve.yours, curve.low, curve.high, strict=True):
        fine = not isinstance(mine, str) and low <= mine <= high
        text = f"yours {shown(mine, 3):>8}   fair {shown(low, 3)} to {shown(high, 3)}"
        yield [
            (f"    {'  ' if fine else '› '}", "" if fine else "bad"),
            (f"{curve.against} {shown(x):>4}: {text}", "" if fine else "bad"),
        ]


def _title(word: str, matrix: Matrix) -> list[Line]:
    place = f" at {index(matrix.at)}" if any(matrix.at) or len(matrix.shape) > 2 else ""
    return [[(f"{word}{place}", "bold"), (f"  shape {shape(matrix.shape)}", "dim")]]


def _rows(matrix: Matrix, digits: int) -> list[Line]:
    texts = [[shown(value, digits) for value in row] for row in matrix.rows]
    if matrix.groups:
        texts = [
            [f"{text}{LETTERS[group % 26]}" for text, group in zip(row, groups, strict=True)]
            for row, groups in zip(texts, matrix.groups, strict=True)
        ]
    width = max((len(text) for row in texts for text in row), default=0)
    longest = max((len(name) for name in matrix.names), default=0)
    rows: list[Line] = []
    for place, row in enumerate(texts):
        line: Line = [(f"{matrix.names[place]:<{longest}} ", "dim")] if matrix.names else []
        for column, text in enumerate(row):
            wrong = bool(matrix.wrong) and matrix.wrong[place][column]
            padded = f"{text:>{width}}"
            line.append((f"›{padded}‹" if wrong else f" {padded} ", "bad" if wrong else ""))
        rows.append(line)
    cut = _cut(matrix)
    return [*rows, [(cut, "dim")]] if cut else rows


def _blocks(apart: list[list[float]]) -> list[Line]:
    """A difference as blocks: the darker, the larger; the sign says which is larger."""
    largest = max((abs(x) for row in apart for x in row if math.isfinite(x)), default=0.0) or 1.0
    rows: list[Line] = []
    for row in apart:
        line: Line = []
        for x in row:
            share = abs(x) / largest if math.isfinite(x) else 1.0
            block = BLOCKS[min(4, -int(-4 * share // 1)) if share > 1e-9 else 0]
            sign = " " if share <= 1e-9 else "?" if math.isnan(x) else "+" if x > 0 else "−"
            line.append((f" {sign}{block}{block}", "bad" if share > 1e-9 else "dim"))
        rows.append(line)
    return rows


def _cut(matrix: Matrix) -> str:
    """What part of the array is shown, if it is not all of it."""
    plane = (1, *matrix.shape)[-2:] if matrix.shape else (1, 1)
    rows, columns = len(matrix.rows), len(matrix.rows[0]) if matrix.rows else 0
    if (rows, columns) == plane or not rows or matrix.names:
        return ""
    return (
        f"(rows {matrix.top} to {matrix.top + rows - 1}, "
        f"columns {matrix.left} to {matrix.left + columns - 1})"
    )


def _width(line: Sequence[tuple[str, str]]) -> int:
    return sum(len(text) for text, _ in line)


def plain(line: Line) -> str:
    """A line without its styles."""
    return "".join(text for text, _ in line)
