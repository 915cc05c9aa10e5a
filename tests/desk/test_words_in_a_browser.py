"""Words in Chromium: answers by the keyboard alone, with their keys counted; hostile ones."""

import random
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from autograder.classroom.history import GradeCommand, remember_command
from tests.browser import chromium, picture, violations
from tests.classroom.words import Words
from tests.conftest import ROOT
from tests.desk.generated import sample, write
from tests.desk.served import enter, served

SAID = [
    "A score is a sum of d_k products, so its variance grows with d_k, and large scores push the softmax to one key.",
    "Because the dot products get large when there are many dimensions, and then the softmax saturates.",
    "Dividing keeps the variance at 1, whatever d_k is; without it the gradient of the softmax nearly vanishes.",
    "So that the weights sum to one.",
]
FIRST_POINTS = (3, 2, 4, 0)  # what each of these is worth, in items of 1, 2 and 1 points
KEYS_OF = {0: "0", 2: "2", 3: "12", 4: "123"}


@pytest.fixture(params=[8, pytest.param(30, marks=pytest.mark.thorough)])
def answered(request, tmp_path):
    """A class and its size: ten answers in the same words, a few much like them, others their own."""
    made, draw = Words(tmp_path), random.Random(5)
    for number in range(request.param):
        said = SAID[number % 4] if number < 10 else SAID[number % 4] + f" {draw.choice('xyz')}."
        if number >= 14:
            some = said.split()
            said = " ".join(draw.sample(some, k=len(some) // 2)) + f" I am number {number}."
        made.answer(f"u{number:02}", said)
    made.grade()
    return made, request.param


def test_answers_by_the_keyboard_alone(answered):
    words, size = answered
    pressed = []

    def press(page, keys):
        for key in keys:
            pressed.append(key)
            page.keyboard.press(key)

    with served(words.out, words.course) as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
        page.goto(f"{enter(page, address)}/words")
        picture(page, "words")
        assert violations(page) == []
        press(page, "1")
        page.wait_for_selector("form.marking")
        assert violations(page) == []
        picture(page, "words-question")
        while page.locator("form.marking").count():
            shown = page.locator("pre.answer").inner_text()
            worth = next(
                (
                    p
                    for said, p in zip(SAID, FIRST_POINTS, strict=True)
                    if shown.startswith(said[:20])
                ),
                2,
            )
            *first, last = [*KEYS_OF[worth], *([] if worth == 0 else ["Enter"])]
            press(page, first)
            with page.expect_navigation():  # the next answer is loaded as a whole
                press(page, [last])
        expect(page.locator("main")).to_contain_text(f"{size} of {size} answers are marked")
    points, _ = words.grade()
    assert all(each is not None for each in points.values())
    assert points["u00", "why"] == 3
    # in the table: for each answer its cell, the points, and the comment's cell is left
    in_the_table = sum(len(f"{points:g}") + 1 for points in points.values())
    print(f"keys for {size} answers: {len(pressed)} on the desk, {in_the_table} in the table")
    assert len(pressed) < 3.5 * size


@pytest.mark.thorough
def test_hostile_answers_run_nothing_and_break_nothing(tmp_path):
    words = Words(tmp_path)
    evil = "<script>window.ran=1</script><img src=x onerror='window.ran=1'>\u202e]]>{{7*7}}"
    words.answer("eve", evil)
    words.answer("<svg onload=window.ran=1>", "javascript:window.ran=1 " * 40_000)
    words.grade()
    with served(words.out, words.course) as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 375, "height": 700}, color_scheme="dark")
        asked = []
        page.on("request", lambda request: asked.append(urlsplit(request.url).netloc))
        home = enter(page, address)
        page.goto(f"{home}/words/essay/why")
        for _ in range(2):
            assert page.evaluate("window.ran") is None
            assert page.evaluate("document.documentElement.scrollWidth") <= 375
            picture(page, "words-hostile-phone")
            page.keyboard.type("1")
            with page.expect_navigation():
                page.keyboard.press("Enter")
        assert set(asked) == {urlsplit(home).netloc}
    assert all(points == 1 for points in words.grade()[0].values())


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_groups_are_for_everybody(tmp_path, course, scheme):
    out = write(tmp_path / "out", sample())
    submissions = str(ROOT / "examples" / "class")
    remember_command(out, GradeCommand(submissions=submissions, course=str(ROOT)))
    with served(out, course) as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme=scheme)
        page.goto(f"{enter(page, address)}/groups")
        assert violations(page) == []
        picture(page, f"groups-{scheme}")
        page.keyboard.press("1")
        page.wait_for_selector("#state")
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        picture(page, f"groups-one-{scheme}")
