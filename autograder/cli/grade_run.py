"""Run of `autograder grade`: grade a class, show the changes and apply them."""

import functools
import io
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from autograder.authoring.lint_cache import refuse_new_errors
from autograder.classroom.grade_class import Job, SharedOptions, add_repairs, grade_class
from autograder.classroom.grade_difference import GradeDifference
from autograder.classroom.history import (
    CHANGES_TABLE,
    GRADES,
    HISTORY,
    PROPOSED,
    GradeCommand,
    remember_command,
)
from autograder.classroom.judge_pool import Graders, workers_here
from autograder.classroom.marks import MARKS
from autograder.classroom.pending_results import GradedClass
from autograder.classroom.pseudonyms import PSEUDONYMS
from autograder.classroom.records import REPORTS
from autograder.cli.dry_run import show
from autograder.cli.history import confirm, in_a_terminal, print_difference
from autograder.cli.log import LOG, Log, emit, emit_end
from autograder.cli.progress import graded_with_progress
from autograder.course.course_file import Course, Exercise, find_course
from autograder.course.errors import UserError
from autograder.course.installation import extension, require_libraries
from autograder.course.text import number, one_line, several
from autograder.report.grades_table import EXCUSED, points_text
from autograder.report.html import ANSWERS, FOLDER, INDEX
from autograder.report.overview import ClassOverview, Row
from autograder.sandbox.levels import choose
from autograder.worker.confinement import LAYERS, Level

NOT_APPLIED = 3
MAX_WARNED = 10
MAX_ROWS = 30  # of a larger class, only the numbers of students are shown
MAX_LINES = 12  # lines for each kind of note, in a small class
FEW_LINES = 3  # lines for each kind of note, in a large class
WIDE = 7  # characters for a column of points and its heading
TOTAL = 24  # characters for the total and the status


class GradeOptions(SharedOptions, frozen=True, kw_only=True):
    workers: int | None = None
    exercises: tuple[str, ...] = ()
    assignment: str | None = None
    course_path: Path | None = None
    seed: int | None = None
    confinement: Level | None = None
    own_code: bool = False
    apply: bool | None = None
    only_if: str = ""
    as_json: bool = False
    dry_run: bool = False
    verbose: bool = False
    scheduler: str | None = None
    local_cluster: int | None = None
    tls_ca_file: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None


def run(options: GradeOptions) -> int:
    """Grade a class and print the results. Return the exit code."""
    if not options.as_json:
        return _run(options, Console(highlight=False))
    if options.dry_run:
        raise UserError("--dry-run has no JSON output. Leave out --json or --dry-run.")
    try:
        return _run(options, Console(highlight=False, file=io.StringIO()))
    except UserError as error:
        emit("error", said=str(error), exit_code=2)
        raise


def _run(options: GradeOptions, console: Console) -> int:
    course = find_course(Path.cwd(), named=options.course_path)
    assigned = course.assignment(options.assignment).exercises if options.assignment else ()
    names = options.exercises or assigned
    exercises = [course.exercise(name) for name in names] or list(course.exercises.values())
    require_libraries(exercises)
    if not options.submissions.exists():
        raise UserError(
            f"{options.submissions} does not exist. Name the folder or zip of the submissions."
        )
    refuse_new_errors(course, exercises)
    if options.dry_run:
        where = options.submissions, options.out, course, exercises
        return show(*where, options.platform, options.roster, options.verbose)
    job = _job(options, course, exercises)
    with Log(job.out, job.students if job.anonymous else ()) as log:
        return _Run(options, job, console, log).run()


def _job(options: GradeOptions, course: Course, exercises: list[Exercise]) -> Job:
    level = options.confinement
    if level is None or level == "none" or options.scheduler is None:
        level = choose(level, options.own_code)  # a cluster's machines check the level
    same = {name: getattr(options, name) for name in SharedOptions.__struct_fields__}
    return Job(
        **same,
        course=course,
        exercises=tuple(e for e in course.content.exercises if e in exercises),
        workers=options.local_cluster or options.workers or workers_here(),
        seed=course.content.seed if options.seed is None else options.seed,
        level=level,
        partial=bool(options.exercises or options.assignment or options.students),
    )


