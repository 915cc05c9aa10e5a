"""Feedback pages: one for each student, one for the class; self-contained, nothing is fetched."""

import functools
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import msgspec

from autograder.course.course_file import Course, Exercise
from autograder.course.files import plain_folder, write_atomically
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
    WrittenAnswer,
)
from autograder.report.presentation import HIDDEN_INPUTS, check_sentences, opening, presented
from autograder.report.styled_lines import StyledLine, plain
from autograder.report.terminal import (
    INDENT,
    LETTERS,
    check_lines,
    evidence_lines,
    exercise_lines,
)

if TYPE_CHECKING:
    from autograder.report.overview import ClassOverview


FOLDER = "feedback"
INDEX = "index.html"
ANSWERS = "by-hand.html"
MAX_TEXT = 20_000  # characters of one check
OUTCOMES = {
    "passed": "✓",
    "failed": "✗",
    "not run": "–",
    "not told": "·",
    "timed out": "⏱",
    "crashed": "✗",
    "error": "!",
}


@functools.cache
def environment(*folders: Path) -> jinja2.Environment:
    """Return templates in which every value is escaped, with those of an extension's folders."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader([Path(__file__).parent / "templates", *folders]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["points"] = number
    made.filters["shape"] = numbers.shape
    made.filters["index"] = numbers.index
    made.filters["in_pixels"] = in_pixels
    made.globals.update(
        outcomes=OUTCOMES,
        matrices=matrices,
        charts=charts,
        letters=LETTERS,
        presented=presented,
        opening=opening,
        check_sentences=check_sentences,
        HIDDEN_INPUTS=HIDDEN_INPUTS,
        texts=set,
    )
    return made


def in_pixels(style: str) -> str:
    """Return a style whose sizes do not depend on the page around it: 1rem is 16 pixels."""
    return re.sub(r"(\d*\.?\d+)rem", lambda size: f"{16 * float(size[1]):g}px", style)


def exercise_html(
    exercise: ExerciseReport,
    passed: Sequence[CheckReport] = (),
    first: Sequence[str] = (),
    last: Sequence[str] = (),
) -> str:
    """Return an exercise as HTML that brings its own style, for a cell of a notebook.

    Checks that have `passed` are folded; lines of text come `first` and `last`. All of it can be
    read where styles and scripts are taken out.
    """
    template = environment().get_template("notebook.html")
    text: str = template.render(exercise=exercise, passed=passed, first=first, last=last)
    return text


def page_of(report: Report) -> str:
    """Return where a student's page lies, below the folder of results."""
    called = report.hand_in.pseudonym if report.hand_in else ""
    return f"{FOLDER}/{file_name(called or report.student)}.html"


class Pages:
    """Writes pages below a folder."""

    def __init__(self, out: Path, course: Course, exercises: Sequence[Exercise]) -> None:
        self.out = out
        self.course = course
        self.exercises = exercises
        plain_folder(out / FOLDER)

    def write(self, report: Report) -> str:
        """Write a student's page; returns its path below the folder."""
        page = page_of(report)
        text = environment().get_template("student.html").render(report=report)
        write_atomically(self.out / page, text)
        return page

    def write_index(self, overview: "ClassOverview") -> None:
        """Write the class's page."""
        from autograder.report.class_page import class_page_content  # with numpy: at a run's end

        index = environment().get_template("index.html")
        write_atomically(self.out / INDEX, index.generate(**class_page_content(overview)))

    def write_answers(
        self,
        answers: Sequence[tuple[str, str, WrittenAnswer]],
        table: str,
        changed: Mapping[tuple[str, str, str], object],
        orphaned: Sequence[object],
    ) -> None:
        """Write the page of all answers in words, by question, and of marks without one.

        Marks that do not count are records with the fields that the page shows.
        """
        text = (
            environment()
            .get_template("by_hand.html")
            .render(
                course=self.course.title,
                exercises=self.exercises,
                answers=answers,
                table=table,
                changed=changed,
                orphaned=orphaned,
            )
        )
        write_atomically(self.out / ANSWERS, text)


def matrices(evidence: Evidence) -> list[dict[str, Any]]:
    """Return yours, expected and their difference, as rows of cells with text, shade and mark."""
    yours, expected = evidence.matrices
    if yours is None:
        return []
    digits = numbers.digits_for(yours, expected) if expected is not None else 3
    named = [("yours", yours), *([("expected", expected)] if expected is not None else [])]
    finite = [abs(x) for _, m in named for row in m.rows for x in row if not isinstance(x, str)]
    largest = max(finite, default=0.0) or 1.0
    kind = "groups" if yours.groups else "heat"
    sides = [
        {
            "name": name,
            "kind": kind,
            "place": numbers.index(matrix.at),
            "matrix": matrix,
            "rows": _cells(matrix, digits, largest, marked=name == "yours"),
        }
        for name, matrix in named
    ]
    apart = numbers.difference(yours, expected) if expected is not None else []
    if apart and kind == "heat":
        sides.append(
            {
                "name": "yours − expected",
                "kind": "difference",
                "place": numbers.index(yours.at),
                "matrix": yours,
                "rows": _differences(apart),
            }
        )
    return sides


