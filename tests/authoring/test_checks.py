"""A released course's checks: what the full course's say, or “graded when handed in”."""

import json
import shutil

import pytest
from click.testing import CliRunner

from autograder.checks.recorded_answers import ExerciseRecord, pack, read_packed
from autograder.cli import app
from tests.authoring.conftest import NAMES
from tools.compare_kit import compared

CAPITALS = """
import re


def count_words(text):
    words = re.findall(r"[A-Za-z]+(?:'[A-Za-z]+)*", text)
    return {word: words.count(word) for word in words}
"""


def outcomes(kit, monkeypatch, name, *args):
    """The outcomes of the checks, by name, as `autograder check` says them."""
    monkeypatch.chdir(kit)
    result = CliRunner().invoke(app, ["check", name, "--json", *args])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    (report,) = json.loads(result.output)["exercises"]
    return {each["title"]: each for each in report["checks"]}, report


@pytest.mark.parametrize("name", NAMES)
def test_a_right_answer(kit, marked, monkeypatch, without_reference, name):
    shutil.copy(marked.solution_file(name), kit / "exercises")
    checks, report = outcomes(kit, monkeypatch, name)
    *told, hidden = checks.values()
    assert {each["outcome"] for each in told} == {"passed"}
    assert hidden["outcome"] == "graded when handed in"
    assert "Graded when handed in" in hidden["finding"]
    assert report["points"] == report["max_points"] - hidden["max_points"]
    listed = CliRunner().invoke(app, ["status"]).output
    assert "1 of 2 exercises done" in listed


def test_a_mistake_has_its_name(kit, monkeypatch, without_reference):
    (kit / "exercises/word_counts.py").write_text(CAPITALS)
    checks, report = outcomes(kit, monkeypatch, "word_counts")
    failed = checks["Capitals make no difference"]
    assert failed["diagnosis"]["misconceptions"] == ["capitals-kept"]
    assert failed["hints"] == ["Are `The` and `the` two words?"]
    assert checks["Words between blanks"]["outcome"] == "passed"
    assert report["points"] == 4


def test_a_stub_is_still_one(kit, monkeypatch, without_reference):
    monkeypatch.chdir(kit)
    listed = CliRunner().invoke(app, []).output
    assert listed.count("not begun") == 3  # two, and what comes next


def test_a_file_that_is_no_python_is_said_once(kit, monkeypatch, without_reference):
    (kit / "exercises/word_counts.py").write_text("def count_words(text:\n    return {}\n")
    _, report = outcomes(kit, monkeypatch, "word_counts")
    assert report["status"] == "not loaded"
    text = CliRunner().invoke(app, ["check", "word_counts"]).output
    assert text.count("is not valid Python") == 1 and "in line 1 of" in text and "✗" not in text


def test_another_seed_than_those_recorded_is_refused(kit, monkeypatch):
    monkeypatch.chdir(kit)
    result = CliRunner().invoke(app, ["check", "word_counts", "--seed", "99"])
    assert "recorded" in str(result.exception)


def test_a_course_compared(marked, kit):
    (found,) = compared(marked, kit, [marked.exercise("word_counts")])
    assert not found.differences and not found.false_names
    assert (found.works, found.same, found.untold) == (2, 6, 0)


def test_answers_of_another_numpy_are_said_to_be_so(kit, marked, monkeypatch):
    path = kit / "released/records/byte_pairs.bin"
    record = read_packed(path, ExerciseRecord)
    record.canary[0] += 1
    record.numpy = "9.9"
    for answers in record.functions.values():
        answers.kinds = [kind[::-1] for kind in answers.kinds]
    path.write_bytes(pack(record))
    shutil.copy(marked.solution_file("byte_pairs"), kit / "exercises")
    checks, _ = outcomes(kit, monkeypatch, "byte_pairs")
    assert {each["outcome"] for each in checks.values()} == {"graded when handed in"}
    assert "recorded with NumPy 9.9" in checks["The pair that comes most often"]["finding"]
