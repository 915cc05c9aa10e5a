"""The documents as a site: made without a warning, whole, and loading nothing from elsewhere."""

import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from tests.browser import chromium, violations
from tools import docs_site

LOADED = {"script": "src", "link": "href", "img": "src", "source": "srcset", "iframe": "src"}


class Page(HTMLParser):
    """What a page loads, where it leads to, and which places of it can be led to."""

    def __init__(self, text):
        super().__init__()
        self.loaded, self.links, self.places = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.places.add(found.get("id"))
        if tag in LOADED and found.get(LOADED[tag]):
            self.loaded.append(found[LOADED[tag]])
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])


@pytest.fixture(scope="module")
def made(tmp_path_factory, root):
    out = tmp_path_factory.mktemp("site") / "out"
    command = [sys.executable, "-m", "tools.docs_site", str(out)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def pages(made):
    found = {name: path.read_text() for name, path in made.items() if name.endswith(".html")}
    return {name: Page(text) for name, text in found.items()}


def test_every_document_and_every_lesson_has_a_page(made, root, course):
    documents = {f"{path.stem}.html" for path in (root / "docs").glob("*.md")}
    lessons = {f"lessons/{exercise}.html" for exercise in course.exercises}
    assert documents | lessons | {"index.html", "search.html", "searchindex.js"} <= set(made)


def test_lessons_show_pictures_formulas_and_no_answer(made):
    text = made["lessons/causal_mask.html"].read_text()
    assert "<math" in text
    assert 'src="../_images/causal_mask.png"' in text
    assert "_images/causal_mask.png" in made
    lessons = [path.read_text() for name, path in made.items() if name.startswith("lessons/")]
    assert not any(re.search(r"(BEGIN|END) SOLUTION|np\.tril", text) for text in lessons)
    assert not any("attachment:" in text for text in lessons)


def test_nothing_is_loaded_from_elsewhere(made, pages):
    loaded = {each for page in pages.values() for each in page.loaded}
    assert {each for each in loaded if re.match(r"(\w+:)?//", each)} == set()
    styles = "".join(path.read_text() for name, path in made.items() if name.endswith(".css"))
    assert not re.search(r"@import|url\([\"']?(https?:)?//", styles)


def test_what_is_loaded_is_there(made, pages):
    wrong = [
        f"{name}: {each}"
        for name, page in pages.items()
        for each in page.loaded
        if not each.startswith(("data:", "#"))
        and _joined(name.rpartition("/")[0], each.partition("?")[0].partition("#")[0]) not in made
    ]
    assert wrong == []
    assert "pictures/map-dark.png" in pages["index.html"].loaded


def test_no_link_leads_nowhere(made, pages):
    wrong = []
    for name, page in pages.items():
        folder = name.rpartition("/")[0]
        for link in page.links:
            path, _, place = link.partition("#")
            if re.match(r"\w+:", link) or (not path and not place):
                continue
            at = name if not path else _joined(folder, path)
            if at not in made or (place and at in pages and place not in pages[at].places):
                wrong.append(f"{name}: {link}")
    assert wrong == []


@pytest.mark.thorough
def test_every_page_is_for_everybody(made):
    """On a wide screen by day and on a phone by night, to axe-core."""
    wrong = []
    with chromium() as browser:
        for scheme, width in (("light", 1280), ("dark", 390)):
            page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            for name in [each for each in made if each.endswith(".html")]:
                page.goto(made[name].as_uri())
                wrong += [(name, width, each) for each in violations(page)]
    assert wrong == []


def _joined(folder, path):
    parts = folder.split("/") if folder else []
    for step in path.split("/"):
        parts = parts[:-1] if step == ".." else parts if step == "." else [*parts, step]
    return "/".join(parts)


@pytest.mark.filterwarnings("ignore")  # MyST's own, of Sphinx's next versions
def test_a_link_to_what_is_not_there_is_an_error(tmp_path, monkeypatch, root, capfd):
    def two_pages(source):
        source.mkdir(parents=True)
        (source / "index.md").write_text("# A\n\n[b](b.md#no-such-place)\n\n[c](c.md)\n")
        (source / "b.md").write_text("---\norphan: true\n---\n# B\n")

    monkeypatch.setattr(docs_site, "collect", two_pages)
    assert docs_site.main(tmp_path / "out") == 1
    said = capfd.readouterr().err
    assert "no-such-place" in said
    assert "c.md" in said
