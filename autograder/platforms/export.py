"""What each platform takes, made of a class's reports: a function a platform, in a table."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from autograder.classroom.adjustments import refuse_unapplied_entries
from autograder.classroom.grades import read_reports
from autograder.classroom.pseudonyms import FILE as PSEUDONYMS
from autograder.classroom.pseudonyms import Pseudonyms
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.report.model import Report
from autograder.report.overview import above_maximum, above_maximum_note

ExportFile = tuple[bytes, list[str]]  # the file, and what is to be said of it


class ExportRequest(msgspec.Struct, frozen=True):
    """What is to be made, of what."""

    reports: Sequence[Report]
    course: Course
    results: Path
    template: Path
    column: str | None = None
    scale: bool = False


def _canvas(asked: ExportRequest) -> ExportFile:
    from autograder.platforms.canvas import CANVAS_GRADEBOOK
    from autograder.platforms.gradebook import fill_in

    return fill_in(
        CANVAS_GRADEBOOK, asked.reports, asked.course, asked.template, asked.column, asked.scale
    )


def _blackboard(asked: ExportRequest) -> ExportFile:
    from autograder.platforms.blackboard import BLACKBOARD_GRADEBOOK
    from autograder.platforms.gradebook import fill_in

    return fill_in(
        BLACKBOARD_GRADEBOOK, asked.reports, asked.course, asked.template, asked.column, asked.scale
    )


def _brightspace(asked: ExportRequest) -> ExportFile:
    from autograder.platforms.brightspace import BRIGHTSPACE_GRADEBOOK
    from autograder.platforms.gradebook import fill_in

    return fill_in(
        BRIGHTSPACE_GRADEBOOK,
        asked.reports,
        asked.course,
        asked.template,
        asked.column,
        asked.scale,
    )


def _moodle(asked: ExportRequest) -> ExportFile:
    from autograder.platforms import moodle

    return moodle.fill_in(asked.reports, asked.template, asked.column, asked.scale)


def _moodle_feedback(asked: ExportRequest) -> ExportFile:
    from autograder.platforms import moodle

    return moodle.feedback(asked.reports, asked.results, asked.template, asked.column)


def _gradescope(asked: ExportRequest) -> ExportFile:
    from autograder.platforms.gradescope import results_zip

    return results_zip(asked.reports, asked.course.content.hints)


def _feedback(asked: ExportRequest) -> ExportFile:
    from autograder.platforms.pages import pages

    return pages(asked.reports, asked.results)


EXPORTS: dict[str, Callable[[ExportRequest], ExportFile]] = {
    "canvas": _canvas,
    "moodle": _moodle,
    "moodle-feedback": _moodle_feedback,
    "gradescope": _gradescope,
    "blackboard": _blackboard,
    "brightspace": _brightspace,
    "feedback": _feedback,
}
WITHOUT_TEMPLATE = {"gradescope", "feedback"}


def export_file(
    platform: str,
    results: Path,
    course: Course,
    template: Path | None,
    column: str | None = None,
    scale: bool = False,
) -> ExportFile:
    """The file that a platform takes, from a folder of results, and what is to be said of it.

    Raises:
        UserError: the template is missing or does not fit, or there are no results that count.
    """
    if template is None and platform not in WITHOUT_TEMPLATE:
        raise UserError(
            f"--template is missing: name the file that {platform.partition('-')[0]} gave you. "
            f"What is not in it is never added."
        )
    reports = read_reports(results)
    refuse_unapplied_entries(results, course, reports)
    reports = Pseudonyms(course.root / PSEUDONYMS).with_names(reports)
    asked = ExportRequest(reports, course, results, template or results, column, scale)
    data, notes = EXPORTS[platform](asked)
    return data, [
        *notes,
        *above_maximum_note(name for each in reports for name in above_maximum(each)),
    ]


def somebody_is_not_in_it(notes: Sequence[str]) -> bool:
    """Whether notes on a file name somebody who has no row in it."""
    return any(note.startswith(("Without a", "Row ")) for note in notes)
