"""A report in the terminal, as lines of styled text; values are side by side where they fit."""

import math
from collections.abc import Iterator

import msgspec

from autograder.course.text import number, several
from autograder.report.model import CheckReport, Curve, Evidence, ExerciseReport, Matrix
from autograder.report.numbers import difference, digits_for, index, shape, shown
from autograder.report.presentation import QUIET, check_sentences, opening, presented
from autograder.report.styled_lines import StyledLine, cells, plain, wrapped

BLOCKS = "·░▒▓█"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
APART = 4  # places between panels
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
MAX_PRINTED = 8  # lines

Panel = list[StyledLine]


def evidence_lines(evidence: Evidence, room: int | None = None) -> Iterator[StyledLine]:
    """Yield the call, then yours, expected and their difference, or curves as a table.

    They are side by side where `room`, in places of the terminal, is enough for them.
    """
    if evidence.call:
        yield from wrapped([[("  after ", "dim"), (evidence.call, "")]], room)
    for curve in evidence.curves:
        yield from _curve_lines(curve)
    for name, text in evidence.texts:
        yield from wrapped([[(f"    {name:<9} ", "bold"), (text, "")]], room)
    yours, expected = evidence.matrices
    if yours is None:
        return
    for row in _in_rows(_panels(yours, expected, room), room):
        yield from _beside(row)
    if evidence.groups:
        legend = f"    A, B, …: the {evidence.groups} that the number belongs to"
        yield from wrapped([[(legend, "dim")]], room)


def _panels(yours: Matrix, expected: Matrix | None, room: int | None) -> list[Panel]:
    digits = digits_for(yours, expected) if expected is not None else 3
    panels = [_panel("yours", yours, digits, room)]
    if expected is not None:
        panels.append(_panel("expected", expected, digits, room))
        apart = difference(yours, expected)
        if apart and not yours.groups:
            panels.append([[("difference", "bold")], *_blocks(apart)])
    return panels


def _panel(word: str, matrix: Matrix, digits: int, room: int | None) -> Panel:
    """Return one side, without as many columns as have no room."""
    title = [(f"{word}{place_of(matrix)}", "bold"), (f"  shape {shape(matrix.shape)}", "dim")]
    panel = [title, *_rows(matrix, digits)]
    columns = len(matrix.rows[0]) if matrix.rows else 0
    if room is None or columns < 2 or _wide(panel) + APART <= room:
        return panel
    return _panel(word, _without_a_column(matrix), digits, room)


def _without_a_column(matrix: Matrix) -> Matrix:
    """Leave out the last column, or the first where only the last has what is wrong."""
    wrong = [any(row[place] for row in matrix.wrong) for place in range(len(matrix.rows[0]))]
    first = wrong[-1:] == [True] and not any(wrong[:-1])
    keep = slice(1, None) if first else slice(None, -1)
    return msgspec.structs.replace(
        matrix,
        rows=tuple(row[keep] for row in matrix.rows),
        wrong=tuple(row[keep] for row in matrix.wrong),
        groups=tuple(row[keep] for row in matrix.groups),
        left=matrix.left + int(first),
    )


def _in_rows(panels: list[Panel], room: int | None) -> list[list[Panel]]:
    """Group the panels that fit beside each other."""
    rows: list[list[Panel]] = [[]]
    for panel in panels:
        wide = sum(APART + _wide(each) for each in [*rows[-1], panel])
        if rows[-1] and room is not None and wide > room:
            rows.append([])
        rows[-1].append(panel)
    return rows


def _beside(panels: list[Panel]) -> Iterator[StyledLine]:
    for row in range(max(len(panel) for panel in panels)):
        line: StyledLine = [(" " * APART, "")]
        for panel in panels:
            part = panel[row] if row < len(panel) else []
            line += [*part, (" " * (_wide(panel) - cells(plain(part)) + APART), "")]
        yield line[:-1]


def _wide(panel: Panel) -> int:
    return max(cells(plain(line)) for line in panel)


def _curve_lines(curve: Curve) -> Iterator[StyledLine]:
    yield [(f"    {curve.name}", "bold")]
    for x, y, low, high in zip(curve.x, curve.yours, curve.low, curve.high, strict=True):
        fine = not isinstance(y, str) and low <= y <= high
        mark, style = ("  ", "") if fine else ("› ", "bad")
        text = f"yours {shown(y, 3):>8}   fair {shown(low, 3)} to {shown(high, 3)}"
        yield [(f"    {mark}", style), (f"{curve.against} {shown(x):>4}: {text}", style)]


def place_of(matrix: Matrix) -> str:
    """Return ` at [1]` for the part of a larger array, else nothing."""
    is_part = any(matrix.at) or (matrix.at and len(matrix.shape) > 2)
    return f" at {index(matrix.at)}" if is_part else ""


def _rows(matrix: Matrix, digits: int) -> list[StyledLine]:
    texts = [[shown(value, digits) for value in row] for row in matrix.rows]
    if matrix.groups:
        texts = [
            [f"{text}{LETTERS[group % 26]}" for text, group in zip(row, groups, strict=True)]
            for row, groups in zip(texts, matrix.groups, strict=True)
        ]
    width = max((len(text) for row in texts for text in row), default=0)
    longest = max(map(len, matrix.names), default=0)
    rows: list[StyledLine] = []
    for place, row in enumerate(texts):
        line: StyledLine = [(f"{matrix.names[place]:<{longest}} ", "dim")] if matrix.names else []
        for column, text in enumerate(row):
            wrong = bool(matrix.wrong) and matrix.wrong[place][column]
            padded = f"{text:>{width}}"
            line.append((f"›{padded}‹" if wrong else f" {padded} ", "bad" if wrong else ""))
        rows.append(line)
    part = _shown_part(matrix)
    return [*rows, [(part, "dim")]] if part else rows


