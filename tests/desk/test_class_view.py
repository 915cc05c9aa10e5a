"""The table of the class: sorted, filtered, paged, with who needs a person and why."""

import re

import pytest

from tests.desk.conftest import client_of, let_in, text_of
from tests.desk.generated import drawn_class, write


@pytest.fixture(scope="module")
def reports():
    return drawn_class(40)


def students(answer):
    """The students of the table, in its order."""
    return re.findall(r'<tr><th scope="row" class="who"><a href="/students/(\w+)', answer.text)


def row_of(answer, student):
    """The student's row of the table."""
    return answer.text.split(f'class="who"><a href="/students/{student}', 1)[1].split("</tr>")[0]


def test_everybody_stands_there_with_their_points(desk, reports, course):
    answer = desk.get("/")
    assert students(answer) == [each.student for each in reports]
    assert "40 of 40 students" in text_of(answer)
    assert f"of {sum(each.points for each in course.exercises.values()):g}" in text_of(answer)
    first = reports[0]
    row = row_of(answer, first.student)
    assert f"<bdi>{first.hand_in.name}</bdi>" in row
    assert f"<strong>{first.points:g}</strong>" in row
    handed_in = [each for each in first.exercises if each.status == "graded"]
    cells = re.findall(r'<td class="t\d+"[^>]*>([\d.]+)', row)
    assert [float(cell) for cell in cells] == [each.points for each in handed_in]


def test_it_is_sorted_by_what_the_heading_says(desk, reports):
    totals = {each.student: each.points for each in reports}
    found = students(desk.get("/?sort=total&down=1"))
    assert [totals[s] for s in found] == sorted(totals.values(), reverse=True)
    points = {
        r.student: r.exercises[1].points for r in reports if r.exercises[1].status == "graded"
    }
    found = students(desk.get("/?sort=softmax&down=1"))
    assert [points[s] for s in found if s in points] == sorted(points.values(), reverse=True)
    assert 'aria-sort="descending"' in desk.get("/?sort=softmax&down=1").text


def test_it_is_filtered(desk, reports):
    def of(query):
        return set(students(desk.get(f"/?{query}")))

    def where(condition):
        return {each.student for each in reports if condition(each)}

    assert of("status=crashed") == where(lambda r: r.status == "crashed")
    assert of("section=Monday") == where(lambda r: r.hand_in.section == "Monday")
    assert of("q=u0003") == {"u0003"}
    assert of("q=ADA") == where(lambda r: "Ada" in r.hand_in.name)
    fine = {"graded", "missing", "by hand"}
    assert of("status=look") == where(lambda r: r.status not in fine)
    both = where(lambda r: r.hand_in.section == "Monday" and r.status == "graded")
    assert of("section=Monday&status=graded") == both


def test_an_assignment_has_its_own_columns_and_points(desk, course, reports):
    assignment = course.content.assignments[0]
    answer = desk.get(f"/?assignment={assignment.name}")
    assert answer.text.count('class="tall"') == len(assignment.exercises)
    mine = sum(e.points for e in reports[0].exercises if e.name in assignment.exercises)
    row = row_of(answer, reports[0].student)
    assert f"<strong>{mine:g}</strong>" in row


def test_who_made_a_mistake_and_who_fails_a_check(desk, reports):
    def made(report):
        named = [c.diagnosis for e in report.exercises for c in e.checks if c.diagnosis]
        return {"+".join(d.misconceptions) for d in named if d.misconceptions}

    link = re.search(r'href="/\?mistake=0">(\d+)<', desk.get("/map").text)
    answer = desk.get("/?mistake=0")
    assert len(students(answer)) == int(link[1])
    assert students(answer)
    assert "who made the mistake" in text_of(answer)
    check = next(c for r in reports for c in r.exercises[1].checks)
    failing = {
        r.student
        for r in reports
        for c in r.exercises[1].checks
        if c.name == check.name and c.points < c.max_points
    }
    assert set(students(desk.get(f"/?check=softmax/{check.name}"))) == failing


def test_who_needs_a_person_is_named_with_the_reason(desk, reports):
    page = text_of(desk.get("/"))
    people = [each for each in reports if each.status == "needs a person"]
    assert people
    for each in people:
        reason = next(e.reason for e in each.exercises if e.status == "needs a person")
        assert each.hand_in.name in page and reason[:40] in page


def test_the_first_screen_answers_three_questions(desk, reports):
    """It does without a choice; the tables of a choice stand at the top."""
    page = desk.get("/").text
    for name in ("Who needs you", "How the class is doing", "What is misunderstood"):
        assert f">{name}</h2>" in page
        assert f">{name}</h2>" not in desk.get("/?sort=total").text
    costly = page.split('<ol class="costliest">')[1].split("</ol>")[0]
    assert costly.count("<li>") == 5
    panel = page.split('id="people-head"')[1].split("</section>")[0]
    needing = {r.student for r in reports if r.status not in {"graded", "missing", "by hand"}}
    assert set(re.findall(r'href="/students/(\w+)">', panel)) >= needing
    waiting = sum(any(e.status == "by hand" for e in r.exercises) for r in reports)
    assert f'<a href="/words">{waiting} student' in panel


@pytest.mark.parametrize(
    "query",
    ["sort=nothing", "mistake=-1", "mistake=x", "mistake=99999", "check=x/y", "check=softmax",
     "page=0", "page=x", "page=99999999999999", "assignment=none", "status=%00", "q=%ff%fe",
     f"q={'x' * 5000}", "section=<script>"],
)  # fmt: skip
def test_whatever_stands_in_the_address_is_no_trouble(desk, query):
    answer = desk.get(f"/?{query}")
    assert answer.status_code == 200
    assert "<script>" not in answer.text


def test_a_large_class_comes_in_pages(tmp_path, course):
    client = let_in(client_of(write(tmp_path, drawn_class(230)), course))
    pages = [students(client.get(f"/?page={number}")) for number in (1, 2)]
    assert [len(page) for page in pages] == [200, 30]
    assert len(set().union(*pages)) == 230
    assert len(students(client.get("/?rows=all"))) == 230
    assert 'href="/?sort=total&amp;page=2"' in client.get("/?sort=total").text


def test_a_class_of_nobody_and_of_one(tmp_path, course):
    for size in (0, 1):
        client = let_in(client_of(write(tmp_path / str(size), drawn_class(size)), course))
        for page in ("/", "/map", "/exercises"):
            assert client.get(page).status_code == 200
        assert f"{size} of {size} students" in text_of(client.get("/"))
