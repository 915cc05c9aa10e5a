"""The view *Class*: a table of students and exercises, and the students who need a person."""

import math
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from starlette.responses import Response

from autograder.course.course_file import Exercise
from autograder.desk.results import ClassMember, ClassResults
from autograder.desk.selection import (
    HARMLESS,
    LOOK_AT,
    StudentFilter,
    points_in,
    selected,
    shown_exercises,
)
from autograder.desk.view import DeskView, Visit
from autograder.report import statistics
from autograder.report.overview import Row
from autograder.report.statistics import tenths

ROWS = 200  # of a page
SIGNS = {"missing": "–", "excused": "×", "by hand": "✎", "needs a person": "?", "not loaded": "✗"}


class PointsCell(NamedTuple):
    """A cell of the table: its text, how full it is from 0 to 10, and its title."""

    text: str
    tenth: int | None = None
    said: str = ""


def show(visit: Visit) -> Response:
    now = visit.results()
    choice = StudentFilter.of(visit.request.query_params)
    course, graded = visit.place.course, {each.name for each in now.exercises}
    exercises, found = shown_exercises(choice, now, course), selected(choice, now, course)
    totals = [
        known for row in map(now.row, found) if (known := points_in(row, exercises)) is not None
    ]
    maximum = sum(each.points for each in exercises)
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
        signs=SIGNS,
        foot=_foot(now, found, exercises),
        statuses=Counter(row.status for row in now.overview.rows).most_common(),
        look_at=_to_look_at(now),
        needing=LOOK_AT,
        sections=sorted({student.section for student in now.students} - {""}),
        assignments=[
            each
            for each in course.content.assignments
            if graded & set(each.exercises) and graded - set(each.exercises)
        ],
        bars=tenths(np.array(totals), maximum),
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
        "cells": [_cell(row, each) for each in exercises],
    }


def _cell(row: Row, exercise: Exercise) -> PointsCell:
    name = exercise.name
    if name in row.excused:
        return PointsCell(SIGNS["excused"], said="excused")
    status, points = row.statuses.get(name, "missing"), row.points.get(name)
    if points is None or status == "by hand":
        return PointsCell(SIGNS[status], said=status)
    tenth = int(np.clip(10 * points / exercise.points, 0, 10)) if exercise.points else None
    return PointsCell(
        f"{points:.2f}".rstrip("0").rstrip("."), tenth, "" if status == "graded" else status
    )


def _foot(now: ClassResults, found: list[ClassMember], exercises: list[Exercise]) -> dict[str, Any]:
    """Return each exercise's mean of the points that are known, and how many handed in nothing."""
    rows = [now.row(student) for student in found]
    means, missing = [], []
    for name in (each.name for each in exercises):
        counted = [row for row in rows if name not in row.excused]
        known = [points for row in counted if (points := row.points.get(name)) is not None]
        means.append(sum(known) / len(known) if known else None)
        missing.append(sum(row.statuses.get(name, "missing") == "missing" for row in counted))
    return {"means": means, "missing": missing}


def _to_look_at(now: ClassResults) -> list[tuple[ClassMember, Row]]:
    """Return the students who need a person, then those whose code stopped in other ways."""
    found = [(s, now.row(s)) for s in now.students if now.row(s).status not in HARMLESS]
    return sorted(found, key=lambda pair: (pair[1].status != "needs a person", pair[0].place))


VIEWS = (DeskView("/", show, "Class"),)
