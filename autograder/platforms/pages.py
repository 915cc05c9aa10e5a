"""All students' pages in a zip, with a table by which a mail program sends each its own."""

import csv
import io

from autograder.classroom.grades import grade_of
from autograder.course.text import number
from autograder.platforms.export_file import (
    ExportFile,
    ExportRequest,
    names_note,
    page_bytes,
    zipped,
)
from autograder.platforms.rows import name_of
from autograder.report.grades_table import EXCUSED, safe_cell
from autograder.report.html import page_of
from autograder.report.model import HandIn, Report

TABLE = "mail-merge.csv"
COLUMNS = ("id", "name", "email", "section", "points", "maximum", "status", "page")


def pages(request: ExportRequest) -> ExportFile:
    """Return the zip.

    Raises:
        UserError: a page is missing.
    """
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(COLUMNS)
    files = []
    for report in request.reports:
        page = page_of(report)
        files.append((page, page_bytes(request, report)))
        table.writerow(_row(report, page))
    data = text.getvalue().encode("utf-8-sig")  # the mark by which Word and Excel know it
    lost = [name_of(r) for r in request.reports if not (r.hand_in and r.hand_in.email)]
    notes = names_note("No e-mail address is known of", lost)
    if len(lost) == len(request.reports):
        notes = ["No e-mail addresses are known. A roster with a column `email` says them."]
    return ExportFile(zipped([(TABLE, data), *files]), notes)


def _row(report: Report, page: str) -> list[str]:
    known = report.hand_in or HandIn()
    grade = grade_of(report, [exercise.name for exercise in report.exercises])
    unknown = EXCUSED if grade.excused else ""  # of what was not handed in, say: not a bare 0
    points = unknown if grade.points is None else number(grade.points)
    status = "excused" if grade.excused else report.status
    about = (report.student, known.name, known.email, known.section)
    return [*map(safe_cell, about), points, number(report.max_points), status, page]
