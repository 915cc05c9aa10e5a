"""What an instructor sees in formgrader, and a student in JupyterLab, in a real browser."""

import shutil

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output, new_raw_cell
from playwright.sync_api import expect

from tests.browser import chromium, jupyter_lab, open_lab, picture
from tests.nbgrader.commands import forked
from tests.nbgrader.course import ASSIGNMENT, ShortCourse, fill_in, solution

AXIS_0 = ("axis=axis", "axis=0")
ON_TIME, LATE = "2027-02-05 20:00:00 UTC", "2027-02-06 20:00:00 UTC"
SCRIPT = "<script>window.owned = 1</script>"
IMAGE = "<img src=x onerror='window.owned = 1'>"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """ann is right, bob late and mistaken, eve handed in a damaged file and a hostile one."""
    short = ShortCourse(tmp_path_factory.mktemp("browser"), forked)
    short.set_up()
    for student, when in (("ann", ON_TIME), ("bob", LATE), ("eve", ON_TIME)):
        folder = short.hand_in(
            student,
            softmax=solution("softmax", *[AXIS_0][: student == "bob"]),
            hand_computation=solution("hand_computation"),
            reflection=solution("reflection"),
        )
        (folder / "timestamp.txt").write_text(when)
    (folder / "softmax.ipynb").write_text('{"cells": [')
    attack(folder / "hand_computation.ipynb")
    short.autograder("grade", ASSIGNMENT)
    return short


def attack(path):
    """Texts that would run in the browser of whoever looks at them."""
    book = nbformat.read(path, as_version=4)
    book.metadata["title"] = f"</title>{SCRIPT}"
    shown = new_output("display_data", {"text/html": SCRIPT})
    book.cells += [
        new_markdown_cell(f"Is $a < b$ and b>a? {IMAGE}\n\n{SCRIPT}", id="text-of-mine"),
        new_markdown_cell("text", metadata={"tags": [f'"></div>{SCRIPT}']}),
        new_raw_cell(SCRIPT),
        new_raw_cell(SCRIPT, metadata={"raw_mimetype": "text/html", "format": "text/html"}),
        new_code_cell(f"'''{SCRIPT}'''", outputs=[shown]),
    ]
    nbformat.write(book, path)


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def lab(course):
    """The address and the token of a JupyterLab in the course directory."""
    with jupyter_lab(course.directory, course.env()) as found:
        yield found


@pytest.fixture(scope="module")
def formgrader(browser, lab):
    """Opens a page of formgrader, signed in."""
    address, _ = lab
    page = open_lab(browser, *lab, "formgrader/")

    def visit(path):
        page.goto(f"{address}formgrader/{path}")
        page.wait_for_load_state("networkidle")
        return page

    return visit


def submission(course, student, notebook):
    with course.gradebook() as gradebook:
        return gradebook.find_submission_notebook(notebook, ASSIGNMENT, student).id


@pytest.mark.thorough
def test_formgrader_opens_in_jupyterlab(browser, lab):
    page = open_lab(browser, *lab)
    page.get_by_role("menuitem", name="Nbgrader", exact=True).click()
    page.get_by_text("Formgrader", exact=True).click()
    inside = page.frame_locator("iframe")
    expect(inside.get_by_role("row").filter(has_text=ASSIGNMENT)).to_contain_text("3")
    picture(page, "formgrader-in-jupyterlab")


@pytest.mark.thorough
def test_scores_and_states_of_a_class(formgrader):
    page = formgrader(f"manage_submissions/{ASSIGNMENT}")
    for student, score in (("ann", "25 / 37"), ("bob", "16 / 37"), ("eve", "13 / 37")):
        row = page.get_by_role("row").filter(has_text=student)
        expect(row).to_contain_text(score)
        expect(row).to_contain_text("needs manual grading")
    picture(page, "formgrader-submissions")


@pytest.mark.thorough
def test_the_button_grades_confined(course, formgrader):
    """In the server's own process, with our steps: the same rows as from our command."""
    before = course.rows()
    page = formgrader(f"manage_submissions/{ASSIGNMENT}")
    row = page.get_by_role("row").filter(has_text="bob")
    row.locator(".autograde a").click()
    modal = page.locator(".modal-dialog")
    expect(modal).to_contain_text("Successfully autograded")
    picture(page, "formgrader-button")
    assert course.rows() == before
    assert (
        b"softmax along the first axis"
        in (course.directory / "autograded" / "bob" / ASSIGNMENT / "softmax.ipynb").read_bytes()
    )


def test_a_mistake_with_its_hint_and_pictures(course, formgrader):
    page = formgrader(f"submissions/{submission(course, 'bob', 'softmax')}")
    comment = page.locator("textarea.comment").first
    assert "softmax along the first axis" in (comment.get_attribute("placeholder") or "")
    expect(page.locator(".autograder-report")).to_contain_text("3 of 12 points")
    wrong = page.locator(".autograder-report td.wrong").first
    assert wrong.evaluate("cell => getComputedStyle(cell).outlineStyle") == "solid"
    size = page.locator(".autograder-report .finding").first
    assert size.evaluate("text => parseFloat(getComputedStyle(text).fontSize)") >= 14
    expect(page.locator("input.score").first).to_have_attribute("placeholder", "3")
    picture(page, "formgrader-mistake")


def test_a_notebook_that_could_not_be_used_waits_for_a_person(course, formgrader):
    page = formgrader(f"submissions/{submission(course, 'eve', 'softmax')}")
    expect(page.locator("body")).to_contain_text("a person must look at it")
    expect(page.locator("input.score.needs_manual_grade")).to_be_visible()
    picture(page, "formgrader-damaged")


def test_a_person_s_score_goes_into_the_gradebook(course, formgrader):
    page = formgrader(f"submissions/{submission(course, 'ann', 'reflection')}")
    score = page.locator("input.score").first
    with page.expect_response(lambda got: "/api/grade/" in got.url and got.status == 200):
        score.fill("3.5")
        score.blur()
    picture(page, "formgrader-reflection")
    rows = {row[:3]: row[4] for row in course.rows()}
    assert rows["ann", "reflection", "why-scale"] == 3.5


def test_nothing_that_a_student_wrote_runs_in_an_instructor_s_browser(course, formgrader):
    page = formgrader(f"submissions/{submission(course, 'eve', 'hand_computation')}")
    expect(page.locator("body")).to_contain_text("window.owned = 1")
    expect(page.locator("body")).to_contain_text("a < b$ and b>a")
    assert page.evaluate("window.owned") is None
    picture(page, "formgrader-hostile")


def test_a_student_sees_the_report_and_its_picture(browser, course, lab):
    home = course.directory / "cleo"
    shutil.copytree(course.directory / "release" / ASSIGNMENT, home)
    fill_in(home / "softmax.ipynb", solution("softmax", AXIS_0))
    page = open_lab(browser, *lab, f"lab/tree/{home.name}/softmax.ipynb")
    page.get_by_text("| Idle").wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    report = page.locator(".autograder-report")
    expect(report).to_contain_text("softmax along the first axis")
    wrong = report.locator("td.wrong").first
    wrong.scroll_into_view_if_needed()
    assert wrong.evaluate("cell => getComputedStyle(cell).outlineStyle") == "solid"
    picture(page, "student-check")
    expect(page.locator(".jp-OutputArea-executeResult")).to_have_count(0)  # no bare number
