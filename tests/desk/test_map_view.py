"""The map of mistakes: each with its whole name, and a box for each student who made it."""

import html
import re

import msgspec

from autograder.desk.results import ClassResults
from autograder.report.html import ON_THE_MAP, mistake_map
from autograder.report.model import Line, Repair
from tests.desk.conftest import client_of, let_in, text_of
from tests.desk.generated import sample, write


def test_the_map_has_every_mistake_at_its_students(results, course):
    now = ClassResults(results, course)
    shown = mistake_map(now.mistakes)
    assert all(shown["paths"][:ON_THE_MAP])
    drawn = zip(now.mistakes, shown["paths"], strict=True)
    for made, path in list(drawn)[:ON_THE_MAP]:
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


def test_mistakes_without_a_name_are_grouped_by_their_line(tmp_path, course):
    """By its text: the number of the line differs from file to file."""
    records = [
        msgspec.structs.replace(
            each,
            exercises=tuple(msgspec.structs.replace(one, repair=None) for one in each.exercises),
        )
        for each in sample()
    ]
    for number, record in enumerate(records[:3]):
        place = Line(file="a.py", line=number, text="y = x <b>" if number < 2 else "z = x")
        said = f"A change in line {number} makes every check pass."
        first = msgspec.structs.replace(
            record.exercises[0], repair=Repair(said=said, places=(place,))
        )
        records[number] = msgspec.structs.replace(record, exercises=(first, *record.exercises[1:]))
    folder = write(tmp_path, records)
    assert [(made.id, made.by) for made in ClassResults(folder, course).lines] == [
        ("y = x <b>", [0, 1]),
        ("z = x", [2]),
    ]
    page = let_in(client_of(folder, course)).get("/map").text
    assert f"<code>{html.escape('y = x <b>')}</code>" in page
    assert "Lines to change" in page and "/students/" in page.partition("Lines to change")[2]
