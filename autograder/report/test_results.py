"""A report as test cases: what every format for test results is made of."""

import ast
import html
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec

from autograder.course.installation import version
from autograder.course.text import number, one_line
from autograder.report.html import check_text, first_line
from autograder.report.model import CheckReport, ExerciseReport
from autograder.report.terminal import score

CaseState = Literal["passed", "failed", "error", "skipped"]
STOPPED = {"timed out", "crashed", "error"}


class ShownExercise(msgspec.Struct, frozen=True):
    """What a student may see of an exercise; `path` is their file, `text` what is in it.

    `student` is whose it is, where there are several.
    """

    exercise: ExerciseReport
    path: str = ""
    text: str = ""
    student: str = ""

    @property
    def title(self) -> str:
        """What its cases stand under."""
        name = self.exercise.name
        return f"{self.student}: {name}" if self.student else name


class CheckCase(msgspec.Struct, frozen=True):
    """A check, or in place of all checks why none was run; `line` is the student's, from 1."""

    name: str
    state: CaseState
    points: float
    max_points: float
    message: str = ""
    details: str = ""
    line: int | None = None


def cases_of(shown: ShownExercise) -> list[CheckCase]:
    """The cases of an exercise, in the order of its checks."""
    exercise = shown.exercise
    found = [
        CheckCase(
            name=check.title,
            state=_state(check),
            points=check.points,
            max_points=check.max_points,
            message=first_line(check),
            details=check_text(check) if check.outcome != "passed" else "",
            line=_line(check, shown) if check.outcome != "passed" else None,
        )
        for check in exercise.checks
    ]
    if found:
        return found
    state: CaseState = "skipped" if exercise.status == "missing" or exercise.excused else "error"
    reason = exercise.reason or exercise.status
    return [CheckCase(exercise.title, state, exercise.points, exercise.max_points, reason, reason)]


def _state(check: CheckReport) -> CaseState:
    if check.outcome == "passed":
        return "passed"
    if check.outcome == "failed":
        return "failed"
    return "error" if check.outcome in STOPPED else "skipped"


def _line(check: CheckReport, shown: ShownExercise) -> int | None:
    """The line that it is about: where it failed, else where the function begins."""
    if not shown.path.endswith(".py"):
        return None  # a line of a cell is none of the notebook's file
    if check.place is not None and check.place.file == shown.exercise.file:
        return check.place.line
    function = check.diagnosis.function if check.diagnosis is not None else ""
    called = check.evidence.call if check.evidence is not None else ""
    names = [function, called.partition("(")[0].strip()]
    return next((line for name in names if name and (line := _defined(name, shown.text))), None)


def _defined(name: str, text: str) -> int | None:
    """The line in which a file defines a function or a class."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return next((n.lineno for n in tree.body if isinstance(n, kinds) and n.name == name), None)


def counts(cases: Iterable[CheckCase]) -> dict[CaseState, int]:
    """How many cases there are in each state."""
    found: dict[CaseState, int] = {"passed": 0, "failed": 0, "error": 0, "skipped": 0}
    for case in cases:
        found[case.state] += 1
    return found


def heading(shown: Sequence[ShownExercise]) -> str:
    """Points in all, or those of the only exercise."""
    if len(shown) == 1:
        return f"{shown[0].exercise.title}: {score(shown[0].exercise)}"
    from autograder.course.text import number, several

    points = sum(each.exercise.points for each in shown)
    most = sum(each.exercise.max_points for each in shown)
    return f"{number(points)} of {number(most)} points in {several(len(shown), 'exercise')}"


# What GitHub shows at a line of the student's file: workflow commands, one a failed check.


MAX_ANNOTATIONS = 10  # of one step; GitHub shows no more


def annotations(shown: Sequence[ShownExercise]) -> list[str]:
    """The commands, each a line of the job's log; the first failures, one line of a file once."""
    found: dict[tuple[str, int | None], str] = {}
    for each in shown:
        for case in cases_of(each):
            if case.state not in {"failed", "error"}:
                continue
            at = {"file": each.path, "line": str(case.line or 1), "title": case.name}
            about = ",".join(f"{key}={_property(value)}" for key, value in at.items() if value)
            found.setdefault((each.path, case.line), f"::error {about}::{_data(case.message)}")
    return list(found.values())[:MAX_ANNOTATIONS]


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# CTRF, the common format of test reports as JSON.


