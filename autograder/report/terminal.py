"""Reports as styled text for a terminal, or as plain sentences for screen readers.

A wide terminal shows the two values side by side. The text for screen readers (`spoken`) has no
signs, columns or block characters.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

import msgspec
from rich.cells import cell_len

from autograder.course.text import capital, number, several
from autograder.report.model import CheckReport, Evidence, ExerciseReport, Line, Matrix
from autograder.report.numbers import difference, digits_for, index, shape, shown
from autograder.report.presentation import (
    FOLLOWS,
    check_sentences,
    excerpt,
    is_quiet,
    opening,
    passed_over,
    presented,
    repeated_errors,
    required,
    shown_outcome,
    source_line,
)

BLOCKS = "·░▒▓█"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
APART = 4  # columns between panels
FAR = 24  # widest label whose wrapped lines are indented below its text
MARKS = {
    "passed": ("✓", "good"),
    FOLLOWS: ("→", "good"),
    "failed": ("✗", "bad"),
    "not run": ("–", "dim"),
    "graded when handed in": ("○", "dim"),
    "timed out": ("✗", "bad"),
    "crashed": ("✗", "bad"),
    "error": ("!", "odd"),
}
INDENT, SPOKEN_INDENT = " " * 11, "  "
MAX_PRINTED = 8  # lines

# A line is a list of (text, style); the printer decides how a style looks.
StyledLine = list[tuple[str, str]]
Panel = list[StyledLine]


def plain(line: StyledLine) -> str:
    return "".join(text for text, _ in line)


def wrapped(lines: Iterable[StyledLine], width: int | None) -> Iterator[StyledLine]:
    """Yield the lines, wrapped to `width` columns. Continuation lines are indented."""
    for line in lines:
        if width is None or cell_len(plain(line)) <= width:
            yield line
            continue
        hang = min(_hang(line), width // 2)
        rest = [(character, style) for text, style in line for character in text]
        indent, first = "", hang + 1  # the mark or label stays with its first word
        while rest:
            end = _end(plain(rest), width - len(indent), first)
            styles = groupby(rest[:end], key=itemgetter(1))
            part = [("".join(text for text, _ in group), style) for style, group in styles]
            yield [(indent, ""), *part] if indent else part
            rest = rest[end:]
            while rest and rest[0][0] == " ":
                rest.pop(0)
            indent, first = " " * hang, 1


def _end(text: str, room: int, first: int) -> int:
    end = used = 0
    while end < len(text) and used + cell_len(text[end]) <= room:
        used += cell_len(text[end])
        end += 1
    if end == len(text):
        return end
    blank = text.rfind(" ", first, end + 1)
    return blank if blank > 0 else max(end, 1)


def _hang(line: StyledLine) -> int:
    before = cell_len(plain(line[:-1]))
    if before > FAR:
        before, words = 0, plain(line)
    else:
        words = line[-1][0]
    return before + len(words) - len(words.lstrip(" "))


def exercise_lines(
    exercise: ExerciseReport,
    details: int = 1,
    where: str = "",
    width: int | None = None,
    spoken: bool = False,
) -> Iterator[StyledLine]:
    yield from head_lines(exercise, where, width, spoken)
    yield from body_lines(exercise, details, width, spoken)


def head_lines(
    exercise: ExerciseReport, where: str, width: int | None, spoken: bool = False
) -> Iterator[StyledLine]:
    """Yield the next step, the student's line and the score. They do not depend on a repair."""
    start, file = opening(exercise), where or exercise.file
    lines: list[StyledLine] = []
    if start.text:
        lines += [[(start.text, "bold")], *_place_lines(start.place, "  ", width, spoken)]
    if spoken:
        points = score(exercise)
        lines.append([(f"{exercise.title}, {file}: {points}." if file else points, "")])
    else:
        style = "full" if exercise.points == exercise.max_points else "partial"
        style = "" if exercise.status == "by hand" else style
        name = f" ({file})" if file else ""
        lines.append([(exercise.title, ""), (name, "dim"), (": ", ""), (score(exercise), style)])
    if start.reason:
        lines.append([(start.reason, "")])
    yield from wrapped(lines, width)


