"""Autograder for Classroom 50: a bundle with a released kit, and `result.json` in schema v1.

Everybody can read bundles. So a bundle contains a student kit, and never a course with solutions.
The bundle's `autograder.py` runs in the student's checkout.
"""

import io
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from autograder.checks.recorded_answers import released_points
from autograder.course.course_file import FILE_NAME, Course, Exercise, load_course
from autograder.course.errors import UserError
from autograder.course.files import write_atomically
from autograder.platforms.bundle import Files, engine_files, files_below, job_files, template
from autograder.platforms.grade_one import packaged_job
from autograder.report.html import check_text, first_line
from autograder.report.model import ExerciseReport, Report
from autograder.report.test_results import job_summary, with_text
from autograder.submission.source import SUFFIXES

SCHEMA = "classroom50/result/v1"
KIT = "kit"
MAX_BYTES = 10 * 1024 * 1024  # the largest size of a packed bundle
JUDGED = {"passed", "failed", "not run", "timed out", "crashed", "error"}
FACTORS = (1, 2, 4, 5, 10, 20, 50, 100)
MAX_SECONDS = 1800
TRIVIAL = 200  # bytes; smaller files may be equal by chance
Released = Mapping[str, float] | None


def package(
    course: Course,
    exercises: Sequence[Exercise],
    assignment: str,
    kit: Path | None,
    repairs: bool = True,
) -> Files:
    """Return the files for `CLASSROOM/autograders/ASSIGNMENT/`."""
    if kit is None:
        raise UserError(
            "Classroom 50 publishes its bundles, so they must not contain solutions. Name a "
            "student kit with --kit FOLDER."
        )
    _refuse_answers(course, kit)
    inside = load_course(kit / FILE_NAME).exercises
    exercises = [exercise for exercise in exercises if exercise.name in inside]
    if not exercises:
        raise UserError(f"{kit} has none of these exercises. It has: {', '.join(inside)}.")
    files = dict(engine_files()) | dict(files_below(kit, KIT)) | job_files(exercises, repairs)
    files["autograder.py"] = template("classroom50_autograder.py")
    packed = io.BytesIO()  # as Classroom 50 packs it
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for path, content in files.items():
            about = tarfile.TarInfo(path)
            about.size = len(content)
            tar.addfile(about, io.BytesIO(content))
    size = packed.tell()
    if size > MAX_BYTES:
        raise UserError(
            f"The packed bundle has {size / 2**20:.1f} MiB; Classroom 50 fetches at most "
            f"{MAX_BYTES // 2**20}. Release a kit with only this assignment."
        )
    return {f"autograders/{assignment}/{path}": data for path, data in sorted(files.items())}


def _refuse_answers(course: Course, kit: Path) -> None:
    """Refuse a folder that is not a student kit. Checks prove nothing: kits have them too."""
    course_file = kit / FILE_NAME
    if not course_file.is_file() or load_course(course_file).content.released is None:
        raise UserError(
            f"{kit} is not a student kit. Name a folder that `autograder release` has made."
        )
    checks = course.root / course.content.checks
    answers = {
        path.read_bytes(): path
        for folder in (course.solutions, course.root / course.content.right, *course.grading)
        for path in sorted(folder.rglob("*.py"))
        if path.stat().st_size >= TRIVIAL and checks not in path.parents
    }
    for path in sorted(kit.rglob("*")):
        if path.is_file() and (answer := answers.get(path.read_bytes())):
            raise UserError(
                f"{path} is the same as {answer}, which contains a solution. Name a "
                f"student kit, which contains no solutions."
            )


def run(bundle: Path) -> None:
    """Check the exercises of the current folder, and write `result.json` there."""
    kit, checkout = load_course(bundle / KIT / FILE_NAME), Path.cwd()
    job = packaged_job(bundle)
    exercises = [kit.exercise(name) for name in job.exercises]
    files = {e.name: path for e in exercises if (path := _file_of(checkout, e.name)) is not None}
    report = _checked(bundle, job.repairs, list(files.values())) if files else None
    done = {exercise.name: exercise for exercise in report.exercises} if report else {}
    released = {exercise.name: released_points(kit, exercise) for exercise in exercises}
    result = result_of(exercises, done, os.environ, _committed(checkout), released)
    data = msgspec.json.format(msgspec.json.encode(result), indent=2)
    write_atomically(checkout / "result.json", data + b"\n")
    shown = [
        with_text(exercise, files[name], files[name].relative_to(checkout).as_posix())
        for name, exercise in done.items()
    ]
    body = job_summary(shown) if shown else b"No exercise is begun yet.\n"
    write_atomically(checkout / "release-body.md", body)


