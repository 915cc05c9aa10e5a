"""The lessons' figures: in step with what draws them, small, described, and seen in both formats."""

import ast
import json
import re

import pytest
from PIL import Image

from autograder.authoring.build import MAX_PICTURE, pictures_in
from lessons import style
from lessons.book import main
from lessons.drawn import SAID, as_png, figures
from tests.conftest import ROOT

LESSONS = [path.stem for path in sorted((ROOT / "solutions").glob("*.py"))]
SHOWN = re.compile(r"!\[([^\]]+)\]\((?:attachment:)?([^)]+)\)")


def test_the_committed_figures_are_those_of_the_code():
    stale = [figure.name for figure in figures(LESSONS) if not figure.is_current()]
    assert stale == [], "run `make figures`"
    assert main(["--check"]) == 0


def test_a_figure_whose_code_has_changed_is_told(monkeypatch, tmp_path, capsys):
    (figure,) = figures(["causal_mask"])
    figure.path = tmp_path / "causal_mask.png"
    assert not figure.is_current()
    figure.write()
    assert figure.is_current()
    figure.digest = "another"
    assert not figure.is_current()
    monkeypatch.setattr("lessons.book.figures", lambda _: [figure])
    assert main(["--check"]) == 1
    assert "make figures" in capsys.readouterr().out


def test_drawing_twice_gives_the_same_bytes():
    (figure,) = figures(["multi_head_reshape"])
    assert as_png(figure.draw(), "x") == as_png(figure.draw(), "x")


@pytest.mark.parametrize("lesson", LESSONS)
def test_each_lesson_shows_its_figures_with_words_for_them(lesson):
    text = (ROOT / "exercises" / f"{lesson}.py").read_text()
    mine = {f"figures/{figure.name}.png" for figure in figures([lesson])}
    assert mine and set(pictures_in(text)) == mine
    for said, path in SHOWN.findall(text):
        assert len(said.split()) > 15, "a description says what is to be seen"
        file = ROOT / "exercises" / path
        assert file.stat().st_size <= MAX_PICTURE
        with Image.open(file) as image:
            assert image.width >= 900
            assert SAID in image.info
    book = json.loads((ROOT / "exercises" / f"{lesson}.ipynb").read_text())
    attached = {name for cell in book["cells"] for name in cell.get("attachments", {})}
    assert {f"figures/{name}" for name in attached} == mine
    assert "figures/" not in "".join(
        "".join(c["source"]) for c in book["cells"] if c["cell_type"] == "markdown"
    )


@pytest.mark.parametrize("lesson", LESSONS)
def test_each_lesson_says_its_time_its_needs_its_sources_and_where_to_go_on(lesson):
    text = (ROOT / "exercises" / f"{lesson}.py").read_text()
    assert re.search(r"^# \*About \d+ minutes\b.*?\bNeeds\b.*?\*$", text, re.MULTILINE | re.DOTALL)
    sources, _, further = text.partition("# ## Where this comes from")[2].partition(
        "# ## Further reading"
    )
    assert "](https://" in sources
    links = re.findall(r"^# - .*?\]\(https://", further, re.MULTILINE | re.DOTALL)
    assert 2 <= len(links) <= 4
    assert not re.search(r"\bS[0-4]\b|reference text", text)


def test_words_in_figures_stand_out():
    """WCAG's contrast for text, between the colours that words have and the card."""

    def luminance(color):
        parts = (int(color[k : k + 2], 16) / 255 for k in (1, 3, 5))
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return sum(
            share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True)
        )

    for color in (style.INK, style.QUIET, style.RED):
        assert (luminance(style.CARD) + 0.05) / (luminance(color) + 0.05) >= 4.5


def test_no_figure_knows_what_is_asked():
    """The figures use the reference; what is handed out of them is pixels alone."""
    for lesson in LESSONS:
        for node in ast.walk(ast.parse((ROOT / "exercises" / f"{lesson}.py").read_text())):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            assert "lessons" not in names
