"""The content of a class's page: its table, distribution, mistakes and checks."""

import base64
import hashlib
import math
from pathlib import Path
from typing import Any

from autograder.report import statistics
from autograder.report.overview import ClassOverview, Row
from autograder.report.statistics import Interval, summarise
from autograder.report.tally import MistakeCount, costliest, students_by_mistakes

SCRIPT = (Path(__file__).parent / "templates" / "class.js").read_text(encoding="utf-8")
ON_THE_MAP = 40  # mistakes; those that fewer made are in the table


def class_page_content(overview: ClassOverview) -> dict[str, Any]:
    """Return what the template `index.html` shows."""
    made = overview.mistakes.commonest()
    summary = summarise(overview.scores)
    return {
        "overview": overview,
        "commonest": made,
        "costliest": costliest(made),
        "map": _map(made[:ON_THE_MAP]),
        "summary": summary,
        "sentences": statistics.class_sentences(summary),
        "remark": statistics.item_remark,
        "few": statistics.FEW,
        "enough": summary.students >= statistics.FEW,
        "known": math.isfinite,
        "interval": interval_text,
        "students_of": lambda each: [overview.rows[row] for row in each.by],
        "cell": status_cell,
        "script": SCRIPT,
        "script_digest": base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode(),
    }


def interval_text(of: Interval) -> str:
    """Return “0.12 to 0.40”; empty if it is not known."""
    low, high = of
    if not math.isfinite(low):
        return ""
    return f"{low:.2f} to {high:.2f}".replace("-", "−")


def status_cell(row: Row, exercise: str) -> str:
    """Return what is in the table for one exercise besides points: a status."""
    if exercise in row.excused:
        return "excused"
    status = row.statuses[exercise]
    return "" if status == "graded" else status


def _map(made: list[MistakeCount]) -> dict[str, Any]:
    """Return mistakes as rows, students as columns; dark places as steps of an SVG path."""
    order = students_by_mistakes(made)
    column = {row: number for number, row in enumerate(order)}
    rows = []
    for each in made:
        places = sorted(column[row] for row in each.by)
        rows.append({"made": each, "path": "".join(boxes(places))})
    return {"students": len(order), "rows": rows}


def boxes(places: list[int]) -> list[str]:
    """Return steps of an SVG path that fill some places of a row; neighbours share a box."""
    boxes: list[str] = []
    start = 0
    for end in range(1, len(places) + 1):
        if end == len(places) or places[end] != places[end - 1] + 1:
            width = places[end - 1] - places[start] + 1
            boxes.append(f"M{places[start]} 0h{width}v1h-{width}z")
            start = end
    return boxes
