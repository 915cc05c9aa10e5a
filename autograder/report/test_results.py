"""Reports as test results: GitHub annotations, a summary in Markdown, JUnit."""

import ast
import contextlib
import html
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.course.text import number, one_line, several
from autograder.report.html import check_text, first_line
from autograder.report.model import CheckReport, ExerciseReport
from autograder.report.presentation import shown_outcome
from autograder.report.terminal import score
from autograder.submission.read import UnreadableFile, read_text
from autograder.submission.source import MAX_SOURCE

STATES = {"timed out": "error", "crashed": "error", "not run": "skipped"}  # else the outcome
BAD = {"failed", "error"}
MAX_ANNOTATIONS = 10  # GitHub shows no more for one step
SUMMARY_MARKS = {  # by the state of a case
    "passed": "✓",
    "follow-through": "→ follow-through:",
    "failed": "✗",
    "error": "✗",
    "skipped": "–",
    "graded when handed in": "○ graded when handed in:",
}
JUNIT_ELEMENTS = {"failed": "failure", "graded when handed in": "skipped"}
MAX_SUMMARY = 900_000  # bytes; GitHub accepts 1 MiB from one step
CUT = "\n\nThe rest has no room here.\n"
_SIGNS = re.compile(r"([\\`*_{}\[\]()#+.!|~-])")
_FENCE = re.compile(r"`{3,}")
# Characters that XML 1.0 cannot contain.
_FORBIDDEN = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class ShownExercise(msgspec.Struct, frozen=True):
    """Visible parts of an exercise, with the path of the student's file, and its `text`."""

    exercise: ExerciseReport
    path: str = ""
    text: str = ""
    student: str = ""  # set in results on several students

    @property
    def title(self) -> str:
        name = self.exercise.name
        return f"{self.student}: {name}" if self.student else name


class CheckCase(msgspec.Struct, frozen=True):
    """Check as a test case, or the reason why no check was run. Line numbers begin with 1."""

    name: str
    state: str  # a key of `SUMMARY_MARKS`
    points: float
    max_points: float
    message: str = ""
    details: str = ""
    line: int | None = None


def with_text(exercise: ExerciseReport, file: Path, place: str) -> ShownExercise:
    """Return an exercise with its file's text, which is empty if the file is unreadable."""
    text = ""
    with contextlib.suppress(UnreadableFile):
        text = read_text(file, MAX_SOURCE)
    return ShownExercise(exercise, place, text)


def cases_of(shown: ShownExercise) -> list[CheckCase]:
    exercise = shown.exercise
    if not exercise.checks:
        is_harmless = exercise.status == "missing" or exercise.excused
        state = "skipped" if is_harmless else "error"
        points = exercise.points, exercise.max_points
        reason = exercise.reason or exercise.status
        return [CheckCase(exercise.title, state, *points, reason, reason)]
    return [
        CheckCase(
            name=check.title,
            state=STATES.get(shown_outcome(check), shown_outcome(check)),
            points=check.points,
            max_points=check.max_points,
            message=first_line(check),
            details=check_text(check) if check.outcome != "passed" else "",
            line=_line(check, shown) if check.outcome != "passed" else None,
        )
        for check in exercise.checks
    ]


