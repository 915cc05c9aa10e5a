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
    reason_of,
    students_of,
)
from autograder.nbgrader.engine import one_engine
from autograder.nbgrader.grading import NotebookGrader, open_grading
from autograder.report.model import ExerciseReport
from autograder.sandbox.levels import choose
from autograder.worker.confinement import Level

STAGED = "submitted"

Tell = Callable[[int, int], None]


class StudentResult(msgspec.Struct):
    """What became of one student's submission; `left` says per notebook why a person must look.

    `notes` are other things that a person should know, `error` is why nothing was written.
    """

    student: str
    points: float = 0.0
    maximum: float = 0.0
    late_penalty: float = 0.0
    by_hand: bool = False
    left: dict[str, str] = {}
    notes: list[str] = []
    error: str = ""


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
        grading = open_grading(job.course)
        results = []
        try:
            with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
                for student, staged in _graded(
                    job, api.coursedir, notebooks, students, grading, Path(scratch)
                ):
                    clean = str(Path(scratch, STAGED))
                    results.append(_write(api, job.assignment, student, staged, clean))
                    grading.forget(student)
                    progress(len(results), len(students))
        finally:
            grading.close()
    return results


def _graded(
    job: AssignmentJob,
    coursedir: Any,
    notebooks: list[str],
    students: list[str],
    grading: NotebookGrader,
    scratch: Path,
) -> Iterator[tuple[str, Staged]]:
    """Each student, in order, once the reports are known; as many processes as workers grade."""
    exercises = [name for name in notebooks if name in job.course.exercises]
    staged: dict[str, Staged] = {}
    ready: set[str] = set()

    def tasks() -> Iterator[Task]:
        for number, student in enumerate(students):
            submitted, clean = (
                Path(coursedir.format_path(step, student, job.assignment))
                for step in (coursedir.submitted_directory, str(scratch / STAGED))
            )
            staged[student] = stage(submitted, clean, notebooks, exercises)
            if staged[student].sources:
                yield Task(number, student, staged[student].sources)
            else:
                ready.add(student)

    written = 0
    for task, reports in graded(tasks(), _setup(job, exercises, scratch), job.workers):
        for source in task.sources:
            data = reports.get(source.name)
            if data is not None:
                report = msgspec.json.decode(data, type=ExerciseReport)
                grading.know(task.student, source, report)
        ready.add(task.student)
        while written < len(students) and students[written] in ready:
            yield students[written], staged[students[written]]
            written += 1
    for student in students[written:]:
        yield student, staged[student]


def _setup(job: AssignmentJob, exercises: list[str], scratch: Path) -> Setup:
    """What the judges must know; the course directory is hidden from what they run."""
    course, level = job.course, choose(job.confinement, own_code=False)
    hidden = (job.folder.resolve(),)
    names = tuple(exercises)
    return Setup(course.root / FILE_NAME, names, course.content.seed, level, hidden, scratch)


def _write(api: Any, assignment: str, student: str, staged: Staged, clean: str) -> StudentResult:
    """Put one student's reports into the gradebook and into `autograded/`; or say why not."""
    result = StudentResult(student, notes=list(staged.notes))
    try:
        if staged.present:
            result.left = _autograde(api, assignment, student, staged.refused, clean)
        _finish(api, assignment, staged, result)
    except (Exception, SystemExit) as error:
        result.error = f"not written: {reason_of(error)}. Run this again for: {student}"
    return result


def _autograde(
    api: Any, assignment: str, student: str, refused: dict[str, str], clean: str
) -> dict[str, str]:
    """Let nbgrader's own converter write; the notebooks that are left for a person, and why."""
    from nbgrader.utils import temp_attrs

    from autograder.nbgrader.autograde import ConfinedAutograde

    asked = {"assignment_id": assignment, "student_id": student, "submitted_directory": clean}
    with temp_attrs(api.coursedir, **asked):
        app = ConfinedAutograde(refused, coursedir=api.coursedir, parent=api)
        app.start()
    return app.left


def _finish(api: Any, assignment: str, staged: Staged, result: StudentResult) -> None:
    """Say in the gradebook what was not handed in, and read from it what came out."""
    with api.gradebook as gradebook:
        gradebook.update_or_create_student(result.student)
        submission = gradebook.update_or_create_submission(assignment, result.student)
        for notebook in submission.notebooks:
            if notebook.name in staged.missing:
                _missing(notebook, staged, result)
        gradebook.db.commit()
        result.points, result.maximum = submission.score, submission.max_score
        result.late_penalty = sum(
            each.late_submission_penalty or 0 for each in submission.notebooks
        )
        result.by_hand = submission.needs_manual_grade


def _missing(notebook: Any, staged: Staged, result: StudentResult) -> None:
    """No points for a notebook that was not handed in, unless it may have another name."""
    if staged.unknown:
        result.left[notebook.name] = f"not handed in, but {', '.join(staged.unknown[:3])}.ipynb is"
    else:
        result.notes.append(f"{notebook.name} was not handed in")
    for grade in notebook.grades:
        grade.auto_score = None if staged.unknown else 0
        grade.needs_manual_grade = bool(staged.unknown) and grade.manual_score is None