class _Run(msgspec.Struct, frozen=True):
    options: GradeOptions
    job: Job
    console: Console
    log: Log

    def run(self) -> int:
        """Grade the class, print the results, and return the exit code."""
        options, job = self.options, self.job
        self._print_head()
        graders = self._graders()
        overview = self._grade(graders)
        difference = overview.difference
        code = 1 if overview.needs_a_person or overview.waiting or overview.not_understood else 0
        if not overview.in_force and (difference is None or difference.changes or difference.texts):
            code = NOT_APPLIED
        self.log.overview(overview, code)
        if overview.in_force:
            if not (options.anonymous and options.students):  # these names are not saved
                remember_command(job.out, self._command())
            print_overview(self.console, overview, job.course)
            self._print_files(overview)
            if overview.needs_repairs:
                self._add_repairs(overview, graders)
        if options.as_json:
            emit_end(overview, job.out, code)
        return code

    def _grade(self, graders: Graders | None) -> GradedClass:
        """Grade the class, print the changes, and say if they count."""
        options, out = self.options, self.job.out
        if options.as_json:
            job = self.job
            emit(
                "start",
                course=job.course.title,
                submissions=str(job.submissions),
                out=str(out),
                exercises=[exercise.name for exercise in job.exercises],
                workers=job.workers,
                seed=job.seed,
                confinement=job.level,
            )

        def work(progress: Callable[[int, int], None]) -> GradedClass:
            decide = None if options.apply is False else self._decide
            return grade_class(
                self.job, progress, decide, self._speaker("waiting"), graders, self._warn
            )

        kept = f"graded so far. {out} keeps their results: run the same command again to continue."
        overview = graded_with_progress(work, kept, self._notifier("progress"), self.log.line)
        difference = overview.difference
        was_asked = options.apply is None and in_a_terminal()
        if difference is not None and not (was_asked and difference.needs_yes):
            place = Path(HISTORY, f"{overview.version:04}") if overview.in_force else Path(PROPOSED)
            print_difference(self.console, difference, out / place / CHANGES_TABLE)
        if not overview.in_force:
            print_notes(self.console, overview, LOG)
            text = f"""
Nothing was changed: the current grades still count. The new ones are in
{out / PROPOSED}. To apply them, run the same command with --apply."""
            self.console.print(Text(text), soft_wrap=True)
        return overview

    def _add_repairs(self, graded: GradedClass, graders: Graders | None) -> None:
        """After the grades are written, search for repairs of failures without a name or a line."""

        def work(progress: Callable[[int, int], None]) -> tuple[int, int]:
            return add_repairs(self.job, graded, progress, self._speaker("waiting"), graders)

        kept = "searched so far. All grades count: run the same command again to continue."
        notify, done_to = self._notifier("searched"), ("searched", "answer")
        try:
            found, answers = graded_with_progress(work, kept, notify, self.log.line, done_to)
        except UserError as error:
            self.log.line(str(error))
            self._speaker("warning")(str(error))
            return
        if answers:
            said = f"a line to change in {found} of {several(answers, 'answer')} without a name"
            self.log.line(f"repairs: {said}")
            self.console.print(f"Repairs   {said}")

    def _warn(self, ambiguous: Sequence[str]) -> None:
        count = f"{several(len(ambiguous), 'ambiguity')} in the submissions"
        where = ". The terminal where grade runs names them." if self.job.anonymous else ""
        self.log.line(f"{count}{where}")
        lines = [f"{count}. A person must decide these:"]
        lines += [f"  {text}" for text in ambiguous[:MAX_WARNED]]
        if len(ambiguous) > MAX_WARNED:
            lines.append(f"  … and {len(ambiguous) - MAX_WARNED} more")
        self._speaker("warning")("\n".join(lines))

    def _decide(self, difference: GradeDifference) -> bool:
        options = self.options
        if options.only_if and difference.digest != options.only_if:
            return False
        if options.apply or options.as_json or not in_a_terminal():
            return bool(options.apply)
        print_difference(self.console, difference, self.job.out / PROPOSED / CHANGES_TABLE)
        return confirm()

    def _graders(self) -> Graders | None:
        """Return the function that grades on a cluster. If this machine grades, return None."""
        options = self.options
        tls = options.tls_ca_file, options.tls_cert, options.tls_key
        if options.scheduler is None and options.local_cluster is None and not any(tls):
            return None
        speak = self._speaker("machine")

        def report_machine(message: str) -> None:
            self.log.line(message)
            speak(message)

        make = extension("autograder.graders", "dask", "grade --scheduler", extra="cluster")
        graders: Graders = make(options.scheduler, options.local_cluster, tls, report_machine)
        return graders

    def _notifier(self, event: str) -> Callable[[int, int], None] | None:
        return (lambda done, of: emit(event, done=done, of=of)) if self.options.as_json else None

    def _speaker(self, event: str) -> Callable[[str], None]:
        if self.options.as_json:
            return lambda message: emit(event, said=message)
        return functools.partial(print, file=sys.stderr, flush=True)

    def _command(self) -> GradeCommand:
        options, job = self.options, self.job
        is_selection = bool(options.exercises or options.assignment)
        return GradeCommand(
            submissions=str(job.submissions.resolve()),
            course=str(job.course.root.resolve()),
            exercises=tuple(e.name for e in job.exercises) if is_selection else (),
            students=options.students,
            platform=options.platform or "",
            roster=str(options.roster.resolve()) if options.roster else "",
            seed=options.seed,
            confinement=options.confinement or "",
            own_code=options.own_code,
            anonymous=options.anonymous,
            repairs=options.repairs,
        )

    def _print_head(self) -> None:
        options, job = self.options, self.job
        where = several(job.workers, "worker")
        if options.scheduler is not None:
            where = f"the machines of {escape(one_line(options.scheduler, 80))}"
        elif options.local_cluster:
            where = f"a local cluster of {options.local_cluster}"
        self.console.print(f"[bold]{job.course.title}[/]: {where}, seed {job.seed}")
        level, style = f"{job.level} ({', '.join(LAYERS.get(job.level, ()))})", None
        if job.level == "none":
            level, style = "none. Submitted code runs with your permissions.", "yellow"
        self.console.print(f"confinement: {level}", style=style)

    def _print_files(self, overview: GradedClass) -> None:
        job, out = self.job, self.job.out
        lines = f"\nGrades    {out / GRADES}\nPages     {out / INDEX} and {out / FOLDER}/"
        if any(exercise.questions for exercise in overview.exercises):
            waiting = f", {several(overview.waiting, 'student')} waiting" * bool(overview.waiting)
            lines += f"\nAnswers   {out / ANSWERS} and {out / MARKS}{waiting}"
        lines += f"\nRecords   {out / REPORTS}\nLog       {out / LOG}"
        if job.anonymous:
            lines += f"\nNames     {job.course.root / PSEUDONYMS}, and nowhere else"
        self.console.print(lines)


