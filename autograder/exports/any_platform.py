"""What each platform takes, made of a class's reports: a function a platform, in a table."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from autograder.classroom.entered_since import refuse_entered_since
from autograder.classroom.pseudonyms import FILE as PSEUDONYMS
from autograder.classroom.pseudonyms import Pseudonyms
from autograder.course import Course
from autograder.errors import UserError
from autograder.exports.grades import read_reports
from autograder.report.above import above_maximum, told_of
from autograder.report.model import Report

ExportFile = tuple[bytes, list[str]]  # the file, and what is to be said of it


class ExportRequest(msgspec.Struct, frozen=True):
    """What is to be made, of what."""

    reports: Sequence[Report]
    course: Course
    results: Path
    template: Path
    column: str | None = None
    scale: bool = False
    date: datetime | None = None


def _canvas(asked: ExportRequest) -> ExportFile:
    from autograder.exports.canvas import CANVAS
    from autograder.exports.gradebook import fill_in

    return fill_in(CANVAS, asked.reports, asked.course, asked.template, asked.column, asked.scale)


def _blackboard(asked: ExportRequest) -> ExportFile:
    from autograder.exports.blackboard import BLACKBOARD
    from autograder.exports.gradebook import fill_in

    return fill_in(
        BLACKBOARD, asked.reports, asked.course, asked.template, asked.column, asked.scale
    )


def _brightspace(asked: ExportRequest) -> ExportFile:
    from autograder.exports.brightspace import BRIGHTSPACE
    from autograder.exports.gradebook import fill_in

    return fill_in(
        BRIGHTSPACE, asked.reports, asked.course, asked.template, asked.column, asked.scale
    )


def _moodle(asked: ExportRequest) -> ExportFile:
    from autograder.exports import moodle

    return moodle.fill_in(asked.reports, asked.template, asked.column, asked.scale)


def _moodle_feedback(asked: ExportRequest) -> ExportFile:
    from autograder.exports import moodle

    return moodle.feedback(asked.reports, asked.results, asked.template, asked.column)


def _gradescope(asked: ExportRequest) -> ExportFile:
    from autograder.exports.gradescope import results_zip

    return results_zip(asked.reports, asked.course.content.hints)


def _oneroster(asked: ExportRequest) -> ExportFile:
    from autograder.exports import oneroster

    return oneroster.results(asked.reports, asked.template, asked.column, asked.date)


def _lti(asked: ExportRequest) -> ExportFile:
    from autograder.exports import lti

    return lti.scores(asked.reports, asked.template, asked.date)


def _feedback(asked: ExportRequest) -> ExportFile:
    from autograder.exports.pages import pages

    return pages(asked.reports, asked.results)


EXPORTS: dict[str, Callable[[ExportRequest], ExportFile]] = {
    "canvas": _canvas,
    "moodle": _moodle,
    "moodle-feedback": _moodle_feedback,
    "gradescope": _gradescope,
    "blackboard": _blackboard,
    "brightspace": _brightspace,
    "oneroster": _oneroster,
    "lti": _lti,
    "feedback": _feedback,
}
WITHOUT_TEMPLATE = {"gradescope", "feedback"}


def made_for(
    platform: str,
    results: Path,
    course: Course,
    template: Path | None,
    column: str | None = None,
    scale: bool = False,
    date: datetime | None = None,
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
    refuse_entered_since(results, course, reports)
    reports = Pseudonyms(course.root / PSEUDONYMS).with_names(reports)
    asked = ExportRequest(reports, course, results, template or results, column, scale, date)
    data, notes = EXPORTS[platform](asked)
    return data, [*notes, *told_of(name for each in reports for name in above_maximum(each))]


def somebody_is_not_in_it(notes: Sequence[str]) -> bool:
    """Whether notes on a file name somebody who has no row in it."""
    return any(note.startswith(("Without a", "Row ")) for note in notes)
