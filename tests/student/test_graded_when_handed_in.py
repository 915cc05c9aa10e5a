"""What a released course cannot judge is a state of its own, and a file beside it is the cause."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from click.testing import CliRunner

from autograder.cli import app
from autograder.course.course_file import load_course
from autograder.grading.judge import Judge
from autograder.report.html import exercise_html
from autograder.report.model import Cause, CheckReport, ExerciseReport
from autograder.report.presentation import opening
from autograder.report.terminal import exercise_lines
from autograder.student.listing import progress_summary
from autograder.student.notebook_cell import answer_of
from autograder.student.progress import progress_of, stage_of
from autograder.student.targets import Target
from autograder.student.terminal import Terminal
from autograder.student.watch import Watch
from autograder.submission.source import read_own
from tests.courses import write_course

STATE = "graded when handed in"
CHECKS = """
import pytest
from autograder.author import Raised, expect_close, expect_error
from autograder.checks.check_result import NotJudged


@pytest.mark.check("Doubles two", points=1)
def test_two(submission):
    expect_close(submission.double(2), 4)


@pytest.mark.check("Doubles others", points=3)
def test_others(submission):
    expect_error(submission.double, None, type="TypeError")
    try:
        submission.double([1.0])
    except Raised:
        pass
    raise NotJudged
"""
TOP = """
import pytest
from autograder.author import expect_close


@pytest.mark.parametrize("x", [1, 2, 3])
@pytest.mark.check("One more than the double", points=1)
def test_top(submission, x):
    expect_close(submission.top(x), 2 * x + 1)
