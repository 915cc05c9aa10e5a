"""Grader of one submission on a platform's machine, with the strongest working confinement."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.classroom.finalize import finalize, without_checks
from autograder.classroom.hand_ins import Folder
from autograder.classroom.judge_pool import SEARCH_SECONDS, Setup, Task, TaskGrader, with_repairs
from autograder.classroom.submissions import read_work_guarded
from autograder.course.course_file import FILE_NAME, Course, Exercise, load_course
from autograder.course.errors import UserError
from autograder.grading.reports import grader_record, report_without_checks, whole_report
from autograder.platforms.bundle import COURSE, JOB, PackagedJob
from autograder.report.model import HandIn, Report
from autograder.sandbox.levels import choose
from autograder.submission.stubs import read_stubs

OUT_OF_TIME = "Not graded: the exercises before this one used up the time for one student."


def packaged_course(package: Path) -> Course:
    return load_course(package / COURSE / FILE_NAME)


def packaged_job(package: Path) -> PackagedJob:
    try:
        return msgspec.json.decode((package / JOB).read_bytes(), type=PackagedJob)
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(
            f"{package / JOB} cannot be read ({error}). Make the package again with `autograder "
            "package`."
        ) from None


def grade_one(
    course: Course,
    exercises: Sequence[Exercise],
    folder: Path,
    hand_in: HandIn | None = None,
    student: str = "",
    repairs: bool = True,
) -> Report:
    seed, level = course.content.seed, choose(None, own_code=False)
    work = read_work_guarded(Folder(student, folder, hand_in), course.exercises, read_stubs(course))
    reports = {exercise.name: without_checks(exercise, work) for exercise in exercises}
    waiting = tuple(name for name, report in reports.items() if report is None)
    if waiting:
        with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
            setup = Setup(course.root / FILE_NAME, waiting, seed, level, (folder,), Path(scratch))
            with TaskGrader(setup) as grading:
                task = Task(0, student, tuple(work.sources[name] for name in waiting))
                seconds = SEARCH_SECONDS if repairs else 0.0
                reports |= with_repairs(grading.grade, task, course, seconds)
    graded = [
        reports[exercise.name] or report_without_checks(exercise, "timed out", OUT_OF_TIME)
        for exercise in exercises
    ]
    graded_by = grader_record(course, seed, level)
    report = whole_report(student, course, graded, graded_by, work.notes, hand_in)
    return finalize(report, course)