def body_lines(
    exercise: ExerciseReport, details: int, width: int | None, spoken: bool = False
) -> Iterator[StyledLine]:
    """Yield the lines after the head: the repair, the notes and the checks."""
    start = opening(exercise)
    repair: list[StyledLine] = []
    if exercise.repair is not None:
        repair.append([(exercise.repair.said, "bold")])
        shown_line = (start.place.file, start.place.line) if start.place is not None else None
        for place in exercise.repair.places:
            if spoken or (place.file, place.line) != shown_line:
                repair += _place_lines(place, "  ", width, spoken)
    repeated, whole = repeated_errors(exercise), presented(exercise)
    notes: list[StyledLine] = [[("Note: ", "bold"), (note, "")] for note in whole.notes]
    yield from wrapped([*repair, *notes], width)
    if not spoken:
        yield []
    shown_texts = {start.text, *excerpt(start.place)}
    waiting = passed_over(exercise)  # the check of the first sentence shows its values
    for place_in_list, check in enumerate(whole.checks, 1):
        with_values = details > (check.name in waiting)
        if spoken:
            points = f", {number(check.points)} of {number(check.max_points)} points"
            about = f"{shown_outcome(check)}{points if check.max_points else ''}: {check.title}"
            yield [(f"Check {place_in_list} of {len(exercise.checks)}, {about}", "")]
            yield from _check_sentences(check, with_values, shown_texts, repeated)
        else:
            yield from check_lines(check, with_values, shown_texts, width, repeated)
        details -= with_values and not is_quiet(check) and not check.hidden
    yield from wrapped(_foot(whole, spoken), width)


def score(exercise: ExerciseReport) -> str:
    if exercise.status == "by hand":
        return f"{number(exercise.max_points)} points, given by a person"
    return f"{number(exercise.points)} of {number(exercise.max_points)} points"


def _place_lines(
    place: Line | None, indent: str, width: int | None, spoken: bool = False
) -> Iterator[StyledLine]:
    if not spoken:
        texts = excerpt(place, width and width - len(indent))
        for text, style in zip(texts, ("", "bad"), strict=False):
            yield [(indent, ""), (text, style)]
    elif place is not None and place.text:
        part = place.text[place.column : place.end]
        meant = f", at {part}" if part and part != place.text else ""
        yield [(f"Line {place.line}: {place.text}{meant}", "")]


def _foot(exercise: ExerciseReport, spoken: bool) -> Iterator[StyledLine]:
    indent = "" if spoken else "  "
    if exercise.printed.strip():
        yield [(f"{indent}Your code printed:", "bold")]
        lines = exercise.printed.strip().split("\n")
        for text in lines[:MAX_PRINTED]:
            yield [(f"{indent}  {text}", "dim")]
        if len(lines) > MAX_PRINTED and not spoken:
            yield [(f"    … and {several(len(lines) - MAX_PRINTED, 'line')} more", "dim")]


def check_lines(
    check: CheckReport,
    with_values: bool,
    shown_texts: set[str],
    width: int | None = None,
    repeated: Mapping[str, str] = {},
) -> Iterator[StyledLine]:
    """Yield the lines on one check: sign, points and title, then failure and hints.

    `shown_texts` has the sentences and the student's lines that the report has shown already.
    `repeated` has the notes on errors that several checks share.
    """
    mark, style = MARKS[shown_outcome(check)]
    points = f"{number(check.points)}/{number(check.max_points)}" if check.max_points else ""
    lines: list[StyledLine] = [
        [(f"  {mark} ", style), (f"{points:>5}  ", "dim"), (check.title, "")]
    ]
    if check.note:
        lines.append([(INDENT + check.note, "good")])
    if check.outcome == "passed":
        yield from wrapped(lines, width)
        return
    sentences = check_sentences(check, shown_texts, repeated)
    if sentences.diagnosis:
        lines.append([(INDENT, ""), (sentences.diagnosis, "bold")])
    if sentences.finding:
        is_dim = is_quiet(check) or not check.finding
        lines.append([(INDENT + sentences.finding, "dim" if is_dim else "")])
    yield from wrapped(lines, width)
    if with_values:
        yield from _place_lines(_new_line(check, shown_texts), INDENT + "  ", width)
    if sentences.repeated:
        yield [(INDENT + sentences.repeated, "")]
    if with_values:
        if check.evidence is not None:
            yield from _indented(check.evidence, width)
        last: list[StyledLine] = [[(INDENT, ""), (required(check), "dim")]] * bool(required(check))
        last += [[(INDENT, ""), ("Hint: ", "hint"), (hint, "")] for hint in check.hints]
        yield from wrapped(last, width)


