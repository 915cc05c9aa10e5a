"""`grade` into results that are there, `diff` and `history`, as a person and as a script."""

import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from autograder.classroom.grade_difference import Change, GradeCell, GradeDifference
from autograder.cli import app
from autograder.cli.grade_run import print_notes, print_overview
from autograder.cli.history import print_difference
from autograder.report.overview import ClassOverview, Row
from tests.classroom.quick import Quick


@pytest.fixture
def quick(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    quick = Quick(tmp_path, monkeypatch)
    quick.work("ann", one="a=5 b=5", two="a=1 b=1")
    quick.work("bob", one="a=5 b=0", two="a=5 b=5")
    return quick


@pytest.fixture
def at_a_terminal(monkeypatch):
    monkeypatch.setattr("autograder.cli.grade_run.in_a_terminal", lambda: True)


def lines(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def correct(quick):
    """Correct a check so that bob gets more and ann gets less."""
    quick.work("bob", one="a=0 b=4")
    quick.work("ann", one="a=5 b=0")


def test_a_script_is_never_asked_and_changes_nothing(quick):
    assert quick.run("grade").exit_code == 0
    before = quick.files()
    correct(quick)
    done = quick.run("grade", input="y\n")
    assert done.exit_code == 3
    assert "2 grades change: work changed 2." in done.output
    assert "ann      12 of 20 → 7 of 20" in done.output
    assert "one 10/10 → 5/10 (test_b: passed, 5/5 → failed, 0/5)" in done.output
    assert "run the same command with --apply" in " ".join(done.output.split())
    assert quick.files() == before
    done = quick.run("grade", "--apply")
    assert done.exit_code == 0 and "2 grades change" in done.output
    assert quick.table() == {"ann": "5 2 7", "bob": "4 10 14"}


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 3), ("\n", 3), ("", 3)])
def test_a_person_is_asked(quick, at_a_terminal, answer, code):
    assert quick.run("grade").exit_code == 0
    correct(quick)
    done = quick.run("grade", input=answer)
    assert done.exit_code == code
    assert done.output.count("2 grades change") == 1
    assert "Apply these changes? The current grades stay in history/. [y/N]" in done.output
    assert (quick.table()["ann"] == "5 2 7") == (code == 0)


def test_a_person_can_say_it_beforehand(quick, at_a_terminal):
    quick.run("grade")
    correct(quick)
    done = quick.run("grade", "--no-apply")
    assert done.exit_code == 3 and "[y/N]" not in done.output
    done = quick.run("grade", "--apply")
    assert done.exit_code == 0 and "[y/N]" not in done.output


def test_a_look_changes_nothing_at_all(quick):
    assert quick.run("grade", "--no-apply").exit_code == 3
    assert not (quick.out / "grades.csv").exists()
    quick.run("grade")
    assert quick.run("grade", "--no-apply").exit_code == 0
    before = quick.files()
    quick.work("eve", one="a=1 b=1")
    done = quick.run("grade", "--no-apply")
    assert done.exit_code == 3 and "1 student is added." in done.output
    assert quick.files() == before


def test_the_counts_agree_with_the_rows(quick):
    """Reasons are counted of the grades that change, and not of who is added or removed."""
    quick.run("grade")
    correct(quick)
    (quick.class_folder / "ann").rename(quick.class_folder / "zoe")
    said = [line.split() for line in quick.run("grade").output.splitlines()]
    assert ["1", "grade", "changes:", "work", "changed", "1."] in said
    assert ["1", "student", "is", "added."] in said and ["1", "student", "is", "removed."] in said
    rows = {line[0]: " ".join(line) for line in said if line and line[0] in {"ann", "bob", "zoe"}}
    assert rows["ann"].endswith("→ none removed no longer in the class")
    assert rows["zoe"].endswith("added not graded before") and "work changed" in rows["bob"]


def test_only_what_is_named(quick):
    quick.run("grade")
    correct(quick)
    quick.run("grade", "--student", "bob", "--apply")
    assert quick.table() == {"ann": "10 2 12", "bob": "4 10 14"}
    quick.run("grade", "--assignment", "second", "--apply")
    assert quick.table()["ann"] == "10 2 12"
    quick.run("grade", "--exercise", "one", "--apply")
    assert quick.table()["ann"] == "5 2 7"


def test_diff(quick):
    quick.run("grade")
    correct(quick)
    quick.run("grade", "--apply")
    first = quick.out / "history" / "0001"
    done = quick.run("diff", first, quick.out)
    assert done.exit_code == 1 and "bob      15 of 20 → 14 of 20" in done.output
    (change, _) = lines(quick.run("diff", first, quick.out, "--json"))
    assert (change["student"], change["cells"][0]["why"]) == ("ann", ["work changed"])
    done = quick.run("diff", quick.out, quick.out / "report.jsonl")
    assert done.exit_code == 0 and done.output == "No grade changed.\n"
    done = quick.run("diff", quick.out / "history" / "0002", quick.out)
    assert "is the current version" in str(done.exception)
    assert "holds no report.jsonl" in str(quick.run("diff", quick.root, quick.out).exception)


def test_history(quick):
    quick.run("grade")
    correct(quick)
    quick.run("grade", "--apply")
    output = quick.run("history", quick.out).output
    assert re.search(
        r"\n1 +20\d\d-\d\d-\d\d \d\d:\d\d:\d\d .* 2 new or changed grades in a class of 2\b", output
    )
    assert "2 new or changed grades in a class of 2: work changed 2" in output
    output = quick.run("history", quick.out, "bob").output
    assert "first graded" in output and "15 of 20 → 14 of 20" in output
    assert "one 5/10 → 4/10: work changed" in output
    events = lines(quick.run("history", quick.out, "bob", "--json"))
    assert [(e["version"], e["kind"]) for e in events] == [(1, "new"), (2, "changed")]
    assert "Did you mean bob?" in str(quick.run("history", quick.out, "bop").exception)
    assert "has no history" in str(quick.run("history", quick.root).exception)


