"""What a person changed counts for the work that it was given for, and is never lost."""

import msgspec
import pytest

from autograder.classroom.adjustments import Adjustments
from autograder.classroom.decisions import decision_row, on_the_total, work_id
from autograder.course.errors import UserError
from autograder.report.model import Adjustment, CheckReport
from tests.classroom.quick import Quick
from tests.classroom.records import record

HEAD = "student,exercise,check,change,points,why,by,when,work_id,state\n"


@pytest.fixture
def quick(tmp_path, monkeypatch):
    return Quick(tmp_path, monkeypatch)


@pytest.fixture
def apply(course, tmp_path):
    def apply(rows, report=None, write=True):
        path = tmp_path / "adjustments.csv"
        if rows is not None:
            path.write_text(HEAD + rows)
        table = Adjustments(path.parent, course)
        report = report or exercise("s1")
        exercises, said = table.apply(report.student, report.exercises)
        if write:
            assert table.write() == []
        return exercises[0], said, table, path

    return apply


def exercise(student, digest="abc", points=9.0, status="graded"):
    report = record(student, points, status)
    checks = (
        CheckReport(name="test_a", title="Rows", points=4.0, max_points=6.0, outcome="passed"),
        CheckReport(name="test_b", title="Sums", points=5.0, max_points=6.0, outcome="passed"),
    )
    one = msgspec.structs.replace(report.exercises[0], digest=digest, checks=checks)
    return msgspec.structs.replace(report, exercises=(one,))


@pytest.mark.parametrize(
    ("row", "points", "change"),
    [
        ("s1,softmax,,add,-2,,,", 7.0, -2.0),
        ("s1,softmax,,add,−2,,,", 7.0, -2.0),
        ('s1,softmax,,add,"1,5",,,', 10.5, 1.5),
        ("s1,softmax,,set,3,,,", 3.0, -6.0),
        ("s1,softmax,,add,-100,,,", 0.0, -9.0),
        ("s1,softmax,test_a,set,6,,,", 11.0, 2.0),
        ("s1,softmax,test_b,add,-1,,,", 8.0, -1.0),
        ("s1,softmax,,comment,,well done,,", 9.0, 0.0),
        ("s1,total,,add,2,,,", 9.0, 2.0),
        ("s2,softmax,,set,3,,,", 9.0, None),
    ],
)
def test_what_is_changed(apply, row, points, change):
    one, said, _, path = apply(f"{row},,\n")
    assert one.points == points
    assert [each.points for each in said] == ([] if change is None else [change])
    assert (work_id([exercise("s1").exercises[0]]) in path.read_text()) == (change is not None)


def test_the_line_says_who_when_and_why(apply):
    one, (said,), _, _ = apply('s1,softmax,test_a,add,1,"\'=1+1",Dr. X,2027-02-10,,\n')
    assert said.said == "Softmax, Rows: +1 point by Dr. X on 2027-02-10: =1+1"
    assert one.checks[0].points == 5.0


def test_the_line_says_what_could_not_be_taken_off(apply):
    _, (said,), _, _ = apply("s1,softmax,,add,-200,copied,,,,\n")
    assert said.said == (
        "Softmax: −200 points: copied (−9 applied, since points cannot be below 0)"
    )
    assert on_the_total(3.0, Adjustment(points=-5.0, said="All together: −5 points")) == (
        0.0,
        Adjustment(
            points=-3.0,
            said="All together: −5 points (−3 applied, since points cannot be below 0)",
        ),
    )


@pytest.mark.parametrize("row", ["softmax,,add,-200", "softmax,test_a,set,3", "total,,add,-2"])
def test_whether_a_report_has_what_is_entered(apply, row):
    exercises, said, table, _ = apply(f"s1,{row},why,,,,\n")
    before = exercise("s1")
    after = msgspec.structs.replace(before, exercises=(exercises,), adjustments=tuple(said))
    assert not table.not_in(after) and table.not_in(before)
    assert apply("")[2].not_in(after)
    assert apply(f"s1,{row}1,why,,,,\n")[2].not_in(after)
    assert not apply(f"s1,{row},why,,,given for other work,\n")[2].not_in(before)


def test_excused(apply):
    one, (said,), _, _ = apply("s1,softmax,,excuse,,ill,,,,\n")
    assert one.excused and said.said == "Softmax: excused: ill"
    assert apply("s1,total,,excuse,,ill,,,,\n")[0].excused


def test_points_set_for_what_could_not_be_graded_make_it_graded(apply):
    one, *_ = apply("s1,softmax,,set,8,,,,,\n", exercise("s1", status="needs a person", points=0.0))
    assert (one.points, one.status) == (8.0, "graded")


def test_other_work_makes_it_stale_until_somebody_confirms_it(apply):
    _, _, _, path = apply("s1,softmax,,set,3,,,,,mine\n")
    other = exercise("s1", digest="other")
    one, said, table, _ = apply(None, other)
    assert (one.points, said) == (9.0, [])
    assert table.notes({"s1"}) == [
        "adjustments.csv: 1 row kept but not counted, work changed (the decision was for earlier work): "
        "s1 (softmax)."
    ]
    assert "work changed" in path.read_text()
    one, *_ = apply(None)  # the work is back
    assert one.points == 3.0 and "work changed" not in path.read_text()
    text = path.read_text().replace(work_id(exercise("s1").exercises), "")
    path.write_text(text)
    one, *_ = apply(None, other)
    assert one.points == 3.0