def _new_line(check: CheckReport, shown_texts: set[str]) -> Line | None:
    place = None if is_quiet(check) else source_line(check)
    is_shown = shown_texts.issuperset(excerpt(place))
    shown_texts.update(excerpt(place))
    return None if is_shown else place


def _indented(evidence: Evidence, width: int | None) -> Iterator[StyledLine]:
    indent, room = INDENT, None
    if width is not None:
        widest = _wide([[], *evidence_lines(evidence)])
        indent = INDENT if len(INDENT) + widest <= width else INDENT[:4]
        room = width - len(indent)
    for line in evidence_lines(evidence, room):
        yield [(indent, ""), *line]


def evidence_lines(evidence: Evidence, room: int | None = None) -> Iterator[StyledLine]:
    """Yield the call and both values, side by side if `room` columns suffice, or the curves."""
    if evidence.call:
        yield from wrapped([[("  for ", "dim"), (evidence.call, "")]], room)
    for curve in evidence.curves:
        yield [(f"    {curve.name}", "bold")]
        for x, y, low, high in zip(curve.x, curve.yours, curve.low, curve.high, strict=True):
            is_fair = not isinstance(y, str) and low <= y <= high
            mark, style = ("  ", "") if is_fair else ("› ", "bad")
            text = f"yours {shown(y, 3):>8}   fair {shown(low, 3)} to {shown(high, 3)}"
            yield [(f"    {mark}", style), (f"{curve.against} {shown(x):>4}: {text}", style)]
    for name, text in evidence.texts:
        yield from wrapped([[(f"    {name:<9} ", "bold"), (text, "")]], room)
    yours, expected = evidence.matrices
    if yours is None:
        return
    digits = digits_for(yours, expected) if expected is not None else 3
    sides = zip(evidence.sides, (yours, expected), strict=True)
    panels = [_panel(name, side, digits, room) for name, side in sides if side is not None]
    apart = difference(yours, expected) if expected is not None else []
    if apart and not yours.groups:
        panels.append([[("difference", "bold")], *_blocks(apart)])
    yield from _side_by_side(panels, room)
    if evidence.groups:
        legend = f"    A, B, …: the {evidence.groups} that the number belongs to"
        yield from wrapped([[(legend, "dim")]], room)


def _panel(word: str, matrix: Matrix, digits: int, room: int | None) -> Panel:
    size = f"  shape {shape(matrix.shape)}" if matrix.shape else ""
    panel = [[(f"{word}{_place_of(matrix)}", "bold"), (size, "dim")], *_rows(matrix, digits)]
    columns = len(matrix.rows[0]) if matrix.rows else 0
    if part := _part_shown(matrix, columns):
        panel.append([(f"({part})", "dim")])
    if room is None or columns < 2 or _wide(panel) + APART <= room:
        return panel
    # Leave out the last column. If only the last column has wrong cells, leave out the first.
    wrong = [any(row[place] for row in matrix.wrong) for place in range(columns)]
    first = wrong[-1] and not any(wrong[:-1])
    keep = slice(1, None) if first else slice(None, -1)
    narrower = msgspec.structs.replace(
        matrix,
        rows=tuple(row[keep] for row in matrix.rows),
        wrong=tuple(row[keep] for row in matrix.wrong),
        groups=tuple(row[keep] for row in matrix.groups),
        left=matrix.left + int(first),
    )
    return _panel(word, narrower, digits, room)


def _part_shown(matrix: Matrix, columns: int) -> str:
    rows = len(matrix.rows)
    if not rows or matrix.names or (rows, columns) == (1, 1, *matrix.shape)[-2:]:
        return ""
    bottom, right = matrix.top + rows - 1, matrix.left + columns - 1
    if len(matrix.shape) == 1:
        return f"entries {matrix.left} to {right}"
    return f"rows {matrix.top} to {bottom}, columns {matrix.left} to {right}"


def _side_by_side(panels: list[Panel], room: int | None) -> Iterator[StyledLine]:
    rows: list[list[Panel]] = [[]]
    for panel in panels:
        wide = sum(APART + _wide(other) for other in [*rows[-1], panel])
        if rows[-1] and room is not None and wide > room:
            rows.append([])
        rows[-1].append(panel)
    for row in rows:
        for place in range(max(map(len, row))):
            line: StyledLine = [(" " * APART, "")]
            for panel in row:
                part = panel[place] if place < len(panel) else []
                line += [*part, (" " * (_wide(panel) - cell_len(plain(part)) + APART), "")]
            yield line[:-1]


