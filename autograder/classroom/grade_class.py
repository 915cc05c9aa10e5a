"""Grade a class: from a folder of submissions to a folder of results."""

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import msgspec

from autograder.classroom.adjustments import TABLE as ADJUSTMENTS
from autograder.classroom.adjustments import Adjustments
from autograder.classroom.by_hand import TABLE, Marks, answers_of
from autograder.classroom.finished import finished
from autograder.classroom.folders import Folder
from autograder.classroom.intake import Work, read_work
from autograder.classroom.journal import Journal, key_of
from autograder.classroom.pool import Reports, Setup, Task, graded
from autograder.classroom.spool import Spool
from autograder.classroom.submissions import guarded, opened
from autograder.course import FILE_NAME, Course, Exercise
from autograder.errors import UserError
from autograder.files import open_new
from autograder.grading.scoring import grader, ungraded, whole_report
from autograder.report.above import told_of
from autograder.report.html import Pages
from autograder.report.model import ExerciseReport, Report, WrittenAnswer
from autograder.report.overview import Overview
from autograder.report.redact import for_student
from autograder.report.table import write_grades
from autograder.submission.releases import older_releases
from autograder.submission.source import with_own_numbers
from autograder.submission.stubs import read_stubs
from autograder.variants import read_secret, stated_variant, variant_of
from autograder.worker.confinement import Level

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
    level: Level = "none"
    platform: str | None = None
    roster: Path | None = None


Progress = Callable[[int, int], None]


def grade_class(job: Job, progress: Progress) -> Overview:
    """Grade all submissions, and write grades, reports and pages into `job.out`.

    What an earlier run has graded, and what has not changed since, is taken from its journal.
    `progress` is told how many of how many are done.

    Raises:
        UserError: the submissions cannot be read, or the results not written.
    """
    if job.out.resolve() == job.submissions.resolve():
        raise UserError(f"--out {job.out} is the folder of the submissions; name another one.")
    try:
        job.out.mkdir(parents=True, exist_ok=True)
        with opened(job.submissions, job.course, job.platform, job.roster) as found:
            return _Run(job, found.folders, found.notes, progress).run(found.scratch)
    except OSError as error:
        place = error.filename or job.out
        raise UserError(
            f"The results cannot be written: {error.strerror} ({place}). "
            f"Make room or name another --out, and run the same command again."
        ) from None


class _Waiting(msgspec.Struct):
    """A student whose report is not whole yet: what there is, and the keys of what will come."""

    work: Work
    reports: dict[str, ExerciseReport]
    keys: dict[str, str]


