"""A line to change in nbgrader's comments and notebooks; the scores stay as they are."""

import re

import msgspec
import pytest

from autograder.nbgrader import steps
from autograder.nbgrader.grading import ShownReport
from autograder.report.model import ExerciseReport
from tests.nbgrader.commands import forked
from tests.nbgrader.course import ASSIGNMENT, ShortCourse, solution

LESS = ("return exponentials /", "return exponentials * 0.99 /")  # which has no name
SAID = "makes every check pass"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    short = ShortCourse(tmp_path_factory.mktemp("nbgrader"), forked)
    short.set_up()
    short.hand_in("ann", softmax=solution("softmax"))
    short.hand_in("bob", softmax=solution("softmax", LESS))
    return short


def comments(course):
    with course.gradebook() as gradebook:
        submission = gradebook.find_submission_notebook("softmax", ASSIGNMENT, "bob")
        return " ".join(comment.auto_comment or "" for comment in submission.comments)


def notebook(course):
    return (course.directory / "autograded" / "bob" / ASSIGNMENT / "softmax.ipynb").read_text()


def test_the_comment_has_the_repair_before_the_hint():
    checks = [{"name": "a", "title": "A", "points": 0, "max_points": 1, "outcome": "failed"}]
    report = {"name": "one", "title": "One", "status": "graded", "points": 0, "max_points": 1}
    report |= {"repair": {"said": f"A change in line 3 {SAID}."}}
    checks[0] |= {"finding": "It is 3, not 4.", "hints": ["What is 2 + 2?"]}
    shown = ShownReport(msgspec.convert(report | {"checks": checks}, ExerciseReport), "", "")
    assert re.search(
        f"not 4.*{SAID}.*Hint", shown.comments({"cell": "def one(): ..."})["cell"], re.S
    )


@pytest.mark.thorough
def test_a_repair_follows_the_scores_and_changes_none(course):
    done = course.autograder("grade", ASSIGNMENT, "--no-repairs")
    rows = course.rows()
    assert SAID not in comments(course) + notebook(course) and "searched" not in done.stderr
    done = course.autograder("grade", ASSIGNMENT)
    assert "searched 1 of 1 student" in done.stderr
    assert course.rows() == rows
    assert SAID in comments(course) and SAID in notebook(course)


@pytest.mark.thorough
@pytest.mark.parametrize("seconds", [None, 0])
def test_nbgrader_autograde_searches_unless_it_is_switched_off(course, seconds):
    config = course.directory / "nbgrader_config.py"
    before = config.read_text()
    if seconds is not None:
        config.write_text(f"{before}\nc.ConfinedExecute.search_seconds = {seconds}\n")
    course.nbgrader("autograde", ASSIGNMENT, "--force")
    config.write_text(before)
    both = comments(course), notebook(course)
    assert [SAID in text for text in both] == [seconds is None] * 2


def test_the_configuration_limits_the_search(monkeypatch):
    asked = []
    monkeypatch.setattr(steps, "grading_of", lambda *args: asked.append(args) or 1 / 0)
    resources = {"nbgrader": {"student": "ann", "notebook": "softmax"}}
    for step in (steps.ConfinedExecute(course="."), steps.ConfinedExecute(search_seconds=0)):
        with pytest.raises(ZeroDivisionError):
            step.preprocess(None, resources)
    assert asked == [(".", 30.0), ("", 0.0)]
