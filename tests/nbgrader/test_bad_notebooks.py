"""Broken and hostile notebooks cost only their own student only what is touched, and gain nothing."""

import json
import shutil

import pytest

from tests.conftest import ROOT
from tests.nbgrader.commands import forked
from tests.nbgrader.course import ASSIGNMENT, ShortCourse, solution
from tests.nbgrader.kinds import HONEST, KINDS, Kind

LAST = "zoe"  # whose notebook the attacks are after
# nbgrader itself gives up on these, before any of its steps; `autograder nbgrader grade` does not
ONE_BY_ONE = ["a-pipe", "no-time", "other-name", "a-link"]
LEFT_OPEN = [name for name, kind in KINDS.items() if kind.person]


@pytest.fixture(scope="module")
def kinds(request):
    """Those that the tests of this run ask for, or of all of which a test speaks."""
    asked = [
        item.callspec.params["kind"]
        for item in request.session.items
        if item.path == request.path and "kind" in getattr(item, "callspec", Empty).params
    ]
    return {name: KINDS[name] for name in KINDS if name in asked}


class Empty:
    params = ()


@pytest.fixture(scope="module")
def graded(tmp_path_factory, kinds):
    """One class of them, graded by one command; output and exported totals."""
    short = ShortCourse(tmp_path_factory.mktemp("bad"), forked)
    short.set_up()
    honest = Kind("", lambda folder: None, HONEST)
    for name, kind in (kinds | {LAST: honest}).items():
        right = {notebook: solution(notebook) for notebook in ("softmax", "hand_computation")}
        kind.edit(short.hand_in(name, **right))
    done = short.autograder("grade", ASSIGNMENT)
    return short, done, short.totals()


@pytest.mark.one_in(48)
@pytest.mark.parametrize("kind", KINDS)
def test_it_costs_what_is_touched_and_gains_nothing(graded, kind):
    assert graded[2][kind] == KINDS[kind].right
    assert graded[2][LAST] == HONEST


@pytest.mark.one_in(12)
@pytest.mark.parametrize("kind", LEFT_OPEN)
def test_what_cannot_be_used_is_left_for_a_person(graded, kind):
    short, done, _ = graded
    said = next(line for line in done.stdout.splitlines() if line.startswith(kind))
    assert "softmax: needs a person" in said
    with short.gradebook() as gradebook:
        grade = gradebook.find_grade("check-softmax", "softmax", ASSIGNMENT, kind)
        assert grade.auto_score is None
        assert grade.needs_manual_grade


@pytest.mark.one_in(12)
@pytest.mark.parametrize("kind", [name for name in LEFT_OPEN if name != "other-name"])
def test_its_page_in_formgrader_says_why(graded, kind):
    page = graded[0].directory / "autograded" / kind / ASSIGNMENT / "softmax.ipynb"
    assert "a person must look at it" in json.dumps(json.loads(page.read_text()))


def test_nothing_is_left_open_that_was_graded(graded, kinds):
    rows = [row for row in graded[0].rows() if row[1] == "softmax" and row[5]]
    assert sorted(row[0] for row in rows) == sorted(set(LEFT_OPEN) & set(kinds))


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("missing", "softmax was not handed in"),
        ("other-name", "not handed in, but there is Softmax (1).ipynb"),
        ("a-link", "softmax.ipynb is a link, not a file"),
        ("a-pipe", "left out: data.txt"),
        ("no-time", "left out: timestamp.txt (it holds no time)"),
    ],
)
def test_what_was_found_is_said(graded, kind, said):
    line = next(line for line in graded[1].stdout.splitlines() if line.startswith(kind))
    assert said in line


def test_the_page_of_all_kinds_is_up_to_date():
    """`make notebooks` writes it, from real runs of nbgrader."""
    page = (ROOT / "docs" / "bad-notebooks.md").read_text()
    for kind in KINDS.values():
        assert f"| {kind.what} |" in page


@pytest.fixture(scope="module")
def by_the_button(graded):
    """The totals after `nbgrader autograde`, which is what formgrader's button runs."""
    short = graded[0]
    shutil.rmtree(short.directory / "autograded")
    short.nbgrader("db", "assignment", "remove", ASSIGNMENT, "--force")
    short.nbgrader("generate_assignment", ASSIGNMENT, "--force")
    with pytest.raises(AssertionError, match="nbgrader autograde"):  # some cannot be graded
        short.nbgrader("autograde", ASSIGNMENT)
    return short.totals()


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [name for name in KINDS if name not in ONE_BY_ONE])
def test_by_the_button_it_gains_nothing_either(by_the_button, kind):
    assert by_the_button[kind] == KINDS[kind].right
    assert by_the_button[LAST] == HONEST


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ONE_BY_ONE)
def test_what_the_button_cannot_grade_gets_no_points(by_the_button, kind):
    assert by_the_button[kind] <= KINDS[kind].right


def test_the_command_says_that_a_person_is_needed(graded):
    assert graded[1].returncode == 1
    assert "Traceback" not in graded[1].stdout + graded[1].stderr
