"""The page of a class: who made which mistake, complete, sortable, safe."""

import re

import msgspec
import pytest

from autograder.course.course_file import Exercise
from autograder.diagnosis.finding import named as named_finding
from autograder.diagnosis.recipe import Misconception
from autograder.report import html
from autograder.report.html import class_page_content, environment
from autograder.report.model import Diagnosis, HandIn
from autograder.report.overview import ClassOverview
from tests.browser import chromium, picture
from tests.report.test_faces import EVIL, check, make_report

NAMED = Diagnosis(
    kind="named", function="f", misconceptions=("unscaled",), finding="It is not scaled."
)
OTHER = Diagnosis(
    kind="named", function="g", misconceptions=("mask-inverted",), finding=f"Inverted. {EVIL}"
)


UNSCALED = Misconception("unscaled", "{The|In part the} scores are not scaled.", (), {})
INVERTED = Misconception("mask-inverted", "The mask is inverted.", (), {})


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


def page_of(overview):
    return environment().get_template("index.html").render(**class_page_content(overview))


def a_class(size, exercises=1):
    """Every second makes the first mistake, every third the other."""
    known = tuple(
        Exercise(name=f"e{i}", title=f"Exercise number {i} of many", points=2)
        for i in range(exercises)
    )
    overview = ClassOverview("Tiny", known)
    for number in range(size):
        made = [check(name="t0", outcome="passed", points=2.0)]
        made += [check(name="t1", diagnosis=NAMED)] * (number % 2 == 0)
        made += [check(name="t2", diagnosis=OTHER)] * (number % 3 == 0)
        report = make_report(*made, student=f"s{number:03}")
        one = report.exercises[0]
        copies = tuple(
            msgspec.structs.replace(one, name=each.name, title=each.title) for each in known
        )
        report = msgspec.structs.replace(report, exercises=copies)
        overview.add(report, f"feedback/s{number:03}.html")
    return overview


def class_with(made):
    """A class in which each student has these diagnoses, one a check."""
    overview = ClassOverview("Tiny", [Exercise(name="softmax", title="Softmax", points=2)])
    for number, diagnoses in enumerate(made):
        checks = [check(name=f"t{i}", diagnosis=each) for i, each in enumerate(diagnoses)]
        overview.add(make_report(*checks, student=f"s{number}"), f"feedback/s{number}.html")
    return overview


def test_who_made_a_mistake_is_a_link_and_a_box_on_the_map():
    overview = a_class(6)
    first, second = overview.mistakes.commonest()
    assert (first.by, second.by) == ([0, 2, 4], [0, 3])
    assert first.lost == 6.0
    page = page_of(overview)
    assert 'aria-label="3 of 4 students"' in page
    assert '<a href="feedback/s003.html"><bdi>s003</bdi></a>' in page
    paths = re.findall(r'<path d="([^"]*)"/></svg></td>', page)
    assert paths == ["M0 0h3v1h-3z", "M2 0h2v1h-2z"]  # 2 and 4, then 0, who made both, then 3


@pytest.mark.parametrize(
    ("status", "points", "text", "order"),
    [
        ("by hand", 3.0, "3✎", ""),
        ("by hand", None, "✎", "-1"),
        ("needs a person", 1.0, "1?", ""),
        ("timed out", 0.0, "0!", ""),
        ("graded", 2.0, "2", ""),
    ],
)
def test_a_cell_has_its_points_and_the_mark_of_the_legend(status, points, text, order):
    made = a_class(1).rows[0]
    row = msgspec.structs.replace(made, statuses={"e": status}, points={"e": points})
    cell = html.points_cell(row, Exercise(name="e", title="E", points=4))
    assert (cell.points + cell.sign, cell.order) == (text, order)
    shown = environment().get_template("figures.html").module.cell(cell)
    assert re.sub("<[^>]*>", "", shown) == text


