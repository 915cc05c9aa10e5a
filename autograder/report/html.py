"""Feedback pages: one for each student, one for the class; self-contained, nothing is fetched."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2

from autograder.course import Course, Exercise
from autograder.report import values
from autograder.report.model import Cell, Evidence, Matrix, Report
from autograder.report.terminal import first_failure
from autograder.text import file_name, number

if TYPE_CHECKING:
    from autograder.classroom.overview import Overview

FOLDER = "feedback"
INDEX = "index.html"
OUTCOMES = {
    "passed": "✓",
    "failed": "✗",
    "not run": "–",
    "timed out": "⏱",
    "crashed": "✗",
    "error": "!",
}


def environment() -> jinja2.Environment:
    """Templates in which every value is escaped."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["points"] = number
    made.filters["shape"] = values.shape
    made.filters["index"] = values.index
    made.globals.update(outcomes=OUTCOMES, matrices=matrices, first_failure=first_failure)
    return made


class Pages:
    """Writes pages below a folder."""

    def __init__(self, out: Path, course: Course, exercises: Sequence[Exercise]) -> None:
        self.out = out
        self.course = course
        self.exercises = exercises
        templates = environment()
        self._student = templates.get_template("student.html")
        self._index = templates.get_template("index.html")
        (out / FOLDER).mkdir(parents=True, exist_ok=True)

    def write(self, report: Report) -> str:
        """Write a student's page; returns its path below the folder."""
        page = self.path(report)
        text = self._student.render(report=report)
        (self.out / page).write_text(text, encoding="utf-8", newline="\n")
        return page

    def path(self, report: Report) -> str:
        """Where a student's page lies, below the folder."""
        return f"{FOLDER}/{file_name(report.student)}.html"

    def write_index(self, overview: "Overview") -> None:
        text = self._index.render(overview=overview, hardest=overview.hardest())
        (self.out / INDEX).write_text(text, encoding="utf-8", newline="\n")


def matrices(evidence: Evidence) -> list[dict[str, Any]]:
    """Yours and expected, as rows of cells with their text, shade (0 to 1) and mark."""
    yours, expected = evidence.yours, evidence.expected
    if yours is None:
        return []
    digits = values.digits_for(yours, expected) if expected is not None else 3
    named = [("yours", yours)] + ([("expected", expected)] if expected is not None else [])
    finite = [abs(x) for _, m in named for row in m.rows for x in row if not isinstance(x, str)]
    largest = max(finite, default=0.0) or 1.0
    return [
        {
            "name": name,
            "place": values.index(matrix.at),
            "matrix": matrix,
            "rows": _cells(matrix, digits, largest),
        }
        for name, matrix in named
    ]


def _cells(matrix: Matrix, digits: int, largest: float) -> list[list[dict[str, Any]]]:
    return [
        [
            {
                "text": values.shown(value, digits),
                "shade": _shade(value, largest),
                "wrong": bool(matrix.wrong) and matrix.wrong[i][j],
            }
            for j, value in enumerate(row)
        ]
        for i, row in enumerate(matrix.rows)
    ]


def _shade(value: Cell, largest: float) -> str:
    """How dark the cell is, in percent, by the size of its number."""
    return f"{0 if isinstance(value, str) else 45 * abs(value) / largest:.0f}"
