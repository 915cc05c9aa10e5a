"""Classroom 50's autograder: a bundle with a released kit, and `result.json` by its schema v1.

Bundles are publicly readable. So nothing but a kit that students may have goes in: no course with
answers is ever packed. The bundle's `autograder.py` runs in the student's checkout.
"""

import contextlib
import hashlib
import io
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from autograder.checks.recorded_answers import released_points
from autograder.course.course_file import FILE_NAME, Course, Exercise, load_course
from autograder.course.errors import UserError
from autograder.course.files import write_atomically
from autograder.platforms.bundle import (
    JOB,
    REQUIREMENTS,
    Files,
    PackagedJob,
    engine_files,
    files_below,
    requirements,
    template,
)
from autograder.platforms.grade_one import read_job
from autograder.report.html import check_text, first_line
from autograder.report.model import ExerciseReport, Report
from autograder.report.test_results import ShownExercise, job_summary
from autograder.submission.read import UnreadableFile, read_text
from autograder.submission.source import MAX_SOURCE, SUFFIXES

PLATFORM = "classroom50"
SCHEMA = "classroom50/result/v1"
KIT = "kit"
MOST = 10 * 1024 * 1024  # bytes of a bundle, packed
TOLD = {"passed", "failed", "not run", "timed out", "crashed", "error"}
FACTORS = (1, 2, 4, 5, 10, 20, 50)
FINEST = 100
MOST_SECONDS = 1800
Told = Mapping[str, float] | None
TRIVIAL = 200  # bytes, below which two files may well be the same


def package(
    course: Course, exercises: Sequence[Exercise], assignment: str, kit: Path | None
) -> Files:
    """The files for `CLASSROOM/autograders/ASSIGNMENT/`.

    Raises:
        UserError: there is no released kit, or it has an answer in it.
    """
    if kit is None:
        raise UserError(
            "Classroom 50 publishes its bundles, so only a kit without answers may go in: name "
            "one with --kit FOLDER."
        )
    refuse_answers(course, kit)
    inside = load_course(kit / FILE_NAME).exercises
    exercises = [exercise for exercise in exercises if exercise.name in inside]
    if not exercises:
        raise UserError(f"{kit} has none of these exercises; it has {', '.join(inside)}.")
    job = PackagedJob(PLATFORM, tuple(exercise.name for exercise in exercises), course.content.seed)
    found = dict(engine_files()) | dict(files_below(kit, KIT))
    found[JOB] = msgspec.json.format(msgspec.json.encode(job), indent=1) + b"\n"
    found[REQUIREMENTS] = "".join(f"{line}\n" for line in requirements(exercises)).encode()
    found["autograder.py"] = template("classroom50_autograder.py")
    size = packed_size(found)
    if size > MOST:
        raise UserError(
            f"Packed, the bundle has {size / 2**20:.1f} MiB; Classroom 50 fetches at most "
            f"{MOST // 2**20}. Release a kit of this assignment alone."
        )
    return {f"autograders/{assignment}/{path}": data for path, data in sorted(found.items())}


def packed_size(files: Files) -> int:
    """How large a bundle is, packed as Classroom 50 packs it."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for path, content in files.items():
            about = tarfile.TarInfo(path)
            about.size = len(content)
            tar.addfile(about, io.BytesIO(content))
    return data.tell()


def refuse_answers(course: Course, kit: Path) -> None:
    """See that a folder is a kit that students may have.

    Raises:
        UserError: it is no kit, it is the course itself, or an answer of the course is in it.
    """
    made = kit / FILE_NAME
    if not made.is_file() or load_course(made).content.released is None:
        raise UserError(
            f"{kit} is no released kit: name a folder that `autograder release` has made."
        )
    answers = {_digest(path): path for path in _answers(course)}
    for path in sorted(kit.rglob("*")):
        if path.is_file() and (found := answers.get(_digest(path))):
            raise UserError(
                f"{path} is the same as {found}, which holds answers. Name a released kit, which "
                f"has none."
            )


def _answers(course: Course) -> Iterator[Path]:
    """The files that hold answers: solutions in any style, and all that grading knows.

    Checks are not among them: what is hidden of them, a release has left out itself.
    """
    checks = course.root / course.content.checks
    for folder in (course.solutions, course.root / course.content.right, *course.grading):
        for path in sorted(folder.rglob("*.py")):
            if path.stat().st_size >= TRIVIAL and checks not in path.parents:
                yield path


def _digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def run(bundle: Path) -> None:
    """Check the exercises of the checkout that this runs in, and write `result.json` beside them.

    Raises:
        UserError: nothing could be checked; Classroom 50 then says that the grading failed.
    """
    job, kit, checkout = read_job(bundle), load_course(bundle / KIT / FILE_NAME), Path.cwd()
    exercises = [kit.exercise(name) for name in job.exercises]
    found = {each.name: _file_of(checkout, each.name) for each in exercises}
    files = {name: path for name, path in found.items() if path is not None}
    report = _checked(bundle, list(files.values())) if files else None
    done = {each.name: each for each in report.exercises} if report is not None else {}
    told = {each.name: released_points(kit, each) for each in exercises}
    result = result_of(exercises, done, os.environ, _committed(checkout), told)
    data = msgspec.json.format(msgspec.json.encode(result), indent=2)
    write_atomically(checkout / "result.json", data + b"\n")
    shown = [_shown(each, files.get(name), checkout) for name, each in done.items()]
    body = job_summary(shown) if shown else b"Nothing is begun yet.\n"
    write_atomically(checkout / "release-body.md", body)


def _shown(report: ExerciseReport, path: Path | None, checkout: Path) -> ShownExercise:
    """A report with its file, so that lines can be named."""
    text = ""
    if path is not None:
        with contextlib.suppress(UnreadableFile):
            text = read_text(path, MAX_SOURCE)
    return ShownExercise(report, path.relative_to(checkout).as_posix() if path else "", text)


def _file_of(checkout: Path, name: str) -> Path | None:
    """A student's file for an exercise: the nearest to the top, and of two there the newer."""
    found = [
        path
        for suffix in SUFFIXES
        for path in checkout.rglob(f"{name}{suffix}")
        if not any(part.startswith(".") for part in path.relative_to(checkout).parts)
        and path.is_file()
    ]
    return min(found, key=lambda p: (len(p.parts), -p.stat().st_mtime, str(p)), default=None)