SPEC = "0.0.0"
STATUS: dict[CaseState, str] = {
    "passed": "passed",
    "failed": "failed",
    "error": "failed",
    "skipped": "skipped",
}


def ctrf(shown: Sequence[ShownExercise]) -> bytes:
    """The report. All times in it are 0, so the same work gives the same."""
    found = [(each, case) for each in shown for case in cases_of(each)]
    count = counts(case for _, case in found)
    report = {
        "reportFormat": "CTRF",
        "specVersion": SPEC,
        "generatedBy": "autograder",
        "results": {
            "tool": {"name": "autograder", "version": version()},
            "summary": {
                "tests": len(found),
                "passed": count["passed"],
                "failed": count["failed"] + count["error"],
                "skipped": count["skipped"],
                "pending": 0,
                "other": 0,
                "start": 0,
                "stop": 0,
            },
            "tests": [_test(each, case) for each, case in found],
        },
    }
    return msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n"


def _test(shown: ShownExercise, case: CheckCase) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": case.name,
        "status": STATUS[case.state],
        "duration": 0,
        "suite": [shown.title],
        "rawStatus": case.state,
        "extra": {"points": case.points, "maximum": case.max_points},
    }
    optional = {
        "message": case.message,
        "trace": case.details,
        "filePath": shown.path,
        "line": case.line,
    }
    return test | {name: value for name, value in optional.items() if value}


# A summary in Markdown, as a job of continuous integration shows beside its log.


SUMMARY_MARKS = {"passed": "✓", "failed": "✗", "error": "✗", "skipped": "–"}
MAX_SUMMARY = 900_000  # bytes; GitHub takes 1 MiB of a step
_SIGNS = re.compile(r"([\\`*_{}\[\]()#+.!|~-])")
_FENCE = re.compile(r"`{3,}")
CUT = "\n\nThe rest has no room here.\n"


def job_summary(shown: Sequence[ShownExercise]) -> bytes:
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
    return (
        data
        if len(data) <= MAX_SUMMARY
        else data[:MAX_SUMMARY].rpartition(b"\n## ")[0] + CUT.encode()
    )


def _exercise(shown: ShownExercise, cases: Sequence[CheckCase]) -> list[str]:
    lines = ["", f"## {_plain(shown.title)}", ""]
    for case in cases:
        points = f" ({number(case.points)}/{number(case.max_points)})" if case.max_points else ""
        lines.append(f"- {SUMMARY_MARKS[case.state]} {_plain(case.name)}{points}")
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


# JUnit's XML, which nearly every test dashboard reads.


# What XML 1.0 has no way to write.
_FORBIDDEN = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(shown: Sequence[ShownExercise]) -> bytes:
    """A suite an exercise, a case a check. There are no times, so the same work gives the same."""
    suites = [(each, cases_of(each)) for each in shown]
    root = ET.Element("testsuites", _counted("autograder", [c for _, cs in suites for c in cs]))
    for each, cases in suites:
        suite = ET.SubElement(root, "testsuite", _counted(each.title, cases))
        given = {"points": each.exercise.points, "maximum": each.exercise.max_points}
        properties = ET.SubElement(suite, "properties")
        for name, value in given.items():
            ET.SubElement(properties, "property", {"name": name, "value": number(value)})
        for case in cases:
            _add(suite, each, case)
    ET.indent(root)
    text: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _counted(name: str, cases: Sequence[CheckCase]) -> dict[str, str]:
    count = counts(cases)
    return {
        "name": _clean(name),
        "tests": str(len(cases)),
        "failures": str(count["failed"]),
        "errors": str(count["error"]),
        "skipped": str(count["skipped"]),
    }


def _add(suite: ET.Element, shown: ShownExercise, case: CheckCase) -> None:
    about = {"name": _clean(case.name), "classname": _clean(shown.title)}
    if shown.path:
        about["file"] = _clean(shown.path)
    if case.line is not None:
        about["line"] = str(case.line)
    element = ET.SubElement(suite, "testcase", about)
    if case.state == "passed":
        return
    kind = {"failed": "failure", "error": "error", "skipped": "skipped"}[case.state]
    inner = ET.SubElement(element, kind, {"message": _clean(case.message)})
    if case.state != "skipped":
        inner.set("type", case.state)
        inner.text = _clean(case.details)


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("�", text)
