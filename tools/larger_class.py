"""Larger class for pictures, sampled from the records of the sample class with a seed."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from autograder.classroom.grades import read_reports
from autograder.report.model import Report, worst

ALIKE = 0.6  # share of a student's exercises that come from one student of the sample


def larger_class(reports: Sequence[Report], size: int, seed: int = 1) -> list[Report]:
    """Return students sampled from the class. Most exercises of each come from one real student."""
    rng = np.random.default_rng(seed)
    some = [each for each in reports if each.points]
    found = []
    for number in range(1, size + 1):
        like = some[rng.integers(len(some))]
        exercises = []
        for place, own in enumerate(like.exercises):
            others = [r.exercises[place] for r in some if r.exercises[place].status != "missing"]
            other = others[rng.integers(len(others))]
            exercises.append(own if rng.random() < ALIKE else other)
        found.append(
            msgspec.structs.replace(
                like,
                student=f"s{number:02}",
                exercises=tuple(exercises),
                status=worst([each.status for each in exercises]),
                points=round(sum(each.points for each in exercises), 2),
                notes=(),
                hand_in=None,
            )
        )
    return found


def page_of(results: Path, size: int) -> str:
    """Return the page of a larger class, sampled from records."""
    from autograder.course.course_file import find_course
    from autograder.report.html import class_page_content, environment
    from autograder.report.overview import ClassOverview

    course = find_course(Path(__file__).parent)
    overview = ClassOverview(course.title, course.content.exercises)
    for report in larger_class(read_reports(results), size):
        overview.add(report, f"feedback/{report.student}.html")
    page: str = environment().get_template("index.html").render(**class_page_content(overview))
    return page