def _file_of(checkout: Path, name: str) -> Path | None:
    files = [
        path
        for suffix in SUFFIXES
        for path in checkout.rglob(f"{name}{suffix}")
        if not any(part.startswith(".") for part in path.relative_to(checkout).parts)
        and path.is_file()
    ]
    return min(files, key=lambda p: (len(p.parts), -p.stat().st_mtime, str(p)), default=None)


def _checked(bundle: Path, repairs: bool, files: Sequence[Path]) -> Report:
    command = [sys.executable, "-m", "autograder", "check", "--json"]
    command += ["--repairs" if repairs else "--no-repairs"]
    command += ["--course", str(bundle / KIT), *map(str, files)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=MAX_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise UserError(f"The check took over {MAX_SECONDS} seconds.") from None
    try:
        return msgspec.json.decode(done.stdout, type=Report)
    except msgspec.MsgspecError as error:
        errors = done.stderr.decode(errors="replace").strip()
        raise UserError(f"The check ended without a report. {errors or error}") from None


def result_of(
    exercises: Sequence[Exercise],
    done: Mapping[str, ExerciseReport],
    environment: Mapping[str, str],
    committed: str,
    released: Mapping[str, Released] | None = None,
) -> dict[str, Any]:
    """Return the result in Classroom 50's schema, with whole numbers of points.

    All points are multiplied by the same factor, so that they are whole numbers. A missing exercise
    is a test with 0 points. The maximum is the sum of the points in `released`.
    """
    known = released or {}
    points = [exercise.points for exercise in exercises]
    points += [
        p for report in done.values() for c in report.checks for p in (c.points, c.max_points)
    ]
    points += [p for of_checks in known.values() if of_checks for p in of_checks.values()]
    factor = _factor(points)
    tests: list[dict[str, Any]] = []
    for exercise in exercises:
        tests += _tests(exercise, done.get(exercise.name), factor, known.get(exercise.name))
    commit = environment.get("COMMIT_URL", "")
    return {
        "schema": SCHEMA,
        "classroom": environment.get("CLASSROOM", ""),
        "assignment": environment.get("ASSIGNMENT", ""),
        "assignment_type": environment.get("ASSIGNMENT_TYPE") or "individual",
        "owner": environment.get("OWNER") or environment.get("USERNAME", ""),
        "submission": environment.get("SUBMISSION_TAG", ""),
        "commit": commit,
        "release": environment.get("RELEASE_URL", ""),
        "review": environment.get("REVIEW_URL") or commit,
        "datetime": committed,
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }


def _factor(points: Sequence[float]) -> int:
    whole = (f for f in FACTORS if all(abs(p * f - round(p * f)) < 1e-9 for p in points))
    return next(whole, FACTORS[-1])


def _tests(
    exercise: Exercise, report: ExerciseReport | None, factor: int, released: Released
) -> list[dict[str, Any]]:
    if report is None or not report.checks:
        points = [exercise.points] if released is None else released.values()
        most = sum(round(value * factor) for value in points)
        message = "There is no file for this exercise."
        if report is not None:  # the schema has no status for this
            no_grade = "The 0 is not a grade: a person must look at this work. "
            message = no_grade * (report.status == "needs a person") + report.reason
        none = {"test-name": exercise.title, "passed": False, "score": 0, "max-score": most}
        return [none | {"message": message}]
    tests = []
    repair = report.repair.said if report.repair is not None else ""
    for check in report.checks:
        counts = released is None or check.name in released
        if check.outcome not in JUDGED and (released is None or not counts):
            continue  # the final grading judges these checks
        most = round(check.max_points * factor) if counts else 0
        test: dict[str, Any] = {
            "test-name": f"{exercise.title}: {check.title}",
            "passed": check.outcome == "passed",
            "score": min(most, round(check.points * factor)),
            "max-score": most,
        }
        if check.outcome != "passed":
            message = f"{first_line(check)} {repair}".strip()
            test |= {"message": message, "output": check_text(check)}
            repair = ""  # it is about the whole exercise, so one message has it
            test |= {"hints": list(check.hints)} if check.hints else {}
        tests.append(test)
    return tests


def _committed(checkout: Path) -> str:
    command = ["git", "-c", "safe.directory=*", "-C", str(checkout), "log", "-1", "--format=%ct"]
    try:
        seconds = subprocess.run(command, capture_output=True, timeout=60, check=True).stdout
        when = datetime.fromtimestamp(int(seconds), UTC)
    except (OSError, ValueError, subprocess.SubprocessError):
        when = datetime.now(UTC)
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")
