"""`autograder nbgrader grade`: all submissions of an assignment, and the gradebook."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from autograder.classroom.pool import Setup, Task, graded
from autograder.course import FILE_NAME, Course
from autograder.nbgrader.clean_copy import Staged, stage
from autograder.nbgrader.directory import (
    must_be_writable,
    notebooks_of,
    open_directory,
    quiet,
    students_of,
)
from autograder.nbgrader.engine import one_engine
from autograder.nbgrader.grading import NotebookGrader, open_grading
from autograder.nbgrader.writing import StudentResult, writing
from autograder.report.model import ExerciseReport
from autograder.sandbox.levels import choose
from autograder.worker.confinement import Level

STAGED = "submitted"

Tell = Callable[[int, int], None]


class AssignmentJob(msgspec.Struct, frozen=True):
    """What to grade in which course directory."""

    course: Course
    folder: Path
    assignment: str
    students: tuple[str, ...]
    workers: int
    confinement: Level | None = None


def grade_assignment(job: AssignmentJob, progress: Tell) -> list[StudentResult]:
    """Grade what was collected in `submitted/`, and write gradebook and `autograded/`.

    Workers grade in processes of their own; this process alone writes.

    Raises:
        UserError: the folder is no course directory, or the assignment is not there; it says what
            to run.
    """
    with contextlib.chdir(job.folder), quiet(), one_engine():
        api = open_directory(job.folder)
        notebooks = notebooks_of(api, job.assignment)
        students = students_of(api, job.assignment, job.students)
        for folder in (job.folder, job.folder / api.coursedir.autograded_directory):
            must_be_writable(folder)
        exercises = [name for name in notebooks if name in job.course.exercises]
        results = []
        with contextlib.ExitStack() as stack:
            grading = stack.enter_context(open_grading(job.course))
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="autograder-")))
            staging = _staging(api.coursedir, job.assignment, scratch, notebooks, exercises)
            writer = stack.enter_context(writing(api, job.assignment, scratch / STAGED))
            grading.before_grading = writer.gradebook.save  # others may write meanwhile
            setup = _setup(job, exercises, scratch)
            for student, staged in _graded(students, staging, setup, job.workers, grading):
                results.append(writer.write(student, staged))
                grading.forget(student)
                progress(len(results), len(students))
    return results


def _staging(
    coursedir: Any, assignment: str, scratch: Path, notebooks: list[str], exercises: list[str]
) -> Callable[[str], Staged]:
    """What makes the clean copy of a student's submission."""
    handed_in = coursedir.submitted_directory

    def staged(student: str) -> Staged:
        submitted, clean = (
            Path(coursedir.format_path(step, student, assignment))
            for step in (handed_in, str(scratch / STAGED))
        )
        return stage(submitted, clean, notebooks, exercises)

    return staged


def _graded(
    students: list[str],
    staging: Callable[[str], Staged],
    setup: Setup,
    workers: int,
    grading: NotebookGrader,
) -> Iterator[tuple[str, Staged]]:
    """Each student, in order, once the reports are known; as many processes as workers grade."""
    staged: dict[str, Staged] = {}
    ready: set[str] = set()

    def tasks() -> Iterator[Task]:
        for number, student in enumerate(students):
            staged[student] = staging(student)
            if staged[student].sources:
                yield Task(number, student, staged[student].sources)
            else:
                ready.add(student)

    written = 0
    for task, reports in graded(tasks(), setup, workers):
        for source in task.sources:
            data = reports.get(source.name)
            if data is not None:
                report = msgspec.json.decode(data, type=ExerciseReport)
                grading.know(task.student, source, report)
        ready.add(task.student)
        while written < len(students) and students[written] in ready:
            yield students[written], staged.pop(students[written])
            written += 1
    for student in students[written:]:
        yield student, staged[student]


def _setup(job: AssignmentJob, exercises: list[str], scratch: Path) -> Setup:
    """What the judges must know; the course directory is hidden from what they run."""
    course, level = job.course, choose(job.confinement, own_code=False)
    hidden = (job.folder.resolve(),)
    names = tuple(exercises)
    return Setup(course.root / FILE_NAME, names, course.content.seed, level, hidden, scratch)
