"""`autograder grade`: a class."""

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from autograder.authoring.lint_cache import refuse_authoring_errors, unless_cached
from autograder.classroom.grade_class import GRADES, REPORTS, Job, grade_class
from autograder.classroom.grade_difference import GradeDifference
from autograder.classroom.history import (
    CHANGES_TABLE,
    HISTORY,
    PROPOSED,
    GradeCommand,
    remember_command,
)
from autograder.classroom.judge_pool import Graders
from autograder.classroom.marks import TABLE
from autograder.classroom.proposed import GradedClass
from autograder.classroom.pseudonyms import FILE as PSEUDONYMS
from autograder.cli import log as log_module
from autograder.cli.diff import confirm, in_a_terminal, print_difference
from autograder.cli.dry_run import show
from autograder.cli.log import FILE as LOG
from autograder.cli.log import Log
from autograder.cli.progress import graded_with_progress
from autograder.cli.summary import print_notes, print_overview
from autograder.course.course_file import Course, Exercise, find_course
from autograder.course.errors import UserError
from autograder.course.installation import extension, require_libraries
from autograder.course.text import one_line, several
from autograder.report.html import ANSWERS, FOLDER, INDEX
from autograder.sandbox.levels import choose
from autograder.worker.confinement import LAYERS, Level

NOT_APPLIED = 3


class GradeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for on the command line."""

    submissions: Path
    out: Path
    workers: int | None = None
    exercises: tuple[str, ...] = ()
    assignment: str | None = None
    students: tuple[str, ...] = ()
    course_path: Path | None = None
    seed: int | None = None
    confinement: Level | None = None
    own_code: bool = False
    platform: str | None = None
    roster: Path | None = None
    apply: bool | None = None
    only_if: str = ""
    wait: float = 0.0
    as_json: bool = False
    dry_run: bool = False
    anonymous: bool = False
    scheduler: str | None = None
    local_cluster: int | None = None
    tls_ca_file: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None

    @property
    def cluster(self) -> str:
        """Where it is graded, if not in processes here."""
        if self.scheduler is not None:
            return f"the machines of {one_line(self.scheduler, 80)}"
        return f"a local cluster of {self.local_cluster}" if self.local_cluster else ""


def run(wanted: GradeOptions) -> int:
    """Grade, and say what came of it; the exit code."""
    if not wanted.as_json:
        return _run(wanted, Console(highlight=False))
    if wanted.dry_run:
        raise UserError("--json has nothing to say of a dry run. Leave one of them out.")
    try:
        return _run(wanted, Console(highlight=False, file=io.StringIO()))
    except UserError as error:
        log_module.emit("error", said=str(error), exit_code=2)
        raise


def _run(wanted: GradeOptions, console: Console) -> int:
    course = find_course(Path.cwd(), named=wanted.course_path)
    exercises = _exercises(course, wanted)
    require_libraries(exercises)
    if not wanted.submissions.exists():
        raise UserError(
            f"{wanted.submissions} is not there. Name the folder or zip of the submissions."
        )
    unless_cached(refuse_authoring_errors, course, exercises)
    if wanted.dry_run:
        return show(wanted.submissions, course, exercises, wanted.platform, wanted.roster)
    job = _job(wanted, course, exercises)
    _print_head(console, job, wanted.cluster)
    with Log(job.out) as log:
        overview = _graded(wanted, job, console, log)
        code = _code(overview)
        log.overview(overview, code)
    if overview.in_force:
        if not (wanted.anonymous and wanted.students):  # whose names stand nowhere
            remember_command(job.out, _command(wanted, job))
        print_overview(console, overview, course)
        _print_files(console, job, overview)
    if wanted.as_json:
        log_module.emit_end(overview, job.out, code)
    return code


def _exercises(course: Course, wanted: GradeOptions) -> list[Exercise]:
    assigned = course.assignment(wanted.assignment).exercises if wanted.assignment else ()
    names = wanted.exercises or assigned
    return [course.exercise(name) for name in names] or list(course.exercises.values())


def _job(wanted: GradeOptions, course: Course, exercises: list[Exercise]) -> Job:
    return Job(
        course=course,
        exercises=tuple(each for each in course.content.exercises if each in exercises),
        submissions=wanted.submissions,
        out=wanted.out,
        workers=wanted.local_cluster or wanted.workers or os.cpu_count() or 1,
        seed=course.content.seed if wanted.seed is None else wanted.seed,
        level=_level(wanted),
        platform=wanted.platform,
        roster=wanted.roster,
        partial=bool(wanted.exercises or wanted.assignment or wanted.students),
        students=wanted.students,
        wait=wanted.wait,
        anonymous=wanted.anonymous,
    )


def _level(wanted: GradeOptions) -> Level:
    """How the code is confined; on other machines, it is they that must hold what is named."""
    if wanted.scheduler is not None and wanted.confinement not in {None, "none"}:
        assert wanted.confinement is not None
        return wanted.confinement
    return choose(wanted.confinement, wanted.own_code)


def _command(wanted: GradeOptions, job: Job) -> GradeCommand:
    """The command, so that it can be repeated from anywhere."""
    return GradeCommand(
        submissions=str(job.submissions.resolve()),
        course=str(job.course.root.resolve()),
        exercises=tuple(e.name for e in job.exercises)
        if wanted.exercises or wanted.assignment
        else (),
        students=wanted.students,
        platform=wanted.platform or "",
        roster=str(wanted.roster.resolve()) if wanted.roster else "",
        seed=wanted.seed,
        confinement=wanted.confinement or "",
        own_code=wanted.own_code,
        anonymous=wanted.anonymous,
    )


def _graded(wanted: GradeOptions, job: Job, console: Console, log: Log) -> GradedClass:
    """The class, graded; what would change is shown, and decided about."""
    graders = _graders(wanted, log)
    if wanted.as_json:
        log_module.emit_start(job)

    def decide(difference: GradeDifference) -> bool:
        if wanted.only_if and difference.digest != wanted.only_if:
            return False
        if wanted.apply or wanted.as_json or not in_a_terminal():
            return bool(wanted.apply)
        print_difference(console, difference, job.out / PROPOSED / CHANGES_TABLE)
        return confirm()

    def work(progress: Callable[[int, int], None]) -> GradedClass:
        told = log.beside(progress)
        asked = None if wanted.apply is False else decide
        return grade_class(job, told, asked, _sayer(wanted, "waiting"), graders)

    kept = f"graded so far are kept in {job.out}; run the same command to go on from there."
    overview = graded_with_progress(
        work, kept, log_module.emit_progress if wanted.as_json else None
    )
    asked = wanted.apply is None and in_a_terminal() and overview.difference is not None
    if overview.difference is not None and not (asked and overview.difference.needs_yes):
        place = HISTORY if overview.in_force else PROPOSED
        where = f"{overview.version:04}" if overview.in_force else ""
        print_difference(console, overview.difference, job.out / place / where / CHANGES_TABLE)
    if not overview.in_force:
        print_notes(console, overview, LOG)
        said = f"""