def test_what_was_given_for_other_points_of_the_checks_is_named(apply):
    """It counts as before: a person who corrected the check sees whether it is still meant."""
    _, _, _, path = apply("s1,softmax,test_a,add,2,the check was wrong,,,,\n")
    corrected = exercise("s1")
    checks = (msgspec.structs.replace(corrected.exercises[0].checks[0], points=6.0),)
    one = msgspec.structs.replace(
        corrected.exercises[0], points=11.0, checks=checks + corrected.exercises[0].checks[1:]
    )
    corrected = msgspec.structs.replace(corrected, exercises=(one,))
    for _ in range(2):
        one, _, table, _ = apply(None, corrected)
        assert one.points == 13.0
        assert table.notes({"s1"}) == [
            "adjustments.csv: 1 row counted, although the checks now give different points; make sure "
            "that each adjustment is still right: s1 (softmax)."
        ]
        assert ",check changed,4" in path.read_text()
    path.write_text(path.read_text().replace(work_id(corrected.exercises), ""))
    assert apply(None, corrected)[2].notes({"s1"}) == []  # confirmed
    assert "check changed" not in path.read_text() and ",,6" in path.read_text()


def test_what_has_no_place_is_kept_and_named(apply):
    text = "s1,softmax,test_gone,add,1,,,,,\ns9,softmax,,add,1,,,,,\n"
    one, _, table, path = apply(text)
    assert one.points == 9.0
    assert [note.split(": ")[-1] for note in table.notes({"s1"})] == [
        "s1 (softmax).",
        "s9 (softmax).",
    ]
    assert path.read_text().count("\n") == 3


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            "s1,softmax,,give,1",
            "line 2: expected one of add, set, excuse, comment, file, answer, found 'give'",
        ),
        ("s1,sofmax,,add,1", "line 2: there is no exercise 'sofmax'"),
        ("s1,softmax,,add,many", "expected points from -10000 to 10000, found 'many'"),
        ("s1,softmax,,add,nan", "expected points"),
        ("s1,softmax,,set,-1", "expected points from 0"),
        ("s1,total,,set,5", "a total cannot be set"),
    ],
)
def test_rows_that_cannot_be_meant(apply, row, said):
    with pytest.raises(UserError, match=said):
        apply(f"{row},,,,,\n")


def test_what_a_command_entered_is_put_back_into_an_old_table_and_named(course, tmp_path):
    path = tmp_path / "adjustments.csv"
    row = {
        "student": "s1",
        "exercise": "softmax",
        "check": "",
        **decision_row("add", 1, "why", "x"),
    }
    assert Adjustments(path.parent, course).enter(row) == ""
    path.write_text(HEAD + "s2,softmax,,add,2,typed,,,,\n")  # saved again from before
    table = Adjustments(path.parent, course)
    assert [each.decision.student for each in table.entered] == ["s2", "s1"]
    assert table.notes({"s1", "s2"}) == [
        "adjustments.csv: 1 row restored that `autograder adjust` or the desk had entered: "
        "s1 (softmax). To remove such a row, use --undo."
    ]
    assert table.write() == []
    assert "s1,softmax,,add,1,why" in path.read_text()
    assert Adjustments(path.parent, course).undo("s1", "softmax", "") == (1, "")
    assert [each.decision.student for each in Adjustments(path.parent, course).entered] == ["s2"]


def test_a_row_that_was_changed_in_the_table_takes_the_place_of_the_command_s(course, tmp_path):
    path = tmp_path / "adjustments.csv"
    row = {
        "student": "s1",
        "exercise": "softmax",
        "check": "",
        **decision_row("add", 1, "why", "x"),
    }
    Adjustments(path.parent, course).enter(row)
    path.write_text(path.read_text().replace("add,1,", "add,3,"))
    (each,) = Adjustments(path.parent, course).of("s1")
    assert each.points == 3


def test_a_table_that_is_moved_away_is_written_again(course, tmp_path):
    path = tmp_path / "adjustments.csv"
    path.write_text(HEAD + "s1,softmax,,set,3,typed,,,,\n")
    assert Adjustments(path.parent, course).write() == []
    path.unlink()
    table = Adjustments(path.parent, course)
    assert [each.points for each in table.of("s1")] == [3]
    assert table.write() == [] and "s1,softmax,,set,3,typed" in path.read_text()


@pytest.mark.parametrize("change", [("--add", "1"), ("--set", "1"), ("--excuse",)])
def test_a_change_needs_a_reason(quick, change):
    quick.work("ann", one="a=1")
    quick.grade()
    for why in ((), ("--why", " ")):
        done = quick.run("adjust", quick.out, "ann", "one", *change, *why)
        assert str(done.exception) == (
            "A change of points needs a reason for the student. Add --why TEXT."
        )
    assert not (quick.out / "adjustments.csv").exists()


def test_the_total_is_also_called_all(quick):
    """As in the column `excused` of a roster."""
    quick.work("ann", one="a=1", two="a=1")
    quick.grade()
    done = quick.run("adjust", quick.out, "ann", "all", "--excuse", "--why", "ill", "--by", "me")
    assert done.exit_code == 0, done.output
    quick.grade()
    assert quick.table() == {"ann": "EX EX EX"}
    assert quick.run("adjust", quick.out, "ann", "all", "--undo").exit_code == 0
    (quick.out / "adjustments.csv").write_text(f"{HEAD}ann,all,,excuse,,ill,,,,\n")
    quick.grade()
    assert quick.table() == {"ann": "EX EX EX"}
