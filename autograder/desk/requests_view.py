"""The view *Requests*: students' regrade requests and the answers to them."""

from starlette.exceptions import HTTPException
from starlette.responses import Response

from autograder.classroom.decisions import decision_row
from autograder.classroom.marks import answer_id
from autograder.course.errors import UserError
from autograder.desk.results import ClassMember
from autograder.desk.student_view import keep_row
from autograder.desk.view import Visit
from autograder.report.model import ExerciseReport

MOST = 200  # requests on the page

Request = tuple[ClassMember, ExerciseReport]
Answered = tuple[ClassMember, ExerciseReport, str]


def by_answer(visit: Visit) -> tuple[list[Request], list[Answered]]:
    """Return the open requests, and the answered requests with their answers."""
    waiting: list[Request] = []
    answered: list[Answered] = []
    now = visit.results
    if not now.with_requests:  # the first page calls this every time: avoid reading the table
        return waiting, answered
    table = visit.adjustments()
    for student in now.students:
        if student.id not in now.with_requests:
            continue
        decisions = [row for row in table.of(student.id) if row.change == "answer"]
        for exercise in now.report(student.id).exercises:
            if not exercise.request:
                continue
            about = exercise.name, answer_id(exercise.request)
            answers = [row for row in decisions if (row.exercise, row.check) == about]
            if answers:
                answered.append((student, exercise, answers[0].said(exercise.title)))
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
    name, text = visit.part("exercise"), visit.field("answer")
    exercises = visit.results.report(visit.student.id).exercises
    request = next((each.request for each in exercises if each.name == name), "")
    if not request:
        raise HTTPException(404)
    if visit.field("request") != answer_id(request):
        raise UserError("The student has handed in a new request meanwhile. Load the page again.")
    if not text:
        raise UserError("Write an answer: the student reads it.")
    row = decision_row("answer", None, text, None)
    keep_row(visit, row | {"exercise": name, "check": answer_id(request)})
    return visit.redirect("/requests")
