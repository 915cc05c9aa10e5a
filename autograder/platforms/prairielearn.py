"""External grader for PrairieLearn: a question for each exercise, and one grader.

The grader is in `serverFilesCourse`, which students do not see. PrairieLearn copies this folder to
`/grade/serverFilesCourse`. A student's files are in `/grade/student`. The results, up to 1 MB, go
to `/grade/results/results.json`.
"""

import base64
import html
import itertools
import sys
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from autograder.course.course_file import Course, Exercise, HiddenChecks, HintPolicy
from autograder.course.files import write_atomically
from autograder.platforms.bundle import Files, bundle, template
from autograder.platforms.grade_one import grade_one, packaged_course, packaged_job
from autograder.report.html import check_text, first_line
from autograder.report.model import CheckReport, ExerciseReport, Report
from autograder.report.picture import picture_of
from autograder.report.redaction import by_policy, for_student

SHARED = "serverFilesCourse/autograder"
MOST = 1_000_000  # bytes of the results
CUTS = (20_000, 2_000, 200)  # characters of a test's output, tried in order until all fit
MAX_PICTURES = 3
MOST_SECONDS = 600
OTHER_SECONDS = 120  # to start, and to search for a repair
NOT_GRADED = {"missing", "not loaded", "needs a person"}
NAMES = uuid.UUID("6f1c1b52-5d0c-5a43-9a55-0e6f3a3b7d10")


def package(
    course: Course, exercises: Sequence[Exercise], index: str | None = None, repairs: bool = True
) -> Files:
    shared = bundle(course, exercises, repairs)
    shared["run.sh"] = template("prairielearn_run.sh")
    option = f"--extra-index-url '{index}' " if index else ""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    shared["Dockerfile"] = template("prairielearn.Dockerfile", INDEX=option, PYTHON=version)
    files = {f"{SHARED}/{path}": data for path, data in shared.items()}
    for exercise in exercises:
        name, folder = exercise.name, f"questions/{exercise.name}"
        seconds = min(MOST_SECONDS, course.limits(exercise).total_seconds + OTHER_SECONDS)
        about = {
            "UUID": str(uuid.uuid5(NAMES, f"{course.title}\0{name}")),
            "TITLE": exercise.title,
            "TOPIC": course.title,
            "ENTRYPOINT": f"/grade/{SHARED}/run.sh {name}",
            "SECONDS": int(seconds),
        }
        info = {key: msgspec.json.encode(value).decode() for key, value in about.items()}
        files[f"{folder}/info.json"] = template("prairielearn_info.json", **info)
        names = {"NAME": html.escape(name), "TITLE": html.escape(exercise.title)}
        files[f"{folder}/question.html"] = template("prairielearn_question.html", **names)
        stub = course.handed_out / f"{name}.py"
        if stub.is_file():
            files[f"{folder}/clientFilesQuestion/{name}.py"] = stub.read_bytes()
    return files


def run(root: Path, exercise: Path) -> None:
    course = packaged_course(root / SHARED)
    exercises, repairs = [course.exercise(exercise.name)], packaged_job(root / SHARED).repairs
    report = grade_one(course, exercises, root / "student", repairs=repairs)
    data = encoded(report, course.content.hints, course.hidden_checks)
    (root / "results").mkdir(exist_ok=True)
    write_atomically(root / "results" / "results.json", data)


def encoded(
    report: Report, policy: HintPolicy, hidden: Callable[[str], HiddenChecks] = by_policy
) -> bytes:
    """Return the results of a report on one exercise as JSON, cut to the allowed size."""
    shown = for_student(report, policy, hidden=hidden).exercises[0]
    drawn = ((check.name, picture_of(check)) for check in shown.checks)
    of_failures = ((name, picture) for name, picture in drawn if picture is not None)
    pictures = dict(itertools.islice(of_failures, MAX_PICTURES))
    for cut in CUTS:
        for kept in (pictures, {}):
            data = msgspec.json.encode(_results(shown, shown.notes, kept, cut))
            if len(data) <= MOST:
                return data
    return msgspec.json.encode(_results(shown, (), {}, 0))


def _results(
    shown: ExerciseReport, notes: Sequence[str], pictures: dict[str, bytes], cut: int
) -> dict[str, Any]:
    """Return the results of an exercise in PrairieLearn's format.

    A file is "not gradable" if it cannot be loaded, or if a person must look at it. This costs no
    attempt.
    """
    if shown.status in NOT_GRADED:
        reason = shown.reason or shown.status
        return {"gradable": False, "format_errors": [reason[:cut] if cut else shown.status]}
    score = shown.points / shown.max_points if shown.max_points else 0.0
    return {
        "gradable": True,
        "score": round(min(1.0, max(0.0, score)), 4),
        "message": (shown.repair.said if shown.repair else shown.reason)[:cut],
        "output": "\n".join((*notes, shown.printed))[:cut],
        "images": [],
        "tests": [_test(check, pictures.get(check.name), cut) for check in shown.checks],
    }


def _test(check: CheckReport, picture: bytes | None, cut: int) -> dict[str, Any]:
    test = {
        "name": check.title,
        "description": "",
        "points": check.points,
        "max_points": check.max_points,
        "message": (check.note or first_line(check))[:cut],
        "output": check_text(check)[:cut],
    }
    if picture is not None:
        data = base64.b64encode(picture).decode("ascii")
        label = "Yours, expected, and the difference"
        test["images"] = [{"label": label, "url": f"data:image/png;base64,{data}"}]
    return test
