"""Points are adjusted and a class is graded again, and nothing counts before it was seen."""

import re
import threading

import pytest

from autograder.classroom.history import GradeCommand, grade_commands, remember_command
from autograder.course.course_file import load_course
from autograder.course.errors import UserError
from autograder.desk.regrading import OTHERWISE, GradeRun, Regrading
from tests.classroom.quick import Quick
from tests.desk.conftest import client_of, let_in, text_of


@pytest.fixture
def quick(tmp_path, monkeypatch):
    """A class of two, graded by the command, and runs of the desk's in this very process."""
    quick = Quick(tmp_path, monkeypatch)
    quick.work("ann", one="a=5 b=5", two="a=1 b=1")
    quick.work("bob", one="a=5 b=0", two="a=5 b=5")
    assert quick.run("grade").exit_code == 0

    def lines(self):
        assert self.arguments[0] == "grade"
        ours = ("--json", "--apply", "--no-", "--only")
        how = [each for each in self.arguments if each.startswith(ours)]
        yield from quick.run("grade", *how).stdout.splitlines()

    monkeypatch.setattr(GradeRun, "lines", lines)
    return quick


@pytest.fixture
def client(quick):
    return let_in(client_of(quick.out, load_course(quick.root / "course.yml")))


def wait():
    """Wait for a run to end."""
    for thread in threading.enumerate():
        if thread.name == "regrade":
            thread.join(60)


def settled(client):
    """The page of a run that is done; while it runs in this process, it has the output for itself."""
    wait()
    page = client.get("/regrade")
    assert "hx-trigger" not in page.text.split("<main")[1]
    return page


def difference(page):
    return re.search(r'name="difference" value="(\w+)"', page.text)[1]


ADDED = {"about": "one/test_b", "change": "add", "points": "3", "why": "Half right.", "by": "Kim"}


def test_an_adjustment_is_entered_shown_and_put_in_force(client, quick, post):
    page = post(client, "/adjust/bob/enter", **ADDED)
    assert "Entered in adjustments.csv. Grade again to apply it." in text_of(page)
    assert "One, B: +3 points by Kim" not in text_of(client.get("/students/bob"))
    assert quick.table()["bob"] == "5 10 15"
    assert "not applied yet" in text_of(client.get("/students/bob"))
    assert "so the points of bob are out of date" in text_of(client.get("/regrade"))

    post(client, "/regrade/begin", command="0")
    shown = settled(client)
    assert "15 of 20 → 18 of 20" in text_of(shown)
    assert quick.table()["bob"] == "5 10 15"

    post(client, "/regrade/apply", difference=difference(shown))
    assert "Applied as version 2" in text_of(settled(client))
    assert quick.table()["bob"] == "8 10 18"
    page = text_of(client.get("/students/bob"))
    assert "One, B: +3 points by Kim" in page and "15 of 20 → 18 of 20" in page
    assert "not applied yet" not in page


def test_it_is_the_row_that_the_command_enters(client, quick, post):
    post(client, "/adjust/bob/enter", **ADDED)
    ours = (quick.out / "adjustments.csv").read_text()
    for name in ("adjustments.csv", "marks.sqlite"):
        (quick.out / name).unlink()
    quick.run("adjust", quick.out, "bob", "one", "--check", "test_b", "--add", "3",
              "--why", "Half right.", "--by", "Kim")  # fmt: skip
    assert (quick.out / "adjustments.csv").read_text() == ours


