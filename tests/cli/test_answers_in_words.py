"""An exercise about words: answers that are no arrays, from the check to every face of a report."""

import json

import pytest

from autograder.report.html import exercise_html
from autograder.report.model import Report
from tests.authoring.course import arguments, command, make

SOLUTION = """
from dataclasses import dataclass


@dataclass
class Token:
    kind: str
    text: str


def tokens(text):
    ### BEGIN SOLUTION
    return [Token("number" if w.isdigit() else "word", w) for w in text.split()]
    ### END SOLUTION


def counts(text):
    ### BEGIN SOLUTION
    return {pair: text.count("".join(pair)) for pair in set(zip(text, text[1:]))}
    ### END SOLUTION


def upper(text):
    ### BEGIN SOLUTION
    return text.upper()
    ### END SOLUTION
"""
CHECKS = """
import pytest
from autograder.checks.equality import expect_equal


@pytest.mark.check("The tokens", points=2)
def test_tokens(submission, reference):
    text = "the cat 12"
    expect_equal(submission.tokens(text), reference.tokens(text), "the tokens")


@pytest.mark.check("Pairs of letters")
def test_counts(submission, reference):
    expect_equal(submission.counts("abab"), reference.counts("abab"), "the counts")


@pytest.mark.hidden
@pytest.mark.check("Capitals")
def test_upper(submission, reference):
    expect_equal(submission.upper("secret words"), reference.upper("secret words"))
"""
MISTAKES = """
from autograder.author import Family, Mistakes, Recipe

HINTS = ("A question.", "A property.", "A place.")
def upper(text):
    return text.upper()


FIRST = {"first-only": ("Only the first letter is a capital.", lambda text: text.capitalize())}
MISTAKES = Mistakes(
    Recipe(upper, lambda draw: [("a cat",), ("b" * 50 + " dog",)], (Family(upper, HINTS, FIRST),))
)
"""
WRONG = SOLUTION.replace('if w.isdigit() else "word"', 'if len(w) < 3 else "<b>name\\x1b"')
WRONG = WRONG.replace('text.count("".join(pair))', "1").replace("text.upper()", "text.capitalize()")


def course(tmp_path):
    reference = SOLUTION.replace("### BEGIN SOLUTION", "").replace("### END SOLUTION", "")
    return make(tmp_path, solution=SOLUTION, reference=reference, checks=CHECKS, mistakes=MISTAKES)


def test_the_solution_gets_all_points(tmp_path, monkeypatch, capsys):
    code, out, _ = command(monkeypatch, capsys, *arguments(course(tmp_path), "check"))
    assert code == 0, out


@pytest.mark.thorough
def test_what_is_wrong_is_said_shown_and_named(tmp_path, monkeypatch, capsys):
    folder = course(tmp_path)
    (folder / "class" / "s01" / "areas.py").write_text(WRONG)
    code, out, _ = command(monkeypatch, capsys, *arguments(folder, "check"), "--all")
    assert code == 1
    told = " ".join(out.split())
    assert r"The field kind of the 1st item is '<b>name\x1b'; expected 'word'." in told.replace(
        "The tokens: the", "The"
    )
    assert r"yours [Token(kind='<b>name\x1b', text='the'), Token(" in told
    assert "expected [Token(kind='word', text='the'), Token(kind='word'" in told
    assert "The counts: the value for ('a', 'b') is 1; expected 2." in told
    assert "upper: Only the first letter is a capital." in told
    assert "secret" not in told and "\x1b" not in out

    code, out, _ = command(monkeypatch, capsys, *arguments(folder, "check"), "--json")
    report = json.loads(out)
    first, _, hidden = report["exercises"][0]["checks"]
    assert first["evidence"]["yours"].startswith("[Token(kind=")
    assert hidden["evidence"] is None

    import msgspec

    page = exercise_html(msgspec.convert(report, Report).exercises[0])
    assert "yours: [Token(kind=&#39;&lt;b&gt;name" in page and "<b>name" not in page
