"""`autograder export`: what a platform takes, from a folder of results."""

from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autograder.course.course_file import find_course
from autograder.course.errors import UserError
from autograder.course.files import write_atomically
from autograder.platforms.export import export_file, somebody_is_not_in_it


def run(
    platform: str,
    results: Path,
    template: Path | None,
    out: Path,
    column: str | None,
    scale: bool,
    date: datetime | None,
    course_path: Path | None,
) -> int:
    """Write the file, and say what is not in it; the exit code is 1 if somebody is not."""
    if template is not None and template.resolve() == out.resolve():
        raise UserError("--out is the template itself. Name another file.")
    course = find_course(Path.cwd(), named=course_path)
    data, notes = export_file(platform, results, course, template, column, scale, date)
    try:
        write_atomically(out, data)
    except OSError as error:
        raise UserError(f"{out} cannot be written: {error.strerror}.") from None
    console = Console(highlight=False, soft_wrap=True)
    for note in notes:
        console.print(Text(note))
    console.print(Text(f"Written   {out}"))
    return 1 if somebody_is_not_in_it(notes) else 0
