"""Feedback pages in HTML: one page for each student, and one page for the class.

Each page is one complete file.
"""

import base64
import functools
import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import jinja2
import msgspec
from markupsafe import Markup, escape

from autograder.course.course_file import Exercise
from autograder.course.files import write_atomically
from autograder.course.text import file_name, number, several
from autograder.report import numbers
from autograder.report.model import (
    CellValue,
    CheckReport,
    Curve,
    Evidence,
    ExerciseReport,
    Matrix,
    Report,
)
from autograder.report.presentation import (
    HIDDEN_INPUTS,
    check_sentences,
    excerpt,
    opening,
    presented,
    repeated_errors,
    required,
    shown_outcome,
)
from autograder.report.terminal import (
    INDENT,
    LETTERS,
    MARKS,
    StyledLine,
    check_lines,
    evidence_lines,
    exercise_lines,
    plain,
)

if TYPE_CHECKING:
    from autograder.report.overview import ClassOverview, MistakeCount, Row

TEMPLATES = Path(__file__).parent / "templates"
SCRIPT = (TEMPLATES / "class.js").read_text(encoding="utf-8")
ON_THE_MAP = 40  # number of mistakes and of lines that the map shows, most common first
CODE_SPAN = re.compile(r"`([^`\n]+)`")
FOLDER = "feedback"
INDEX = "index.html"
ANSWERS = "by-hand.html"
MAX_TEXT = 20_000  # characters of one check
OUTCOMES = {outcome: mark for outcome, (mark, _) in MARKS.items()} | {"timed out": "⏱"}
SIGNS = {"missing": "–", "excused": "×", "by hand": "✎", "needs a person": "?", "not loaded": "✗"}


