"""`autograder class-report`: a two-page summary of a class, for a department or a lecture."""

from datetime import datetime
from pathlib import Path

import click

from autograder.classroom.grades import read_reports
from autograder.cli.options import MOMENT, PATH
from autograder.course.errors import UserError
from autograder.course.files import write_atomically
from autograder.course.installation import install_command, missing_modules
from autograder.report.class_report import as_html, as_pdf
from autograder.report.class_report import class_report as report_of_class

PAGE, SHEETS = "class-report.html", "class-report.pdf"


@click.command("class-report")
@click.argument("results", type=PATH)
@click.option("--out", type=PATH, help="Write into this folder.  [default: RESULTS]")
@click.option(
    "--date", type=MOMENT, metavar="DATE", help="Print this date on the summary.  [default: none]"
)
def class_report(results: Path, out: Path | None, date: datetime | None) -> None:
    """Write a two-page summary of the class in RESULTS, as HTML and PDF.

    It shows the points, how hard the exercises are, what was misunderstood, and how reliable the
    points are. No number in it describes fewer than five students. The exit code is 1 if no PDF was
    made. A PDF needs the extra `pdf`.
    """
    report = report_of_class(read_reports(results), f"{date.day} {date:%B %Y}" if date else "")
    folder = out or results
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / PAGE, as_html(report))
        print(f"Written   {folder / PAGE}")
        if missing_modules("pdf"):
            command = install_command("pdf")
            print(f"No PDF was made, since typst is missing. Run: {command}. Or print the page.")
            raise SystemExit(1)
        write_atomically(folder / SHEETS, as_pdf(report))
        print(f"Written   {folder / SHEETS}")
    except OSError as error:
        raise UserError(f"{folder} cannot be written to: {error.strerror}.") from None
