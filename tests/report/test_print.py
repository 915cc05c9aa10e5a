"""A page on paper: dark on white, with what is folded on the screen."""

import pytest

from autograder.report.html import write_page
from tests.browser import chromium
from tests.classroom.records import record
from tests.report.ci.test_formats import EXERCISE


@pytest.mark.thorough
def test_hints_are_printed_and_a_dark_screen_is_not(tmp_path):
    import msgspec

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


WHITE = "rgb(255, 255, 255)"