def test_it_is_taken_out_again(client, quick, post):
    post(client, "/adjust/bob/enter", **ADDED)
    page = post(client, "/adjust/bob/undo", about="one/test_b")
    assert "1 row removed." in text_of(page)
    assert "bob" not in (quick.out / "adjustments.csv").read_text()


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"points": "much"}, "found 'much'"),
        ({"points": ""}, "Expected points from"),
        ({"points": "nan"}, "Expected points from"),
        ({"change": "set", "points": "-1"}, "Expected points from 0 to 10000"),
        ({"change": "steal"}, "Choose what to change"),
        ({"why": " "}, "A change of points needs a reason for the student. Say why."),
        ({"about": "three"}, "'three' was not graded"),
        ({"about": "one/test_z"}, "one has no check named 'test_z'"),
        ({"about": "total", "change": "set"}, "a total cannot be set"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_entered(client, quick, post, changes, said):
    answer = post(client, "/adjust/bob/enter", **{**ADDED, **changes})
    assert answer.status_code == 422 and said in text_of(answer)
    assert not (quick.out / "adjustments.csv").exists()


def test_what_is_odd_is_said(client, post):
    page = post(client, "/adjust/ann/enter", **{**ADDED, "about": "one", "points": "4"})
    assert "That makes 14 of 10 points. Make sure that you mean it." in text_of(page)


def test_a_formula_stays_a_text(client, quick, post):
    post(client, "/adjust/bob/enter", **{**ADDED, "why": "=1+1"})
    assert ",=1+1" not in (quick.out / "adjustments.csv").read_text()


def test_only_what_was_seen_is_put_in_force(client, quick, post):
    quick.work("bob", one="a=1 b=0")
    post(client, "/regrade/begin", command="0")
    shown = settled(client)
    quick.work("ann", one="a=0 b=0")
    post(client, "/regrade/apply", difference=difference(shown))
    page = settled(client)
    assert OTHERWISE in text_of(page)
    assert quick.table() == {"ann": "10 2 12", "bob": "5 10 15"}
    post(client, "/regrade/apply", difference=difference(page))
    assert "Applied as version 2" in text_of(settled(client))
    assert quick.table() == {"ann": "0 2 2", "bob": "1 10 11"}


def test_nothing_is_put_in_force_that_was_not_shown(client, quick, post):
    answer = post(client, "/regrade/apply", difference="")
    assert answer.status_code == 422 and "no longer the latest" in text_of(answer)
    for number in ("5", "-1", "x", ""):
        assert post(client, "/regrade/begin", command=number).status_code == 422


def test_where_nothing_changes_that_is_said(client, post):
    post(client, "/regrade/begin", command="0")
    assert "No grade changed." in text_of(settled(client))


def test_commands_are_kept_with_whole_paths_and_repeated_word_for_word(quick):
    (whole,) = grade_commands(quick.out)
    assert (
        not whole.exercises
        and not whole.students
        and whole.own_code
        and whole.submissions == str(quick.class_folder)
    )
    quick.run("grade", "--exercise", "one", "--apply")
    part, again = grade_commands(quick.out)
    assert part.exercises == ("one",) and again == whole
    words = part.arguments(quick.out)
    assert words[:2] == ["grade", f"--out={quick.out}"] and "--exercise=one" in words
    assert words[-2:] == ["--", str(quick.class_folder)]
    quick.run("grade", "--apply")
    assert list(grade_commands(quick.out)) == [whole]


def test_commands_that_differ_in_the_roster_look_different(client, quick):
    for name in ("before", "after"):
        (quick.root / f"{name}.csv").write_text("id\nann\n")
        args = ["--exercise", "one", "--roster", quick.root / f"{name}.csv"]
        quick.run("grade", *args, "--apply")
    page = text_of(client.get("/regrade"))
    assert "only one, with after.csv" in page and "only one, with before.csv" in page


def test_no_name_is_kept_where_results_have_none(quick):
    quick.out = quick.out.with_name("anonymous")
    assert quick.run("grade", "--anonymous").exit_code == 0
    quick.run("grade", "--anonymous", "--student", "ann", "--apply")
    assert "ann" not in (quick.out / ".runs.json").read_text()


def test_a_damaged_file_of_commands_is_none(tmp_path):
    remember_command(tmp_path, GradeCommand(submissions="-x", course="/c"))
    (tmp_path / ".runs.json").write_text('[{"submissions": 1}]')
    assert grade_commands(tmp_path) == []


def test_a_run_is_a_process_that_says_what_went_wrong(tmp_path, course):
    (tmp_path / "out").mkdir()
    regrading = Regrading(tmp_path / "out")
    regrading.begin(GradeCommand(submissions=str(tmp_path / "none"), course=str(course.root)))
    with pytest.raises(UserError, match="still running"):
        regrading.begin(GradeCommand(submissions="x", course="y"))
    wait()
    assert regrading.run.state == "failed"
    assert any("does not exist" in said for said in regrading.run.said)
