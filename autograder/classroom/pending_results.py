"""A run's proposal: new results, and their comparison with the current results."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from autograder.classroom.adjustments import Adjustments
from autograder.classroom.decisions import open_requests
from autograder.classroom.grade_difference import GradeDifference, compare, reason_counts
from autograder.classroom.history import (
    CHANGES,
    CHANGES_TABLE,
    GRADES,
    proposal,
    put_in_force,
    replace_results,
)
from autograder.classroom.marks import MARKS, Answered, Marks, answers_of
from autograder.classroom.records import REPORTS, Records
from autograder.course.course_file import Course, Exercise
from autograder.course.files import plain_folder, write_atomically
from autograder.course.text import several
from autograder.report.grades_table import safe_cell, write_grades, write_table
from autograder.report.html import (
    ANSWERS,
    FOLDER,
    INDEX,
    class_page_content,
    environment,
    page_of,
    write_page,
)
from autograder.report.model import Grader, Report
from autograder.report.overview import ClassOverview, above_maximum_note
from autograder.report.redaction import for_student

ALL_HINTS = 99
CHANGE_COLUMNS = ("student", "exercise", "before", "after", "why", "checks")
Decide = Callable[[GradeDifference], bool]


class GradedClass(ClassOverview):
    """Overview of a run, with its changes."""

    in_force = True
    needs_repairs = False  # true if a file needs a search for a repair
    version = 0  # number of the new version, or 0 if no result was new
    difference: GradeDifference | None = None  # changes of previous results


class Proposal:
    """Results of a run. Students are added one by one, in the order of the table."""

    def __init__(
        self, out: Path, course: Course, exercises: Sequence[Exercise], before: Records
    ) -> None:
        self.overview = GradedClass(course.title, exercises)
        self.difference = GradeDifference()
        self._out = out
        self._course = course
        self._exercises = exercises
        self._before = before
        self._folder = proposal(out)
        plain_folder(self._folder / FOLDER)
        self._requests = 0
        self._is_same = True  # True while nothing except repairs differs
        self._answers: list[Answered] = []
        self._records: list[bytes] = []
        self._changes: list[bytes] = []

    def add(self, data: bytes) -> None:
        report = msgspec.json.decode(data, type=Report)
        self._records.append(data + b"\n")
        self._answers += answers_of(report)
        self._requests += len(open_requests(report))
        policy, page = self._course.content.hints, page_of(report)
        hints = ALL_HINTS if policy == "practice" else 1
        shown = for_student(report, policy, hints, self._course.hidden_checks)
        text = environment().get_template("student.html").render(report=shown)
        current = self._out / page
        is_file = current.is_file() and not current.is_symlink()
        if not is_file or current.read_bytes() != text.encode():
            write_atomically(self._folder / page, text)
        self.overview.add(report, page)
        if data != self._before.line(report.student):
            self._compare(self._before.get(report.student), report)

    def _compare(self, before: Report | None, after: Report | None) -> None:
        before, after = _without_repairs(before), _without_repairs(after)
        self._is_same &= before == after
        change = compare(before, after, self._course)
        if change is None:
            self.difference.texts += _on_page(before) != _on_page(after)
            return
        self._changes.append(msgspec.json.encode(change) + b"\n")
        if self._before.there:
            self.difference.changes.append(change)

    def conclude(
        self,
        decide: Decide | None,
        marks: Marks,
        adjustments: Adjustments,
        grader: Grader,
        names: Sequence[str],
    ) -> None:
        """Make the proposed results current if `decide` agrees. Otherwise, keep the proposal.

        `decide` is called only if existing grades change. Without it, the results never change.
        After an OSError, the previous results stay current.
        """
        overview, difference = self.overview, self.difference
        students = {row.student for row in overview.rows}
        for student in self._before.students:
            if student not in students:
                self._compare(self._before.get(student), None)
        self._write_records()
        columns = [exercise.name for exercise in self._exercises]
        write_grades(self._folder / GRADES, columns, overview.rows)
        if self._before.there:
            write_table(self._folder / CHANGES_TABLE, CHANGE_COLUMNS, _lines(difference))
            overview.difference = difference
        overview.in_force = decide is not None and (not difference.needs_yes or decide(difference))
        if not overview.in_force:
            return
        if any(exercise.questions for exercise in self._exercises):
            answers = self._answers
            overview.notes += (*marks.notes(answers), *marks.write(answers))
            changed, orphaned = marks.changed(answers), marks.orphaned(answers)
            write_page(
                self._folder / ANSWERS,
                "by_hand.html",
                course=self._course.title,
                exercises=self._exercises,
                answers=answers,
                table=MARKS,
                changed=changed,
                orphaned=orphaned,
            )
        overview.notes += (*self._notes(adjustments), *adjustments.write())
        write_page(self._folder / INDEX, "index.html", **class_page_content(overview))
        if overview.difference is not None and self._is_same:
            self._replace_current()
        else:
            rows = overview.rows
            overview.version = put_in_force(
                self._out,
                grader=grader,
                exercises=tuple(names),
                students=len(rows),
                changed=len(difference.changes) if self._before.there else len(rows),
                why=reason_counts(difference.changes),
            ).number

    def replace_texts(self, graded: GradedClass) -> None:
        """Replace the current records and pages by versions with repairs. No grade changes."""
        overview = self.overview
        overview.notes, overview.not_understood = graded.notes, graded.not_understood
        self._write_records()
        write_page(self._folder / INDEX, "index.html", **class_page_content(overview))
        self._replace_current()

    def _write_records(self) -> None:
        write_atomically(self._folder / REPORTS, b"".join(self._records))
        write_atomically(self._folder / CHANGES, b"".join(self._changes))

    def _replace_current(self) -> None:
        replace_results(self._folder, self._out)
        shutil.rmtree(self._folder)

    def _notes(self, adjustments: Adjustments) -> Iterator[str]:
        yield from above_maximum_note(self.overview.above)
        if self._requests:
            waiting = several(self._requests, "regrade request")
            yield f"{waiting} without an answer. See Requests on the desk."
        yield from adjustments.notes({row.student for row in self.overview.rows})


def _without_repairs(report: Report | None) -> Report | None:
    if report is None:
        return None
    exercises = tuple(msgspec.structs.replace(each, repair=None) for each in report.exercises)
    return msgspec.structs.replace(report, exercises=exercises)


def _on_page(report: Report | None) -> Report | None:
    if report is None or report.hand_in is None:
        return report
    hand_in = msgspec.structs.replace(report.hand_in, entries=())
    return msgspec.structs.replace(report, hand_in=hand_in)


def _lines(difference: GradeDifference) -> Iterator[list[str]]:
    for change in difference.changes:
        student = safe_cell(change.student)
        yield [student, "all", change.before, change.after, "; ".join(change.why), ""]
        for cell in change.cells:
            texts = [cell.exercise, cell.before, cell.after]
            texts += ["; ".join(cell.why), "; ".join(cell.checks)]
            yield [student, *texts]
