"""`autograder grade`: a class."""

import os
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.classroom.by_hand import TABLE
from autograder.classroom.grade_class import GRADES, REPORTS, Job, grade_class
from autograder.cli.dry_run import show
from autograder.cli.progress import graded_with_progress
from autograder.course import Course, Exercise, find_course
from autograder.errors import UserError
from autograder.extras import require_libraries
from autograder.lint.course import refuse_slips
from autograder.platforms.recognise import left_something
from autograder.report.html import ANSWERS, FOLDER, INDEX
from autograder.report.overview import Overview, Row
from autograder.report.table import EXCUSED, points_cell
from autograder.sandbox.levels import choose
from autograder.text import number, several
from autograder.worker.confinement import LAYERS, Level

MAX_ROWS = 60
MAX_NOTES = 40


def run(
    submissions: Path,
    out: Path,
    workers: int | None,
    names: tuple[str, ...],
    assignment: str | None,
    course_path: Path | None,
    seed: int | None,
    confinement: Level | None,
    own_code: bool,
    platform: str | None,
    roster: Path | None,
    dry_run: bool,
) -> int:
    course = find_course(Path.cwd(), named=course_path)
    chosen = names or (course.assignment(assignment).exercises if assignment else ())
    exercises = [course.exercise(name) for name in chosen] or list(course.exercises.values())
    require_libraries(exercises)
    if not submissions.exists():
        raise UserError(f"{submissions} is not there. Name the folder or zip of the submissions.")
    refuse_slips(course, exercises)
    if dry_run:
        return show(submissions, course, exercises, platform, roster)
    job = Job(
        course=course,
        exercises=tuple(exercises),
        submissions=submissions,
        out=out,
        workers=workers or os.cpu_count() or 1,
        seed=course.content.seed if seed is None else seed,
        level=choose(confinement, own_code),
        platform=platform,
        roster=roster,
    )
    console = Console(highlight=False)
    console.print(f"[bold]{course.title}[/]: {several(job.workers, 'worker')}, seed {job.seed}")
    if job.level == "none":
        console.print("confinement: none. The code runs with your rights.", style="yellow")
    else:
        console.print(f"confinement: {job.level} ({', '.join(LAYERS[job.level])})")
    overview = graded_with_progress(
        lambda progress: grade_class(job, progress),
        f"graded so far are kept in {job.out}; run the same command to go on from there.",
    )
    console.print(_table(overview, course, console.width))
    _print_notes(console, overview)
    console.print(f"\nGrades    {out / GRADES}\nPages     {out / INDEX} and {out / FOLDER}/")
    if any(exercise.questions for exercise in job.exercises):
        console.print(f"Answers   {out / ANSWERS} and {out / TABLE}")
    console.print(f"Records   {out / REPORTS}")
    return 1 if overview.needs_a_person or left_something(overview.notes) else 0


def _print_notes(console: Console, overview: Overview) -> None:
    """What is to be said below the table: the rest of it stands in the files."""
    if len(overview.rows) > MAX_ROWS:
        console.print(f"… and {len(overview.rows) - MAX_ROWS} more, in {GRADES}.")
    for note in overview.notes[:MAX_NOTES]:
        console.print(Text(f"Note: {note}"))
    if len(overview.notes) > MAX_NOTES:
        console.print(f"… and {len(overview.notes) - MAX_NOTES} more, in {INDEX}.")
    for line in overview.changed[:MAX_ROWS]:
        console.print(Text(line))
    if len(overview.changed) > MAX_ROWS:
        console.print(f"… and {len(overview.changed) - MAX_ROWS} more, in {GRADES}.")
    for row in overview.needs_a_person:
        console.print(Text(f"{row.student}: {row.said}"))


WIDE = 7  # columns that a number and its head take, so that nothing is cut


def _table(overview: Overview, course: Course, width: int) -> Table:
    """A row a student; by assignment, where there is no room for every exercise."""
    groups = {e.title: [e] for e in overview.exercises}
    if len(groups) * WIDE + 30 > width and course.content.assignments:
        groups = {
            assignment.title: [e for e in overview.exercises if e.name in assignment.exercises]
            for assignment in course.content.assignments
        }
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("student", overflow="fold")
    for words, exercises in groups.items():
        if exercises:
            points = number(sum(exercise.points for exercise in exercises))
            table.add_column(f"{words} /{points}", justify="right")
    table.add_column("total", justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    for row in overview.rows[:MAX_ROWS]:
        style = {"graded": "", "missing": "dim", "excused": "dim"}.get(row.status, "yellow")
        cells = [_cell(row, exercises) for exercises in groups.values() if exercises]
        table.add_row(Text(row.student), *cells, number(row.total), Text(row.status, style=style))
    return table


def _cell(row: Row, exercises: Sequence[Exercise]) -> str:
    """The points of some exercises together; a dot where none has any, `EX` for excused."""
    counted = [exercise.name for exercise in exercises if exercise.name not in row.excused]
    if not counted:
        return EXCUSED
    if not any(points_cell(row, name) for name in counted):
        return "·"
    return number(sum(row.points[name] for name in counted))
