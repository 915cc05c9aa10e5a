"""A course on text, by the same engine: built, checked, graded, and its grader graded."""

import csv
import json
import sys

import pytest

from autograder.authoring.verify import Verifier
from autograder.cli import main
from autograder.course.course_file import load_course
from autograder.grading.judge import Judge
from autograder.submission.source import Source
from autograder.worker.messages import Unit
from tests.conftest import ROOT

FOLDER = ROOT / "examples" / "courses" / "text"
NO_LESSON = (
    "warning: the text lacks its time and needs (*About 30 minutes. Needs …*), a picture "
    "(![description](figures/NAME.png)) and a source with a link"
)
NAMES = list(load_course(FOLDER / "course.yml").exercises)


@pytest.fixture(scope="module")
def course():
    return load_course(FOLDER / "course.yml")


@pytest.fixture(scope="module")
def graded(course):
    """Grade a text as an exercise of the course."""
    with Judge(course, course.content.exercises) as judge:

        def grade(name, text):
            source = Source(name, f"{name}.py", (Unit(f"{name}.py", text),))
            return judge.run(source).report

        yield grade


def run(*args):
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr(sys, "argv", ["autograder", *map(str, args)])
        main()
    return ended.value.code


def test_what_is_handed_out_is_in_step(capsys):
    assert run("build", "--check", "--course", FOLDER) == 0


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", NAMES)
def test_the_grader_of_each_exercise_holds(course, name):
    """`make verify` adds mutants and seeds."""
    verifier = Verifier(course, course.exercise(name))
    verifier.run(["right answers", "stub", "misconceptions"])
    result = verifier.result
    hints = "costs points more than once", "pairs of mistakes get a name"
    others = [remark for remark in result.remarks if not any(hint in remark for hint in hints)]
    assert (result.faults, others) == ([], [NO_LESSON])
    assert result.named == result.misconceptions >= 6
    assert result.right == 6


def test_it_has_nothing_of_the_kits_course(course):
    texts = [path.read_text() for path in FOLDER.rglob("*.py")]
    for word in ("attention", "softmax", "reference.kit", "reference.attention"):
        assert not any(word in text for text in texts)


def test_a_mistake_without_a_name_is_shown_by_what_differs(graded):
    report = graded("word_counts", "def count_words(text): return {'odd': len(text)}")
    first = report.checks[0]
    assert first.finding == "The dict of counts lacks the key 'a' and has the key 'odd' too many."
    assert first.diagnosis is None or first.diagnosis.kind != "named"
    assert first.evidence.call == "count_words('a')"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("word_counts", "def count_words(text): return {'a': True}"),
        ("word_counts", "import numpy\ndef count_words(text): return numpy.array([1, 2])"),
        ("word_counts", "def count_words(text): return {1: {2: '\\x1b[31m'}}"),
        ("byte_pairs", "def most_frequent_pair(tokens): return {'a', 'b'}"),
        ("expressions", "def parse(text): return eval(text)\ndef split_tokens(text): return text"),
        ("expressions", "def split_tokens(text): return ['x' * 100_000]"),
    ],
)
def test_odd_values_get_no_points_and_no_trouble(graded, name, text):
    report = graded(name, text)
    assert (report.points, report.status) == (0, "graded")
    assert all("\x1b" not in check.finding for check in report.checks)
    assert all(len(check.finding) < 500 for check in report.checks)


def test_a_class_is_graded(course, tmp_path, capsys):
    solution = (FOLDER / "solutions" / "word_counts.py").read_text()
    capitals = solution.replace("text.lower()", "text").replace("[a-z]", "[A-Za-z]")
    for student, text in (("ada", solution), ("bob", capitals)):
        (tmp_path / "class" / student).mkdir(parents=True)
        (tmp_path / "class" / student / "word_counts.py").write_text(text)
    out = tmp_path / "out"
    options = ("--workers", 1, "--own-code", "--exercise", "word_counts", "--course", FOLDER)
    assert run("grade", tmp_path / "class", "--out", out, *options) == 0
    with (out / "grades.csv").open(newline="") as file:
        points = {row["student"]: float(row["word_counts"]) for row in csv.DictReader(file)}
    assert points["ada"] == 6 and 0 < points["bob"] < 6
    reports = [json.loads(line) for line in (out / "report.jsonl").read_text().splitlines()]
    named = {
        name
        for check in reports[1]["exercises"][0]["checks"]
        if check["diagnosis"]
        for name in check["diagnosis"]["misconceptions"]
    }
    assert named == {"capitals-kept"}