"""
STUB = "def double(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()\n"
RIGHT = "def double(x):\n    return 2 * x\n"
STOPS = "def double(x):\n    return x + 1.0 * x\n"
USES = "from double import double\n\n\ndef top(x):\n    return double(x) + 1\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_course(
        tmp_path,
        {"double": 8, "top": 3},
        checks={"double": CHECKS, "top": TOP},
        solutions={"double": RIGHT, "top": USES},
        stubs={
            "double": STUB,
            "top": "def top(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()\n",
        },
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args):
    done = CliRunner().invoke(app, list(args), prog_name="autograder", env={"COLUMNS": "200"})
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done.exit_code, done.output


def graded(folder, name):
    course = load_course(folder / "course.yml")
    exercise = course.exercise(name)
    with Judge(course, [exercise]) as judge:
        return judge.run(read_own(folder / f"exercises/{name}.py", exercise)).report


def write(folder, **files):
    for name, text in files.items():
        (folder / f"exercises/{name}.py").write_text(text)


def test_what_could_not_be_judged_is_not_done(folder):
    write(folder, double=RIGHT)
    code, text = run("check", "double")
    assert code == 1
    assert "1 of 2 checks cannot be judged here. It is graded when handed in." in text
    assert "○   0/6  Doubles others" in text and "✓   2/2  Doubles two" in text
    assert (
        "Check 2 of 2, graded when handed in, 0 of 6 points" in run("check", "double", "--plain")[1]
    )
    code, text = run("check", "double", "top")
    assert code == 1 and "○ double" in text and "✓" not in text
    _, text = run("status")
    assert "0 of 2 exercises done, 1 graded when handed in, 2 of 11 points so far" in text
    assert "○ double" in text and "1 of 2 checks graded when handed in" in text
    assert "graded when handed in" in run("status", "--plain")[1]
    assert "Next: Top" in run("next")[1]
    write(folder, top=USES)
    run("check", "top")
    assert run("next")[1] == "Nothing is left to do. double is graded when handed in.\n"


@pytest.mark.thorough
def test_the_other_formats_have_the_state_too(folder, tmp_path):
    write(folder, double=RIGHT)
    run("check", "double", "--junit", "j.xml", "--summary", "s.md")
    skipped = ET.parse("j.xml").find(".//skipped")
    assert skipped.get("type") == STATE and skipped.get("message").startswith("Graded when")
    assert "- ○ graded when handed in: Doubles others" in (tmp_path / "s.md").read_text()
    page = exercise_html(graded(folder, "double"))
    assert 'aria-label="graded when handed in">○</span>' in page and "Start here" not in page


@pytest.mark.thorough
def test_pytest_says_so_and_fails(folder):
    write(folder, double=RIGHT)
    args = ["-m", "pytest", "-p", "no:cacheprovider", "exercises/double.py"]
    done = subprocess.run([sys.executable, *args], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 passed, 1 graded when handed in" in done.stdout


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("selected", "says"),
    [("", "which does not pass its own checks here."), ("::test_others", "Run all checks of the")],
)
def test_a_check_alone_says_nothing_of_checks_that_did_not_run(folder, selected, says):
    write(folder, double=STOPS)
    (checks,) = folder.rglob("test_double.py")
    why = 'raise NotJudged(Cause(code="given_own_step", names=("f",)))'
    text = CHECKS.replace("raise NotJudged", f"from autograder.report.model import Cause; {why}")
    checks.write_text(text.replace("submission.double([1.0])", "submission.double(1.0)"))
    args = ["-m", "pytest", "-p", "no:cacheprovider", f"exercises/double.py{selected}"]
    done = subprocess.run([sys.executable, *args], capture_output=True, text=True, check=False)
    assert says in " ".join(done.stdout.split()), done.stdout + done.stderr


def test_a_hidden_check_does_not_keep_an_exercise_from_being_done():
    def state(**about):
        right = CheckReport(name="a", title="A", points=2, max_points=2, outcome="passed")
        check = CheckReport(name="b", title="B", points=0, max_points=8, outcome=STATE, **about)
        exercise = ExerciseReport(
            name="n", title="N", status="graded", points=2, max_points=10, checks=(right, check)
        )
        return stage_of(progress_of(exercise))

    assert state(hidden=True, cause=Cause(code="hidden")) == "done"
    assert state(cause=Cause(code="not_recorded")) == STATE
    assert state() == STATE  # as in an exam
    assert state(cause=Cause(code="given_own_step", names=("f",))) == "begun"


@pytest.mark.thorough
def test_an_exception_fails_a_check_that_cannot_be_judged(folder):
    write(folder, double=STOPS)
    code, text = run("check", "double")
    assert code == 1
    first, *_ = text.splitlines()
    assert "double stopped with TypeError" in first and "in line 2 of double.py" in first
    assert "✗   0/6  Doubles others" in text and "○" not in text
    assert "for double([1.0])" in text
    assert "None" not in text  # that one was asked for


@pytest.mark.thorough
def test_a_file_beside_it_that_is_not_written_is_the_cause(folder):
    write(folder, top=USES)
    start = opening(graded(folder, "top"))
    assert start.text == (
        "top needs double.py in line 5 of top.py. That file still has a `raise "
        "NotImplementedError()`. Write that file first. If your work is in a notebook, copy it "
        "there."
    )
    assert (start.place.file, start.place.line) == ("top.py", 5)
    _, text = run("check", "top")
    assert text.count("still has a `raise") == 1 and "Nothing is written" not in text
    assert "  5 | return double(x) + 1\n    |        ^^^^^^^^^\n" in text
    assert "✗" not in text and "Hint" not in text


def test_the_line_is_that_of_the_file_that_uses_it_and_not_of_the_stub(folder):
    (folder / "exercises/between.py").write_text(USES.replace("top", "more"))
    write(folder, top="from between import more\n\n\ndef top(x):\n    return more(x)\n")
    said = opening(graded(folder, "top")).text
    assert said.startswith("top needs double.py in line ")
    assert "in line 5 of between.py." in said


def test_an_absent_file_that_no_check_needs_is_still_noted(folder):
    write(folder, top="import double\n\n\ndef top(x):\n    return 2 * x + 1\n")
    (folder / "exercises/double.py").unlink()
    (note,) = graded(folder, "top").notes
    assert "No module named 'double' in line 1 of top.py" in note


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "text", [USES, "def top(x):\n    from double import double\n    return double(x) + 1\n"]
)
def test_a_file_that_is_not_there_belongs_in_the_folder(folder, text):
    write(folder, top=text)
    (folder / "exercises/double.py").unlink()
    said = "top needs double.py, which is not in this folder. Put your double.py there."
    assert opening(graded(folder, "top")).text == said
    _, shown = run("check", "top")
    assert shown.count(said) == 1 and "Hint" not in shown
    assert "No module named" not in shown and "Note" not in shown


def test_a_notebook_cell_says_it_in_words(folder):
    asked = {"exercise": "double", "cells": (RIGHT,), "folder": str(folder / "exercises")}
    answer = answer_of({**asked, "hint": False, "saved": "double.ipynb"})
    page = re.sub(r"(?s)<(style|script)\b.*?</\1>", "", answer["html"])
    for said in (answer["text"], " ".join(re.sub(r"<[^>]+>", " ", page).split())):
        assert "1 of 2 checks cannot be judged here. It is graded when handed in." in said
        assert "0 of 2 exercises done, 1 graded when handed in" in said
        assert "is done." not in said
    assert f'aria-label="{STATE}"' in page


@pytest.mark.one_in(2)
@pytest.mark.parametrize("spoken", [False, True])
def test_watch_says_it_in_words(folder, spoken):
    write(folder, double=RIGHT)
    course = load_course(folder / "course.yml")
    target = Target(course.exercise("double"), folder / "exercises/double.py")
    watched = Watch(course, target, judge=None, terminal=Terminal(spoken))
    watched.take_report(graded(folder, "double"))
    assert watched.progress["double"].state == STATE
    lines = exercise_lines(watched.shown, 1, "double.py", 100, spoken)
    said = "\n".join("".join(text for text, _ in line) for line in lines)
    assert "It is graded when handed in." in said and "is done" not in said
    said = progress_summary(list(watched.progress.values()))
    assert "0 of 2 exercises done, 1 graded when handed in" in said


@pytest.mark.thorough
def test_a_stub_in_a_check_that_cannot_be_judged_is_only_not_written(folder):
    """As in a kit, where the check has no recorded answer to the inputs that it falls back to."""
    write(folder, double=STUB)
    (checks,) = folder.rglob("test_double.py")
    text = checks.read_text().replace("except Raised", "except (Raised, ValueError)")
    checks.write_text(
        text.replace('    expect_error(submission.double, None, type="TypeError")\n', "")
    )
    code, shown = run("check", "double")
    assert code == 1 and shown.startswith("Begin with")
    assert shown.count("○") == 0
