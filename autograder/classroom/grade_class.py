"""Grade a class: read a folder of submissions, and write a folder of results.

The engine reads the files of one student at a time. The results of unchanged work come from the
journal. Judge processes grade changed work in any order, but the reports are in the order of the
class.
"""

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from autograder.classroom.adjustments import Adjustments
from autograder.classroom.finalize import finalize, merged_hand_in, missing_report, without_checks
from autograder.classroom.grade_difference import bases
from autograder.classroom.hand_ins import Folder
from autograder.classroom.history import in_use, settle
from autograder.classroom.judge_pool import SEARCH_SECONDS, Graders, Reports, Setup, Task, open_pool
from autograder.classroom.marks import Marks
from autograder.classroom.pending_results import Decide, GradedClass, Proposal
from autograder.classroom.pseudonyms import Pseudonyms
from autograder.classroom.records import REPORTS, Journal, KnownRepairs, Records, key_of
from autograder.classroom.submissions import (
    Opened,
    StudentWork,
    UnreadableFolder,
    ambiguities,
    guarded,
    opened,
    read_work,
)
from autograder.course.course_file import FILE_NAME, Course, Exercise
from autograder.course.errors import UserError
from autograder.course.text import did_you_mean, one_line
from autograder.course.variants import read_secret, stated_variant, variant_of
from autograder.grading.reports import grader_record, report_without_checks, whole_report
from autograder.report.model import ExerciseReport, HandIn, Report
from autograder.submission.source import Source
from autograder.submission.stubs import older_releases, read_stubs
from autograder.worker.confinement import Level

Progress = Callable[[int, int], None]


class SharedOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of the command `grade` that a run takes as they are."""

    submissions: Path
    out: Path
    platform: str | None = None
    roster: Path | None = None
    students: tuple[str, ...] = ()  # if given, only their rows change
    wait: float = 0.0  # waiting time for another run, in seconds
    anonymous: bool = False  # write pseudonyms into all files except `pseudonyms.csv`
    repairs: bool = True  # search for repairs, and show those that earlier searches found


class Job(SharedOptions, frozen=True, kw_only=True):
    """Grading run over a class: the course, the submissions, the results, and the options."""

    course: Course
    exercises: tuple[Exercise, ...]
    workers: int
    seed: int
    level: Level = "none"
    partial: bool = False  # true if only the columns of `exercises` change in an existing table


def grade_class(
    job: Job,
    progress: Progress,
    decide: Decide | None = lambda _: True,
    waiting: Callable[[str], None] = lambda _: None,
    graders: Graders | None = None,
    warn: Callable[[Sequence[str]], None] = lambda _: None,
) -> GradedClass:
    """Grade all submissions, and write grades, reports and pages into `job.out`.

    The journal has earlier results of unchanged work.

    Args:
        progress: is called with the number of finished students and the number of all students.
        decide: returns True if existing grades may change. Without this function, no existing grade
            changes.
        waiting: is called with a message if another run uses the folder.
        graders: a function that grades tasks. By default, processes on this machine grade them.
        warn: is called before grading, with notes on ambiguities that a person must resolve.
    """
    if job.out.resolve() == job.submissions.resolve():
        raise UserError(f"--out {job.out} is the folder of the submissions. Name another folder.")
    with _opened_run(job, progress, waiting, graders) as run:
        notes = [*ambiguities(run.graded, run.names, run.stubs, run.adjustments.choices)]
        if notes:
            warn(notes)
        return run.grade(decide)


def add_repairs(
    job: Job,
    graded: GradedClass,
    progress: Progress,
    waiting: Callable[[str], None] = lambda _: None,
    graders: Graders | None = None,
) -> tuple[int, int]:
    """Search for repairs in a graded class, and add them to the reports.

    Points stay the same. The search is for files whose report names neither a mistake nor a line.
    Return the number of repairs, and the number of files that were searched.
    """
    with _opened_run(job, progress, waiting, graders) as run:
        return run.add_repairs(graded)


@contextlib.contextmanager
def _opened_run(
    job: Job, progress: Progress, waiting: Callable[[str], None], graders: Graders | None
) -> Iterator["_ClassRun"]:
    out = job.out
    try:
        out.mkdir(parents=True, exist_ok=True)
        with in_use(out, f"grading {job.submissions}", job.wait, waiting):
            settle(out)
            with (
                opened(job.submissions, job.course, job.platform, job.roster) as submissions,
                contextlib.nullcontext(graders) if graders else open_pool(job.workers) as grade,
                contextlib.closing(Journal(out)) as journal,
            ):
                yield _ClassRun(job, Records(out / REPORTS), submissions, journal, progress, grade)
    except OSError as error:
        raise UserError(
            f"The results cannot be written: {error.strerror} ({error.filename or out}). "
            f"Make room or name another --out, then run the same command again."
        ) from None


class _Waiting(msgspec.Struct):
    """A student with ungraded work."""

    work: StudentWork
    reports: dict[str, ExerciseReport]
    keys: dict[str, str]  # journal's key for each ungraded exercise


class _ClassRun:
    """Run of `grade` on a class.

    It may change only a part of the table. `columns` are all exercises of the table, and
    `exercises` are the exercises to grade. `folders` has one item for each row of the table.
    `graded` are the rows to grade. `others` are all other students.
    """

    proposal: Proposal

    def __init__(
        self,
        job: Job,
        before: Records,
        submissions: Opened,
        journal: Journal,
        progress: Progress,
        graders: Graders,
    ) -> None:
        course, folders = job.course, submissions.folders
        self.course, self.job, self.before, self.submissions = course, job, before, submissions
        self.journal, self.progress, self.graders = journal, progress, graders
        self.pseudonyms = Pseudonyms(course)
        self.pseudonyms.refuse_mixed(before.students, job.anonymous, job.out)
        students = job.students
        if job.anonymous:
            folders = self.pseudonyms.hidden(folders)
            students = tuple(map(self.pseudonyms.called, students))
        self._select(folders, students)
        self.names = tuple(exercise.name for exercise in self.exercises)
        secret, scratch = (job.submissions.resolve(), job.out.resolve()), submissions.scratch
        file = course.root / FILE_NAME
        self.setup = Setup(file, self.names, job.seed, job.level, secret, scratch)
        self.graded = [each for each in self.folders if each.student not in self.others]
        self.repairs = KnownRepairs(journal, course)
        self.grader = grader_record(course, job.seed, job.level)
        self.bases = bases(course, self.exercises, self.grader)
        has_variants = any(exercise.variant != "none" for exercise in self.exercises)
        self.secret = read_secret(course) if has_variants else None
        self.marks = Marks(job.out, course, self.columns)
        self.adjustments = Adjustments(job.out, course)
        self.chosen = self.adjustments.chosen = {}
        self.stubs = read_stubs(course)
        self.waiting: dict[int, _Waiting] = {}
        self.reports: dict[int, bytes] = {}  # encoded, by the number of the row
        self.done = 0  # students graded

    def _select(self, folders: list[Folder], students: Sequence[str]) -> None:
        """Select the table's rows and columns, and the rows and columns to grade."""
        job, before = self.job, self.before
        self.exercises, self.columns, self.folders = job.exercises, job.exercises, folders
        self.others: frozenset[str] = frozenset()
        if not job.partial:
            return
        here = {folder.student for folder in folders}
        if unknown := sorted(set(students) - here):
            name, meant = one_line(unknown[0], 60), did_you_mean(unknown[0], here)
            raise UserError(f"No submission belongs to a student {name!r}.{meant}")
        if students and len(job.exercises) == len(job.course.exercises):  # no exercise was named
            known = tuple(each for each in job.exercises if each.name in before.exercises)
            self.exercises = known or job.exercises
        names = {exercise.name for exercise in self.exercises} | before.exercises.keys()
        self.columns = tuple(e for e in job.course.content.exercises if e.name in names)
        rows = [folder for folder in folders if not students or folder.student in students]
        self.others = frozenset(before.students) - {folder.student for folder in rows}
        rows += [Folder(student, None) for student in self.others]
        self.folders = sorted(rows, key=lambda folder: folder.student)

    def grade(self, decide: Decide | None) -> GradedClass:
        self.proposal = Proposal(self.job.out, self.course, self.columns, self.before)
        overview = self.proposal.overview
        overview.not_understood = self.submissions.not_understood
        if self.job.anonymous:
            overview.said_only = tuple(self.submissions.notes)
        else:
            overview.notes = tuple(self.submissions.notes)
        self.progress(0, len(self.graded))
        for task, reports in self.graders(self._tasks(), self.setup):
            self._take(task, reports)
        for number in sorted(self.reports):
            self.proposal.add(self.reports[number])
        self.proposal.conclude(decide, self.marks, self.adjustments, self.grader, self.names)
        return overview

    def _due_of(self, report: Report) -> list[ExerciseReport]:
        graded = (each for each in report.exercises if each.name in self.names)
        return [each for each in graded if self.repairs.is_due(report.student, each)]

    def _searches(self, due: Sequence[tuple[Folder, ExerciseReport]]) -> Iterator[Task]:
        work: StudentWork | None = None
        for number, (folder, report) in enumerate(due):
            if work is None or work.student != folder.student:
                work = self._read(folder).work
            source = work.sources.get(report.name)
            if source is not None and source.digest == report.digest:
                yield Task(number, folder.student, (source,), SEARCH_SECONDS)

    def add_repairs(self, graded: GradedClass) -> tuple[int, int]:
        """Search for repairs of graded files, and replace the reports on files with a repair."""
        due = []
        for folder in self.graded:
            before = self.before.get(folder.student)
            due += [(folder, each) for each in self._due_of(before)] if before else []
        repairs = 0
        searched = self.graders(self._searches(due), self.setup)
        for done, (task, reports) in enumerate(searched, 1):
            report = due[task.number][1]
            data = reports.get(report.name)
            if data is not None:  # None: the judge died
                repair = msgspec.json.decode(data, type=ExerciseReport).repair
                self.repairs.keep(task.student, report, repair)
                repairs += repair is not None
            self.progress(done, len(due))
        if repairs:
            self._add_to_records({folder.student for folder, _ in due}, graded)
        return repairs, len(due)

    def _add_to_records(self, students: Collection[str], graded: GradedClass) -> None:
        proposal = Proposal(self.job.out, self.course, self.columns, self.before)
        for student in self.before.students:
            data = self.before.line(student)
            if student in students:
                before = self.before.report(student)
                exercises = tuple(
                    self.repairs.added_to(student, each) if each.name in self.names else each
                    for each in before.exercises
                )
                data = msgspec.json.encode(msgspec.structs.replace(before, exercises=exercises))
            proposal.add(data)
        proposal.replace_texts(graded)

    def _tasks(self) -> Iterator[Task]:
        """Read the students in order. Yield a task for work that is not in the journal."""
        for number, folder in enumerate(self.folders):
            if folder.student in self.others:
                report = self._absent(folder.student)
                if report is not None:
                    self.reports[number] = msgspec.json.encode(report)
                continue
            waiting = self.waiting[number] = self._read(folder)
            sources = [s for name, s in waiting.work.sources.items() if name in waiting.keys]
            if sources:
                yield Task(number, folder.student, tuple(sources))
            else:
                self._assemble(number)

    def _read(self, folder: Folder) -> _Waiting:
        names = self.course.exercises
        try:
            with guarded():
                choices = self.adjustments.choices(folder.student)
                work = read_work(folder, names, self.stubs, choices)
                self.chosen |= {(work.student, name): file for name, file in work.chosen.items()}
                self._set_variants(work)
                work.notes += older_releases(self.course, work.sources.values())
                if self.job.anonymous:
                    work = self.pseudonyms.of_work(work)
                return self._looked_up(work)
        except UnreadableFolder as error:
            unclear = dict.fromkeys(names, str(error))
            return self._looked_up(StudentWork(folder.student, unclear=unclear))

    def _set_variants(self, work: StudentWork) -> None:
        student = self.pseudonyms.student(work.student)
        for name, source in list(work.sources.items()):
            variant = variant_of(self.course.exercise(name), student, self.secret)
            if variant and stated_variant(source.text) not in {variant, ""}:
                work.unclear[name] = (
                    f"{source.label} has another student's numbers: a mix-up or a copy."
                )
                del work.sources[name]
            elif variant:
                work.sources[name] = msgspec.structs.replace(source, variant=variant)

    def _looked_up(self, work: StudentWork) -> _Waiting:
        """Collect the reports for which no check must run, such as reports in the journal."""
        waiting = _Waiting(work, {}, {})
        for exercise in self.exercises:
            name = exercise.name
            report = without_checks(exercise, work)
            if report is None:
                key = key_of(work.sources[name], exercise, self.course, self.grader)
                data = self.journal.find(work.student, name, key)
                with contextlib.suppress(msgspec.MsgspecError):  # from another version: grade again
                    report = msgspec.json.decode(data, type=ExerciseReport) if data else None
                if report is None:
                    waiting.keys[name] = key
                    continue
            waiting.reports[name] = report
        return waiting

    def _take(self, task: Task, reports: Reports) -> None:
        waiting = self.waiting[task.number]
        for source in task.sources:
            data = reports.get(source.name)
            if data is None:
                exercise = self.course.exercise(source.name)
                reason = "The grading process crashed on this submission."
                report = report_without_checks(exercise, "needs a person", reason)
            else:
                report = msgspec.json.decode(data, type=ExerciseReport)
                if report.status != "needs a person":
                    self.journal.keep(task.student, source.name, waiting.keys[source.name], data)
            waiting.reports[source.name] = report
        self._assemble(task.number)

    def _assemble(self, number: int) -> None:
        """Make the final report of a student after all exercises are graded."""
        waiting = self.waiting.pop(number)
        work, student = waiting.work, waiting.work.student
        exercises = []
        for exercise in self.exercises:
            report = self.marks.given(waiting.reports[exercise.name], student)
            request = work.requests.get(exercise.name, "")
            basis = self.bases[exercise.name] if report.status != "missing" else report.basis
            report = msgspec.structs.replace(report, request=request, basis=basis)
            exercises.append(self.repairs.added_to(student, report) if self.job.repairs else report)
        before = self.before.get(student) if self.job.partial else None
        hand_in = self.folders[number].hand_in
        merged = self._merged(student, exercises, work.notes, hand_in, before, work.sources)
        if self.job.repairs and self._due_of(merged):
            self.proposal.overview.needs_repairs = True
        self.reports[number] = msgspec.json.encode(merged)
        self.done += 1
        self.progress(self.done, len(self.graded))

    def _merged(
        self,
        student: str,
        graded: Sequence[ExerciseReport],
        notes: Sequence[str],
        hand_in: HandIn | None,
        before: Report | None,
        sources: Mapping[str, Source],
    ) -> Report:
        course, now = self.course, {exercise.name: exercise for exercise in graded}
        old = self.adjustments.with_own_excuses(before) if before else {}
        merged = [now.get(e.name) or old.get(e.name) or missing_report(e) for e in self.columns]
        exercises, adjusted = self.adjustments.apply(student, merged, now, sources)
        if before is not None:
            earlier = [a for a in before.adjustments if a.exercise and a.exercise not in now]
            adjusted = self.adjustments.in_order(student, [*earlier, *adjusted])
            regraded = any(e.name in now and e.file for e in before.exercises)
            if not regraded:  # the previous notes are on other files
                notes = list(dict.fromkeys([*before.notes, *notes]))
            hand_in = merged_hand_in(before.hand_in, hand_in, now)
        report = whole_report(student, course, exercises, self.grader, notes, hand_in)
        return finalize(report, course, adjusted, now, before)

    def _absent(self, student: str) -> Report | None:
        """Return the earlier report of a student outside this run, if an exercise is left."""
        before = self.before.report(student)
        is_gone = not self.job.students  # nothing was handed in for this run's exercises
        names = self.names if is_gone else ()
        old = {exercise.name for exercise in before.exercises}
        if is_gone and old <= set(names):
            return None
        gone = [missing_report(each) for each in self.columns if each.name in names]
        if not gone and old == {exercise.name for exercise in self.columns}:
            return before
        report = self._merged(student, gone, before.notes, before.hand_in, before, {})
        return msgspec.structs.replace(report, grader=before.grader)
