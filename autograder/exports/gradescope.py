"""Gradescope: a `results.json` for each submission, in a zip by the names of its export."""

from collections.abc import Sequence
from typing import Any

import msgspec

from autograder.course import HintPolicy
from autograder.exports.grades import name_of, said_of
from autograder.exports.zipped import zipped
from autograder.report.model import CheckReport, ExerciseReport, Report
from autograder.report.redact import for_student
from autograder.report.terminal import check_lines
from autograder.report.wrap import plain
from autograder.text import number

RESULTS = "results.json"
MAX_OUTPUT = 20_000  # characters of one check


def results_of(report: Report, policy: HintPolicy) -> dict[str, Any]:
    """A student's results in Gradescope's form, with what the course's policy lets them see."""
    shown = for_student(report, policy)
    tests = [
        _test(f"{at}.{place}", exercise, check)
        for at, exercise in enumerate(shown.exercises, start=1)
        for place, check in enumerate(exercise.checks, start=1)
    ]
    lines = [f"{exercise.title}: {_points(exercise)}" for exercise in shown.exercises]
    lines += shown.changes
    return {
        "score": shown.points,
        "output": "\n".join((*lines, *shown.notes)),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {"status": shown.status, "grader": shown.grader.digest},
    }


def _points(exercise: ExerciseReport) -> str:
    if exercise.excused:
        return "excused"
    return f"{number(exercise.points)} of {number(exercise.max_points)}"


def _test(place: str, exercise: ExerciseReport, check: CheckReport) -> dict[str, Any]:
    lines = list(check_lines(check, with_values=True, said=set()))[1:]
    return {
        "number": place,
        "name": f"{exercise.title}: {check.title}",
        "name_format": "text",
        "score": check.points,
        "max_score": check.max_points,
        "status": "passed" if check.outcome == "passed" else "failed",
        "output": "\n".join(plain(line).strip() for line in lines)[:MAX_OUTPUT],
        "output_format": "text",
        "visibility": "visible",
    }


def results_zip(reports: Sequence[Report], policy: HintPolicy) -> tuple[bytes, list[str]]:
    """A zip with a `results.json` for each submission; who has none is named."""
    others: list[str] = []
    files: dict[str, bytes] = {}
    for report in reports:
        hand_in = report.hand_in
        if hand_in is None or hand_in.platform != "gradescope" or not hand_in.entries:
            others.append(name_of(report))
            continue
        path = f"{hand_in.entries[0]}/{RESULTS}"
        if path not in files:  # the members of a group have the same
            text = msgspec.json.format(msgspec.json.encode(results_of(report, policy)), indent=1)
            files[path] = text + b"\n"
    notes = said_of("Without a submission on Gradescope, so not in the zip", others)
    return zipped(files.items()), notes
