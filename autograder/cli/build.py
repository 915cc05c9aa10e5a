"""`autograder new`, `build` and `variants`: make a course and its students' files."""

import csv
import shlex
from pathlib import Path

import click

from autograder.authoring.build import build_exercise, outdated, pictures_of, require_lesson
from autograder.authoring.lint import refuse_authoring_errors
from autograder.authoring.new import new_course, new_exercise
from autograder.cli.options import PATH, complete_exercise, course_option
from autograder.course.course_file import Course, Library, find_course
from autograder.course.errors import UserError
from autograder.course.files import plain_folder, refuse_unwritable, write_atomically
from autograder.course.installation import require
from autograder.course.text import file_name, has_digest, identity, several
from autograder.course.variants import make_secret, read_secret, tried_variants, variant_of

MAX_STUDENTS = 20_000
title_option = click.option(
    "--title", default="", help="The title that people read.  [default: the name]"
)
needs_option = click.option(
    "--needs", type=click.Choice(["numpy", "torch"]), default="numpy", show_default=True
)


@click.group()
def new() -> None:
    """Create a course or an exercise. The new files pass `autograder verify` as they are."""


@new.command("course")
@click.argument("folder", type=PATH)
@click.option("--exercise", default="shares", show_default=True, help="Name of the first exercise.")
@title_option
@needs_option
def course_command(folder: Path, exercise: str, title: str, needs: Library) -> None:
    """Create a course in FOLDER, with one exercise. No file is overwritten."""
    require("authoring", "autograder new")
    course, written = new_course(folder, title, exercise, needs)
    print(*written, sep="\n")
    print(f"This is a course with one exercise. Next: cd {shlex.quote(str(folder))}")
    _print_next_steps(exercise, course.content.solutions)


@new.command("exercise")
@click.argument("name")
@title_option
@needs_option
@click.option("--assignment", default="", help="Add the exercise to this assignment, too.")
@course_option
def exercise_command(
    name: str, title: str, needs: Library, assignment: str, course_path: Path | None
) -> None:
    """Add the exercise NAME to a course. No file is overwritten."""
    require("authoring", "autograder new")
    course = find_course(Path.cwd(), named=course_path)
    print(*new_exercise(course, name, title, needs, assignment), sep="\n")
    if course.content.assignments and not assignment:
        print(f"No assignment contains {name} yet. Add it to `exercises:` of one in course.yml.")
    _print_next_steps(name, course.content.solutions)


def _print_next_steps(name: str, solutions: str) -> None:
    print(f"  autograder verify {name}              tests the exercise; it passes as it is")
    print(f"  autograder check {solutions}/{name}.py   shows what a student sees with that file")
    print("Then replace the sample with your own exercise. docs/authors.md explains each step.")


@click.command()
@click.argument("exercises", nargs=-1, shell_complete=complete_exercise)
@click.option("--check", is_flag=True, help="List the files that are out of date. Write nothing.")
@course_option
def build(exercises: tuple[str, ...], check: bool, course_path: Path | None) -> None:
    """Make the students' files in exercises/ from solutions/."""
    require("authoring", "autograder build")
    course = find_course(Path.cwd(), named=course_path)
    chosen = [course.exercise(name) for name in exercises] or list(course.exercises.values())
    refuse_authoring_errors(course, [e for e in chosen if course.checks_file(e.name).is_file()])
    stale = False
    for exercise in chosen:
        require_lesson(course, exercise)
        for path, text in build_exercise(course, exercise).items():
            if check and outdated(path, text):
                print(f"{path} is out of date: solutions/{exercise.name}.py has changed")
                stale = True
            elif not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="\n")
                print(path)
    if stale:
        print("Run `autograder build`, and commit the files that it writes.")
    raise SystemExit(int(stale))


@click.command()
@click.argument("students", type=PATH)
@click.option("--out", type=PATH, required=True, help="Folder for the students' folders.")
@course_option
def variants(students: Path, out: Path, course_path: Path | None) -> None:
    """Make files with each student's own numbers. STUDENTS is a file with one id per line."""
    require("authoring", "autograder variants")
    course = find_course(Path.cwd(), named=course_path)
    exercises = [e for e in course.exercises.values() if e.variant == "per-student"]
    if not exercises:
        raise UserError(
            f"No exercise in {course.root / 'course.yml'} has `variant: per-student`. All students "
            f"get the same files, those in exercises/."
        )
    for exercise in exercises:
        tried_variants(course, exercise)
    folders = [folder_name(student) for student in read_students(students)]
    made = make_secret(course)
    if made is not None:
        print(f"Written   {made}. Grading needs this file. Keep it, and give it to nobody.")
    secret = read_secret(course)
    for name in folders:
        keys = {e.name: variant_of(e, identity(name), secret) for e in exercises}
        with refuse_unwritable(out / name):
            _write_variants(course, out / name, keys)
    count = several(2 * len(exercises), "file")
    print(f"{several(len(folders), 'folder')} written in {out}, each with {count}.")


def _write_variants(course: Course, folder: Path, variants: dict[str, str]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    plain_folder(folder)
    for name, variant in variants.items():
        files = build_exercise(course, course.exercise(name), variant)
        for path, text in files.items():
            write_atomically(folder / path.name, text)
        for shown, data in pictures_of(course, files.values()).items():
            plain_folder((folder / shown).parent)
            write_atomically(folder / shown, data)


def folder_name(student: str) -> str:
    odd = set(student) & set('/\\:*?"<>|') or student.startswith(".") or has_digest(student)
    return file_name(student) if odd or identity(student) != student else student


def read_students(path: Path) -> list[str]:
    """Return the distinct ids of students, from lines or from a table's first column."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row[0].strip() for row in csv.reader(file) if row and row[0].strip()]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(
            f"{path} cannot be read as a list of students ({error}). Write one id per line."
        ) from None
    names = [name for name in rows if name.lower() not in {"student", "id"}]
    if not names or len(names) > MAX_STUDENTS:
        count = several(len(names), "student")
        raise UserError(f"{path} lists {count}. Expected 1 to {MAX_STUDENTS}, one id per line.")
    return list(dict.fromkeys(names))