class _Run:
    """One run over a class; reports are written in the order of the class."""

    def __init__(
        self, job: Job, folders: list[Folder], notes: list[str], progress: Progress
    ) -> None:
        self.job = job
        self.folders = folders
        self.progress = progress
        self.grader = grader(job.course, job.seed, job.level)
        self.overview = Overview(job.course.title, job.exercises, notes)
        self.pages = Pages(job.out, job.course, job.exercises)
        self.journal = Journal(job.out)
        self.waiting: dict[int, _Waiting] = {}
        self.stubs = read_stubs(job.course)
        self.whole = Spool()
        own = any(exercise.variant != "none" for exercise in job.exercises)
        self.secret = read_secret(job.course) if own else None
        self.marks = Marks(job.out / TABLE, job.course, job.exercises)
        self.adjustments = Adjustments(job.out / ADJUSTMENTS, job.course)
        self.answers: list[tuple[str, str, WrittenAnswer]] = []

    def run(self, scratch: Path) -> Overview:
        job = self.job
        names = tuple(exercise.name for exercise in job.exercises)
        secret = (job.submissions.resolve(), job.out.resolve())
        setup = Setup(job.course.root / FILE_NAME, names, job.seed, job.level, secret, scratch)
        partial = job.out / f"{REPORTS}.part"
        try:
            with open_new(partial) as file:
                for task, reports in graded(self._tasks(file), setup, job.workers):
                    self._finish(task, reports)
                    self._write(file)
                self._write(file)
            os.replace(partial, job.out / REPORTS)
            write_grades(job.out / GRADES, names, self.overview.rows)
            if any(exercise.questions for exercise in job.exercises):
                self._write_marks()
            self.overview.notes += tuple(told_of(self.overview.above))
            here = {row.student for row in self.overview.rows}
            self.overview.notes += (*self.adjustments.notes(here), *self.adjustments.write())
            self.pages.write_index(self.overview)
        finally:
            self.journal.close()
            self.whole.close()
        return self.overview

    def _write_marks(self) -> None:
        """The table for people's marks, and the page to read the answers on."""
        marks, answers = self.marks, self.answers
        self.overview.notes += (*marks.notes(answers), *marks.write(answers))
        self.pages.write_answers(answers, TABLE, marks.changed(answers), marks.orphaned(answers))

    def _tasks(self, file: IO[bytes]) -> Iterator[Task]:
        """Read one student after the other; what the journal does not know is a task."""
        for number, folder in enumerate(self.folders):
            waiting = self.waiting[number] = self._read(folder)
            sources = [s for name, s in waiting.work.sources.items() if name in waiting.keys]
            if sources:
                yield Task(number, folder.student, tuple(sources))
            else:
                self._assemble(number)
                self._write(file)

    def _read(self, folder: Folder) -> _Waiting:
        """A student's files and what is known of them. What goes wrong costs this student alone."""
        names = self.job.course.exercises

        def read() -> _Waiting:
            work = read_work(folder, names, self.stubs)
            work.notes += older_releases(self.job.course, work.sources.values())
            return self._looked_up(self._with_variants(work))

        return guarded(folder, names, read, self._looked_up)

    def _looked_up(self, work: Work) -> _Waiting:
        waiting = _Waiting(work, {}, {})
        for exercise in self.job.exercises:
            known = self._known(exercise, work, waiting.keys)
            if known is not None:
                waiting.reports[exercise.name] = known
        return waiting

    def _with_variants(self, work: Work) -> Work:
        """The work with each student's own numbers, whatever the files say."""
        for name, source in list(work.sources.items()):
            variant = variant_of(self.job.course.exercise(name), work.student, self.secret)
            if not variant:
                continue
            if stated_variant(source.text) not in {variant, ""}:
                work.unclear[name] = (
                    f"{source.label} has the numbers of another student: a mix-up, or a copy."
                )
                del work.sources[name]
            else:
                work.sources[name] = with_own_numbers(source, variant)
        return work

    def _known(self, exercise: Exercise, work: Work, keys: dict[str, str]) -> ExerciseReport | None:
        """The report, where no check has to run for it; else its key is put into `keys`."""
        if exercise.name in work.unclear:
            reason = work.unclear[exercise.name]
            return ungraded(exercise, "needs a person", reason, ran=False)
        if exercise.name in work.not_loaded:
            reason = work.not_loaded[exercise.name]
            return ungraded(exercise, "not loaded", reason, ran=False)
        source = work.sources.get(exercise.name)
        if source is None:
            reason = "Nothing was handed in for this exercise."
            return ungraded(exercise, "missing", reason, ran=False)
        key = key_of(source, exercise, self.job.course, self.grader)
        found = self.journal.find(work.student, exercise.name, key)
        if found is not None:
            with contextlib.suppress(msgspec.MsgspecError):  # of another form: graded again
                return msgspec.json.decode(found, type=ExerciseReport)
        keys[exercise.name] = key
        return None

    def _finish(self, task: Task, reports: Reports) -> None:
        """Keep what was graded. What was not, since a judge died of it, is for a person."""
        waiting = self.waiting[task.number]
        for source in task.sources:
            data = reports.get(source.name)
            if data is None:
                exercise = self.job.course.exercise(source.name)
                reason = "The grader's own process ended while it graded this submission."
                waiting.reports[source.name] = ungraded(exercise, "needs a person", reason)
                continue
            report = msgspec.json.decode(data, type=ExerciseReport)
            waiting.reports[source.name] = report
            if report.status != "needs a person":
                self.journal.keep(task.student, source.name, waiting.keys[source.name], data)
        self._assemble(task.number)

    def _assemble(self, number: int) -> None:
        waiting = self.waiting.pop(number)
        student = waiting.work.student
        given = [self.marks.given(waiting.reports[e.name], student) for e in self.job.exercises]
        exercises, adjusted = self.adjustments.apply(student, given)
        report = whole_report(
            student,
            self.job.course,
            exercises,
            self.grader,
            waiting.work.notes,
            self.folders[number].hand_in,
        )
        report = finished(report, self.job.course, adjusted)
        self.whole.put(number, msgspec.json.encode(report))

    def _write(self, file: IO[bytes]) -> None:
        """Write the reports that are next in order."""
        while (number := len(self.overview.rows)) in self.whole:
            data = self.whole.take(number)
            report = msgspec.json.decode(data, type=Report)
            file.write(data + b"\n")
            self.answers += answers_of(report)
            self.overview.add(report, self._page(report, data))
            self.progress(number + 1, len(self.folders))

    def _page(self, report: Report, data: bytes) -> str:
        """Write the student's page, unless it is there and would be the same."""
        policy = self.job.course.content.hints
        page = self.pages.path(report)
        key = hashlib.sha256(data + policy.encode()).hexdigest()
        if not _is_plain(self.job.out / page) or not self.journal.page_is(report.student, key):
            self.pages.write(for_student(report, policy, ALL_HINTS if policy == "practice" else 1))
            self.journal.keep_page(report.student, key)
        return page


def _is_plain(path: Path) -> bool:
    """Whether a file is there that is no link."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False
