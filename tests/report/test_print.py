"""A page on paper: dark on white, with what is folded on the screen."""

import msgspec
import pytest

from autograder.course.course_file import load_course
from autograder.report.html import class_page_content, write_page
from autograder.report.overview import ClassOverview
from tests.browser import chromium
from tests.classroom.records import record
from tests.conftest import ROOT
from tests.desk.generated import drawn_class
from tests.report.ci.test_formats import EXERCISE


@pytest.mark.thorough
def test_hints_are_printed_and_a_dark_screen_is_not(tmp_path):
    report = msgspec.structs.replace(record("s1", 2.0), exercises=(EXERCISE,))
    page = tmp_path / "page.html"
    write_page(page, "student.html", report=report)
    with chromium() as browser:
        shown = browser.new_page(color_scheme="dark")
        shown.goto(page.as_uri())
        hint = shown.locator("details p").first
        assert not hint.is_visible()
        assert shown.evaluate("getComputedStyle(document.body).backgroundColor") != WHITE
        shown.emulate_media(media="print", color_scheme="dark")
        assert hint.is_visible()
        assert shown.evaluate("getComputedStyle(document.body).backgroundColor") == WHITE


@pytest.mark.thorough
def test_fifteen_exercises_are_few_pages(tmp_path):
    """A student's page with most said on it, and the page of a class of 60."""
    reports = drawn_class(60)
    longest = max(reports, key=lambda report: len(msgspec.json.encode(report)))
    course = load_course(ROOT / "course.yml")
    overview = ClassOverview(course.title, course.content.exercises)
    for report in reports:
        overview.add(report, f"feedback/{report.student}.html")
    write_page(tmp_path / "student.html", "student.html", report=longest)
    write_page(tmp_path / "index.html", "index.html", **class_page_content(overview))
    with chromium() as browser:
        page, pages = browser.new_page(), {}
        for name in ("student", "index"):
            page.goto((tmp_path / f"{name}.html").as_uri())
            pages[name] = page.pdf(format="A4").count(b"/Type /Page\n")
    assert 1 < pages["student"] <= 8 and 1 < pages["index"] <= 11, pages


WHITE = "rgb(255, 255, 255)"
