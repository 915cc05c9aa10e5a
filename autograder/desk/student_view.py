"""Pages of one student, and the view *Requests*.

The pages show code, checks and history. On them, a person enters adjustments and comments, chooses
a file, and answers regrade requests.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from starlette.exceptions import HTTPException
from starlette.responses import Response

from autograder.classroom.adjustments import ADJUSTMENTS
from autograder.classroom.decisions import (
    TOTAL,
    check_named,
    decision_row,
    doubt_of,
    line_named,
    points_entered,
    refuse_without_reason,
)
from autograder.classroom.history import user
from autograder.classroom.marks import answer_id
from autograder.classroom.submissions import content_of_all
from autograder.course.errors import UserError
from autograder.course.text import several
from autograder.desk.results import ClassMember, StudentFilter
from autograder.desk.submissions import CodeFile, code_of
from autograder.desk.view import Visit
from autograder.grading.reports import report_without_checks
from autograder.report.model import ExerciseReport, Report
from autograder.report.presentation import opening
from autograder.submission.choice import FoundFile

CHANGES = {
    "add": "add points (−2 takes two off)",
    "set": "set the points",
    "excuse": "excuse: points and maximum do not count",
    "comment": "comment only",
}
MAX_FILES = 6  # files whose code is shown
MOST_REQUESTS = 200  # on the page

Request = tuple[ClassMember, ExerciseReport]
Answered = tuple[ClassMember, ExerciseReport, str]


def show(visit: Visit) -> Response:
    now, student = visit.results, visit.student
    choice = StudentFilter.of(visit.request.query_params)
    report = now.report(student.id)
    comments = visit.adjustments().of(student.id)
    works = now.submissions.works(student.id)
    parts = []
    for exercise in report.exercises:
        name = exercise.name
        files: list[CodeFile] = []
        warning = ""
        if exercise.digest:
            files, warning = code_of(exercise, [work.sources.get(name) for work in works], comments)
        parts.append(
            {
                "exercise": exercise,
                "files": files,
                "said": warning,
                "several": next((len(w.several[name]) for w in works if name in w.several), 0),
                "finding": opening(exercise).text,
            }
        )
    order = choice.students(now, visit.course)
    order = order if student in order else now.students
    at = order.index(student)
    return visit.page(
        "student_view.html",
        student=student,
        report=report,
        choice=choice,
        parts=parts,
        past=now.history.get(student.id, [])[::-1],
        hints=visit.course.content.hints,
        at=at + 1,
        of=len(order),
        before=order[at - 1] if at else None,
        after=order[at + 1] if at + 1 < len(order) else None,
        **_entered(visit, report),
    )


def _entered(visit: Visit, report: Report) -> dict[str, Any]:
    table = visit.adjustments()
    return {"entered": table.of(report.student), "applied": not table.not_in(report)}


def show_adjust(visit: Visit) -> Response:
    report = visit.results.report(visit.student.id)
    return visit.page(
        "adjust_view.html",
        student=visit.student,
        report=report,
        changes=CHANGES,
        total=TOTAL,
        by=user(),
        picked=visit.query("about"),
        told=visit.desk.pop_sentence(visit.query("told")),
        **_entered(visit, report),
    )


def enter(visit: Visit) -> Response:
    """Save an adjustment, as `autograder adjust` does."""
    report = visit.results.report(visit.student.id)
    exercise, _, check = visit.field("about").partition("/")
    change, why = visit.field("change"), visit.field("why")
    if change not in CHANGES:
        raise UserError("Choose what to change.")
    refuse_without_reason(why, "Say why.")
    amount = points_entered(change, visit.field("points"))
    student = report.student
    name = check_named({student: report}, visit.desk.results, student, exercise, check or None)
    row = decision_row(change, amount, why, visit.field("by"))
    doubt = doubt_of(visit.adjustments().upcoming(report), exercise, name, change, amount)
    return enter_row(visit, row | {"exercise": exercise, "check": name}, doubt)


def keep_row(visit: Visit, row: dict[str, str]) -> None:
    trouble = visit.adjustments().enter(row | {"student": visit.student.id})
    if trouble:
        raise UserError(f"{trouble}, and enter it again.")


def enter_row(visit: Visit, row: dict[str, str], text: str = "") -> Response:
    keep_row(visit, row)
    said = [f"Entered in {ADJUSTMENTS}.", text.strip(), "Grade again to apply it."]
    return _entered_page(visit, " ".join(filter(None, said)))


def comment(visit: Visit) -> Response:
    student, exercise = visit.student.id, visit.part("exercise")
    place = line_named(f"{visit.field('unit')}:{visit.field('line')}".removeprefix(":"))
    if not place:
        raise UserError("Enter a line number.")
    if not visit.field("why"):
        raise UserError("Write a comment: the student reads it.")
    reports = {student: visit.results.report(student)}
    check_named(reports, visit.desk.results, student, exercise, None)
    row = decision_row("comment", None, visit.field("why"), visit.field("by"))
    return enter_row(visit, row | {"exercise": exercise, "check": place})


def undo(visit: Visit) -> Response:
    exercise, _, check = visit.field("about").partition("/")
    count, trouble = visit.adjustments().undo(visit.student.id, exercise, check)
    if trouble:
        raise UserError(f"{trouble}, and try again.")
    return _entered_page(visit, f"{several(count, 'row')} removed.")


def _entered_page(visit: Visit, text: str) -> Response:
    return visit.redirect(f"/adjust/{visit.student.key}?told={visit.desk.keep(text)}")


class ShownFile(NamedTuple):
    """One of several files for an exercise: its code, and an id of its content."""

    name: str
    id: str
    trouble: str
    code: Sequence[CodeFile] = ()


def show_files(visit: Visit) -> Response:
    student, exercise = visit.student, visit.course.exercise(visit.part("exercise"))
    distinct: dict[str, FoundFile] = {}  # of several files with the same content, the first one
    for file in visit.results.submissions.several(student.id, exercise.name):
        distinct.setdefault(file.source.content if file.source else file.shown, file)
    every = [(file.shown, file.source) for file in distinct.values() if file.source]
    readable = [source for _, source in every[:MAX_FILES]]
    empty = report_without_checks(exercise, "needs a person", "")
    shown = [ShownFile(f.shown, "", f.trouble) for f in distinct.values() if not f.source]
    for name, source in every:
        code = code_of(empty, [source])[0] if source in readable else ()
        shown.append(ShownFile(name, source.content, "", code))
    choices = visit.adjustments().choices(student.id)
    return visit.page(
        "files_view.html",
        student=student,
        exercise=exercise,
        path=f"/files/{student.key}/{exercise.name}",
        files=shown,
        left_out=len(every) - len(readable),
        chosen=next((c.check for c in reversed(choices) if c.exercise == exercise.name), ""),
    )


def choose_file(visit: Visit) -> Response:
    exercise, file = visit.part("exercise"), visit.field("file")
    files = visit.results.submissions.several(visit.student.id, exercise)
    if file not in {shown.source.content for shown in files if shown.source is not None}:
        raise UserError("This file is no longer one of those handed in. Load the page again.")
    row = decision_row("file", None, visit.field("why"), None)
    row |= {"exercise": exercise, "check": file, "graded": content_of_all(files)}
    return enter_row(visit, row, "The file is chosen.")


def by_answer(visit: Visit) -> tuple[list[Request], list[Answered]]:
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


def show_requests(visit: Visit) -> Response:
    """Show first the open requests, then the answered requests."""
    waiting, answered = by_answer(visit)
    return visit.page(
        "requests_view.html",
        waiting=waiting[:MOST_REQUESTS],
        more=max(0, len(waiting) - MOST_REQUESTS),
        answered=answered[:MOST_REQUESTS],
        request_id=answer_id,
    )


def answer(visit: Visit) -> Response:
    """Save the answer to the shown request, and continue with the next request."""
    name, text = visit.part("exercise"), visit.field("answer")
    exercises = visit.results.report(visit.student.id).exercises
    request = next((graded.request for graded in exercises if graded.name == name), "")
    if not request:
        raise HTTPException(404)
    if visit.field("request") != answer_id(request):
        raise UserError("The student has handed in a new request meanwhile. Load the page again.")
    if not text:
        raise UserError("Write an answer: the student reads it.")
    row = decision_row("answer", None, text, None)
    keep_row(visit, row | {"exercise": name, "check": answer_id(request)})
    return visit.redirect("/requests")
