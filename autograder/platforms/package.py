"""`autograder package`: pack the grader for other platforms' machines."""

from collections.abc import Sequence
from pathlib import Path

import click

from autograder.authoring.lint import refuse_authoring_errors
from autograder.cli.options import PATH, course_option, exercises_option, repairs_option
from autograder.course.course_file import Course, Exercise, find_course
from autograder.course.errors import UserError
from autograder.course.files import rights, write_atomically, write_files, zipped
from autograder.course.installation import PACKAGE
from autograder.course.text import few, several
from autograder.platforms import classroom50, gradescope, prairielearn
from autograder.platforms.bundle import Files, template

PLATFORMS = ("gradescope", "prairielearn", "classroom50", "github")
WITH_PEOPLE = ("gradescope", "classroom50")  # platforms where people can add points
WITH_ANSWERS = ("gradescope", "prairielearn")
WORKFLOW = ".github/workflows/autograder.yml"
MAX_SHOWN = 5


@click.command()
@click.argument("platform", metavar="PLATFORM", type=click.Choice(PLATFORMS))
@click.option("--out", type=PATH, required=True, help="Zip or folder to write.")
@exercises_option
@click.option("--assignment", help="Pack only the exercises of this assignment.")
@click.option(
    "--kit", type=PATH, help="For classroom50: pack this student kit, which has no answers."
)
@click.option("--torch-index", "index", help="Address where pip finds torch for CPUs.")
@repairs_option
@course_option
def package(
    platform: str,
    out: Path,
    exercises: tuple[str, ...],
    assignment: str | None,
    kit: Path | None,
    index: str | None,
    repairs: bool,
    course_path: Path | None,
) -> None:
    """Pack the grader for PLATFORM. The platform then grades submissions on its own machines.

    PLATFORM is gradescope, prairielearn, classroom50, or github for a workflow.

    The exit code is 1 if an exercise had to be left out. The command names it.
    """
    course = find_course(Path.cwd(), named=course_path)
    if index and any(sign in index for sign in "'\"\\ \n"):
        raise UserError(
            f"--torch-index {index!r} has a blank, a quote or a backslash. Name a web address."
        )
    packed, notes = packable(course, platform, exercises, assignment)
    if platform in WITH_ANSWERS:
        refuse_authoring_errors(course, packed)
    files: Files
    if platform == "gradescope":
        files = gradescope.package(course, packed, index, repairs)
    elif platform == "prairielearn":
        files = prairielearn.package(course, packed, index, repairs)
    elif platform == "classroom50":
        files = classroom50.package(course, packed, assignment or "autograder", kit, repairs)
    else:
        files = _workflow(course, out, repairs)
    _write(platform, out, files)
    for note in notes:
        click.echo(note)
    if platform in WITH_ANSWERS:
        click.echo("The package contains the course's solutions. Give it to no student.")
    click.echo(f"Written   {out} ({several(len(files), 'file')})")
    raise SystemExit(1 if notes else 0)


def _workflow(course: Course, place: Path, repairs: bool) -> Files:
    root, place = course.root.resolve(), place.resolve()
    folder = root.relative_to(place).as_posix() if root.is_relative_to(place) else "."
    torch = any(exercise.needs == "torch" for exercise in course.exercises.values())
    extras = "[students,torch]" if torch else "[students]"
    wheels = sorted(path.name for path in place.glob("*.whl"))
    if (place / "autograder").is_dir() and (place / "pyproject.toml").is_file():
        source = "."
    else:
        source = f"./{wheels[-1]}" if wheels else PACKAGE
    option = "--repairs" if repairs else "--no-repairs"
    values = {"INSTALL": f"'{source}{extras}'", "COURSE": folder, "REPAIRS": option}
    return {WORKFLOW: template("github.yml", **values)}


def packable(
    course: Course, platform: str, names: Sequence[str], assignment: str | None
) -> tuple[list[Exercise], list[str]]:
    asked = names or (course.assignment(assignment).exercises if assignment else ())
    exercises = [course.exercise(name) for name in asked] or list(course.exercises.values())
    own = [e.name for e in exercises if e.variant != "none"]
    read = [e.name for e in exercises if e.questions and platform not in WITH_PEOPLE]
    reasons = (
        (own, f"since {platform} cannot draw each student's own numbers"),
        (read, f"since nobody on {platform} can grade answers in words"),
    )
    notes = [f"Left out, {why}: {few(left, MAX_SHOWN)}." for left, why in reasons if left]
    if names and notes:
        raise UserError(f"{' '.join(notes)} Grade these with `autograder grade`.")
    packed = [e for e in exercises if e.name not in {*own, *read}]
    if not packed:
        raise UserError(f"No exercise is left to grade on {platform}. {' '.join(notes)}")
    return packed, notes if platform in WITH_ANSWERS else []


def _write(platform: str, out: Path, files: Files) -> None:
    try:
        if platform == "gradescope":
            write_atomically(out, zipped(files.items()))
            return
        write_files(out, files)
        for name, content in files.items():
            (out / name).chmod(rights(content))
    except OSError as error:
        raise UserError(f"{out} cannot be written: {error.strerror} ({error.filename}).") from None
