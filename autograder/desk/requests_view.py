"""The view *Requests*: students' regrade requests and the answers to them."""

from starlette.exceptions import HTTPException
from starlette.responses import Response

from autograder.classroom.adjustments import TABLE, Adjustments
from autograder.classroom.decisions import decision_row
from autograder.classroom.marks import answer_id
from autograder.course.errors import UserError
from autograder.desk.results import ClassMember
from autograder.desk.student_view import keep_row, student_in_address
from autograder.desk.view import DeskView, Visit
from autograder.report.model import ExerciseReport

MOST = 200  # requests on the page

Request = tuple[ClassMember, ExerciseReport]
Answered = tuple[ClassMember, ExerciseReport, str]


def by_answer(visit: Visit) -> tuple[list[Request], list[Answered]]:
    """Return the open requests, and the answered requests with their answers."""
    waiting: list[Request] = []
    answered: list[Answered] = []
    now = visit.results()
    requests = [
        (student, exercise)
        for student in now.students
        if student.id in now.with_requests
        for exercise in now.report(student.id).exercises
        if exercise.request
    ]
    if not requests:  # the first page calls this every time: avoid reading the table
        return waiting, answered
    table = Adjustments(visit.desk.results / TABLE, visit.desk.course)
    for student, exercise in requests:
        answer = next(
            (
                each.said(exercise.title)
                for each in table.of(student.id)
                if each.change == "answer"
                and (each.exercise, each.check) == (exercise.name, answer_id(exercise.request))
            ),
            "",
        )
        if answer:
            answered.append((student, exercise, answer))
        else:
            waiting.append((student, exercise))
    return waiting, answered


def show(visit: Visit) -> Response:
    """Show the open requests, and below them the answered requests."""
    waiting, answered = by_answer(visit)
    return visit.page(
        "requests_view.html",
        waiting=waiting[:MOST],
        more=max(0, len(waiting) - MOST),
        answered=answered[:MOST],
        request_id=answer_id,
    )


def answer(visit: Visit) -> Response:
    """Save the answer to a request with the text that was shown, and go on to the next."""
    now = visit.results()
    student, name = student_in_address(visit, now), visit.part("exercise")
    found = [
        each for each in now.report(student.id).exercises if each.name == name and each.request
    ]
    if not found:
        raise HTTPException(404)
    if visit.field("request") != answer_id(found[0].request):
        raise UserError("The student has handed in a new request meanwhile. Load the page again.")
    if not visit.field("answer"):
        raise UserError("Write an answer: the student reads it.")
    row = decision_row("answer", None, visit.field("answer"), None)
    row |= {"exercise": name, "check": answer_id(found[0].request)}
    keep_row(visit, student, row)
    return visit.redirect("/requests")


VIEWS = (
    DeskView("/requests", show, "Requests"),
    DeskView("/requests/{key}/{exercise}", answer, changes=True),
)
