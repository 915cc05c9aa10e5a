"""The views *Class* (a table of students with points, mistakes and open work) and *Map*."""

import math
from typing import Any

from starlette.responses import Response

from autograder.course.course_file import Exercise
from autograder.desk.requests_view import by_answer
from autograder.desk.results import ClassMember, ClassResults
from autograder.desk.selection import LOOK_AT, StudentFilter, points_in, selected, shown_exercises
from autograder.desk.view import DeskView, Visit
from autograder.report import statistics
from autograder.report.html import mistake_map, points_cell
from autograder.report.overview import HARMLESS, costliest

ROWS = 200  # students on a page


def show(visit: Visit) -> Response:
    now = visit.results()
    choice = StudentFilter.of(visit.request.query_params)
    course, graded = visit.desk.course, {each.name for each in now.exercises}
    exercises, found = shown_exercises(choice, now, course), selected(choice, now, course)
    maximum = sum(each.points for each in exercises)
    names = {each.title: each.name for each in now.exercises}
    pages = 1 if visit.query("rows") == "all" else max(1, math.ceil(len(found) / ROWS))
    asked = visit.query("page", "1")
    page = min(pages, max(1, int(asked[:6]) if asked.isdecimal() else 1))
    shown = found if pages == 1 else found[(page - 1) * ROWS : page * ROWS]
    return visit.page(
        "class_view.html",
        now=now,
        choice=choice,
        exercises=exercises,
        found=found,
        page=page,
        pages=pages,
        rows=[_line(now, student, exercises, choice) for student in shown],
        maximum=maximum,
        needing=LOOK_AT,
        address_at=lambda place: now.students[place].address,
        exercise_at=lambda measured: f"/exercises/{names[measured.title]}",
        mistake_at=lambda made: choice.address(mistake=str(now.mistakes.index(made))),
        costliest=costliest(now.mistakes),
        requests=len(by_answer(visit)[0]),
        sections=sorted({student.section for student in now.students} - {""}),
        assignments=[
            each
            for each in course.content.assignments
            if graded & set(each.exercises) and graded - set(each.exercises)
        ],
        sentences=statistics.class_sentences(now.summary),
    )


def _line(
    now: ClassResults, student: ClassMember, exercises: list[Exercise], choice: StudentFilter
) -> dict[str, Any]:
    row = now.row(student)
    total = points_in(row, exercises) if choice.assignment else row.total
    maximum = sum(each.points for each in exercises if each.name not in row.excused)
    return {
        "student": student,
        "address": choice.address(student.address),
        "total": total,
        "of_less": maximum if row.excused & {each.name for each in exercises} else None,
        "row": row,
        "look": row.status not in HARMLESS,
        "cells": [points_cell(row, each) for each in exercises],
    }


def show_map(visit: Visit) -> Response:
    """Show every named mistake with the students who made it."""
    now = visit.results()
    shown = mistake_map(now.mistakes)
    return visit.page("map_view.html", now=now, map=shown, address=StudentFilter().address)


VIEWS = (DeskView("/", show, "Class"), DeskView("/map", show_map, "Map"))