def test_the_rarest_mistakes_have_no_strip(monkeypatch):
    monkeypatch.setattr(html, "ON_THE_MAP", 1)
    page = page_of(a_class(6))
    assert 'aria-label="3 of 3 students"' in page
    assert page.count('<svg class="strip"') == 1 and page.count('<td class="strip">') == 2


def test_a_pair_of_mistakes_is_no_third_one():
    """Each counts by itself, with its own sentence and half of the points."""
    both = named_finding("two_mistakes", UNSCALED, INVERTED).about("f")
    some = named_finding("in_some_calls", UNSCALED, calls="with a mask").about("f")
    made = [[both], [some], [], [both]]
    mistakes = class_with(made).mistakes.commonest()
    assert [(m.finding, m.students, m.lost) for m in mistakes] == [
        ("The scores are not scaled.", 3, 4.0),
        ("The mask is inverted.", 2, 2.0),
    ]
    assert not any(m.example for m in mistakes)


def test_the_message_of_one_test_is_not_everyones():
    said = [f"Of 16 other broken functions, test_{i} lets {i} pass." for i in (1, 2, 2)]
    own = [
        Diagnosis(kind="named", code="own", misconceptions=("finds-too-little",), finding=text)
        for text in said
    ]
    overview = class_with([[each] for each in own])
    (mistake,) = overview.mistakes.commonest()
    assert (mistake.finding, mistake.example) == ("Finds too little.", said[1])
    page = page_of(overview)
    assert "Finds too little." in page
    assert all("For example: " in before[-60:] for before in page.split(said[1])[:-1])


def test_the_example_is_what_most_students_read_not_most_checks():
    often, most = (
        Diagnosis(kind="named", code="own", misconceptions=("finds-too-little",), finding=text)
        for text in ("test_1 lets 1 pass.", "test_2 lets 2 pass.")
    )
    (mistake,) = class_with([[often] * 3, [most], [most]]).mistakes.commonest()
    assert mistake.readings == {often.finding: 1, most.finding: 2}
    assert mistake.example == most.finding


def test_a_mistake_has_its_whole_name():
    text = f"{'The weights are those of another call, and ' * 9}so they are wrong."
    one = Diagnosis(kind="named", code="named", misconceptions=("other",), finding=text)
    assert page_of(class_with([[one], [one]])).count(text) == 2  # first screen and table


NAMES = {"needs a person": "Zoë Öz", "not loaded": "Bo Li", "timed out": "Ana Ito"}


def test_the_head_counts_every_status_and_the_first_screen_names_who_needs_you():
    overview = ClassOverview("Tiny", [Exercise(name="softmax", title="Softmax", points=2)])
    statuses = ["graded"] * 4 + ["missing"] * 3 + ["not loaded", "timed out", "needs a person"]
    for number, status in enumerate(statuses):
        report = make_report(student=f"s{number}")
        reason = f"`x.py` because of {status}."
        one = msgspec.structs.replace(
            report.exercises[0], status=status, reason=reason, checks=(), points=0.0
        )
        hand_in = HandIn(name=NAMES.get(status, f"N{number}"))
        report = msgspec.structs.replace(
            report, exercises=(one,), status=status, hand_in=hand_in, points=0.0
        )
        overview.add(report, f"feedback/s{number}.html")
    page = page_of(overview)
    head = "10 students: 4 graded, 3 missing, 1 not loaded, 1 timed out, 1 needs a person."
    assert head in page
    panel = page.split('id="people-head"')[1].split("</section>")[0]
    names = re.findall(r"<bdi>([^<]*)</bdi></a>", panel)
    assert names == ["Zoë Öz", "Ana Ito", "Bo Li", "N4", "N5", "N6"]
    assert "Softmax: <code>x.py</code> because of needs a person." in panel
    assert "3 handed in nothing" in panel
    assert not re.search(r">[^<]*`[^<]*<", page.split("<body")[1].split("<script>")[0])


