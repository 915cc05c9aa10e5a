"""The view *Adjust*: a person changes what a student gets, and says why."""

from starlette.responses import Response

from autograder.classroom.adjustments import TABLE, Adjustments
from autograder.classroom.decisions import MOST, TOTAL, check_named, decision_row, doubt_of
from autograder.classroom.lock import user
from autograder.classroom.table_import import as_number
from autograder.course.errors import UserError
from autograder.course.text import number, several
from autograder.desk.student_view import asked_for
from autograder.desk.view import DeskView, Visit

CHANGES = {
    "add": "points more (or less: −2)",
    "set": "points in place of what there are",
    "excuse": "excused: out of points and maximum",
    "comment": "only a comment",
}


def show(visit: Visit) -> Response:
    now = visit.results()
    student = asked_for(visit, now)
    report = now.report(student)
    table = Adjustments(visit.place.results / TABLE, visit.place.course)
    mine = table.of(student.id)
    return visit.page(
        "adjust_view.html",
        student=student,
        report=report,
        entered=mine,
        in_force=table.are_in(report),
        changes=CHANGES,
        total=TOTAL,
        by=user(),
        picked=visit.query("about"),
        told=visit.place.kept.said(visit.query("told")),
    )


def enter(visit: Visit) -> Response:
    """Enter a row, as `autograder adjust` does."""
    now = visit.results()
    student = asked_for(visit, now)
    report = now.report(student)
    exercise, _, check = visit.field("about").partition("/")
    change = visit.field("change")
    if change not in CHANGES:
        raise UserError("Choose what is to change.")
    amount = _amount(visit.field("points"), change) if change in {"add", "set"} else None
    results = visit.place.results
    name = check_named({student.id: report}, results, student.id, exercise, check or None)
    where = {"student": student.id, "exercise": exercise, "check": name}
    row = decision_row(change, amount, visit.field("why"), visit.field("by"))
    trouble = Adjustments(results / TABLE, visit.place.course).enter(where | row)
    if trouble:
        raise UserError(f"{trouble}, and enter it again.")
    doubt = doubt_of(report, exercise, name, change, amount)
    told = visit.place.kept.say(f"Entered in {TABLE}.{doubt} It is not in force yet.")
    return visit.other(f"/adjust/{student.key}?told={told}")


def undo(visit: Visit) -> Response:
    """Take rows out again."""
    student = asked_for(visit, visit.results())
    exercise, _, check = visit.field("about").partition("/")
    table = Adjustments(visit.place.results / TABLE, visit.place.course)
    count, trouble = table.undo(student.id, exercise, check)
    if trouble:
        raise UserError(f"{trouble}, and do it again.")
    told = visit.place.kept.say(f"{several(count, 'row')} taken out.")
    return visit.other(f"/adjust/{student.key}?told={told}")


def _amount(text: str, change: str) -> float:
    amount = as_number(text.replace("−", "-"))
    least = 0 if change == "set" else -MOST
    if amount is None or not least <= amount <= MOST:
        raise UserError(
            f"Points are a number from {number(least)} to {number(MOST)}, and not {text[:40]!r}."
        )
    return amount


VIEWS = (
    DeskView("/adjust/{key}", show),
    DeskView("/adjust/{key}/enter", enter, changes=True),
    DeskView("/adjust/{key}/undo", undo, changes=True),
)
