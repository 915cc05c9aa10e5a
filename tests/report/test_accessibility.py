"""A class's pages, looked at by axe-core: on a wide screen by day and on a phone by night."""

import msgspec
import pytest

from autograder.classroom.marks import answers_of
from autograder.course.course_file import load_course
from autograder.report.html import class_page_content, write_page
from autograder.report.overview import ClassOverview
from tests.browser import chromium, violations
from tests.conftest import ROOT
from tests.desk.generated import drawn_class

pytestmark = pytest.mark.one_in(2)


@pytest.fixture(scope="module")
def pages(request, tmp_path_factory):
    """Pages of students with exercises of the sample class, the class's, and the answers to mark."""
    folder = tmp_path_factory.mktemp("pages")
    course = load_course(ROOT / "course.yml")
    thorough = request.config.getoption("--thorough")
    few = len(course.content.exercises) if thorough else 4
    exercises = course.content.exercises[:few]
    overview = ClassOverview(course.title, exercises)
    reports = [
        msgspec.structs.replace(report, exercises=report.exercises[:few])
        for report in drawn_class(20 if thorough else 4)
    ]
    for report in reports:
        overview.add(report, f"{report.student}.html")
    for report in reports[: 4 if thorough else 1]:
        write_page(folder / f"{report.student}.html", "student.html", report=report)
    write_page(folder / "index.html", "index.html", **class_page_content(overview))
    write_page(
        folder / "by-hand.html",
        "by_hand.html",
        course=course.title,
        exercises=exercises,
        answers=[each for report in reports for each in answers_of(report)],
        table="marks.csv",
        changed={},
        orphaned=[],
    )
    return sorted(folder.glob("*.html"))


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_a_class_s_pages_are_for_everybody(browser, pages, scheme, width):
    assert len(pages) >= 3
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    found = {}
    for path in pages:
        page.goto(path.as_uri())
        found[path.name] = violations(page)
    assert {name: each for name, each in found.items() if each} == {}