def _line(check: CheckReport, shown: ShownExercise) -> int | None:
    """Return the line in which a check failed, or else the line of the function."""
    if not shown.path.endswith(".py"):
        return None  # lines of a cell are not lines of the notebook file
    if check.place is not None and check.place.file == shown.exercise.file:
        return check.place.line
    function = check.diagnosis.function if check.diagnosis is not None else ""
    called = check.evidence.call if check.evidence is not None else ""
    try:
        tree = ast.parse(shown.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    lines = {node.name: node.lineno for node in reversed(tree.body) if isinstance(node, kinds)}
    return lines.get(function, lines.get(called.partition("(")[0].strip()))


def annotations(shown: Sequence[ShownExercise]) -> list[str]:
    """Return GitHub's workflow commands for the first failures, at most one per line."""
    commands: dict[tuple[str, int | None], str] = {}
    for exercise in shown:
        for case in cases_of(exercise):
            if case.state in BAD:
                at = {"file": exercise.path, "line": str(case.line or 1), "title": case.name}
                about = ",".join(
                    f"{key}={_escaped(value).replace(':', '%3A').replace(',', '%2C')}"
                    for key, value in at.items()
                    if value
                )
                command = f"::error {about}::{_escaped(case.message)}"
                commands.setdefault((exercise.path, case.line), command)
    return list(commands.values())[:MAX_ANNOTATIONS]


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def job_summary(shown: Sequence[ShownExercise]) -> bytes:
    """Return a summary in Markdown. It shows a submission's text without HTML and links."""
    points = number(sum(each.exercise.points for each in shown))
    most = number(sum(each.exercise.max_points for each in shown))
    heading = f"{points} of {most} points in {several(len(shown), 'exercise')}"
    if len(shown) == 1:
        heading = f"{shown[0].exercise.title}: {score(shown[0].exercise)}"
    lines = [f"## {_plain(heading)}", "", "| exercise | points | |", "|---|--:|---|"]
    details: list[str] = []
    for each in shown:
        cases = cases_of(each)
        points = f"{number(each.exercise.points)} / {number(each.exercise.max_points)}"
        message = next((_plain(case.message) for case in cases if case.state in BAD), "")
        lines.append(f"| {_plain(each.title)} | {points} | {message} |")
        details += _details(each, cases)
    data = ("\n".join([*lines, *details]) + "\n").encode()
    if len(data) <= MAX_SUMMARY:
        return data
    return data[:MAX_SUMMARY].rpartition(b"\n## ")[0] + CUT.encode()


def _details(shown: ShownExercise, cases: Sequence[CheckCase]) -> list[str]:
    lines = ["", f"## {_plain(shown.title)}", ""]
    for case in cases:
        points = f" ({number(case.points)}/{number(case.max_points)})" if case.max_points else ""
        lines.append(f"- {SUMMARY_MARKS[case.state]} {_plain(case.name)}{points}")
    first = next((case for case in cases if case.state in BAD), None)
    if first is not None and first.details:
        where = f", line {first.line}" if first.line else ""
        fence = "`" * (max((len(ticks) for ticks in _FENCE.findall(first.details)), default=2) + 1)
        lines += ["", f"**{_plain(first.name)}**{where}", "", f"{fence}text", first.details, fence]
    if shown.exercise.repair is not None:
        lines += ["", _plain(shown.exercise.repair.said)]
    return lines


def _plain(text: str) -> str:
    return html.escape(_SIGNS.sub(r"\\\1", one_line(text, 500)), quote=False).replace("@", "&#64;")


def junit(shown: Sequence[ShownExercise]) -> bytes:
    """Return the report as JUnit XML, with a suite for each exercise and a case for each check."""
    suites = [(exercise, cases_of(exercise)) for exercise in shown]
    whole = [case for _, cases in suites for case in cases]
    root = ET.Element("testsuites", _counted("autograder", whole))
    for exercise, cases in suites:
        suite = ET.SubElement(root, "testsuite", _counted(exercise.title, cases))
        properties = ET.SubElement(suite, "properties")
        result = exercise.exercise
        for name, value in (("points", result.points), ("maximum", result.max_points)):
            ET.SubElement(properties, "property", {"name": name, "value": number(value)})
        for case in cases:
            about = {"name": case.name, "classname": exercise.title, "file": exercise.path}
            about["line"] = "" if case.line is None else str(case.line)
            kept = {name: _clean(value) for name, value in about.items() if value}
            element = ET.SubElement(suite, "testcase", kept)
            if case.state not in {"passed", "follow-through"}:
                kind = JUNIT_ELEMENTS.get(case.state, case.state)
                outcome = ET.SubElement(element, kind, {"message": _clean(case.message)})
                if case.state != "skipped":
                    outcome.set("type", case.state)
                if kind != "skipped":
                    outcome.text = _clean(case.details)
    ET.indent(root)
    text: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _counted(name: str, cases: Sequence[CheckCase]) -> dict[str, str]:
    count = Counter(case.state for case in cases)
    return {
        "name": _clean(name),
        "tests": str(len(cases)),
        "failures": str(count["failed"]),
        "errors": str(count["error"]),
        "skipped": str(count["skipped"] + count["graded when handed in"]),
    }


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("�", text)
