"""Repairs in the reports of a class: the answers that need a search, and the results of searches.

A search takes seconds, so it runs after all grades count. The journal keeps the result of a search.
"""

import contextlib

import msgspec

from autograder.classroom.records import Journal
from autograder.course.cache import cache_key
from autograder.course.course_file import Course
from autograder.report.model import ExerciseReport, Repair
from autograder.report.redaction import hides_repair


def may_have_repair(report: ExerciseReport, course: Course) -> bool:
    """Return whether a failed check has neither name nor line, and students may see a repair."""
    return (
        report.status == "graded"
        and course.exercise(report.name).repair
        and any(check.lacks_name_and_line for check in report.checks)
        and not hides_repair(report, course.content.hints, course.hidden_checks(report.name))
    )


class KnownRepairs:
    """Finished searches in a journal. A key depends on all inputs of the answer's grade."""

    def __init__(self, journal: Journal, course: Course) -> None:
        self._journal, self._course = journal, course

    def is_due(self, student: str, report: ExerciseReport) -> bool:
        """Return whether the report may have a repair, and no search was made so far."""
        return may_have_repair(report, self._course) and not self._found(student, report)

    def added_to(self, student: str, report: ExerciseReport) -> ExerciseReport:
        """Return the report with the repair from the search. Without one, `repair` is None."""
        found = self._found(student, report) if may_have_repair(report, self._course) else ()
        return msgspec.structs.replace(report, repair=found[0] if found else None)

    def keep(self, student: str, report: ExerciseReport, repair: Repair | None) -> None:
        """Store the result of a search for a repair of this report's answer."""
        self._journal.keep(student, *_row(report), msgspec.json.encode([repair]))

    def _found(self, student: str, report: ExerciseReport) -> tuple[Repair | None, ...]:
        """Return a tuple with the search's result; an empty tuple if there was no search."""
        data = self._journal.find(student, *_row(report)) or b"[]"
        with contextlib.suppress(msgspec.MsgspecError):  # stored in another form: search again
            return msgspec.json.decode(data, type=tuple[Repair | None, ...])
        return ()


def _row(report: ExerciseReport) -> tuple[str, str]:
    """Return the journal's name and key for a search. No exercise can have this name."""
    return f"{report.name} repair", cache_key([report.digest, report.file, report.basis])
