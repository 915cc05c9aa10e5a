"""What continuous integration reads, of a class that was graded."""

from pathlib import Path

from autograder.course import find_course
from autograder.exports.grades import read_reports
from autograder.report.ci.case import Shown
from autograder.report.ci.files import Wanted, write
from autograder.report.redact import for_student


def of_a_class(wanted: Wanted, results: Path, course_path: Path | None) -> None:
    """Write the files from a folder of results, with what students may see: logs are read by many.

    Raises:
        UserError: the results cannot be read, or a file not be written.
    """
    course = find_course(Path.cwd(), named=course_path)
    found = []
    for report in read_reports(results):
        shown = for_student(report, course.content.hints)
        found += [Shown(each, each.file, student=report.student) for each in shown.exercises]
    write(wanted, found)