@functools.cache
def environment(*folders: Path) -> jinja2.Environment:
    """Return a Jinja environment for the templates here and in `folders`. It escapes all values."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader([TEMPLATES, *folders]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["points"] = lambda points: "–" if points is None else number(points)
    made.filters["shape"] = numbers.shape
    made.filters["index"] = numbers.index
    made.filters["in_pixels"] = in_pixels
    made.filters["spans"] = code_spans
    made.globals.update(
        outcomes=OUTCOMES,
        matrices=matrices,
        chart=chart,
        letters=LETTERS,
        presented=presented,
        opening=opening,
        check_sentences=check_sentences,
        required=required,
        excerpt=excerpt,
        repeated_errors=repeated_errors,
        shown_outcome=shown_outcome,
        HIDDEN_INPUTS=HIDDEN_INPUTS,
        texts=set,
        known=math.isfinite,
    )
    return made


def code_spans(text: object) -> Markup:
    """Return a text as HTML, with parts in backticks as code."""
    return Markup(CODE_SPAN.sub(r"<code>\1</code>", str(escape(text))))


def in_pixels(style: str) -> str:
    """Return a style sheet with pixels instead of `rem`, which a surrounding page can change."""
    return re.sub(r"(\d*\.?\d+)rem", lambda size: f"{16 * float(size[1]):g}px", style)


def exercise_html(exercise: ExerciseReport, **around: Sequence[object]) -> str:
    return environment().get_template("notebook.html").render(exercise=exercise, **around)


def page_of(report: Report) -> str:
    called = report.hand_in.pseudonym if report.hand_in else ""
    return f"{FOLDER}/{file_name(called or report.student)}.html"


def write_page(path: Path, template: str, **content: object) -> None:
    write_atomically(path, environment().get_template(template).generate(**content))


def class_page_content(overview: "ClassOverview") -> dict[str, Any]:
    """Return the content of the template `index.html`: table, distribution, mistakes and checks."""
    from autograder.report import statistics  # loads numpy, so import it only at the end of a run
    from autograder.report.overview import HARMLESS, costliest

    mistakes = overview.mistakes.commonest()
    summary = statistics.summarise(overview.scores)
    return {
        "overview": overview,
        "commonest": mistakes,
        "costliest": costliest(mistakes),
        "map": mistake_map(mistakes),
        "lines": overview.lines.commonest()[:ON_THE_MAP],
        "page_at": lambda place: overview.rows[place].page,
        "mistake_at": lambda mistake: f"#mistake-{mistakes.index(mistake)}",
        "summary": summary,
        "sentences": statistics.class_sentences(summary),
        **statistics.shown_figures(summary),
        "students_of": lambda mistake: [overview.rows[row] for row in mistake.by],
        "points_cell": points_cell,
        "harmless": HARMLESS,
        "script": SCRIPT,
        "script_digest": base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode(),
    }


class PointsCell(NamedTuple):
    points: str
    tenth: int | None = None  # share of the points in tenths, or None without points
    said: str = ""  # status, or an empty text for "graded"
    order: str = ""  # sort key for a cell without points

    @property
    def sign(self) -> str:
        return SIGNS.get(self.said, "!") if self.said else ""


def points_cell(row: "Row", exercise: Exercise) -> PointsCell:
    name = exercise.name
    if name in row.excused:
        return PointsCell("", said="excused", order="-2")
    status, points = row.statuses.get(name, "missing"), row.points.get(name)
    if points is None:
        return PointsCell("", said=status, order="-1")
    tenth = int(max(0, min(10, 10 * points / exercise.points))) if exercise.points else None
    return PointsCell(number(points), tenth, "" if status == "graded" else status)


def mistake_map(mistakes: Sequence["MistakeCount"]) -> dict[str, Any]:
    """Return the data for a map of mistakes and students.

    Each mistake has an SVG path that fills the columns of its students. Students with the same
    mistakes have neighbouring columns.
    """
    made_by: dict[int, list[int]] = {}
    for place, mistake in enumerate(mistakes[:ON_THE_MAP]):
        for row in mistake.by:
            made_by.setdefault(row, []).append(place)
    order = sorted(made_by, key=lambda row: (made_by[row], row))
    column = {row: place for place, row in enumerate(order)}
    paths = [boxes(sorted(column[row] for row in m.by)) for m in mistakes[:ON_THE_MAP]]
    return {"students": order, "paths": paths + [""] * (len(mistakes) - len(paths))}


def boxes(places: Sequence[int]) -> str:
    """Return the SVG path that fills these columns of a row. Neighbours share a box."""
    path, start = "", 0
    for end in range(1, len(places) + 1):
        if end == len(places) or places[end] != places[end - 1] + 1:
            width = places[end - 1] - places[start] + 1
            path += f"M{places[start]} 0h{width}v1h-{width}z"
            start = end
    return path


class ValueCell(NamedTuple):
    text: str
    shade: str  # in percent of black
    wrong: bool = False
    group: int | None = None
    sign: str = ""  # "plus" or empty


class ValueTable(NamedTuple):
    """Array as a table."""

    name: str
    kind: str  # "groups", "heat" or "difference"
    matrix: Matrix
    rows: list[list[ValueCell]]


def matrices(evidence: Evidence) -> list[ValueTable]:
    yours, expected = evidence.matrices
    if yours is None:
        return []
    digits = numbers.digits_for(yours, expected) if expected is not None else 3
    both = zip(evidence.sides, (yours, expected), strict=True)
    named = [(name, matrix) for name, matrix in both if matrix is not None]
    largest = _largest(x for _, m in named for row in m.rows for x in row)
    kind = "groups" if yours.groups else "heat"
    tables = [
        ValueTable(name, kind, matrix, _cells(matrix, digits, largest, marked=matrix is yours))
        for name, matrix in named
    ]
    apart = numbers.difference(yours, expected) if expected is not None else []
    if apart and kind == "heat":
        rows = _differences(apart)
        tables.append(ValueTable(" − ".join(evidence.sides), "difference", yours, rows))
    return tables


def _cells(matrix: Matrix, digits: int, largest: float, marked: bool) -> list[list[ValueCell]]:
    return [
        [
            ValueCell(
                numbers.shown(value, digits),
                _shade(value, largest),
                wrong=marked and bool(matrix.wrong) and matrix.wrong[i][j],
                group=matrix.groups[i][j] if matrix.groups and matrix.groups[i][j] >= 0 else None,
            )
            for j, value in enumerate(row)
        ]
        for i, row in enumerate(matrix.rows)
    ]


def _differences(apart: list[list[float]]) -> list[list[ValueCell]]:
    largest = _largest(x for row in apart for x in row if math.isfinite(x))

    def cell(x: float) -> ValueCell:
        text = numbers.shown(numbers.as_cell(x)) if x else ""
        shade = _shade(x, largest) if math.isfinite(x) else "45"
        return ValueCell(f"+{text}", shade, sign="plus") if x > 0 else ValueCell(text, shade)

    return [[cell(x) for x in row] for row in apart]


def _largest(values: Iterable[CellValue]) -> float:
    return max((abs(x) for x in values if not isinstance(x, str)), default=0.0) or 1.0


def _shade(value: CellValue, largest: float) -> str:
    return f"{0 if isinstance(value, str) else 45 * abs(value) / largest:.0f}"


def chart(curve: Curve) -> dict[str, Any]:
    """Return a curve as points in a drawing of 340 by 190 units. The x axis is logarithmic."""
    yours = [math.nan if isinstance(y, str) else y for y in curve.yours]
    finite = [y for y in (*yours, *curve.low, *curve.high) if math.isfinite(y)]
    margin = 0.08 * ((max(finite) - min(finite)) or 1.0)
    low, high = min(finite) - margin, max(finite) + margin
    first, last = math.log(min(curve.x)), math.log(max(curve.x))

    def across(x: float) -> float:
        return round(60 + 255 * (math.log(x) - first) / ((last - first) or 1.0), 1)

    def up(y: float) -> float:
        return round(150 - 138 * (y - low) / (high - low), 1)

    band = [*zip(curve.x, curve.high, strict=True)]
    band += reversed([*zip(curve.x, curve.low, strict=True)])
    points = [
        {"x": across(x), "y": up(y), "fair": below <= y <= above}
        for x, y, below, above in zip(curve.x, yours, curve.low, curve.high, strict=True)
        if math.isfinite(y)
    ]
    outside = sum(not point["fair"] for point in points)
    steps = (low + margin, (low + high) / 2, high - margin)
    return {
        "name": curve.name,
        "against": curve.against,
        "band": " ".join(f"{across(x)},{up(y)}" for x, y in band),
        "line": " ".join(f"{point['x']},{point['y']}" for point in points),
        "points": points,
        "x_ticks": [{"at": across(x), "text": numbers.shown(x)} for x in curve.x],
        "y_ticks": [{"at": up(y), "text": f"{y:.2g}"} for y in steps],
        "described": (
            f"{curve.name} against the {curve.against}: {outside} of {len(points)} values lie "
            f"outside the band of a fair measurement"
        ),
    }


def check_text(check: CheckReport) -> str:
    """Return a failed check's message, values and hints as text. For other checks, return ""."""
    lines = list(check_lines(check, with_values=True, shown_texts=set()))[1:]
    return "\n".join(plain(line).removeprefix(INDENT).rstrip() for line in lines)[:MAX_TEXT]


