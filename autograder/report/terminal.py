"""A report in the terminal: lines of styled text."""

from collections.abc import Iterator, Sequence

from autograder.report.model import CheckReport, Evidence, ExerciseReport, Matrix
from autograder.report.values import digits_for, index, shape, shown
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


def exercise_lines(exercise: ExerciseReport, details: int = 1) -> Iterator[Line]:
    """The report on an exercise; the values are shown for the first `details` failures."""
    yield from _head(exercise)
    left = details
    for check in exercise.checks:
        yield from check_lines(check, with_values=left > 0)
        if check.outcome not in {"passed", "not run"} and not check.hidden:
            left -= 1
    for note in exercise.notes:
        yield [("  Note: ", "bold"), (note, "")]
    if exercise.printed.strip():
        yield [("  Your code printed:", "bold")]
        lines = exercise.printed.strip().split("\n")
        for text in lines[:MAX_PRINTED]:
            yield [(f"    {text}", "dim")]
        if len(lines) > MAX_PRINTED:
            yield [(f"    … and {several(len(lines) - MAX_PRINTED, 'line')} more", "dim")]


def _head(exercise: ExerciseReport) -> Iterator[Line]:
    style = "full" if exercise.points == exercise.max_points else "partial"
    score = f"{number(exercise.points)} of {number(exercise.max_points)} points"
    file = f" ({exercise.file})" if exercise.file else ""
    yield [(exercise.title, "bold"), (file, "dim"), (": ", ""), (score, style)]
    first = first_failure(exercise)
    if first is not None and first.finding:
        yield [("Start here: ", "bold"), (f"{first.title}. ", "bold"), (first.finding, "")]
    elif exercise.reason:
        yield [(exercise.reason, "")]
    yield []


def first_failure(exercise: ExerciseReport) -> CheckReport | None:
    """The first check that went wrong by itself, and not because another did."""
    failures = (c for c in exercise.checks if c.outcome not in {"passed", "not run"})
    return next(failures, None)


def check_lines(check: CheckReport, with_values: bool) -> Iterator[Line]:
    """One check: its mark, points and title, then what went wrong, and hints."""
    mark, style = MARKS[check.outcome]
    points = f"{number(check.points)}/{number(check.max_points)}"
    yield [(f"  {mark} ", style), (f"{points:>5}  ", "dim"), (check.title, "")]
    if check.note:
        yield [(INDENT + check.note, "good")]
    if check.outcome == "passed":
        return
    if check.hidden and not check.finding:
        yield [(INDENT + "This check does not show its inputs.", "dim")]
    if check.finding:
        yield [(INDENT + check.finding, "dim" if check.outcome == "not run" else "")]
    if with_values and check.evidence is not None:
        for line in evidence_lines(check.evidence):
            yield [(INDENT, ""), *line]
    if with_values:
        for hint in check.hints:
            yield [(INDENT, ""), ("Hint: ", "hint"), (hint, "")]


def evidence_lines(evidence: Evidence) -> Iterator[Line]:
    """The call, then yours and expected side by side."""
    if evidence.call:
        yield [("  after ", "dim"), (evidence.call, "")]
    yours, expected = evidence.yours, evidence.expected
    if yours is None:
        return
    digits = digits_for(yours, expected) if expected is not None else 3
    left = [*_title("yours", yours), *_rows(yours, digits)]
    right = []
    if expected is not None:
        right = [*_title("expected", expected), *_rows(expected, digits)]
    width = max(_width(line) for line in left)
    for row in range(max(len(left), len(right))):
        mine = left[row] if row < len(left) else []
        gap = " " * (width - _width(mine) + 4)
        yield [("    ", ""), *mine, (gap, ""), *(right[row] if row < len(right) else [])]


def _title(word: str, matrix: Matrix) -> list[Line]:
    place = f" at {index(matrix.at)}" if any(matrix.at) or len(matrix.shape) > 2 else ""
    return [[(f"{word}{place}", "bold"), (f"  shape {shape(matrix.shape)}", "dim")]]


def _rows(matrix: Matrix, digits: int) -> list[Line]:
    texts = [[shown(value, digits) for value in row] for row in matrix.rows]
    width = max((len(text) for row in texts for text in row), default=0)
    rows: list[Line] = []
    for place, row in enumerate(texts):
        line: Line = []
        for column, text in enumerate(row):
            wrong = bool(matrix.wrong) and matrix.wrong[place][column]
            padded = f"{text:>{width}}"
            line.append((f"›{padded}‹" if wrong else f" {padded} ", "bad" if wrong else ""))
        rows.append(line)
    cut = _cut(matrix)
    return [*rows, [(cut, "dim")]] if cut else rows


def _cut(matrix: Matrix) -> str:
    """What part of the array is shown, if it is not all of it."""
    plane = (1, *matrix.shape)[-2:] if matrix.shape else (1, 1)
    rows, columns = len(matrix.rows), len(matrix.rows[0]) if matrix.rows else 0
    if (rows, columns) == plane or not rows:
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
