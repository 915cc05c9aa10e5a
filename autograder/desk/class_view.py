"""The views *Class* (a table of students), *Map* (mistakes) and *Exercises* (their checks)."""

import math
from collections import defaultdict
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response

from autograder.course.course_file import Exercise
from autograder.desk.results import LOOK_AT, ClassMember, ClassResults, StudentFilter
from autograder.desk.student_view import by_answer
from autograder.desk.view import Visit
from autograder.report import statistics
from autograder.report.html import mistake_map, points_cell
from autograder.report.overview import HARMLESS, costliest
from autograder.report.statistics import Measured, shown_figures

ROWS = 200  # students on a page
SENTENCES = 12  # listed for a check
NAMES = 60  # students listed for a sentence; a link shows the others


def show(visit: Visit) -> Response:
    now, course = visit.results, visit.course
    choice = StudentFilter.of(visit.request.query_params)
    exercises, selected = choice.exercises(now, course), choice.students(now, course)
    graded = {exercise.name for exercise in now.exercises}
    names = {exercise.title: exercise.name for exercise in now.exercises}
    pages = 1 if visit.query("rows") == "all" else max(1, math.ceil(len(selected) / ROWS))
    asked = visit.query("page", "1")
    page = min(pages, max(1, int(asked[:6]) if asked.isdecimal() else 1))
    shown = selected if pages == 1 else selected[(page - 1) * ROWS : page * ROWS]
    return visit.page(
        "class_view.html",
        now=now,
        choice=choice,
        exercises=exercises,
        found=selected,
        page=page,
        pages=pages,
        rows=[_line(now, student, exercises, choice) for student in shown],
        maximum=sum(exercise.points for exercise in exercises),
        needing=LOOK_AT,
        address_at=lambda place: now.students[place].address,
        exercise_at=lambda measured: f"/exercises/{names[measured.title]}",
        mistake_at=lambda made: choice.address(mistake=str(now.mistakes.index(made))),
        costliest=costliest(now.mistakes),
        requests=len(by_answer(visit)[0]),
        sections=sorted({student.section for student in now.students} - {""}),
        assignments=[
            assignment
            for assignment in course.content.assignments
            if graded & set(assignment.exercises) and graded - set(assignment.exercises)
        ],
        sentences=statistics.class_sentences(now.summary),
    )


def _line(
    now: ClassResults, student: ClassMember, exercises: list[Exercise], choice: StudentFilter
) -> dict[str, Any]:
    row = now.row(student)
    counted = [exercise.points for exercise in exercises if exercise.name not in row.excused]
    return {
        "student": student,
        "address": choice.address(student.address),
        "total": choice.total(row, exercises),
        "of_less": sum(counted) if len(counted) < len(exercises) else None,
        "row": row,
        "look": row.status not in HARMLESS,
        "cells": [points_cell(row, exercise) for exercise in exercises],
    }


def show_map(visit: Visit) -> Response:
    """Show each named mistake with the students who made it."""
    now = visit.results
    shown = mistake_map(now.mistakes)
    return visit.page("map_view.html", now=now, map=shown, address=StudentFilter().address)


def show_exercises(visit: Visit) -> Response:
    now = visit.results
    by_title = {measured.title: measured for measured in now.summary.exercises}
    rows = [
        {
            "exercise": exercise,
            "statuses": now.outcomes[exercise.name].statuses.most_common(),
            "measured": by_title.get(exercise.title),
            "mistakes": sum(made.exercise == exercise.title for made in now.mistakes),
        }
        for exercise in now.exercises
    ]
    return visit.page("exercises_view.html", now=now, rows=rows, **shown_figures(now.summary))


def show_exercise(visit: Visit) -> Response:
    now = visit.results
    names = [exercise.name for exercise in now.exercises]
    if visit.part("name") not in names:
        raise HTTPException(404)
    at = names.index(visit.part("name"))
    exercise, outcomes = now.exercises[at], now.outcomes[names[at]]
    by_title = {measured.title: measured for measured in now.summary.exercises}
    of_title: dict[str, list[Measured | None]] = defaultdict(list)
    for check in now.summary.checks:
        if check.exercise == exercise.title:
            of_title[check.title].append(check)
    return visit.page(
        "exercise_view.html",
        now=now,
        exercise=exercise,
        statuses=outcomes.statuses.most_common(),
        measured=by_title.get(exercise.title),
        checks=[
            (check, (of_title[check.title] or [None]).pop(0)) for check in outcomes.checks.values()
        ],
        mistakes=[
            (number, made)
            for number, made in enumerate(now.mistakes)
            if made.exercise == exercise.title
        ],
        address=StudentFilter().address,
        most=(SENTENCES, NAMES),
        before=now.exercises[at - 1] if at else None,
        after=now.exercises[at + 1] if at + 1 < len(names) else None,
        **shown_figures(now.summary),
    )
