"""An exercise: its checks with their figures, and who is behind what."""

import re

import pytest

from tests.desk.conftest import client_of, let_in, text_of
from tests.desk.generated import drawn_class, write


@pytest.fixture(scope="module")
def reports():
    return drawn_class(40)


def test_every_exercise_is_in_the_list_and_has_a_page(desk, course):
    page = desk.get("/exercises").text
    for exercise in course.content.exercises:
        assert f'href="/exercises/{exercise.name}"' in page
        assert desk.get(f"/exercises/{exercise.name}").status_code == 200
    assert desk.get("/exercises/nothing").status_code == 404


def test_a_checks_facility_is_that_of_who_handed_it_in(desk, reports):
    there = [r.exercises[1] for r in reports if r.exercises[1].status in {"graded", "timed out"}]
    first = there[0].checks[0]
    points = [c.points for e in there for c in e.checks if c.name == first.name]
    row = re.search(
        rf"<strong>{re.escape(first.title)}</strong>.*?</tr>",
        desk.get("/exercises/softmax").text,
        re.S,
    )
    assert f"<td>{100 * sum(points) / len(points) / first.max_points:.0f} %</td>" in row[0]


def test_a_mistake_has_its_sentence_and_the_students_behind_it(desk, reports):
    made = {}
    for report in reports:
        for exercise in report.exercises:
            for each in exercise.checks:
                if each.diagnosis and each.diagnosis.misconceptions:
                    key = exercise.name, each.diagnosis.finding
                    made.setdefault(key, set()).add(report.student)
    (exercise, finding), students = max(made.items(), key=lambda item: len(item[1]))
    page = desk.get(f"/exercises/{exercise}").text
    item = next(li for li in re.findall(r"<li>.*?</details>", page, re.S) if finding[:30] in li)
    assert set(re.findall(r"<bdi>(\w+)</bdi>", item)) == students


def test_what_fails_a_check_is_counted(desk, reports):
    failing = {}
    for report in reports:
        for each in report.exercises[1].checks:
            if each.outcome == "failed" and not each.diagnosis:
                failing.setdefault((each.title, each.finding), []).append(report.student)
    (title, finding), students = max(failing.items(), key=lambda item: len(item[1]))
    row = re.search(
        rf"<strong>{re.escape(title)}</strong>.*?</tr>", desk.get("/exercises/softmax").text, re.S
    )
    said = text_of(type("A", (), {"text": row[0]}))
    assert finding[:40] in said
    assert f"{len(students)} student" in said


def test_of_few_students_no_discrimination_is_told(tmp_path, course, desk):
    client = let_in(client_of(write(tmp_path, drawn_class(5)), course))
    for page in ("/exercises", "/exercises/softmax"):
        assert "There are too few students to say" in client.get(page).text
        assert "discrimination</th>" not in client.get(page).text
        assert "discrimination</th>" in desk.get(page).text