def print_overview(console: Console, overview: ClassOverview, course: Course) -> None:
    students = max((cell_len(row.student) for row in overview.rows[:MAX_ROWS]), default=0)
    groups = {exercise.title: [exercise] for exercise in overview.exercises}
    if len(groups) * WIDE + TOTAL + students > console.width and course.content.assignments:
        groups = {  # too many exercises for one column each
            assignment.title: [e for e in overview.exercises if e.name in assignment.exercises]
            for assignment in course.content.assignments
        }
    groups = {title: exercises for title, exercises in groups.items() if exercises}
    is_large = len(overview.rows) > MAX_ROWS
    if is_large:
        counts = ", ".join(f"{status} {count}" for status, count in overview.statuses)
        console.print(Text(f"{several(len(overview.rows), 'student')}: {counts}", style="bold"))
    else:
        console.print(_table(overview, groups, students <= console.width // 2))
    most = FEW_LINES if is_large else MAX_LINES
    print_notes(console, overview, INDEX, most, is_large)
    _print_some(console, overview.changed, most, "grades.csv", is_large)
    people = [f"{row.student}: {row.said}" for row in overview.needs_a_person]
    rest = "grades.csv, in the rows with the status “needs a person”"
    _print_some(console, people, most, rest, is_large)


def print_notes(
    console: Console, overview: ClassOverview, rest: str, most: int = FEW_LINES, cut: bool = True
) -> None:
    for note in overview.said_only:  # these notes are shown in full, because no file has them
        console.print(Text(f"Note: {note}"))
    lines = [f"Note: {note}" for note in overview.notes]
    _print_some(console, lines, most, rest, cut)
    if cut and len(lines) <= most and any(len(line) > console.width for line in lines):
        console.print(f"… in full in {rest}.")


def _print_some(
    console: Console, lines: Sequence[str], most: int, rest: str, cut: bool = False
) -> None:
    for line in lines[:most]:
        console.print(Text(line), overflow="ellipsis" if cut else None, no_wrap=cut)
    if len(lines) > most:
        console.print(f"… and {len(lines) - most} more, in {rest}.")


def _table(overview: ClassOverview, groups: dict[str, list[Exercise]], has_room: bool) -> Table:
    """Return a table with one row per student. If there is room, no name is broken."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("student", overflow="fold", no_wrap=has_room)
    for words, exercises in groups.items():
        title = f"{words} /{number(sum(exercise.points for exercise in exercises))}"
        narrow = textwrap.fill(title, max(map(len, title.split())))  # many columns fit
        table.add_column(narrow, justify="right")
    table.add_column("total", justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    for row in overview.rows:
        style = {"graded": "", "missing": "dim", "excused": "dim"}.get(row.status, "yellow")
        cells = [_cell(row, exercises) for exercises in groups.values()]
        table.add_row(
            Text(row.student), *cells, points_text(row.total) or "·", Text(row.status, style=style)
        )
    return table


def _cell(row: Row, exercises: Sequence[Exercise]) -> str:
    if all(exercise.name in row.excused for exercise in exercises):
        return EXCUSED
    counted = [exercise.name for exercise in exercises if exercise.name not in row.excused]
    known = [points for name in counted if (points := row.points[name]) is not None]
    return number(sum(known)) if known else "·"