Nothing was changed: the grades that were there count as they are. To put these in
force, run the same command with --apply. They are in {job.out / PROPOSED}."""
        console.print(Text(said), soft_wrap=True)
    return overview


def _graders(wanted: GradeOptions, log: Log) -> Graders | None:
    """What grades on a cluster, if that is asked for; machines that are left out are named."""
    say = _sayer(wanted, "machine")

    def told(said: str) -> None:
        log.line(said)
        say(said)

    tls = wanted.tls_ca_file, wanted.tls_cert, wanted.tls_key
    if wanted.scheduler is None and wanted.local_cluster is None and not any(tls):
        return None
    chosen_graders = extension("autograder.graders", "dask", "grade --scheduler", extra="cluster")
    graders: Graders = chosen_graders(wanted.scheduler, wanted.local_cluster, tls, told)
    return graders


def _sayer(wanted: GradeOptions, event: str) -> Callable[[str], None]:
    """What says a sentence at once: on stderr, or as an event."""

    def say(said: str) -> None:
        if wanted.as_json:
            log_module.emit(event, said=said)
        else:
            print(said, file=sys.stderr, flush=True)

    return say


def _code(overview: GradedClass) -> int:
    found = overview.difference
    if not overview.in_force and (found is None or found.changes or found.texts):
        return NOT_APPLIED
    return 1 if overview.needs_a_person or overview.not_understood else 0


def _print_head(console: Console, job: Job, cluster: str) -> None:
    where = escape(cluster) or several(job.workers, "worker")
    console.print(f"[bold]{job.course.title}[/]: {where}, seed {job.seed}")
    if job.level == "none":
        console.print("confinement: none. The code runs with your rights.", style="yellow")
    else:
        console.print(f"confinement: {job.level} ({', '.join(LAYERS[job.level])})")


def _print_files(console: Console, job: Job, overview: GradedClass) -> None:
    out = job.out
    console.print(f"\nGrades    {out / GRADES}\nPages     {out / INDEX} and {out / FOLDER}/")
    if any(exercise.questions for exercise in overview.exercises):
        console.print(f"Answers   {out / ANSWERS} and {out / TABLE}")
    console.print(f"Records   {out / REPORTS}\nLog       {out / LOG}")
    if job.anonymous:
        console.print(f"Names     {job.course.root / PSEUDONYMS}, and nowhere else")