def first_line(check: CheckReport) -> str:
    if check.outcome == "passed":
        return ""
    if check.diagnosis is not None:
        return check.diagnosis.sentence
    if check.finding:
        return check.finding
    return HIDDEN_INPUTS if check.hidden else "This check failed."


def check_html(check: CheckReport) -> str:
    values = ""
    if check.outcome != "passed" and check.evidence is not None:
        values = "\n".join(plain(line) for line in evidence_lines(check.evidence))[:MAX_TEXT]
    return environment().get_template("check.html").render(check=check, values=values)


def notebook_outputs(
    shown: ExerciseReport, first: Sequence[StyledLine] = (), last: Sequence[StyledLine] = ()
) -> tuple[str, str]:
    """Return HTML and text for a notebook cell, with lines before and after the report.

    If two or more checks passed without a note, their list is collapsed.
    """
    passed = [check for check in shown.checks if check.outcome == "passed" and not check.note]
    folded: list[StyledLine] = []
    if len(passed) > 1:
        folded.append([(f"  ✓ {several(len(passed), 'check')} pass", "")])
        rest = tuple(check for check in shown.checks if check not in passed)
        shown = msgspec.structs.replace(shown, checks=rest)
    html = exercise_html(
        shown,
        passed=passed if folded else (),
        first=[plain(line).strip() for line in first],
        last=[plain(line).strip() for line in last],
    )
    lines = [*first, *exercise_lines(shown), *folded, *last]
    return html, "\n".join(plain(line) for line in lines)
