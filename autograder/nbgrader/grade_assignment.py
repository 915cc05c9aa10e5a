"""`autograder nbgrader grade`: grade all submissions of an assignment."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from autograder.classroom.decisions import Decision
from autograder.classroom.judge_pool import SEARCH_SECONDS, Graders, Setup, Task, decoded, open_pool
from autograder.classroom.records import may_have_repair
from autograder.course.course_file import FILE_NAME, Course
from autograder.nbgrader.clean_copy import StagedSubmission, stage
from autograder.nbgrader.directory import (
    must_be_writable,
    notebooks_of,
    open_directory,
    quiet,
    students_of,
)
from autograder.nbgrader.grading import NotebookGrader, open_grading
from autograder.report.model import ExerciseReport
from autograder.worker.confinement import Level

if TYPE_CHECKING:
    from autograder.nbgrader.autograde import ConfinedAutograde, StudentResult

STAGED = "submitted"

Tell = Callable[[int, int], None]


class AssignmentJob(msgspec.Struct, frozen=True):
    """Assignment to grade in a course directory."""

    course: Course
    folder: Path
    assignment: str
    exercises: tuple[str, ...]
    students: tuple[str, ...]
    workers: int
    level: Level
    names: Mapping[str, str]  # by student
    remarks: Mapping[str, Sequence[Decision]]  # comments on lines of code, by student
    repairs: bool


def grade_assignment(
    job: AssignmentJob, progress: Tell, search: Callable[[Callable[[Tell], None]], None]
) -> "list[StudentResult]":
    with contextlib.chdir(job.folder), quiet(), contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="autograder-")))
        graders = stack.enter_context(open_pool(job.workers))
        from autograder.nbgrader.autograde import open_converter

        api = open_directory(job.folder)
        notebooks = notebooks_of(api, job.assignment)
        students = students_of(api, job.assignment, job.students)
        for folder in (job.folder, job.folder / api.coursedir.autograded_directory):
            must_be_writable(folder)
        exercises = tuple(name for name in notebooks if name in job.course.exercises)
        setup = Setup(
            job.course.root / FILE_NAME,
            job.exercises if set(exercises) <= set(job.exercises) else exercises,
            job.course.content.seed,
            job.level,
            (job.folder.resolve(),),  # submissions cannot read these
            scratch,
        )
        steps = api.coursedir.submitted_directory, str(scratch / STAGED)

        def staging(student: str) -> StagedSubmission:
            submitted, clean = (
                Path(api.coursedir.format_path(step, student, job.assignment)) for step in steps
            )
            return stage(submitted, clean, notebooks, exercises)

        grading = stack.enter_context(open_grading(job.course))
        grading.remarks = job.remarks
        writer = stack.enter_context(
            open_converter(api, job.assignment, scratch / STAGED, job.names)
        )
        grading.before_grading = writer.gradebook.save  # other processes may write meanwhile
        results = []
        run = _Run(staging, setup, graders, grading)
        for student, staged in run.graded(students):
            result = writer.write(student, staged)
            for name, report in grading.take(student).items():
                result.note(name, report)
            results.append(result)
            progress(len(results), len(students))
        if run.due and job.repairs:
            search(partial(run.add_repairs, writer))
    return sorted(results, key=lambda result: result.student)


class _Run(msgspec.Struct, frozen=True):
    """Run over the students of an assignment."""

    staging: Callable[[str], StagedSubmission]
    setup: Setup
    graders: Graders
    grading: NotebookGrader
    # by student, if a report may get a repair
    due: dict[str, dict[str, ExerciseReport]] = {}

    def graded(self, students: list[str]) -> Iterator[tuple[str, StagedSubmission]]:
        staged: dict[str, StagedSubmission] = {}

        def tasks() -> Iterator[Task]:
            for number, student in enumerate(students):
                staged[student] = self.staging(student)
                if staged[student].sources:
                    yield Task(number, student, staged[student].sources)

        for task, encoded in self.graders(tasks(), self.setup):
            reports = decoded(encoded)
            for source in task.sources:
                if source.name in reports:
                    self.grading.know(task.student, source, reports[source.name])
            if any(may_have_repair(report, self.grading.course) for report in reports.values()):
                self.due[task.student] = reports
            yield task.student, staged.pop(task.student)
        yield from staged.items()  # students who handed in nothing that can be graded

    def add_repairs(self, writer: "ConfinedAutograde", searched: Tell) -> None:
        """Search for repairs of these notebooks. If a repair is found, write the report again."""
        course = self.grading.course

        def tasks() -> Iterator[Task]:
            for number, (student, reports) in enumerate(self.due.items()):
                names = [name for name in reports if may_have_repair(reports[name], course)]
                sources = (s for s in self.staging(student).sources if s.name in names)
                yield Task(number, student, tuple(sources), SEARCH_SECONDS)

        for done, (task, encoded) in enumerate(self.graders(tasks(), self.setup), 1):
            repairs = {name: report.repair for name, report in decoded(encoded).items()}
            if any(repairs.values()):
                staged, reports = self.staging(task.student), self.due[task.student]
                sources = [source for source in staged.sources if source.name in reports]
                if all(source.digest == reports[source.name].digest for source in sources):
                    for source in sources:
                        repair = repairs.get(source.name)
                        report = msgspec.structs.replace(reports[source.name], repair=repair)
                        self.grading.know(task.student, source, report)
                    writer.write(task.student, staged)
                    self.grading.take(task.student)
            searched(done, len(self.due))