def test_files_of_nobody_are_on_the_first_screen():
    overview = class_with([[], []])
    overview.notes = ("`x_bob.py` may be of Bob or of Eve.",)
    for is_open in (False, True):
        overview.not_understood = is_open
        page = page_of(overview)
        assert ("The owners of some files" in page) is is_open
        assert ('<details id="notes" open>' in page) is is_open
        assert ("Nobody: all that was handed in is graded" in page) is not is_open
        assert "<code>x_bob.py</code> may be of Bob or of Eve." in page


def test_the_desk_does_not_say_that_all_is_graded():
    people = environment().get_template("class_overview.html").module.people
    shown = people(class_with([[], []]), str, "", all_known=False)
    assert "None of these students." in shown and "all that was handed in" not in shown


def test_the_same_mistake_in_another_exercise_is_told():
    overview = a_class(4, exercises=2)
    said = {each.id: each.also for each in overview.mistakes.commonest()}
    assert len(said["unscaled"]) == 1
    assert said["unscaled"][0].endswith("(2 of these)")


def test_nothing_of_a_students_runs():
    page = page_of(a_class(6))
    assert EVIL not in page
    assert page.count("<script>") == 1
    assert "script-src 'sha256-" in page


def test_a_class_of_300_with_15_exercises_is_no_large_page():
    assert len(page_of(a_class(300, exercises=15)).encode()) < 1_500_000


@pytest.mark.parametrize("size", [0, 1, 5])
def test_of_few_students_less_is_said(size):
    page = page_of(a_class(size))
    assert "deviation</th>" not in page
    assert "nan" not in page


@pytest.mark.thorough
def test_in_a_browser_it_sorts_by_keyboard_and_fits_a_phone(browser, tmp_path):
    (tmp_path / "index.html").write_text(page_of(a_class(30, exercises=15)))
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto((tmp_path / "index.html").as_uri())
    student = page.locator("table.whole thead button").first
    student.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert page.locator("table.whole tbody th").first.inner_text() == "s029"
    heading = page.locator("table.whole thead th").first
    assert heading.get_attribute("aria-sort") == "descending"
    region = page.locator("#students [role=region]")
    assert region.evaluate("e => e.scrollWidth <= e.clientWidth")  # all columns at once
    assert page.evaluate(OVER_THEIR_COLUMNS, "table.class") == []
    picture(page, "class")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    head = page.locator("table.whole thead").bounding_box()
    assert head["height"] < 130  # or a phone shows blank above the first titles
    assert said == []


# The titles of columns that do not end where their numbers end, or begin where their words begin.
OVER_THEIR_COLUMNS = """(tables) => [...document.querySelectorAll(tables)].flatMap((table) => {
  const edges = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const box = range.getBoundingClientRect();
    return getComputedStyle(cell).textAlign === "right" ? ["right", box.right] : ["left", box.left];
  };
  const row = table.tBodies[0].rows[0];
  return [...table.tHead.rows[0].cells].filter((cell, column) => {
    if (!row || !row.cells[column].textContent.trim()) return false;
    const [title, value] = [edges(cell), edges(row.cells[column])];
    return title[0] !== value[0] || Math.abs(title[1] - value[1]) > 12;
  }).map((cell) => cell.textContent);
})"""


@pytest.mark.parametrize("size", [pytest.param(5, marks=pytest.mark.thorough), 60])
def test_the_first_screen_answers_three_questions(browser, tmp_path, size):
    """On a laptop the answers stand side by side; in the dark they are light."""
    (tmp_path / "index.html").write_text(page_of(a_class(size, exercises=15)))
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="dark")
    page.goto((tmp_path / "index.html").as_uri())
    for name in ("Who needs you", "How the class is doing", "What is misunderstood"):
        box = page.get_by_role("region", name=name).bounding_box()
        assert box["y"] + box["height"] < 900, name
    text = page.locator(".histogram text").first
    assert text.evaluate("e => getComputedStyle(e).fill") == page.evaluate(
        "getComputedStyle(document.body).color"
    )
