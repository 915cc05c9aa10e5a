"""View to choose one of several files for an exercise. It shows the files next to each other."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from starlette.responses import Response

from autograder.classroom.adjustments import TABLE, Adjustments
from autograder.classroom.decisions import decision_row
from autograder.classroom.pseudonyms import FILE as PSEUDONYMS
from autograder.classroom.pseudonyms import Pseudonyms
from autograder.classroom.submissions import content_of_all
from autograder.course.course_file import FILE_NAME, Course, load_course
from autograder.course.errors import UserError
from autograder.course.variants import read_secret, variant_of
from autograder.desk.naming import ConfinedWork, confined, in_new_process
from autograder.desk.student_view import enter_row, student_in_address
from autograder.desk.submissions import CodeFile, code_of
from autograder.desk.view import DeskView, Visit
from autograder.grading.judge import Judge
from autograder.grading.reports import report_without_checks
from autograder.report.model import ExerciseReport
from autograder.submission.choice import FoundFile
from autograder.submission.source import Source

MAX_FILES = 6  # files that are shown and graded


class ShownFile(NamedTuple):
    """One of several files: its content's id, its code, and its report if it is graded."""

    name: str
    id: str
    trouble: str
    code: Sequence[CodeFile] = ()
    report: ExerciseReport | None = None


def show(visit: Visit) -> Response:
    """Show the files. If the address has `points`, grade the files, which takes time."""
    now = visit.results()
    student = student_in_address(visit, now)
    exercise = visit.desk.course.exercise(visit.part("exercise"))
    command, several = now.submissions.several(student.id, exercise.name)
    files = _distinct(several)
    every = [(file.shown, file.source) for file in files if file.source is not None]
    readable = [source for _, source in every[:MAX_FILES]]
    reports: dict[str, ExerciseReport] = {}
    if visit.query("points"):
        course = visit.desk.course
        sources = tuple(_with_own_numbers(course, student.id, each) for each in readable)
        secret = Path(command.submissions).resolve(), visit.desk.results.resolve()
        work = ConfinedWork(
            course.root, exercise.name, sources, command.own_code, secret, seed=command.seed
        )
        graded = in_new_process(grade_files, work)
        reports = {each.content: report for each, report in zip(readable, graded, strict=True)}
    empty = report_without_checks(exercise, "needs a person", "")
    shown = [ShownFile(each.shown, "", each.trouble) for each in files if each.source is None]
    for name, source in every:
        report = reports.get(source.content)
        is_shown = source in readable
        code = code_of(report or empty, [source])[0] if is_shown else ()
        shown.append(ShownFile(name, source.content, "", code, report))
    table = Adjustments(visit.desk.results / TABLE, visit.desk.course)
    chosen = [each for each in table.choices(student.id) if each.exercise == exercise.name]
    return visit.page(
        "files_view.html",
        student=student,
        exercise=exercise,
        path=f"/files/{student.key}/{exercise.name}",
        files=shown,
        left_out=len(every) - len(readable),
        graded=bool(reports),
        chosen=chosen[-1].file if chosen else "",
    )


def _distinct(files: Sequence[FoundFile]) -> list[FoundFile]:
    """Return the files. If several files have the same content, return only the first of them."""
    found: dict[str, FoundFile] = {}
    for file in files:
        found.setdefault(file.source.content if file.source else file.shown, file)
    return [*found.values()]


def _with_own_numbers(course: Course, student: str, source: Source) -> Source:
    exercise = course.exercise(source.name)
    secret = read_secret(course) if exercise.variant != "none" else None
    name = Pseudonyms(course.root / PSEUDONYMS).student(student)  # the real id, not a pseudonym
    return msgspec.structs.replace(source, variant=variant_of(exercise, name, secret))


def grade_files(work: ConfinedWork) -> list[ExerciseReport]:
    """Grade files in this process, with submissions confined as `grade` does.

    Raises:
        UserError: the course cannot be used, or nothing can confine the code here.
    """
    course = load_course(work.root / FILE_NAME)
    exercises = [course.exercise(work.exercise)]
    with (
        confined(course, work) as children,
        Judge(course, exercises, children, work.seed) as judge,
    ):
        return [judge.run(source).report for source in work.sources]


def choose_file(visit: Visit) -> Response:
    """Save which of the files counts."""
    now = visit.results()
    student, exercise = student_in_address(visit, now), visit.part("exercise")
    _, files = now.submissions.several(student.id, exercise)
    file = visit.field("file")
    if file not in {each.source.content for each in files if each.source is not None}:
        raise UserError("This file is no longer one of those handed in. Load the page again.")
    row = decision_row("file", None, visit.field("why"), None)
    row |= {"exercise": exercise, "check": file, "graded": content_of_all(files)}
    return enter_row(visit, student, row, "The file is chosen.")


VIEWS = (
    DeskView("/files/{key}/{exercise}", show),
    DeskView("/files/{key}/{exercise}/choose", choose_file, changes=True),
)
