"""`autograder package`: what the machines of other platforms run."""

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from autograder.authoring.lint import refuse_authoring_errors
from autograder.cli.options import course_option, exercises_option
from autograder.course.course_file import Course, Exercise, find_course
from autograder.course.errors import UserError
from autograder.course.files import write_atomically
from autograder.course.text import few, several
from autograder.platforms.bundle import Files, rights, zipped

PLATFORMS = ("gradescope", "prairielearn", "classroom50", "github")
BY_HAND_TOO = ("gradescope", "classroom50")  # where people can give points beside the grader's
WITH_ANSWERS = ("gradescope", "prairielearn")
MAX_SHOWN = 5


@click.command()
@click.argument(
    "platform",
    metavar="PLATFORM",
    type=click.Choice(["gradescope", "prairielearn", "exercism", "classroom50", "github"]),
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The zip or folder.")
@exercises_option
@click.option("--assignment", help="Only the exercises of this assignment.")
@click.option(
    "--kit",
    type=click.Path(path_type=Path),
    help="A released kit, without answers: for classroom50.",
)
@click.option("--torch-index", "index", help="Where pip finds builds of torch without GPU.")
@course_option
def package(
    platform: str,
    out: Path,
    exercises: tuple[str, ...],
    assignment: str | None,
    kit: Path | None,
    index: str | None,
    course_path: Path | None,
) -> None:
    """Pack the grader for PLATFORM, whose machine then grades what is handed in there.

    PLATFORM is gradescope, prairielearn, exercism, classroom50, or github for a workflow.

    The exit code is 1 if an exercise had to be left out, which is then named.
    """
    course = find_course(Path.cwd(), named=course_path)
    if index and any(sign in index for sign in "'\"\\ \n"):
        raise UserError(f"--torch-index {index!r} has a sign that no address has.")
    packed, left = chosen(course, platform, exercises, assignment)
    if platform in WITH_ANSWERS:
        refuse_authoring_errors(course, packed)
    files = _made(platform, course, packed, assignment, kit, index, out)
    console = Console(highlight=False, soft_wrap=True)
    _write(platform, out, files)
    for note in left:
        console.print(Text(note))
    if platform in WITH_ANSWERS:
        console.print("It holds the course's answers: give it to no student.")
    console.print(Text(f"Written   {out} ({several(len(files), 'file')})"))
    raise SystemExit(1 if left else 0)


def chosen(
    course: Course, platform: str, names: Sequence[str], assignment: str | None
) -> tuple[list[Exercise], list[str]]:
    """The exercises that go in, and what is to be said of those that cannot.

    Raises:
        UserError: an exercise that was asked for cannot be graded there.
    """
    asked = names or (course.assignment(assignment).exercises if assignment else ())
    found = [course.exercise(name) for name in asked] or list(course.exercises.values())
    own = [e.name for e in found if e.variant != "none"]
    read = [e.name for e in found if e.questions and platform not in BY_HAND_TOO]
    reasons = (
        (own, "with numbers of each student's own, which nobody there can draw"),
        (read, f"answered in words, for which nobody on {platform} gives points"),
    )
    said = [f"Left out, {why}: {few(left, MAX_SHOWN)}." for left, why in reasons if left]
    if names and said:
        raise UserError(f"{' '.join(said)} Grade that with `autograder grade`.")
    kept = [e for e in found if e.name not in {*own, *read}]
    if not kept:
        raise UserError(f"No exercise is left to be graded on {platform}. {' '.join(said)}")
    return kept, said if platform in WITH_ANSWERS else []


def _made(
    platform: str,
    course: Course,
    exercises: Sequence[Exercise],
    assignment: str | None,
    kit: Path | None,
    index: str | None,
    out: Path,
) -> Files:
    if platform == "gradescope":
        from autograder.platforms import gradescope

        return gradescope.package(course, exercises, index)
    if platform == "prairielearn":
        from autograder.platforms import prairielearn

        return prairielearn.package(course, exercises, index)
    if platform == "classroom50":
        from autograder.platforms import classroom50

        return classroom50.package(course, exercises, assignment or "autograder", kit)
    from autograder.platforms import github

    return github.package(course, out)


def _write(platform: str, out: Path, files: Files) -> None:
    """One zip for Gradescope, else a folder, in which files of the same names are replaced.

    Raises:
        UserError: it cannot be written.
    """
    try:
        if platform == "gradescope":
            write_atomically(out, zipped(files.items()))
            return
        for name, content in files.items():
            path = out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content)
            path.chmod(rights(content))
    except OSError as error:
        raise UserError(f"{out} cannot be written: {error.strerror} ({error.filename}).") from None
