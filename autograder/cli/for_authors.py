"""The commands for who makes a course, or looks after the machine."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.options import ExerciseName, course_option

if TYPE_CHECKING:
    from autograder.course.course_file import Library


@click.group(short_help="Begin a course, or an exercise.")
def new() -> None:
    """Begin a course, or an exercise: files that `autograder verify` accepts as they are."""


title_option = click.option("--title", default="", help="As people read it.  [default: the name]")
needs_option = click.option(
    "--needs", type=click.Choice(["numpy", "torch"]), default="numpy", show_default=True
)


@new.command("course")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--exercise", default="shares", show_default=True, help="The first exercise.")
@title_option
@needs_option
def new_course(folder: Path, exercise: str, title: str, needs: "Library") -> None:
    """Begin a course in FOLDER, with one exercise. Nothing is overwritten."""
    from autograder.cli.new import course

    raise SystemExit(course(folder, title, exercise, needs))


@new.command("exercise")
@click.argument("name")
@title_option
@needs_option
@course_option
def new_exercise(name: str, title: str, needs: "Library", course_path: Path | None) -> None:
    """Add the exercise NAME to a course. Nothing is overwritten."""
    from autograder.cli.new import exercise

    raise SystemExit(exercise(name, title, needs, course_path))


@click.command(short_help="Make the students' files.")
@click.argument("exercises", nargs=-1, type=ExerciseName())
@click.option("--check", "check_only", is_flag=True, help="Write nothing; say what differs.")
@course_option
def build(exercises: tuple[str, ...], check_only: bool, course_path: Path | None) -> None:
    """Make the students' files in exercises/ from solutions/."""
    from autograder.cli.build import run

    raise SystemExit(run(exercises, check_only, course_path))


@click.command(short_help="Make files with each student's own numbers.")
@click.argument("students", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="For the folders.")
@course_option
def variants(students: Path, out: Path, course_path: Path | None) -> None:
    """Make files with numbers of each student's own: STUDENTS is a list of ids, one a line."""
    from autograder.cli.variants import run

    raise SystemExit(run(students, out, course_path))


@click.command(short_help="Grade the grader.")
@click.argument("exercises", nargs=-1, type=ExerciseName())
@click.option("--workers", type=click.IntRange(1, 64), help="Processes.  [default: one a core]")
@click.option("--no-mutants", is_flag=True, help="Leave the mutants of the solutions out.")
@click.option("--quick", is_flag=True, help="Of mistakes, mutants, pairs and seeds one in 24.")
@click.option("--unseen", is_flag=True, help="What reports say of mutants of right answers.")
@click.option("--sample", type=click.IntRange(0), default=0, help="With --unseen: so many of each.")
@click.option("--table", type=click.Path(path_type=Path), help="Write the table as Markdown.")
@course_option
def verify(
    exercises: tuple[str, ...],
    workers: int | None,
    no_mutants: bool,
    quick: bool,
    unseen: bool,
    sample: int,
    table: Path | None,
    course_path: Path | None,
) -> None:
    """Grade the grader: right answers, stub, misconceptions, mutants, seeds, times.

    With --unseen it grades mutants of every right answer as a student's file is graded, and counts
    what the reports say: a name, the changed line, something else, something false.
    The exit code is 0 if all of it holds, and nothing false was said.
    """
    if unseen:
        from tools.unseen.__main__ import run as run_unseen

        raise SystemExit(run_unseen(exercises, workers, sample, table, course_path))
    from autograder.cli.verify import run

    raise SystemExit(run(exercises, workers, not no_mutants, quick, table, course_path))


@click.command(short_help="Say what works on this machine.")
def doctor() -> None:
    """Say how submissions can be confined on this machine, and why not better."""
    from autograder.cli.doctor import run

    raise SystemExit(run())


@click.command(short_help="Print the JSON schema of the records.")
@click.argument("of", type=click.Choice(["report", "course"]), default="report")
def schema(of: str) -> None:
    """Print the JSON schema of the report, or of course.yml."""
    from autograder.cli.schema import run

    raise SystemExit(run(of))
