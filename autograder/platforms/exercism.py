"""Exercism's test runner: an image's folder, and results by version 3 of its interface.

The image lies in `/opt/test-runner`. Its `bin/run.sh` gets the exercise's slug, the folder of the
solution and that of the results, and has 20 seconds.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from autograder.course.course_file import FILE_NAME, Course, Exercise, HintPolicy, Limits
from autograder.course.errors import UserError
from autograder.course.files import write_atomically
from autograder.course.text import nearest
from autograder.platforms.bundle import COURSE, Files, bundle, template
from autograder.platforms.grade_one import grade_one, opened
from autograder.report.html import check_text, first_line
from autograder.report.model import CheckReport, ExerciseReport, Report
from autograder.report.redaction import for_student

PLATFORM = "exercism"
SECONDS = 14.0  # of the 20, for the student's code
MAX_MESSAGE = 60_000  # of 65,535 bytes at most, some characters taking several
MAX_OUTPUT = 500
CUT = "\nOutput was cut at 500 characters."
HIDDEN, NOT_SHOWN = "Checks that do not show themselves", "They say no more than this."
STOPPED = {"timed out", "crashed", "error", "not run"}


def package(course: Course, exercises: Sequence[Exercise], index: str | None = None) -> Files:
    """What the image is built from; `index` is where pip looks for builds of torch."""
    found = bundle(course, exercises, PLATFORM)
    found[f"{COURSE}/{FILE_NAME}"] = _within(course, SECONDS)
    option = f"--extra-index-url '{index}' " if index else ""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    found["Dockerfile"] = template("exercism.Dockerfile", INDEX=option, PYTHON=version)
    found["bin/run.sh"] = template("exercism_run.sh")
    return found


def _within(course: Course, seconds: float) -> bytes:
    """A `course.yml` with limits under which an exercise is graded in so many seconds."""

    def least(limits: Limits) -> Limits:
        return msgspec.structs.replace(
            limits,
            load_seconds=min(limits.load_seconds, seconds / 2),
            call_seconds=min(limits.call_seconds, seconds / 2),
            total_seconds=min(limits.total_seconds, seconds),
        )

    content = course.content
    exercises = tuple(
        msgspec.structs.replace(each, limits=least(each.limits) if each.limits else None)
        for each in content.exercises
    )
    shorter = msgspec.structs.replace(content, exercises=exercises, limits=least(content.limits))
    return msgspec.yaml.encode(shorter)


def run(place: Path, slug: Path, solution: Path, output: Path) -> None:
    """Grade a solution, and write its results.

    Raises:
        UserError: it cannot be graded here, or no exercise has that slug.
    """
    package = opened(place)
    course = package.course
    names = {slug_of(name): name for name in package.job.exercises}
    if slug.name not in names:
        near = nearest(slug.name, names)
        meant = f" Did you mean {near}?" if near else ""
        raise UserError(f"No exercise has the slug {slug.name}.{meant} Known: {', '.join(names)}.")
    report = grade_one(course, [course.exercise(names[slug.name])], solution)
    results = results_of(report, course.content.hints)
    data = msgspec.json.format(msgspec.json.encode(results), indent=2)
    write_atomically(output / "results.json", data + b"\n")


def slug_of(name: str) -> str:
    """An exercise's name as Exercism spells such."""
    return name.lower().replace("_", "-")


def results_of(report: Report, policy: HintPolicy) -> dict[str, Any]:
    """The results of a report on one exercise.

    The whole is an error only where nothing was tested. What a file prints on the whole stands
    with the first check that failed, which is the one that students are shown.
    """
    shown = for_student(report, policy).exercises[0]
    ran = any(check.outcome in {"passed", "failed"} for check in shown.checks)
    if shown.status == "not loaded" or not ran:
        return {"version": 3, "status": "error", "message": _why(shown), "tests": []}
    failed = next((check for check in shown.checks if check.outcome != "passed"), None)
    about = failed or shown.checks[0]
    tests = [_test(check, shown.printed if check is about else "") for check in shown.checks]
    tests += _held_back(report.exercises[0])[: policy == "exam"]
    passed = all(test["status"] == "pass" for test in tests)
    return {
        "version": 3,
        "status": "pass" if passed else "fail",
        "message": None,
        "tests": tests,
    }


def _held_back(full: ExerciseReport) -> list[dict[str, Any]]:
    """What the checks that do not show themselves gave together, where there are any."""
    hidden = [check for check in full.checks if check.hidden]
    failed = any(check.outcome != "passed" for check in hidden)
    test = {"name": HIDDEN, "status": "fail" if failed else "pass"}
    return [test | ({"message": NOT_SHOWN} if failed else {})] if hidden else []


def _why(shown: ExerciseReport) -> str:
    """Why nothing was tested."""
    said = [shown.reason, *shown.notes]
    said += [first_line(check) for check in shown.checks if check.outcome != "not run"]
    told = list(dict.fromkeys(filter(None, said))) or [shown.status]
    return "\n".join(told).encode()[:MAX_MESSAGE].decode(errors="ignore")


def _test(check: CheckReport, printed: str) -> dict[str, Any]:
    passed = check.outcome == "passed"
    test: dict[str, Any] = {
        "name": check.title,
        "status": "pass" if passed else "error" if check.outcome in STOPPED else "fail",
    }
    if not passed:
        test["message"] = check_text(check) or first_line(check)
    if check.evidence is not None and check.evidence.call:
        test["test_code"] = check.evidence.call
    if printed.strip():
        short = printed[: MAX_OUTPUT - len(CUT)] + CUT
        test["output"] = printed if len(printed) <= MAX_OUTPUT else short
    return test
