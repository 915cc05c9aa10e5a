"""Grade a class: from a folder of submissions to a folder of results."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from autograder.classroom.adjustments import TABLE as ADJUSTMENTS
from autograder.classroom.adjustments import Adjustments
from autograder.classroom.finalize import ReportMerger, without_checks
from autograder.classroom.grade_difference import Bases
from autograder.classroom.hand_ins import Folder
from autograder.classroom.history import GRADES, settle
from autograder.classroom.journal import FILE as JOURNAL
from autograder.classroom.journal import Journal, key_of
from autograder.classroom.judge_pool import Graders, Reports, Setup, Task, open_pool
from autograder.classroom.lock import in_use
from autograder.classroom.marks import TABLE as MARKS
from autograder.classroom.marks import Marks
from autograder.classroom.proposed import Decide, GradedClass, Proposal
from autograder.classroom.pseudonyms import FILE as PSEUDONYMS
from autograder.classroom.pseudonyms import Pseudonyms
from autograder.classroom.records import FILE as REPORTS
from autograder.classroom.records import Records, ReportSpool
from autograder.classroom.submissions import Opened, StudentWork, guarded, opened, read_work
from autograder.course.course_file import FILE_NAME, Course, Exercise
from autograder.course.errors import UserError
from autograder.course.optimisations import is_off
from autograder.course.text import nearest, one_line
from autograder.course.variants import read_secret, stated_variant, variant_of
from autograder.grading.reports import grader_record, report_without_checks
from autograder.report.html import preload_pages
from autograder.report.model import ExerciseReport
from autograder.submission.source import with_own_numbers
from autograder.submission.stubs import older_releases, read_stubs
from autograder.worker.confinement import Level

# Which cells of a table a run changes: whose, and of which exercises.


class Selection(msgspec.Struct, frozen=True):
    """What is graded now, and all that the table has.

    `names` are the exercises graded now, `exercises` all columns; `folders` are all rows, those of
    `others`, who are not graded now, without a path. `may_be_gone` are those of the others who
    could have been graded, had they handed in.
    """

    before: Records
    names: tuple[Exercise, ...]
    exercises: tuple[Exercise, ...]
    folders: list[Folder]
    others: frozenset[str] = frozenset()
    may_be_gone: bool = True


def select(
    before: Records,
    course: Course,
    exercises: Sequence[Exercise],
    partial: bool,
    students: Sequence[str],
    folders: Sequence[Folder],
) -> Selection:
    """What is to be graded in a class, and what stays as it is in the results that count.

    Without `partial` nothing does. With `students` it is theirs alone that changes.

    Raises:
        UserError: somebody is not there.
    """
    if not partial:
        return Selection(before, tuple(exercises), tuple(exercises), list(folders))
    here = {folder.student for folder in folders}
    for student in students:
        if student not in here:
            near = nearest(student, here)
            meant = f" Did you mean {near}?" if near else ""
            raise UserError(
                f"There is nobody called {one_line(student, 60)!r} among the submissions.{meant}"
            )
    names = _names(course, exercises, bool(students), before)
    wanted = {exercise.name for exercise in names} | before.exercises.keys()
    columns = tuple(each for each in course.content.exercises if each.name in wanted)
    graded = [folder for folder in folders if not students or folder.student in students]
    others = frozenset(before.students) - {folder.student for folder in graded}
    rows = graded
    if others:
        rows = [*graded, *(Folder(student, None) for student in others)]
        rows.sort(key=lambda folder: folder.student)
    return Selection(before, names, columns, rows, others, may_be_gone=not students)


def _names(
    course: Course, exercises: Sequence[Exercise], by_student: bool, before: Records
) -> tuple[Exercise, ...]:
    """The exercises: for students alone, and if none is named, those that the table has."""
    if by_student and len(exercises) == len(course.exercises):
        there = tuple(each for each in exercises if each.name in before.exercises)
        return there or tuple(exercises)
    return tuple(exercises)


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


def _chosen(job: Job, before: Records, found: Opened, names: Pseudonyms) -> Selection:
    """Those who are chosen, under the names that the results have for them."""
    names.refuse_mixed(before.students, job.anonymous, job.out)
    folders, students = found.folders, job.students
    if job.anonymous:
        folders, students = names.hidden(folders), tuple(map(names.called, students))
    return select(before, job.course, job.exercises, job.partial, students, folders)


def _setup(job: Job, chosen: Selection, found: Opened) -> Setup:
    """What judges of this run are told."""
    place = job.course.root / FILE_NAME
    names = tuple(exercise.name for exercise in chosen.names)
    secret = (job.submissions.resolve(), job.out.resolve())
    return Setup(place, names, job.seed, job.level, secret, found.scratch)


def _judges(
    job: Job, chosen: Selection, setup: Setup
) -> contextlib.AbstractContextManager[Graders]:
    """Where nothing can have been graded yet, a judge starts while the class is read."""
    return open_pool(setup, job.workers, bool(chosen.folders) and not (job.out / JOURNAL).exists())


class _Waiting(msgspec.Struct):
    """A student whose report is not whole yet: what there is, and the keys of what will come."""

    work: StudentWork
    reports: dict[str, ExerciseReport]
    keys: dict[str, str]


class _Run:
    """One run over a class; reports are written in the order of the class."""

    journal: Journal
    proposed: Proposal

    def __init__(
        self, job: Job, chosen: Selection, pseudonyms: Pseudonyms, progress: Progress
    ) -> None:
        self.job = job
        self.chosen = chosen
        self.pseudonyms = pseudonyms
        self.folders = chosen.folders
        self.progress = progress
        self.grader = grader_record(job.course, job.seed, job.level)
        self.bases = Bases(job.course, self.grader)
        self.names = tuple(exercise.name for exercise in chosen.names)
        own = any(exercise.variant != "none" for exercise in chosen.names)
        self.secret = read_secret(job.course) if own else None
        self.marks = Marks(job.out / MARKS, job.course, chosen.exercises)
        self.adjustments = Adjustments(job.out / ADJUSTMENTS, job.course)
        self.stubs = read_stubs(job.course)
        self.merging = ReportMerger(
            job.course, chosen.exercises, self.names, self.grader, self.adjustments
        )
        self.waiting: dict[int, _Waiting] = {}
        self.written = 0
        self.whole = ReportSpool()
        self.meanwhile = threading.Thread(target=preload_pages, daemon=True)

    def run(
        self, found: Opened, decide: Decide | None, graders: Graders, setup: Setup
    ) -> GradedClass:
        job, before = self.job, self.chosen.before
        notes = [] if job.anonymous else found.notes
        with (
            contextlib.closing(Journal(job.out)) as self.journal,
            contextlib.closing(
                Proposal(job.out, job.course, self.chosen.exercises, before, self.journal, notes)
            ) as self.proposed,
            contextlib.closing(self.whole),
        ):
            self.proposed.overview.not_understood = found.not_understood
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
                if self.meanwhile.ident is None and not is_off(
                    "pages_ahead"
                ):  # while judges are at work
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

    def _looked_up(self, work: StudentWork) -> _Waiting:
        waiting = _Waiting(work, {}, {})
        for exercise in self.chosen.names:
            known = self._known(exercise, work, waiting.keys)
            if known is not None:
                waiting.reports[exercise.name] = known
        return waiting

    def _with_variants(self, work: StudentWork) -> StudentWork:
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

    def _known(
        self, exercise: Exercise, work: StudentWork, keys: dict[str, str]
    ) -> ExerciseReport | None:
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
                waiting.reports[source.name] = report_without_checks(
                    exercise, "needs a person", reason
                )
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
