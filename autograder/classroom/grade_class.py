"""Grade a class: from a folder of submissions to a folder of results."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from autograder.classroom.adjustments import TABLE as ADJUSTMENTS
from autograder.classroom.adjustments import Adjustments
from autograder.classroom.basis import Bases
from autograder.classroom.by_hand import TABLE as MARKS
from autograder.classroom.by_hand import Marks
from autograder.classroom.chosen import Chosen, choose
from autograder.classroom.folders import Folder
from autograder.classroom.graded_class import GradedClass
from autograder.classroom.intake import Work, read_work
from autograder.classroom.journal import FILE as JOURNAL
from autograder.classroom.journal import Journal, key_of
from autograder.classroom.lock import in_use
from autograder.classroom.merging import Merging, without_checks
from autograder.classroom.pool import Graders, Reports, Setup, Task, at_hand
from autograder.classroom.proposed import Decide, Proposed
from autograder.classroom.pseudonyms import FILE as PSEUDONYMS
from autograder.classroom.pseudonyms import Pseudonyms
from autograder.classroom.records import FILE as REPORTS
from autograder.classroom.records import Records
from autograder.classroom.spool import Spool
from autograder.classroom.submissions import Opened, guarded, opened
from autograder.classroom.versions import GRADES, settle
from autograder.course import FILE_NAME, Course, Exercise
from autograder.errors import UserError
from autograder.grading.graded_by import grader
from autograder.grading.plain_reports import ungraded
from autograder.report.html import pages_ahead
from autograder.report.model import ExerciseReport
from autograder.submission.releases import older_releases
from autograder.submission.source import with_own_numbers
from autograder.submission.stubs import read_stubs
from autograder.variants import read_secret, stated_variant, variant_of
from autograder.worker.confinement import Level

__all__ = ["GRADES", "REPORTS", "Job", "grade_class"]


class Job(msgspec.Struct, frozen=True):
    """What to grade, by what, and where to.

    If `partial`, only the cells of these exercises change in a table that is there already; with
    `students`, only those of these students. `wait` is how many seconds to wait for another run.
    If `anonymous`, students have pseudonyms in all that is written, but for the course's key.
    """

    course: Course
    exercises: tuple[Exercise, ...]
    submissions: Path
    out: Path
    workers: int
    seed: int
    level: Level = "none"
    platform: str | None = None
    roster: Path | None = None
    partial: bool = False
    students: tuple[str, ...] = ()
    wait: float = 0
    anonymous: bool = False


Progress = Callable[[int, int], None]


def grade_class(
    job: Job,
    progress: Progress,
    decide: Decide | None = lambda _: True,
    waiting: Callable[[str], None] = lambda _: None,
    graders: Graders | None = None,
) -> GradedClass:
    """Grade all submissions, and write grades, reports and pages into `job.out`.

    What an earlier run has graded, and what has not changed since, is taken from its journal.
    `progress` is told how many of how many are done; `decide` says whether grades may change that
    are there already, and without it nothing changes; `waiting` is told of another run that has
    the folder. `graders` grade in place of processes on this machine.

    Raises:
        UserError: the submissions cannot be read, or the results not written.
    """
    if job.out.resolve() == job.submissions.resolve():
        raise UserError(f"--out {job.out} is the folder of the submissions; name another one.")
    try:
        job.out.mkdir(parents=True, exist_ok=True)
        with in_use(job.out, f"grading {job.submissions}", job.wait, waiting):
            settle(job.out)
            with (
                opened(job.submissions, job.course, job.platform, job.roster) as found,
                contextlib.closing(Records(job.out / REPORTS)) as before,
            ):
                return _graded(job, before, found, graders, progress, decide)
    except OSError as error:
        place = error.filename or job.out
        raise UserError(
            f"The results cannot be written: {error.strerror} ({place}). "
            f"Make room or name another --out, and run the same command again."
        ) from None


def _graded(
    job: Job,
    before: Records,
    found: Opened,
    graders: Graders | None,
    progress: Progress,
    decide: Decide | None,
) -> GradedClass:
    names = Pseudonyms(job.course.root / PSEUDONYMS)
    chosen = _chosen(job, before, found, names)
    setup = _setup(job, chosen, found)
    with contextlib.nullcontext(graders) if graders else _judges(job, chosen, setup) as ready:
        return _Run(job, chosen, names, progress).run(found, decide, ready, setup)


def _chosen(job: Job, before: Records, found: Opened, names: Pseudonyms) -> Chosen:
    """Those who are chosen, under the names that the results have for them."""
    names.refuse_mixed(before.students, job.anonymous, job.out)
    folders, students = found.folders, job.students
    if job.anonymous:
        folders, students = names.hidden(folders), tuple(map(names.called, students))
    return choose(before, job.course, job.exercises, job.partial, students, folders)


def _setup(job: Job, chosen: Chosen, found: Opened) -> Setup:
    """What judges of this run are told."""
    place = job.course.root / FILE_NAME
    names = tuple(exercise.name for exercise in chosen.names)
    secret = (job.submissions.resolve(), job.out.resolve())
    return Setup(place, names, job.seed, job.level, secret, found.scratch)


def _judges(job: Job, chosen: Chosen, setup: Setup) -> contextlib.AbstractContextManager[Graders]:
    """Where nothing can have been graded yet, a judge starts while the class is read."""
    return at_hand(setup, job.workers, bool(chosen.folders) and not (job.out / JOURNAL).exists())


class _Waiting(msgspec.Struct):
    """A student whose report is not whole yet: what there is, and the keys of what will come."""

    work: Work
    reports: dict[str, ExerciseReport]
    keys: dict[str, str]


class _Run:
    """One run over a class; reports are written in the order of the class."""

    journal: Journal
    proposed: Proposed

    def __init__(
        self, job: Job, chosen: Chosen, pseudonyms: Pseudonyms, progress: Progress
    ) -> None:
        self.job = job
        self.chosen = chosen
        self.pseudonyms = pseudonyms
        self.folders = chosen.folders
        self.progress = progress
        self.grader = grader(job.course, job.seed, job.level)
        self.bases = Bases(job.course, self.grader)
        self.names = tuple(exercise.name for exercise in chosen.names)
        own = any(exercise.variant != "none" for exercise in chosen.names)
        self.secret = read_secret(job.course) if own else None
        self.marks = Marks(job.out / MARKS, job.course, chosen.exercises)
        self.adjustments = Adjustments(job.out / ADJUSTMENTS, job.course)
        self.stubs = read_stubs(job.course)
        self.merging = Merging(
            job.course, chosen.exercises, self.names, self.grader, self.adjustments
        )
        self.waiting: dict[int, _Waiting] = {}
        self.written = 0
        self.whole = Spool()
        self.meanwhile = threading.Thread(target=pages_ahead, daemon=True)

    def run(
        self, found: Opened, decide: Decide | None, graders: Graders, setup: Setup
    ) -> GradedClass:
        job, before = self.job, self.chosen.before
        notes = [] if job.anonymous else found.notes
        with (
            contextlib.closing(Journal(job.out)) as self.journal,
            contextlib.closing(
                Proposed(job.out, job.course, self.chosen.exercises, before, self.journal, notes)
            ) as self.proposed,
            contextlib.closing(self.whole),
        ):
            self.proposed.overview.said_only = tuple(found.notes if job.anonymous else ())
            for task, reports in graders(self._tasks(), setup):
                self._finish(task, reports)
                self._write()
            self._write()
            self._name_the_gone()
            self.proposed.conclude(decide, self.marks, self.adjustments, self.grader, self.names)
        return self.proposed.overview

    def _name_the_gone(self) -> None:
        """Those of the table before who are not in this one."""
        here = {folder.student for folder in self.folders}
        for student in self.chosen.before.students:
            before = None if student in here else self.chosen.before.get(student)
            if before is not None:
                self.proposed.gone(before)

    def _tasks(self) -> Iterator[Task]:
        """Read one student after the other; what the journal does not know is a task."""
        for number, folder in enumerate(self.folders):
            if folder.student in self.chosen.others:
                self._keep(number)
                self._write()
                continue
            waiting = self.waiting[number] = self._read(folder)
            sources = [s for name, s in waiting.work.sources.items() if name in waiting.keys]
            if sources:
                yield Task(number, folder.student, tuple(sources))
                if self.meanwhile.ident is None:  # while judges are at work
                    self.meanwhile.start()
            else:
                self._assemble(number)
                self._write()

    def _keep(self, number: int) -> None:
        """Take over the report of who is not graded now."""
        before = self.chosen.before.get(self.folders[number].student)
        assert before is not None
        report = self.merging.absent(before, self.chosen.may_be_gone)
        self.whole.put(number, msgspec.json.encode(report) if report is not None else b"")

    def _read(self, folder: Folder) -> _Waiting:
        """A student's files and what is known of them. What goes wrong costs this student alone."""
        names = self.job.course.exercises

        def read() -> _Waiting:
            work = self._with_variants(read_work(folder, names, self.stubs))
            work.notes += older_releases(self.job.course, work.sources.values())
            return self._looked_up(self.pseudonyms.of_work(work) if self.job.anonymous else work)

        return guarded(folder, names, read, self._looked_up)

    def _looked_up(self, work: Work) -> _Waiting:
        waiting = _Waiting(work, {}, {})
        for exercise in self.chosen.names:
            known = self._known(exercise, work, waiting.keys)
            if known is not None:
                waiting.reports[exercise.name] = known
        return waiting

    def _with_variants(self, work: Work) -> Work:
        """The work with each student's own numbers, whatever the files say."""
        for name, source in list(work.sources.items()):
            student = self.pseudonyms.student(work.student)
            variant = variant_of(self.job.course.exercise(name), student, self.secret)
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
        report = without_checks(exercise, work)
        if report is not None:
            return report
        key = key_of(work.sources[exercise.name], exercise, self.job.course, self.grader)
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
        exercises = [self._marked(waiting.reports[e.name], e, student) for e in self.chosen.names]
        report = self.merging.whole(
            student,
            exercises,
            waiting.work.notes,
            self.folders[number].hand_in,
            self.chosen.before.get(student) if self.job.partial else None,
        )
        self.whole.put(number, msgspec.json.encode(report))

    def _marked(self, report: ExerciseReport, exercise: Exercise, student: str) -> ExerciseReport:
        """An exercise's report with the marks of people, and what it rests on."""
        given = self.marks.given(report, student)
        if given.status == "missing":
            return given
        return msgspec.structs.replace(given, basis=self.bases.of(exercise))

    def _write(self) -> None:
        """Write the reports that are next in order."""
        while self.written in self.whole:
            data = self.whole.take(self.written)
            student = self.folders[self.written].student
            before = None if data else self.chosen.before.get(student)
            if before is not None:
                self.proposed.gone(before)
            else:
                self.proposed.add(data)
            self.written += 1
            self.progress(self.written, len(self.folders))
