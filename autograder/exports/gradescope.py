"""Gradescope: a `results.json` for each submission, in a zip by the names of its export."""

from collections.abc import Sequence
from typing import Any

import msgspec

from autograder.course import HintPolicy
from autograder.exports.grades import name_of, said_of
from autograder.exports.zipped import zipped
from autograder.report.check_text import check_html
from autograder.report.model import CheckReport, ExerciseReport, Report
from autograder.report.redact import for_student
from autograder.text import number

RESULTS = "results.json"
MAX_NAME = 300


def results_of(report: Report, policy: HintPolicy) -> dict[str, Any]:
    """A student's results in Gradescope's form, with what the course's policy lets them see.

    In an exam, what the checks that do not show themselves gave is one number for each exercise,
    shown when the grades are published; until then Gradescope holds the total back, too.
    """
    shown = for_student(report, policy)
    tests = []
    for at, (exercise, full) in enumerate(
        zip(shown.exercises, report.exercises, strict=True), start=1
    ):
        tests += [
            _test(f"{at}.{place}", exercise, check)
            for place, check in enumerate(exercise.checks, start=1)
        ]
        if len(exercise.checks) < len(full.checks):
            tests.append(_held_back(f"{at}.{len(exercise.checks) + 1}", full, exercise))
        if not full.checks:
            tests.append(_not_checked(str(at), exercise))
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
    if exercise.status == "by hand":
        return f"a person gives its {number(exercise.max_points)} points"
    return f"{number(exercise.points)} of {number(exercise.max_points)}"


def _test(place: str, exercise: ExerciseReport, check: CheckReport) -> dict[str, Any]:
    scored = {"score": check.points, "max_score": check.max_points} if check.max_points else {}
    return {
        "number": place,
        "name": f"{exercise.title}: {check.title}"[:MAX_NAME],
        "name_format": "text",
        **scored,
        "status": "passed" if check.outcome == "passed" else "failed",
        "output": check_html(check),
        "output_format": "html",
        "visibility": "visible",
    }


def _held_back(place: str, full: ExerciseReport, shown: ExerciseReport) -> dict[str, Any]:
    """In an exam, what an exercise's hidden checks gave together."""
    most = full.max_points - sum(check.max_points for check in shown.checks)
    points = full.points - sum(check.points for check in shown.checks)
    return {
        "number": place,
        "name": f"{shown.title}: checks that do not show themselves"[:MAX_NAME],
        "name_format": "text",
        "score": round(points, 2),
        "max_score": round(most, 2),
        "output": "",
        "output_format": "text",
        "visibility": "after_published",
    }


def _not_checked(place: str, exercise: ExerciseReport) -> dict[str, Any]:
    """An exercise of which no check could run, with why: so that no 0 is without a word."""
    return {
        "number": place,
        "name": exercise.title[:MAX_NAME],
        "name_format": "text",
        "score": exercise.points,
        "max_score": exercise.max_points,
        "status": "failed",
        "output": exercise.reason or exercise.status,
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
