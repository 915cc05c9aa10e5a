"""The page of a class: who made which mistake, complete, sortable, safe."""

import re

import msgspec
import pytest

from autograder.course.course_file import Exercise
from autograder.report.html import class_page_content, environment
from autograder.report.model import Diagnosis
from autograder.report.overview import ClassOverview
from tests.browser import chromium, picture
from tests.report.test_faces import EVIL, check, make_report

NAMED = Diagnosis(
    kind="named", function="f", misconceptions=("unscaled",), finding="It is not scaled."
)
OTHER = Diagnosis(
    kind="named", function="g", misconceptions=("mask-inverted",), finding=f"Inverted. {EVIL}"
)


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


def test_who_made_a_mistake_is_a_link_and_a_box_on_the_map():
    overview = a_class(6)
    first, second = overview.mistakes.commonest()
    assert (first.by, second.by) == ([0, 2, 4], [0, 3])
    assert first.lost == 6.0
    page = page_of(overview)
    assert 'aria-label="3 of 4 students"' in page
    assert '<a href="feedback/s003.html">s003</a>' in page
    paths = re.findall(r'<path d="([^"]*)"/></svg></td>', page)
    assert paths == ["M0 0h3v1h-3z", "M2 0h2v1h-2z"]  # 2 and 4, then 0, who made both, then 3


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
    assert "efficiency" not in page
    assert "nan" not in page


def test_in_a_browser_it_sorts_by_keyboard_and_fits_a_phone(tmp_path):
    (tmp_path / "index.html").write_text(page_of(a_class(30, exercises=15)))
    with chromium() as browser:
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
        region = page.locator("#students")
        assert region.evaluate("e => e.scrollWidth <= e.clientWidth")  # all columns at once
        picture(page, "class")
        page.set_viewport_size({"width": 390, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert said == []