def _cells(matrix: Matrix, digits: int, largest: float, marked: bool) -> list[list[dict[str, Any]]]:
    return [
        [
            {
                "text": numbers.shown(value, digits),
                "shade": _shade(value, largest),
                "wrong": marked and bool(matrix.wrong) and matrix.wrong[i][j],
                "group": matrix.groups[i][j] if matrix.groups else None,
                "sign": "",
            }
            for j, value in enumerate(row)
        ]
        for i, row in enumerate(matrix.rows)
    ]


def _differences(apart: list[list[float]]) -> list[list[dict[str, Any]]]:
    largest = max((abs(x) for row in apart for x in row if math.isfinite(x)), default=0.0) or 1.0
    return [
        [
            {
                "text": ""
                if x == 0
                else ("+" if x > 0 else "") + numbers.shown(numbers.as_cell(x)),
                "shade": _shade(x, largest) if math.isfinite(x) else "45",
                "wrong": False,
                "group": None,
                "sign": "plus" if x > 0 else "",
            }
            for x in row
        ]
        for row in apart
    ]


def charts(evidence: Evidence) -> list[dict[str, Any]]:
    """Return the curves as points of a drawing of 340 by 190; the x axis is logarithmic."""
    return [_chart(curve) for curve in evidence.curves]


def _chart(curve: Curve) -> dict[str, Any]:
    mine = [float(y) if not isinstance(y, str) else math.nan for y in curve.yours]
    finite = [y for y in (*mine, *curve.low, *curve.high) if math.isfinite(y)]
    low, high = min(finite), max(finite)
    margin = 0.08 * ((high - low) or 1.0)
    low, high = low - margin, high + margin
    first, last = math.log(min(curve.x)), math.log(max(curve.x))

    def across(x: float) -> float:
        return round(60 + 255 * (math.log(x) - first) / ((last - first) or 1.0), 1)

    def up(y: float) -> float:
        return round(150 - 138 * (y - low) / (high - low), 1)

    edge = [(across(x), up(y)) for x, y in zip(curve.x, curve.high, strict=True)]
    edge += [(across(x), up(y)) for x, y in reversed(list(zip(curve.x, curve.low, strict=True)))]
    points = [
        {"x": across(x), "y": up(y), "fair": below <= y <= above}
        for x, y, below, above in zip(curve.x, mine, curve.low, curve.high, strict=True)
        if math.isfinite(y)
    ]
    outside = sum(not point["fair"] for point in points)
    steps = [low + margin, (low + high) / 2, high - margin]
    return {
        "name": curve.name,
        "against": curve.against,
        "band": " ".join(f"{x},{y}" for x, y in edge),
        "line": " ".join(f"{point['x']},{point['y']}" for point in points),
        "points": points,
        "x_ticks": [{"at": across(x), "text": numbers.shown(x)} for x in curve.x],
        "y_ticks": [{"at": up(y), "text": f"{y:.2g}"} for y in steps],
        "described": (
            f"{curve.name} against the {curve.against}: {outside} of {len(points)} values lie "
            f"outside the band of a fair measurement"
        ),
    }


def _shade(value: CellValue, largest: float) -> str:
    """Return how dark a cell is, in percent, by the size of its number."""
    return f"{0 if isinstance(value, str) else 45 * abs(value) / largest:.0f}"


def check_text(check: CheckReport) -> str:
    """Return what went wrong, the values side by side, and hints; empty if there is nothing."""
    lines = list(check_lines(check, with_values=True, shown=set()))[1:]
    return "\n".join(plain(line).removeprefix(INDENT).rstrip() for line in lines)[:MAX_TEXT]


def first_line(check: CheckReport) -> str:
    """Return the sentence to act on; for a failed check there always is one."""
    if check.outcome == "passed":
        return ""
    if check.diagnosis is not None:
        return check.diagnosis.sentence
    if check.finding:
        return check.finding
    return HIDDEN_INPUTS if check.hidden else "This check failed."


def check_html(check: CheckReport) -> str:
    """Return a check as HTML that can be read without a style."""
    values = ""
    if check.outcome != "passed" and check.evidence is not None:
        values = "\n".join(plain(line) for line in evidence_lines(check.evidence))[:MAX_TEXT]
    text: str = environment().get_template("check.html").render(check=check, values=values)
    return text


def notebook_outputs(
    shown: ExerciseReport, first: Sequence[StyledLine] = (), last: Sequence[StyledLine] = ()
) -> tuple[str, str]:
    """Return what a notebook's cell shows of a report that its student may see: HTML and text.

    Passed checks are folded; lines come `first` and `last`.
    """
    rest, passed = fold_passed(shown)
    folded: list[StyledLine] = []
    if passed:
        folded.append([(f"  ✓ {several(len(passed), 'check')} pass", "")])
    lines = [*first, *exercise_lines(rest), *folded, *last]
    around = [[plain(line).strip() for line in some] for some in (first, last)]
    return exercise_html(rest, passed, *around), "\n".join(plain(line) for line in lines)


def fold_passed(shown: ExerciseReport) -> tuple[ExerciseReport, tuple[CheckReport, ...]]:
    """Split off the checks that pass without a note, if there are two at least."""
    passed = tuple(each for each in shown.checks if each.outcome == "passed" and not each.note)
    if len(passed) < 2:
        return shown, ()
    rest = tuple(each for each in shown.checks if each not in passed)
    return msgspec.structs.replace(shown, checks=rest), passed