def test_json_is_all_that_a_script_reads(quick):
    quick.run("grade")
    correct(quick)
    done = quick.run("grade", "--json")
    events = lines(done)
    assert done.stderr == "" and done.exit_code == 3
    assert [e["event"] for e in events] == [
        *["start", "progress", "progress", "change", "change", "student", "student", "end"]
    ]
    assert events[0]["exercises"] == ["one", "two"] and events[2]["done"] == events[2]["of"] == 2
    assert events[-1]["exit_code"] == 3 and not events[-1]["in_force"]
    end = lines(quick.run("grade", "--json", "--apply"))[-1]
    assert end["in_force"] and end["version"] == 2 and end["statuses"] == {"graded": 2}
    (quick.out / "adjustments.csv").write_text("nothing\n")
    done = quick.run("grade", "--json")
    assert lines(done)[-1]["event"] == "error" and "adjustments.csv" in lines(done)[-1]["said"]


def test_the_log_has_what_the_screen_has_no_room_for(quick):
    quick.run("grade")
    correct(quick)
    quick.work("eve", one="a=1")
    (quick.class_folder / "eve" / "x\x1b[31m.pdf").write_text("no")
    quick.run("grade", "--json")
    text = (quick.out / "grade.log").read_text()
    assert re.search(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ process \d+:", text)
    assert "would change ann: one 10/10 → 5/10 (work changed)" in text
    assert "applied as version 1; exit code 0" in text
    assert "not applied; exit code 3" in text
    assert "\x1b" not in text


def test_a_run_that_did_not_begin_leaves_nothing(quick):
    args = ["grade", str(quick.class_folder), "--out", str(quick.class_folder), "--own-code"]
    done = CliRunner().invoke(app, [*args, "--course", str(quick.root)])
    assert "is the folder of the submissions" in str(done.exception)
    assert sorted(path.name for path in quick.class_folder.iterdir()) == ["ann", "bob"]


def test_a_class_of_a_thousand_fits_on_a_screen(course):
    exercises = list(course.exercises.values())
    overview = ClassOverview("C", exercises)
    overview.notes = (f"a note {'that is long ' * 20}",) * 50
    overview.changed = ["s1: +2 points"] * 50
    overview.rows = [
        Row(
            student=f"s{number}",
            points={each.name: float(number % 9) for each in exercises},
            statuses={each.name: "graded" if number % 4 else "missing" for each in exercises},
            total=float(number),
            maximum=243.0,
            status="graded" if number % 4 else "needs a person",
            notes=("looked at by nobody " * 20,),
            page="",
        )
        for number in range(1000)
    ]
    said = io.StringIO()
    console = Console(file=said, width=80)
    print_overview(console, overview, course)
    output = said.getvalue()
    assert len(output.splitlines()) <= 24 and max(map(len, output.splitlines())) <= 80, output
    assert "1000 students: graded 750, needs a person 250" in output
    assert "… and 247 more" in output


def class_of(exercises, students):
    overview = ClassOverview("C", exercises)
    overview.rows = [
        Row(
            student=student,
            points={each.name: 9.5 for each in exercises},
            statuses={each.name: "graded" for each in exercises},
            total=112.5,
            maximum=243.0,
            status="needs a person",
            notes=(),
            page="",
        )
        for student in students
    ]
    return overview


def test_ids_of_canvas_stay_in_one_line_at_80_columns(course):
    ids = ["lovelaceada_1234567_890123456", "hopper_7", "vandenbergjohannescornelis_9876543"]
    exercises = list(course.exercises.values())
    for count in (1, 4, 7, len(exercises)):
        said = io.StringIO()
        print_overview(Console(file=said, width=80), class_of(exercises[:count], ids), course)
        rows = [line for line in said.getvalue().splitlines() if "needs a person" in line]
        assert [row.split()[0] for row in rows] == ids, said.getvalue()
        assert max(map(len, said.getvalue().splitlines())) <= 80


def test_a_note_that_is_cut_is_in_full_elsewhere(course):
    """Its end says what to do. Of results without names it is in no file, so it is not cut."""
    overview = ClassOverview("C", list(course.exercises.values()))
    overview.notes = overview.said_only = (f"two may be one {'and so on ' * 20}. Enter an id.",)
    said = io.StringIO()
    print_notes(Console(file=said, width=80), overview, "grade.log")
    output = said.getvalue()
    assert output.count("Enter an id.") == 1 and "… in full in grade.log." in output


def test_a_thousand_changes_fit_on_a_screen():
    why = ("check changed",)
    cell = GradeCell(exercise="softmax", before="12/12", after="9/12", why=why)
    changes = [
        Change(
            student=f"s{n}", kind="changed", before="12 of 20", after="9 of 20", cells=(cell,) * 9
        )
        for n in range(1000)
    ]
    said = io.StringIO()
    print_difference(Console(file=said, width=80), GradeDifference(changes), Path("rest.csv"))
    output = said.getvalue()
    assert len(output.splitlines()) <= 15, output
    assert "1000 grades change: check changed 1000." in output
    assert "softmax 12/12 → 9/12, … 8 more" in output
    assert "… and 990 more, in rest.csv." in output
