"""A summary in Markdown, as a job of continuous integration shows beside its log."""

import html
import re
from collections.abc import Sequence

from autograder.report.ci.case import CheckCase, Shown, cases_of, heading
from autograder.text import number, one_line

MARKS = {"passed": "✓", "failed": "✗", "error": "✗", "skipped": "–"}
MOST = 900_000  # bytes; GitHub takes 1 MiB of a step
_SIGNS = re.compile(r"([\\`*_{}\[\]()#+.!|~-])")
_FENCE = re.compile(r"`{3,}")
CUT = "\n\nThe rest has no room here.\n"


def summary(shown: Sequence[Shown]) -> bytes:
    """Points by exercise, then what to act on in each; nothing in it acts as HTML or a link."""
    lines = [f"## {_plain(heading(shown))}", "", "| exercise | points | |", "|---|--:|---|"]
    found = [(each, cases_of(each)) for each in shown]
    for each, cases in found:
        exercise = each.exercise
        points = f"{number(exercise.points)} / {number(exercise.max_points)}"
        first = next((c for c in cases if c.state in {"failed", "error"}), None)
        said = _plain(first.message) if first else ""
        lines.append(f"| {_plain(each.title)} | {points} | {said} |")
    for each, cases in found:
        lines += _exercise(each, cases)
    data = ("\n".join(lines) + "\n").encode()
    return data if len(data) <= MOST else data[:MOST].rpartition(b"\n## ")[0] + CUT.encode()


def _exercise(shown: Shown, cases: Sequence[CheckCase]) -> list[str]:
    lines = ["", f"## {_plain(shown.title)}", ""]
    for case in cases:
        points = f" ({number(case.points)}/{number(case.max_points)})" if case.max_points else ""
        lines.append(f"- {MARKS[case.state]} {_plain(case.name)}{points}")
    first = next((case for case in cases if case.state in {"failed", "error"}), None)
    if first is not None and first.details:
        where = f", line {first.line}" if first.line else ""
        lines += ["", f"**{_plain(first.name)}**{where}", "", *_block(first.details)]
    if shown.exercise.repair is not None:
        lines += ["", _plain(shown.exercise.repair.said)]
    return lines


def _block(text: str) -> list[str]:
    """Text as it is, in a fence that is longer than any in it."""
    longest = max((len(found) for found in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return [f"{fence}text", text, fence]


def _plain(text: str) -> str:
    """A line that Markdown shows as it is."""
    return html.escape(_SIGNS.sub(r"\\\1", one_line(text, 500)), quote=False).replace("@", "&#64;")
