"""`autograder new`: what it writes holds at once, and nothing of anybody's is overwritten."""

import pytest

from autograder.authoring.verify import Verifier
from autograder.cli import app
from autograder.course.course_file import load_course
from autograder.course.errors import UserError
from autograder.grading.judge import Judge
from autograder.submission.source import Source
from autograder.worker.messages import Unit

FLOW = "title: T\nexercises: [{name: one, title: One, points: 1}]\n"
ODD = """\
title: T
exercises:
# a remark
- {name: one, title: One, points: 1}   # in one line

- name: two
  title: >
    Two lines
    of a title
  points: 1

# what follows stays where it is
assignments: [{name: week, title: Week, exercises: [one, two]}]
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(*args):
        assert not app([str(arg) for arg in args], standalone_mode=False)
        return capsys.readouterr().out

    return run


def files(folder):
    return {path: path.read_text() for path in folder.rglob("*.*") if path.is_file()}


def test_a_new_course_holds_as_it_is(run, tmp_path):
    said = run("new", "course", "course", "--title", "Words: a course")
    assert "autograder verify shares" in said
    course = load_course(tmp_path / "course" / "course.yml")
    assert course.title == "Words: a course"
    verifier = Verifier(course, course.exercise("shares"))
    result = verifier.run()
    assert result.faults == []
    assert (result.named, result.misconceptions, result.right) == (1, 1, 2)
    assert result.rejected == result.mutants > 5
    assert result.remarks == [
        "warning: the text lacks a picture (![description](figures/NAME.png))",
        "warning: examples/right/shares has 1 alternative solution; write 4 more, to test that "
        "other right answers get full points",
    ]


@pytest.mark.thorough
def test_a_new_exercise_with_torch_holds_as_it_is(run, tmp_path):
    run("new", "course", "course")
    run("new", "exercise", "parts_of_it", "--needs", "torch", "--course", "course")
    course = load_course(tmp_path / "course" / "course.yml")
    assert course.exercise("parts_of_it").needs == "torch"
    right = (tmp_path / "course/solutions/parts_of_it.py").read_text()
    verifier = Verifier(course, course.exercise("parts_of_it"))
    assert verifier.run(["right answers", "stub"]).faults == []
    wrong = Unit("x.py", right.replace("x.sum()", "x.max()"))
    with Judge(course, [course.exercise("parts_of_it")]) as judge:
        report = judge.run(Source("parts_of_it", "x.py", (wrong,))).report
    assert report.checks[0].diagnosis.misconceptions == ("largest-for-sum",)


def test_what_is_for_the_author_is_not_handed_out(run, tmp_path):
    run("new", "course", "course")
    assert "For the author" in (tmp_path / "course/solutions/shares.py").read_text()
    handed_out = (tmp_path / "course/exercises/shares.py").read_text()
    assert handed_out.startswith("# %% [markdown]\n# # Shares")
    assert "author" not in handed_out and "x.sum()" not in handed_out


def test_nothing_is_overwritten(run, tmp_path):
    run("new", "course", "course")
    before = files(tmp_path)
    for again in (
        ("new", "course", "course"),
        ("new", "exercise", "shares", "--course", "course"),
    ):
        with pytest.raises(UserError, match="exist"):
            app(list(again), standalone_mode=False)
    (tmp_path / "course" / "solutions" / "words.py").write_text("mine")
    with pytest.raises(UserError, match=r"these files exist: .*solutions.words\.py"):
        app(["new", "exercise", "words", "--course", "course"], standalone_mode=False)
    (tmp_path / "course" / "solutions" / "words.py").unlink()
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("two words", "letters, digits and `_`"),
        ("../up", "letters, digits and `_`"),
        ("class", "letters, digits and `_`"),
        ("_own", "letters, digits and `_`"),
        ("random", "a module that students import"),
        ("value", "The checks use the name"),
        ("checks", "The checks use the name"),
    ],
)
def test_names_that_an_exercise_cannot_have(tmp_path, monkeypatch, name, said):
    monkeypatch.chdir(tmp_path)
    for command in (["course", "new", "--exercise", name], ["exercise", name]):
        (tmp_path / "course.yml").write_text(FLOW)
        with pytest.raises(UserError, match=said):
            app(["new", *command], standalone_mode=False)
    assert list(tmp_path.iterdir()) == [tmp_path / "course.yml"]


def test_an_entry_is_added_and_the_rest_of_the_file_stays(run, tmp_path):
    (tmp_path / "course.yml").write_text(ODD)
    run("new", "exercise", "three", "--title", "no")
    text = (tmp_path / "course.yml").read_text()
    new = '\n- name: three\n  title: "no"\n  points: 4\n  needs: numpy\n'
    assert text == ODD.replace("points: 1\n\n#", f"points: 1\n{new}\n#")


def test_an_entry_that_cannot_be_added_is_shown_and_may_be_added_by_hand(run, tmp_path):
    (tmp_path / "course.yml").write_text(FLOW)
    with pytest.raises(UserError, match="yourself, and run the command again:\n  - name: two"):
        app(["new", "exercise", "two"], standalone_mode=False)
    assert files(tmp_path) == {tmp_path / "course.yml": FLOW}
    added = FLOW.replace("]", ", {name: two, title: Two, points: 1}]")
    (tmp_path / "course.yml").write_text(added)
    run("new", "exercise", "two")
    assert (tmp_path / "course.yml").read_text() == added
    assert (tmp_path / "reference" / "checks" / "test_two.py").is_file()


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ("assignments: [{name: week, title: Week, exercises: [one]}]\n", "exercises: [one, two]"),
        (
            "assignments:\n- name: week\n  title: Week\n  exercises:\n  - one\n# end\n",
            "  - one\n  - two\n# end",
        ),
    ],
)
def test_an_exercise_is_added_to_an_assignment_or_the_command_says_that_it_is_in_none(
    run, tmp_path, listed, expected
):
    start = "title: T\nexercises:\n- {name: one, title: One, points: 1}\n"
    (tmp_path / "course.yml").write_text(start + listed)
    said = run("new", "exercise", "two", "--assignment", "week")
    assert "No assignment" not in said
    assert expected in (tmp_path / "course.yml").read_text()
    assert load_course(tmp_path / "course.yml").assignment("week").exercises == ("one", "two")
    assert "No assignment contains three yet" in run("new", "exercise", "three")
