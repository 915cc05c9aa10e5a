"""View to choose one of several files for an exercise. It shows the files next to each other."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from starlette.responses import Response

from autograder.classroom.decisions import decision_row
from autograder.classroom.pseudonyms import FILE as PSEUDONYMS
from autograder.classroom.pseudonyms import Pseudonyms
from autograder.classroom.submissions import content_of_all
from autograder.course.course_file import FILE_NAME, load_course
from autograder.course.errors import UserError
from autograder.course.variants import read_secret, variant_of
from autograder.desk.naming import ConfinedWork, confined, in_new_process
from autograder.desk.student_view import enter_row
from autograder.desk.submissions import CodeFile, code_of
from autograder.desk.view import Visit
from autograder.grading.judge import Judge
from autograder.grading.reports import report_without_checks
from autograder.report.model import ExerciseReport
from autograder.submission.choice import FoundFile

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
    student, course = visit.student, visit.course
    exercise = course.exercise(visit.part("exercise"))
    command, several = visit.results.submissions.several(student.id, exercise.name)
    distinct: dict[str, FoundFile] = {}  # of several files with the same content, the first one
    for file in several:
        distinct.setdefault(file.source.content if file.source else file.shown, file)
    every = [(file.shown, file.source) for file in distinct.values() if file.source]
    readable = [source for _, source in every[:MAX_FILES]]
    reports: dict[str, ExerciseReport] = {}
    if visit.query("points"):
        secret = read_secret(course) if exercise.variant != "none" else None
        real_id = Pseudonyms(course.root / PSEUDONYMS).student(student.id)
        variant = variant_of(exercise, real_id, secret)
        work = ConfinedWork(
            course.root,
            exercise.name,
            tuple(msgspec.structs.replace(source, variant=variant) for source in readable),
            command.own_code,
            (Path(command.submissions).resolve(), visit.desk.results.resolve()),
            seed=command.seed,
        )
        graded = in_new_process(grade_files, work)
        reports = {file.content: report for file, report in zip(readable, graded, strict=True)}
    empty = report_without_checks(exercise, "needs a person", "")
    shown = [ShownFile(f.shown, "", f.trouble) for f in distinct.values() if not f.source]
    for name, source in every:
        report = reports.get(source.content)
        code = code_of(report or empty, [source])[0] if source in readable else ()
        shown.append(ShownFile(name, source.content, "", code, report))
    choices = visit.adjustments().choices(student.id)
    return visit.page(
        "files_view.html",
        student=student,
        exercise=exercise,
        path=f"/files/{student.key}/{exercise.name}",
        files=shown,
        left_out=len(every) - len(readable),
        graded=bool(reports),
        chosen=next((c.file for c in reversed(choices) if c.exercise == exercise.name), ""),
    )


def grade_files(work: ConfinedWork) -> list[ExerciseReport]:
    """Grade files in this process, with submissions confined as `grade` does."""
    course = load_course(work.root / FILE_NAME)
    exercises = [course.exercise(work.exercise)]
    with (
        confined(course, work) as children,
        Judge(course, exercises, children, work.seed) as judge,
    ):
        return [judge.run(source).report for source in work.sources]


def choose_file(visit: Visit) -> Response:
    """Save which of the files counts."""
    exercise, file = visit.part("exercise"), visit.field("file")
    _, files = visit.results.submissions.several(visit.student.id, exercise)
    if file not in {each.source.content for each in files if each.source is not None}:
        raise UserError("This file is no longer one of those handed in. Load the page again.")
    row = decision_row("file", None, visit.field("why"), None)
    row |= {"exercise": exercise, "check": file, "graded": content_of_all(files)}
    return enter_row(visit, row, "The file is chosen.")
