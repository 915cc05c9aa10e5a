"""The map of mistakes: each with its whole name, and a box for each student who made it."""

import re

from autograder.desk.results import ClassResults
from autograder.report.html import mistake_map
from tests.desk.conftest import text_of


def test_the_map_has_every_mistake_at_its_students(results, course):
    now = ClassResults(results, course)
    shown = mistake_map(now.mistakes)
    for made, path in zip(now.mistakes, shown["paths"], strict=True):
        dark = set()
        for start, width in re.findall(r"M(\d+) 0h(\d+)v1", path):
            dark |= {shown["students"][int(start) + k] for k in range(int(width))}
        assert dark == set(made.by)


def test_a_mistake_has_its_whole_name(desk, results, course):
    now = ClassResults(results, course)
    page = text_of(desk.get("/map"))
    longest = max(now.mistakes, key=lambda made: len(made.finding))
    assert len(longest.finding) > 140 and longest.finding.replace("`", "") in page
    assert "Point at a column" in page
