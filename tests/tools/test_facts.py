"""The counts, samples and tables in the documents are up to date."""

import re
import time

import pytest

from tools import facts

STALE = "run: python -m tools.facts"
SLOW = {"sample-class", "canvas-class"}  # they grade students; other tests look at parts of them
TOLERANCE = 5  # another computer, or a busy one


@pytest.mark.parametrize("name", sorted({name for _, name, _ in facts.stated()} - SLOW))
def test_a_fact_is_up_to_date(name):
    stale = [
        page for page, known, text in facts.stated() if known == name != text != facts.value(name)
    ]
    assert stale == [], STALE


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(SLOW))
def test_a_slow_fact_is_up_to_date(name):
    assert {text for _, known, text in facts.stated() if known == name} == {facts.value(name)}, (
        STALE
    )


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "zero"), (19, "nineteen"), (20, "twenty"), (26, "twenty-six"), (99, "ninety-nine")],
)
def test_numbers_in_words(number, words):
    assert facts.in_words(number) == words


def test_every_fact_is_in_a_document():
    assert {name for _, name, _ in facts.stated()} <= {*facts.BLOCKS, *facts.COUNTS}
    assert set(facts.BLOCKS) <= {name for _, name, _ in facts.stated()}


def test_the_check_notices_a_stale_fact(tmp_path, monkeypatch, capsys):
    number = facts.value("exercises")  # read once, while the folder is the project's
    page = tmp_path / "README.md"
    page.write_text("<!-- fact: exercises -->three<!-- /fact --> exercises")
    monkeypatch.setattr(facts, "ROOT", tmp_path)
    monkeypatch.setattr(facts, "documents", lambda: [page])
    monkeypatch.setattr("sys.argv", ["facts", "--check"])
    assert facts.main() == 1
    assert "README.md: exercises" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["facts"])
    assert facts.main() == 0
    assert f"{number}<!--" in page.read_text()


def test_no_document_counts_mistakes_by_hand(root):
    """The number of known mistakes is written in one way: by tools.facts."""
    for page in facts.documents():
        text = facts.FACT.sub("", page.read_text(encoding="utf-8"))
        assert not re.search(r"\d[\d,]* (known mistakes|misconceptions|of them are in)", text), page


def test_the_verified_table_has_the_mistakes_of_now():
    """A few may be new since the last `make verify`, or give only NaN, and so have no name."""
    for name, number in facts.known().items():
        missing = number - facts.mistakes()[name]
        assert 0 <= missing <= 1 + number // 14, f"{name}: run make verify"


@pytest.mark.thorough
def test_times_are_those_of_the_table_within_a_factor(root):
    """A check of a solution takes about as long as docs/verified.md says, and a start besides."""
    for name, row in facts.verified().items():
        started = time.monotonic()
        facts.run("check", f"solutions/{name}.py", cwd=str(root))
        assert time.monotonic() - started < TOLERANCE * (2 + float(row["ms"]) / 1000), name
