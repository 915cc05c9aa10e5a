"""The README's pictures: there, small, whole, and what the kit shows today."""

import html
import re

import msgspec
import pytest
from rich.text import Text

from tests.browser import chromium
from tests.report.test_faces import make_report
from tools import pictures
from tools.larger_class import larger_class

NAMES = ["terminal", *(shot.name for shot in pictures.SHOTS)]


def words_of(svg):
    """The words of a drawing of a terminal, in order."""
    shown = " ".join(re.findall(r'<text class="report-r\d+"[^>]*>([^<]*)</text>', svg))
    return html.unescape(shown).replace("\xa0", " ").split()


def test_the_terminal_is_up_to_date():
    """If this fails, what `check` says has changed: run `make pictures`, and look at it."""
    said = pictures.terminal()
    for scheme in pictures.SCHEMES:
        drawn = (pictures.FOLDER / f"terminal-{scheme}.svg").read_text()
        expected = "".join(Text.from_ansi(said).plain.split())
        assert "".join(words_of(drawn)) == expected
        assert "".join(words_of(pictures.drawn(said, scheme))) == expected


def test_a_drawing_loads_nothing_and_is_the_same_every_time():
    first, again = (pictures.drawn("\x1b[1mbold\x1b[0m & <plain>", "dark") for _ in range(2))
    assert first == again
    assert not re.search(r"url\(\"?http|@font-face|<script", first)
    assert words_of(first) == ["bold", "&", "<plain>"]


@pytest.mark.parametrize("name", NAMES)
def test_every_picture_is_there_small_and_in_the_readme(root, name):
    readme = (root / "README.md").read_text()
    for scheme in pictures.SCHEMES:
        ending = "svg" if name == "terminal" else "png"
        path = pictures.FOLDER / f"{name}-{scheme}.{ending}"
        assert path.stat().st_size < pictures.LARGEST
        assert f'"{path.relative_to(root).as_posix()}"' in readme


def test_no_picture_is_left_over():
    assert {path.stem.rpartition("-")[0] for path in pictures.FOLDER.iterdir()} == set(NAMES)


@pytest.mark.thorough
def test_a_page_is_taken_in_both_schemes_alike(tmp_path):
    (tmp_path / "a.html").write_text(
        "<style>:root{color-scheme:light dark}</style><p>one</p><p class=b>two</p>"
    )
    shot = pictures.Shot("a", pictures.page("a.html"), "p.b", 300, 10)
    with chromium() as browser, shot.opened(tmp_path) as address:
        light, again, dark = (
            pictures.taken(browser, shot, address, scheme) for scheme in ("light", "light", "dark")
        )
    assert light == again != dark
    assert light.startswith(b"\x89PNG")


def test_a_larger_class_is_the_same_every_time():
    reports = [msgspec.structs.replace(make_report(student=f"s{n}"), points=1.0) for n in range(3)]
    first, again = (larger_class(reports, 20) for _ in range(2))
    assert first == again
    assert len({each.student for each in first}) == 20
