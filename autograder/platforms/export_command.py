"""`autograder export`: what a platform takes, from a folder of results."""

from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from autograder.cli.options import MOMENT, course_option
from autograder.course.course_file import find_course
from autograder.course.errors import UserError
from autograder.course.files import write_atomically
from autograder.platforms.export import export_file, somebody_is_not_in_it


@click.command()
@click.argument(
    "platform",
    metavar="PLATFORM",
    type=click.Choice(
        [
            "canvas",
            "moodle",
            "moodle-feedback",
            "gradescope",
            "blackboard",
            "brightspace",
            "oneroster",
            "lti",
            "feedback",
        ]
    ),
)
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--template", type=click.Path(path_type=Path), help="The platform's own file.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The file to upload.")
@click.option("--column", help="The column of the grade.  [default: by its title]")
@click.option("--scale", is_flag=True, help="Scale points to the platform's maximum.")
@click.option(
    "--date", type=MOMENT, metavar="TIME", help="When the scores were given: for oneroster and lti."
)
@course_option
def export(
    platform: str,
    results: Path,
    template: Path | None,
    out: Path,
    column: str | None,
    scale: bool,
    course_path: Path | None,
) -> None:
    """Fill in the file that PLATFORM takes, from the RESULTS that grade wrote.

    PLATFORM is canvas, moodle, moodle-feedback, gradescope, blackboard, brightspace, oneroster or
    lti; `feedback` packs everybody's page, with a table for a mail program.

    The exit code is 1 if somebody has no row in it, who is then named.
    """
    if template is not None and template.resolve() == out.resolve():
        raise UserError("--out is the template itself. Name another file.")
    course = find_course(Path.cwd(), named=course_path)
    data, notes = export_file(platform, results, course, template, column, scale)
    try:
        write_atomically(out, data)
    except OSError as error:
        raise UserError(f"{out} cannot be written: {error.strerror}.") from None
    console = Console(highlight=False, soft_wrap=True)
    for note in notes:
        console.print(Text(note))
    console.print(Text(f"Written   {out}"))
    raise SystemExit(1 if somebody_is_not_in_it(notes) else 0)