def _shown_part(matrix: Matrix) -> str:
    """Say which part of the array is shown, if it is not all of it."""
    plane = (1, *matrix.shape)[-2:] if matrix.shape else (1, 1)
    rows, columns = len(matrix.rows), len(matrix.rows[0]) if matrix.rows else 0
    if (rows, columns) == plane or not rows or matrix.names:
        return ""
    return (
        f"(rows {matrix.top} to {matrix.top + rows - 1}, "
        f"columns {matrix.left} to {matrix.left + columns - 1})"
    )


def _blocks(apart: list[list[float]]) -> list[StyledLine]:
    """Draw a difference as blocks: the darker, the larger; the sign says which is larger."""
    largest = max((abs(x) for row in apart for x in row if math.isfinite(x)), default=0.0) or 1.0
    rows: list[StyledLine] = []
    for row in apart:
        line: StyledLine = []
        for x in row:
            share = abs(x) / largest if math.isfinite(x) else 1.0
            block = BLOCKS[min(4, -int(-4 * share // 1)) if share > 1e-9 else 0]
            sign = " " if share <= 1e-9 else "?" if math.isnan(x) else "+" if x > 0 else "−"
            line.append((f" {sign}{block}{block}", "bad" if share > 1e-9 else "dim"))
        rows.append(line)
    return rows


def exercise_lines(
    exercise: ExerciseReport, details: int = 1, where: str = "", width: int | None = None
) -> Iterator[StyledLine]:
    """Yield the report on an exercise, with the values of the first `details` failures.

    `where` is the file as it is found from here; no line is wider than `width`, if one is given.
    """
    yield from wrapped(_head(exercise, where or exercise.file), width)
    left = details
    shown = {opening(exercise).text}
    for check in presented(exercise).checks:
        yield from check_lines(check, with_values=left > 0, shown=shown, width=width)
        if check.outcome not in QUIET and not check.hidden:
            left -= 1
    yield from wrapped(repair_lines(exercise), width)
    yield from wrapped(_foot(presented(exercise)), width)


def repair_lines(exercise: ExerciseReport) -> Iterator[StyledLine]:
    """Yield where a small change makes every check pass, if such a place is known."""
    if exercise.repair is not None:
        yield [("  ", ""), (exercise.repair.said, "bold")]


def _head(exercise: ExerciseReport, where: str) -> Iterator[StyledLine]:
    """The finding first, then the score."""
    start = opening(exercise)
    if start.text:
        yield [(start.text, "bold")]
    style = "full" if exercise.points == exercise.max_points else "partial"
    style = "" if exercise.status == "by hand" else style
    file = f" ({where})" if where else ""
    yield [(exercise.title, ""), (file, "dim"), (": ", ""), (score(exercise), style)]
    if start.reason:
        yield [(start.reason, "")]
    yield []


def _foot(exercise: ExerciseReport) -> Iterator[StyledLine]:
    """Yield the notes, and what the code printed."""
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
    """Return the points in words."""
    if exercise.status == "by hand":
        return f"{number(exercise.max_points)} points, given by a person"
    return f"{number(exercise.points)} of {number(exercise.max_points)} points"


def check_lines(
    check: CheckReport, with_values: bool, shown: set[str], width: int | None = None
) -> Iterator[StyledLine]:
    """Yield one check: its mark, points and title, then what went wrong, and hints.

    `shown` holds the sentences further up: diagnoses, and why checks were not run.
    """
    mark, style = MARKS[check.outcome]
    points = f"{number(check.points)}/{number(check.max_points)}" if check.max_points else ""
    lines: list[StyledLine] = [
        [(f"  {mark} ", style), (f"{points:>5}  ", "dim"), (check.title, "")]
    ]
    if check.note:
        lines.append([(INDENT + check.note, "good")])
    if check.outcome == "passed":
        yield from wrapped(lines, width)
        return
    sentences = check_sentences(check, shown)
    if sentences.diagnosis:
        lines.append([(INDENT, ""), (sentences.diagnosis, "bold")])
    if sentences.finding:
        is_dim = check.outcome in QUIET or not check.finding
        lines.append([(INDENT + sentences.finding, "dim" if is_dim else "")])
    yield from wrapped(lines, width)
    if with_values and check.evidence is not None:
        yield from _indented(check.evidence, width)
    if with_values or (check.hidden and sentences.diagnosis):
        hints: list[StyledLine] = [
            [(INDENT, ""), ("Hint: ", "hint"), (hint, "")] for hint in check.hints
        ]
        yield from wrapped(hints, width)


def _indented(evidence: Evidence, width: int | None) -> Iterator[StyledLine]:
    """Yield the values, indented as far as there is room for them."""
    indent = INDENT
    if width is not None:
        beside = max(cells(plain(line)) for line in [[], *evidence_lines(evidence)])
        indent = INDENT if len(INDENT) + beside <= width else INDENT[:4]
    room = width - len(indent) if width is not None else None
    for line in evidence_lines(evidence, room):
        yield [(indent, ""), *line]
