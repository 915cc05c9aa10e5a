"""The view of one student: the code with its findings, checks, values, history, adjustments."""

from collections.abc import Iterator
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response

from autograder.classroom.adjustments import TABLE, Adjustments
from autograder.desk.results import ClassMember, ClassResults
from autograder.desk.selection import Selection, chosen
from autograder.desk.submissions import code_of
from autograder.desk.view import DeskView, Visit
from autograder.report.model import Report
from autograder.report.presentation import opening


def show(visit: Visit) -> Response:
    now = visit.results()
    student = asked_for(visit, now)
    choice = Selection.of(visit.request.query_params)
    report = now.report(student)
    table = Adjustments(visit.place.results / TABLE, visit.place.course)
    return visit.page(
        "student_view.html",
        student=student,
        report=report,
        choice=choice,
        parts=list(_parts(visit, report)),
        past=visit.place.past.of(student.id),
        entered=table.of(student.id),
        in_force=table.are_in(report),
        hints=visit.place.course.content.hints,
        **_neighbours(visit, now, student, choice),
    )


def asked_for(visit: Visit, now: ClassResults) -> ClassMember:
    """The student whose key stands in the address.

    Raises:
        HTTPException: there is nobody of that key.
    """
    student = now.by_key.get(visit.part("key"))
    if student is None:
        raise HTTPException(404)
    return student


def _parts(visit: Visit, report: Report) -> Iterator[dict[str, Any]]:
    """Each exercise with its code."""
    sources = visit.place.works.sources(report.student)
    for exercise in report.exercises:
        mine = [each.get(exercise.name) for each in sources]
        files, said = code_of(exercise, mine) if exercise.digest else ([], "")
        yield {
            "exercise": exercise,
            "files": files,
            "said": said,
            "finding": opening(exercise),
        }


def _neighbours(
    visit: Visit, now: ClassResults, student: ClassMember, choice: Selection
) -> dict[str, Any]:
    """Who comes before and after, among those and in the order that the class was looked at."""
    order = chosen(choice, now, visit.place.course)
    if student not in order:
        order = now.students
    at = order.index(student)
    return {
        "at": at + 1,
        "of": len(order),
        "before": order[at - 1] if at else None,
        "after": order[at + 1] if at + 1 < len(order) else None,
    }


VIEWS = (DeskView("/students/{key}", show),)