def _checked(bundle: Path, files: Sequence[Path]) -> Report:
    """What a check in the kit says of some files: all that their student would see."""
    command = [sys.executable, "-m", "autograder", "check", "--json", "--course"]
    command += [str(bundle / KIT), *map(str, files)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=MOST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise UserError(f"The check took over {MOST_SECONDS} seconds.") from None
    try:
        return msgspec.json.decode(done.stdout, type=Report)
    except msgspec.MsgspecError as error:
        said = done.stderr.decode(errors="replace").strip()
        raise UserError(f"The check ended without a report. {said or error}") from None


def result_of(
    exercises: Sequence[Exercise],
    done: Mapping[str, ExerciseReport],
    environment: Mapping[str, str],
    committed: str,
    told: Mapping[str, Told] | None = None,
) -> dict[str, Any]:
    """The result by Classroom 50's schema; all points in it are whole numbers.

    Where points are not, all are given as so many halves, quarters or hundredths. An exercise
    that was not handed in is a test of 0 points. `told` are the points of the checks that a kit
    tells of, by exercise: they are the most that there are, whether it was handed in or not.
    """
    given = [p for each in done.values() for c in each.checks for p in (c.points, c.max_points)]
    known = told or {}
    given += [p for points in known.values() for p in (points or {}).values()]
    factor = _factor([*given, *(exercise.points for exercise in exercises)])
    tests: list[dict[str, Any]] = []
    for exercise in exercises:
        tests += _tests(exercise, done.get(exercise.name), factor, known.get(exercise.name))
    commit = environment.get("COMMIT_URL", "")
    owner = environment.get("OWNER") or environment.get("USERNAME", "")
    return {
        "schema": SCHEMA,
        "classroom": environment.get("CLASSROOM", ""),
        "assignment": environment.get("ASSIGNMENT", ""),
        "assignment_type": environment.get("ASSIGNMENT_TYPE") or "individual",
        "owner": owner,
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
    """By what all points become whole numbers."""
    whole = (f for f in FACTORS if all(abs(p * f - round(p * f)) < 1e-9 for p in points))
    return next(whole, FINEST)


def _tests(
    exercise: Exercise, report: ExerciseReport | None, factor: int, told: Told
) -> list[dict[str, Any]]:
    if report is None or not report.checks:
        reason = report.reason if report is not None else "There is no file for this exercise."
        points = [exercise.points] if told is None else told.values()
        most = sum(round(each * factor) for each in points)
        none = {"test-name": exercise.title, "passed": False, "score": 0, "max-score": most}
        return [none | {"message": reason}]
    tests = []
    for check in report.checks:
        counts = told is None or check.name in told
        if check.outcome not in TOLD and (told is None or not counts):
            continue  # a kit leaves some to whoever grades in the end
        most = round(check.max_points * factor) if counts else 0
        test: dict[str, Any] = {
            "test-name": f"{exercise.title}: {check.title}",
            "passed": check.outcome == "passed",
            "score": min(most, round(check.points * factor)),
            "max-score": most,
        }
        if check.outcome != "passed":
            test |= {"message": first_line(check), "output": check_text(check)}
            test |= {"hints": list(check.hints)} if check.hints else {}
        tests.append(test)
    return tests


def _committed(checkout: Path) -> str:
    """When the commit was made, as the schema writes times; now, where git does not say."""
    command = ["git", "-c", "safe.directory=*", "-C", str(checkout), "log", "-1", "--format=%ct"]
    try:
        seconds = subprocess.run(command, capture_output=True, timeout=60, check=True).stdout
        when = datetime.fromtimestamp(int(seconds), UTC)
    except (OSError, ValueError, subprocess.SubprocessError):
        when = datetime.now(UTC)
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")
