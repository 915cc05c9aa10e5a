"""Pages of one student: code, checks with their messages, history, adjustments."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response

from autograder.classroom.adjustments import TABLE, Adjustments
from autograder.classroom.decisions import (
    MOST,
    TOTAL,
    check_named,
    decision_row,
    doubt_of,
    line_named,
    refuse_without_reason,
)
from autograder.classroom.history import user
from autograder.classroom.table_import import as_number
from autograder.course.errors import UserError
from autograder.course.text import number, several
from autograder.desk.results import ClassMember, ClassResults
from autograder.desk.selection import StudentFilter, selected
from autograder.desk.submissions import CodeFile, code_of
from autograder.desk.view import DeskView, Visit
from autograder.report.model import Report
from autograder.report.presentation import opening

CHANGES = {
    "add": "add points (−2 takes two off)",
    "set": "set the points",
    "excuse": "excuse: points and maximum do not count",
    "comment": "comment only",
}


def show(visit: Visit) -> Response:
    now = visit.results()
    student = student_in_address(visit, now)
    choice = StudentFilter.of(visit.request.query_params)
    report = now.report(student.id)
    comments = _table(visit).of(student.id)
    works = [work for _, work in now.submissions.works(student.id)]
    parts = []
    for exercise in report.exercises:
        name = exercise.name
        of_exercise = [work.sources.get(name) for work in works]
        files: list[CodeFile] = []
        warning = ""
        if exercise.digest:
            files, warning = code_of(exercise, of_exercise, comments)
        parts.append(
            {
                "exercise": exercise,
                "files": files,
                "said": warning,
                "several": next((len(w.several[name]) for w in works if name in w.several), 0),
                "finding": opening(exercise).text,
            }
        )
    order = selected(choice, now, visit.desk.course)
    order = order if student in order else now.students
    at = order.index(student)
    return visit.page(
        "student_view.html",
        student=student,
        report=report,
        choice=choice,
        parts=parts,
        past=now.history.get(student.id, [])[::-1],
        hints=visit.desk.course.content.hints,
        at=at + 1,
        of=len(order),
        before=order[at - 1] if at else None,
        after=order[at + 1] if at + 1 < len(order) else None,
        **_entered(visit, student, report),
    )


def student_in_address(visit: Visit, now: ClassResults) -> ClassMember:
    """Return the student whose key is in the address.

    Raises:
        HTTPException: no student has that key.
    """
    student = now.by_key.get(visit.part("key"))
    if student is None:
        raise HTTPException(404)
    return student


def _table(visit: Visit) -> Adjustments:
    return Adjustments(visit.desk.results / TABLE, visit.desk.course)


def _entered(visit: Visit, student: ClassMember, report: Report) -> dict[str, Any]:
    table = _table(visit)
    return {"entered": table.of(student.id), "applied": not table.not_in(report)}


def show_adjust(visit: Visit) -> Response:
    """Show the form for changing points with a reason."""
    now = visit.results()
    student = student_in_address(visit, now)
    report = now.report(student.id)
    return visit.page(
        "adjust_view.html",
        student=student,
        report=report,
        changes=CHANGES,
        total=TOTAL,
        by=user(),
        picked=visit.query("about"),
        told=visit.desk.flash.pop_sentence(visit.query("told")),
        **_entered(visit, student, report),
    )


def enter(visit: Visit) -> Response:
    """Save an adjustment, as `autograder adjust` does."""
    now = visit.results()
    student = student_in_address(visit, now)
    report = now.report(student.id)
    exercise, _, check = visit.field("about").partition("/")
    change = visit.field("change")
    if change not in CHANGES:
        raise UserError("Choose what to change.")
    refuse_without_reason(visit.field("why"), "Say why.")
    amount = _amount(visit.field("points"), change) if change in {"add", "set"} else None
    reports = {student.id: report}
    name = check_named(reports, visit.desk.results, student.id, exercise, check or None)
    row = decision_row(change, amount, visit.field("why"), visit.field("by"))
    doubt = doubt_of(_table(visit).upcoming(report), exercise, name, change, amount)
    return enter_row(visit, student, row | {"exercise": exercise, "check": name}, doubt)


def keep_row(visit: Visit, student: ClassMember, row: dict[str, str]) -> None:
    """Save a row of adjustments for a student.

    Raises:
        UserError: the row is invalid, or cannot be written now.
    """
    trouble = _table(visit).enter(row | {"student": student.id})
    if trouble:
        raise UserError(f"{trouble}, and enter it again.")


def enter_row(visit: Visit, student: ClassMember, row: dict[str, str], text: str = "") -> Response:
    """Save a row for a student, and go to the page with the student's adjustments."""
    keep_row(visit, student, row)
    said = [f"Entered in {TABLE}.", text.strip(), "Grade again to apply it."]
    return _entered_page(visit, student, " ".join(filter(None, said)))


def comment(visit: Visit) -> Response:
    """Save a comment on a line of the student's code."""
    now = visit.results()
    student, exercise = student_in_address(visit, now), visit.part("exercise")
    place = line_named(f"{visit.field('unit')}:{visit.field('line')}".removeprefix(":"))
    if not place:
        raise UserError("Enter a line number.")
    if not visit.field("why"):
        raise UserError("Write a comment: the student reads it.")
    check_named(
        {student.id: now.report(student.id)}, visit.desk.results, student.id, exercise, None
    )
    row = decision_row("comment", None, visit.field("why"), visit.field("by"))
    return enter_row(visit, student, row | {"exercise": exercise, "check": place})


def undo(visit: Visit) -> Response:
    """Remove rows of adjustments."""
    student = student_in_address(visit, visit.results())
    exercise, _, check = visit.field("about").partition("/")
    count, trouble = _table(visit).undo(student.id, exercise, check)
    if trouble:
        raise UserError(f"{trouble}, and try again.")
    return _entered_page(visit, student, f"{several(count, 'row')} removed.")


def _entered_page(visit: Visit, student: ClassMember, text: str) -> Response:
    return visit.redirect(f"/adjust/{student.key}?told={visit.desk.flash.keep(text)}")


def _amount(text: str, change: str) -> float:
    amount = as_number(text.replace("−", "-"))
    least = 0 if change == "set" else -MOST
    if amount is None or not least <= amount <= MOST:
        raise UserError(
            f"Expected points from {number(least)} to {number(MOST)}, found {text[:40]!r}."
        )
    return amount


VIEWS = (
    DeskView("/students/{key}", show),
    DeskView("/adjust/{key}", show_adjust),
    DeskView("/adjust/{key}/enter", enter, changes=True),
    DeskView("/adjust/{key}/undo", undo, changes=True),
    DeskView("/comment/{key}/{exercise}", comment, changes=True),
)
