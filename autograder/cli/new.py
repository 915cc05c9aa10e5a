"""`autograder new`: a course, or an exercise, to begin with."""

import shlex
from collections.abc import Iterable
from pathlib import Path

import click

from autograder.authoring.new import new_course, new_exercise
from autograder.cli.options import PATH, course_option
from autograder.course.course_file import Library, find_course
from autograder.course.installation import require

title_option = click.option("--title", default="", help="As people read it.  [default: the name]")
needs_option = click.option(
    "--needs", type=click.Choice(["numpy", "torch"]), default="numpy", show_default=True
)


@click.group()
def new() -> None:
    """Begin a course, or an exercise: files that `autograder verify` accepts as they are."""


@new.command("course")
@click.argument("folder", type=PATH)
@click.option("--exercise", default="shares", show_default=True, help="The first exercise.")
@title_option
@needs_option
def course_command(folder: Path, exercise: str, title: str, needs: Library) -> None:
    """Begin a course in FOLDER, with one exercise. Nothing is overwritten."""
    require("authoring", "autograder new")
    course, written = new_course(folder, title, exercise, needs)
    _print_files(written)
    print(f"A course with one exercise. Next: cd {shlex.quote(str(folder))}")
    _print_next_steps(exercise, course.content.solutions)


@new.command("exercise")
@click.argument("name")
@title_option
@needs_option
@course_option
def exercise_command(name: str, title: str, needs: Library, course_path: Path | None) -> None:
    """Add the exercise NAME to a course. Nothing is overwritten."""
    require("authoring", "autograder new")
    course = find_course(Path.cwd(), named=course_path)
    _print_files(new_exercise(course, name, title, needs))
    _print_next_steps(name, course.content.solutions)


def _print_files(paths: Iterable[Path]) -> None:
    for path in paths:
        print(path)


def _print_next_steps(name: str, solutions: str) -> None:
    print(f"  autograder verify {name}              the grader graded: it holds as it is")
    print(f"  autograder check {solutions}/{name}.py   what a student with that file sees")
    print("Then put your own in its place; the kit's docs/authors.md goes through it step by step.")
