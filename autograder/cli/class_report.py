"""`autograder class-report`: a class on two pages, for a department or a lecture."""

from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autograder.classroom.grades import read_reports
from autograder.course.errors import UserError
from autograder.course.files import write_atomically
from autograder.course.installation import install_command, installed
from autograder.report.class_report import class_report
from autograder.report.class_report_pages import as_html, as_pdf

PAGE, SHEETS = "class-report.html", "class-report.pdf"


def run(results: Path, out: Path | None, date: datetime | None) -> int:
    """Write both files; 1 if the PDF could not be made for want of its library."""
    report = class_report(read_reports(results), f"{date.day} {date:%B %Y}" if date else "")
    folder = out or results
    console = Console(highlight=False, soft_wrap=True)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / PAGE, as_html(report))
        console.print(Text(f"Written   {folder / PAGE}"))
        if not installed("pdf"):
            command = install_command("pdf")
            console.print(
                Text(f"No PDF was made: that needs typst. Run: {command}. Or print the page.")
            )
            return 1
        write_atomically(folder / SHEETS, as_pdf(report))
        console.print(Text(f"Written   {folder / SHEETS}"))
    except OSError as error:
        raise UserError(f"{folder} cannot be written to: {error.strerror}.") from None
    return 0