def _wide(panel: Panel) -> int:
    return max(cell_len(plain(line)) for line in panel)


def _place_of(matrix: Matrix) -> str:
    is_part = any(matrix.at) or (matrix.at and len(matrix.shape) > 2)
    return f" at {index(matrix.at)}" if is_part else ""


def _rows(matrix: Matrix, digits: int) -> Iterator[StyledLine]:
    texts = [[shown(value, digits) for value in row] for row in matrix.rows]
    for row, groups in zip(texts, matrix.groups, strict=False):
        letters = (LETTERS[group % 26] if group >= 0 else " " for group in groups)
        row[:] = [f"{text}{letter}" for text, letter in zip(row, letters, strict=True)]
    width = max((len(text) for row in texts for text in row), default=0)
    longest = max(map(len, matrix.names), default=0)
    for place, row in enumerate(texts):
        line: StyledLine = [(f"{matrix.names[place]:<{longest}} ", "dim")] if matrix.names else []
        for column, text in enumerate(row):
            wrong = bool(matrix.wrong) and matrix.wrong[place][column]
            padded = f"{text:>{width}}"
            line.append((f"›{padded}‹" if wrong else f" {padded} ", "bad" if wrong else ""))
        yield line


def _blocks(apart: list[list[float]]) -> Iterator[StyledLine]:
    largest = max((abs(x) for row in apart for x in row if math.isfinite(x)), default=0.0) or 1.0
    for row in apart:
        line: StyledLine = []
        for x in row:
            share = abs(x) / largest if math.isfinite(x) else 1.0
            block = BLOCKS[max(1, min(4, -int(-4 * share // 1))) if x else 0]
            sign = " " if not x else "?" if math.isnan(x) else "+" if x > 0 else "−"
            line.append((f" {sign}{block}{block}", "bad" if share > 1e-9 else "dim"))
        yield line


def _check_sentences(
    check: CheckReport, with_values: bool, shown_texts: set[str], repeated: Mapping[str, str]
) -> Iterator[StyledLine]:
    """Yield the content of `check_lines` with one sentence per line."""
    texts = [check.note]
    if check.outcome != "passed":
        texts += check_sentences(check, shown_texts, repeated)
        shown_texts.add(check.finding)
        if with_values:
            texts += map(plain, _place_lines(_new_line(check, shown_texts), "", None, spoken=True))
            if check.evidence is not None:
                texts += _evidence_sentences(check.evidence)
            texts += [f"Hint {place}: {hint}" for place, hint in enumerate(check.hints, 1)]
    yield from ([(SPOKEN_INDENT + text, "")] for text in texts if text)


def _evidence_sentences(evidence: Evidence) -> Iterator[str]:
    if evidence.call:
        yield f"For {evidence.call}"
    for curve in evidence.curves:
        yield curve.name
        for x, y, low, high in zip(curve.x, curve.yours, curve.low, curve.high, strict=True):
            fair = f"fair {shown(low, 3)} to {shown(high, 3)}"
            yield f"  {curve.against} {shown(x)}: yours {shown(y, 3)}, {fair}"
    for name, text in evidence.texts:
        yield f"{capital(name)}: {text}"
    yours, expected = evidence.matrices
    if yours is None:
        return
    digits = digits_for(yours, expected or yours)
    yield from _matrix_sentences(evidence.sides[0], yours, digits, yours.wrong)
    if expected is not None:
        yield from _matrix_sentences(evidence.sides[1], expected, digits, ())


def _matrix_sentences(
    word: str, matrix: Matrix, digits: int, wrong: Sequence[Sequence[bool]]
) -> Iterator[str]:
    yield f"{capital(word)}{_place_of(matrix)}, shape {shape(matrix.shape)}"
    for row, values in enumerate(matrix.rows):
        texts = [shown(value, digits) for value in values]
        for column, differs in enumerate(wrong[row] if wrong else ()):
            texts[column] += " (differs)" if differs else ""
        label = matrix.names[row] if matrix.names else f"Row {matrix.top + row}"
        yield f"  {label}: {', '.join(texts)}"
