"""The desk in a real browser: walked by keyboard and mouse, and looked at by axe-core."""

import contextlib
import re
import signal
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.browser import SECONDS, chromium, picture, violations
from tests.conftest import ROOT
from tests.desk.generated import with_submissions
from tests.desk.served import enter

pytestmark = pytest.mark.one_in(4)

VIEWS = {
    "class": "/",
    "some": "/?q=u00",
    "student": "/students/u0003",
    "exercises": "/exercises",
    "exercise": "/exercises/softmax",
    "map": "/map",
    "words": "/words",
    "groups": "/groups",
    "adjust": "/adjust/u0003",
    "regrade": "/regrade",
    "export": "/export",
    "nowhere": "/nowhere",
}
OFTEN = ("class", "student", "words")  # `make thorough` looks at all views
SIZES = {"wide": (1280, 900), "phone": (390, 800)}


@contextlib.contextmanager
def served(results):
    """The first address of a desk in a process of its own, as a person starts it."""
    command = [sys.executable, "-m", "autograder", "desk", str(results), "--no-browser"]
    process = subprocess.Popen(
        [*command, "--course", str(ROOT)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        said = ""
        for line in process.stdout:
            said += line
            found = re.search(r"http://\S+", line)
            if found:
                yield found[0]
                break
        else:
            pytest.fail(said)
    finally:
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
    assert "Traceback" not in rest
    assert process.returncode == 0


@pytest.fixture(scope="module")
def desk(request, tmp_path_factory):
    """A browser, the cookies by which its pages are let in, and the desk's address."""
    size = 300 if request.config.getoption("--thorough") else 10
    results = with_submissions(tmp_path_factory.mktemp("class"), size, ROOT)
    with chromium() as browser, served(results) as address:
        page = browser.new_page()
        home = enter(page, address)
        yield browser, page.context.storage_state(), home


@contextlib.contextmanager
def opened(desk, scheme="light", size="wide"):
    """A page that was let in, and what its console said."""
    browser, state, address = desk
    width, height = SIZES[size]
    page = browser.new_page(
        viewport={"width": width, "height": height}, color_scheme=scheme, storage_state=state
    )
    page.set_default_timeout(SECONDS * 1000)
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address)
    yield page, address, said
    page.close()


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("scheme", "size"), [("dark", "phone"), ("light", "wide"), ("dark", "wide"), ("light", "phone")]
)
def test_every_view_is_for_everybody(desk, scheme, size, request):
    views = VIEWS if request.config.getoption("--thorough") else {n: VIEWS[n] for n in OFTEN}
    with opened(desk, scheme, size) as (page, address, said):
        found = {}
        for name, path in views.items():
            page.goto(address + path)
            page.wait_for_load_state()
            found[name] = violations(page)
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= SIZES[size][0], name
            picture(page, f"desk-{name}-{scheme}-{size}")
        assert {name: each for name, each in found.items() if each} == {}
        assert [each for each in said if "404" not in each] == []


def test_it_is_walked_by_keyboard_alone(desk):
    with opened(desk) as (page, _, said):
        keys = page.keyboard
        keys.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "To the content"
        keys.press("/")
        keys.type("u0003")
        expect(page.locator("table.grades tbody tr")).to_have_count(1)
        assert "q=u0003" in page.url
        keys.press("Control+A")
        keys.type("u000")
        expect(page.locator("table.grades tbody tr")).to_have_count(10)
        page.wait_for_url(re.compile("q=u000(&|$)"), wait_until="commit")
        first = page.locator("table.grades tbody a").first
        first.focus()
        page.wait_for_timeout(500)  # the table stays as it is: so does the focus
        expect(first).to_be_focused()
        keys.press("Enter")
        page.wait_for_url("**/students/u0000?q=u000")
        keys.press("n")
        page.wait_for_url("**/students/u0001?q=u000")
        keys.press("n")
        page.wait_for_url("**/students/u0002?q=u000")
        keys.press("p")
        page.wait_for_url("**/students/u0001?q=u000")
        page.locator("a.button").focus()
        keys.press("Enter")
        page.wait_for_url("**/adjust/u0001")
        page.locator("input[name=points]").focus()
        keys.type("n2")  # is typed, and goes nowhere
        assert page.url.endswith("/adjust/u0001")
        assert said == []


@pytest.mark.thorough
def test_it_is_walked_by_mouse(desk):
    with opened(desk) as (page, _, said):
        page.get_by_label("Sort by total").click()
        page.wait_for_url("**/?sort=total")
        page.get_by_label("Sort by total").click()
        page.wait_for_url("**/?sort=total&down=1")
        totals = page.locator("table.grades tbody td strong").all_inner_texts()
        assert [float(each) for each in totals] == sorted(map(float, totals), reverse=True)
        page.select_option("select[name=section]", "Monday")
        page.wait_for_url(re.compile("section=Monday.*down=1"))
        page.get_by_role("link", name="Map").click()
        page.wait_for_url("**/map**")
        box = page.locator("table.map svg").first.bounding_box()
        page.mouse.move(box["x"] + 3, box["y"] + 3)
        expect(page.locator("#column")).to_have_text(re.compile(r"u\d{4}"))
        student = page.locator("#column").inner_text()
        page.mouse.click(box["x"] + 3, box["y"] + 3)
        page.wait_for_url(f"**/students/{student}")
        page.get_by_role("link", name="Exercises").first.click()
        page.get_by_role("link", name="Softmax", exact=True).click()
        page.locator("details summary").first.click()
        page.locator("details[open] .people a").first.click()
        page.wait_for_url("**/students/*#softmax")
        assert said == []


def test_a_page_fetches_nothing_from_elsewhere_and_runs_no_script_of_its_own(desk):
    with opened(desk) as (page, address, said):
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address + "/students/u0003")
        assert asked and all(url.startswith((address, "data:")) for url in asked)
        page.evaluate(
            "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 1\">')"
        )
        page.evaluate(
            "(() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
            " document.body.append(s); })()"
        )
        page.wait_for_timeout(200)
        assert page.evaluate("window.ran") is None
        assert any("Content Security Policy" in each for each in said)
