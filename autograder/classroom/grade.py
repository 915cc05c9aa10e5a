"""Grade a class: from a folder of submissions to a folder of results."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from autograder.classroom.overview import Overview
from autograder.classroom.pool import Setup, graded
from autograder.course import FILE_NAME, Course, Exercise
from autograder.errors import UserError
from autograder.judge.scoring import ungraded, whole_report
from autograder.report.html import Pages
from autograder.report.model import Report
from autograder.report.redact import for_student
from autograder.report.table import write_grades
from autograder.submission.archive import unpack
from autograder.submission.intake import Folder, find_folders

GRADES, REPORTS = "grades.csv", "report.jsonl"
ALL_HINTS = 99


class Job(msgspec.Struct, frozen=True):
    """What to grade, by what, and where to."""

    course: Course
    exercises: tuple[Exercise, ...]
    submissions: Path
    out: Path
    workers: int
    seed: int


Progress = Callable[[int, int], None]


def grade_class(job: Job, progress: Progress) -> Overview:
    """Grade all submissions, and write grades, reports and pages into `job.out`.

    `progress` is told how many of how many are done.

    Raises:
        UserError: the submissions cannot be read, or the results not written.
    """
    if job.out.resolve() == job.submissions.resolve():
        raise UserError(f"--out {job.out} is the folder of the submissions; name another one.")
    try:
        job.out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
            return _grade_all(job, Path(scratch), progress)
    except OSError as error:
        place = error.filename or job.out
        raise UserError(
            f"The results cannot be written: {error.strerror} ({place}). "
            f"Make room or name another --out, and run the same command again."
        ) from None


def _grade_all(job: Job, scratch: Path, progress: Progress) -> Overview:
    root, notes = job.submissions, []
    if root.is_file():
        root = scratch / "submissions"
        root.mkdir()
        notes = unpack(job.submissions, root)
    folders, others = find_folders(root, job.course.exercises)
    names = tuple(exercise.name for exercise in job.exercises)
    setup = Setup(job.course.root / FILE_NAME, names, job.seed, scratch)
    overview = Overview(job.course.title, job.exercises, [*notes, *others])
    pages = Pages(job.out, job.course, job.exercises)
    partial = job.out / f"{REPORTS}.part"
    with partial.open("wb") as reports:
        for folder, report in graded(folders, setup, job.workers):
            _keep(report or _lost(folder, job), job.course, overview, pages, reports.write)
            progress(len(overview.rows), len(folders))
    os.replace(partial, job.out / REPORTS)
    write_grades(job.out / GRADES, names, overview.rows)
    pages.write_index(overview)
    return overview


def _keep(
    report: Report,
    course: Course,
    overview: Overview,
    pages: Pages,
    write: Callable[[bytes], object],
) -> None:
    write(msgspec.json.encode(report) + b"\n")
    page = pages.write(for_student(report, course.content.hints, ALL_HINTS))
    overview.add(report, page)


def _lost(folder: Folder, job: Job) -> Report:
    reason = "The grader's own process ended while it graded this submission."
    reports = [ungraded(e, "needs a person", reason) for e in job.exercises]
    return whole_report(folder.student, job.course, reports, job.seed)
