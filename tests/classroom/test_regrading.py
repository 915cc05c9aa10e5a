"""Results that are there change by what was asked for, after a yes, and in one step."""

import contextlib
import json
import os

import pytest

from autograder.classroom import history
from autograder.classroom.grade_difference import reason_counts
from autograder.classroom.history import settle
from autograder.course.errors import UserError
from tests.classroom.quick import Quick
from tests.tables import formulas_in


@pytest.fixture
def quick(tmp_path, monkeypatch):
    quick = Quick(tmp_path, monkeypatch)
    quick.work("ann", one="a=5 b=5", two="a=1 b=1")
    quick.work("bob", one="a=5 b=0", two="a=5 b=5")
    quick.work("cem")
    return quick


def never(difference):
    raise AssertionError("there was nothing to ask")


def no(difference):
    return False


def whys(overview):
    return {change.student: change.why for change in overview.difference.changes}


def test_the_progress_counts_whoever_is_done(quick, monkeypatch):
    """From the start, and not only once all before them are done too."""
    told, seen = [], []

    def last_first(tasks, setup):
        for task, reports in [*quick.graded(tasks, setup)][::-1]:
            yield task, reports
            seen.append(told[-1])

    pool = contextlib.nullcontext(last_first)
    monkeypatch.setattr("autograder.classroom.grade_class.open_pool", lambda *_: pool)
    quick.work("dan", one="a=1 b=1")
    quick.grade(progress=lambda *count: told.append(count))
    assert told[0] == (0, 4)
    assert seen == [(2, 4), (3, 4), (4, 4)]  # the first of them beside who handed in nothing


def test_the_progress_counts_only_who_is_graded_now(quick):
    quick.grade()
    told = []
    quick.grade(students=("ann",), progress=lambda *count: told.append(count))
    assert told == [(0, 1), (1, 1)]


def test_the_first_grades_are_no_question(quick):
    overview = quick.grade(decide=never)
    assert overview.in_force and overview.difference is None and overview.version == 1
    assert quick.table() == {"ann": "10 2 12", "bob": "5 10 15", "cem": ". . ."}


def test_the_same_again_changes_nothing(quick):
    quick.grade()
    before, inode = quick.files(), (quick.out / "feedback" / "ann.html").stat().st_ino
    overview = quick.grade(decide=never)
    assert overview.difference.changes == [] and overview.version == 0
    assert quick.files() == before
    assert (quick.out / "feedback" / "ann.html").stat().st_ino == inode
    assert not (quick.out / "proposed").exists()
    assert [path.name for path in (quick.out / "history").iterdir()] == ["0001"]


def test_results_have_no_trace_of_how_they_came_about(quick, tmp_path):
    quick.grade("one")
    quick.check("one", "a=0 b=1")
    quick.grade("one")
    quick.grade("two")
    quick.grade(out=tmp_path / "fresh")
    assert quick.files() == quick.files(tmp_path / "fresh")


def test_without_a_yes_nothing_changes(quick):
    quick.grade()
    before = quick.files()
    quick.work("ann", one="a=0 b=5")
    overview = quick.grade(decide=no)
    assert not overview.in_force
    assert quick.files() == before
    assert quick.table(quick.out / "proposed")["ann"] == "5 2 7"
    rows = (quick.out / "proposed" / "changes.csv").read_text().splitlines()
    assert rows == [
        "student,exercise,before,after,why,checks",
        "ann,all,12 of 20,7 of 20,work changed,",
        'ann,one,10/10,5/10,work changed,"test_a: passed, 5/5 → failed, 0/5"',
    ]
    asked = list(quick.asked)
    assert quick.grade().in_force
    assert quick.asked == asked  # the journal has it
    assert quick.table()["ann"] == "5 2 7"
    assert quick.table(quick.out / "history" / "0001")["ann"] == "10 2 12"
    assert not (quick.out / "proposed").exists()


def test_what_comes_in_is_no_question(quick):
    quick.grade()
    quick.work("cem", one="a=1 b=1")
    quick.work("dan", two="a=1 b=0")
    overview = quick.grade(decide=never)
    assert quick.table()["cem"] == "2 . 2" and quick.table()["dan"] == ". 1 1"
    assert whys(overview) == {"cem": ["work handed in"], "dan": ["not graded before"]}


def test_who_is_no_longer_there_is_a_question(quick):
    quick.grade()
    (quick.class_folder / "ann").rename(quick.class_folder.parent / "elsewhere")
    assert not quick.grade(decide=no).in_force
    overview = quick.grade()
    assert whys(overview) == {"ann": ["no longer in the class"]}
    assert list(quick.table()) == ["bob", "cem"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda q: q.work("bob", one="a=1 b=0"), ["work changed"]),
        (lambda q: q.work("bob", one=None), ["work no longer there"]),
        (lambda q: q.check("one", "a=2 b=1"), ["check changed"]),
        (
            lambda q: (q.work("bob", one="a=1 b=0"), q.check("one", "a=2 b=1")),
            ["work changed", "check changed"],
        ),
    ],
)
def test_why_a_grade_changes(quick, change, why):
    quick.grade()
    change(quick)
    assert whys(quick.grade())["bob"] == why


def test_a_check_that_changes_nobodys_grade_is_no_question(quick):
    quick.grade()
    quick.check("one", "a=1 b=1, said better")
    overview = quick.grade(decide=never)
    assert overview.difference.changes == [] and overview.difference.texts == 3
    assert overview.version == 2


def test_a_new_maximum_is_a_change(quick):
    quick.grade()
    course = quick.root / "course.yml"
    course.write_text(course.read_text().replace("points: 10", "points: 12", 1))
    overview = quick.grade()
    assert whys(overview)["bob"] == ["course.yml changed"]


def test_the_second_exercise_does_not_overwrite_the_first(quick):
    quick.grade("one")
    assert quick.table()["ann"] == "10 - 10"
    overview = quick.grade("two", decide=never)
    assert quick.table() == {"ann": "10 2 12", "bob": "5 10 15", "cem": ". . ."}
    assert reason_counts(overview.difference.changes) == {"not graded before": 2}


def test_an_exercise_changes_only_its_cells(quick):
    quick.grade()
    quick.work("ann", one="a=0 b=0", two="a=0 b=0")
    quick.grade("two")
    assert quick.table()["ann"] == "10 0 10"
    quick.grade("one")
    assert quick.table()["ann"] == "0 0 0"


def test_a_student_changes_only_their_cells(quick):
    quick.grade("one")
    quick.work("ann", one="a=1 b=0")
    quick.work("bob", one="a=1 b=0")
    quick.work("dan", one="a=1 b=0")
    quick.grade(students=("bob",))
    assert quick.table() == {"ann": "10 - 10", "bob": "1 - 1", "cem": ". - ."}
    quick.grade(students=("dan",))
    assert quick.table()["dan"] == "1 - 1"
    with pytest.raises(UserError, match=r"No submission belongs to a student 'anm'. Did you mean"):
        quick.grade(students=("anm",))


def test_two_downloads_make_one_table(quick):
    """Who is in one download alone keeps what came of it, and is missing in the other."""
    quick.grade("one")
    (quick.class_folder / "ann").rename(quick.class_folder.parent / "elsewhere")
    quick.work("eve", two="a=1 b=1")
    quick.grade("two", decide=never)
    assert quick.table() == {
        "ann": "10 . 10",
        "bob": "5 10 15",
        "cem": ". . .",
        "eve": ". 2 2",
    }
    assert (quick.out / "feedback" / "eve.html").is_file()
    quick.grade("one")  # ann's folder is still away: so is the work
    assert quick.table()["ann"] == ". . ."


def test_lateness_of_other_assignments_stays(quick, tmp_path):
    roster = tmp_path / "roster.csv"
    course = quick.root / "course.yml"
    course.write_text(course.read_text() + "late: {percent_a_day: 10}\n")
    roster.write_text("id,handed_in\nann,2027-02-06T12:00+00:00\nbob,\ncem,\n")
    quick.grade("one", roster=roster)
    assert quick.table()["ann"] == "10 - 9"
    roster.write_text("id,handed_in\nann,2027-02-13T12:00+00:00\nbob,\ncem,\n")
    overview = quick.grade("two", roster=roster, decide=never)
    assert quick.table()["ann"] == "10 2 10.8"
    assert overview.difference.changes[0].why == ["not graded before", "lateness"]
    roster.write_text("id,handed_in\nann,2027-02-15T12:00+00:00\nbob,\ncem,\n")
    overview = quick.grade("two", roster=roster)
    assert quick.table()["ann"] == "10 2 10.4"
    assert whys(overview) == {"ann": ["lateness"]}


def test_lateness_that_costs_nothing_is_no_change(quick, tmp_path):
    """Without a policy nothing is taken off: the list of changes said `10 of 20 → 10 of 20`."""
    roster = tmp_path / "roster.csv"
    roster.write_text("id,handed_in\nann,\nbob,\ncem,\n")
    quick.grade(roster=roster)
    roster.write_text("id,handed_in\nann,2027-02-06T12:00+00:00\nbob,\ncem,\n")
    overview = quick.grade(roster=roster)
    assert overview.difference.changes == [] and overview.difference.texts == 1
    assert "nothing is taken off" in quick.files()["grades.csv"].decode()


def test_two_adjustments_that_make_up_for_each_other_are_no_change(quick):
    quick.grade()
    for points in ("3", "-3"):
        quick.run("adjust", quick.out, "ann", "total", "--add", points, "--why", "x")
    assert quick.grade().difference.changes == []


def test_what_an_adjustment_makes_counts_those_entered_before_it(quick):
    quick.grade()
    quick.run("adjust", quick.out, "ann", "one", "--add", "1", "--why", "x")
    done = quick.run("adjust", quick.out, "ann", "one", "--add", "100", "--why", "y")
    assert "That makes 111 of 10 points" in done.output
    quick.grade()
    assert quick.table()["ann"] == "111 2 113"
    done = quick.run("adjust", quick.out, "ann", "total", "--add", "1", "--why", "z")
    assert "That makes 114 of 20 points" in done.output


def test_adjustments_of_other_exercises_stay(quick):
    quick.grade()
    head = "student,exercise,check,change,points,why,by,when,work_id,state\n"
    rows = "ann,two,,add,1,,,,,\nann,one,,add,-1,,,,,\nann,total,,add,3,,,,,\n"
    (quick.out / "adjustments.csv").write_text(head + rows)
    overview = quick.grade("one")
    assert quick.table()["ann"] == "9 2 14"
    assert whys(overview) == {"ann": ["adjustment"]}
    quick.grade("two")
    assert quick.table()["ann"] == "9 3 15"
    before = quick.files()
    quick.grade()
    assert quick.files() == before


def test_damaged_records_are_never_overwritten(quick):
    quick.grade()
    path = quick.out / "report.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UserError, match="is damaged or from another version"):
        quick.grade()


def test_what_is_not_ours_is_not_removed(quick):
    (quick.out / "proposed").mkdir(parents=True)
    (quick.out / "proposed" / "thesis.txt").write_text("mine")
    with pytest.raises(UserError, match=r"thesis\.txt"):
        quick.grade()
    assert (quick.out / "proposed" / "thesis.txt").read_text() == "mine"


class Killed(BaseException):
    pass


@pytest.mark.one_in(2)
@pytest.mark.parametrize("first", [True, False])
def test_killed_while_it_is_applied_it_is_the_old_or_the_new(quick, monkeypatch, tmp_path, first):
    """At every step of the file system: what is found afterwards is whole."""
    if not first:
        quick.grade()
    old = quick.files() if not first else {}
    quick.work("ann", one="a=0 b=0")
    quick.work("eve", one="a=3 b=0")
    quick.grade(out=tmp_path / "fresh")
    new = quick.files(tmp_path / "fresh")
    names = ("rename", "replace", "link", "rmdir", "fsync")
    real = {name: getattr(os, name) for name in names}
    seen, step, done = set(), 0, False
    while not done:
        step += 1
        left = [step]

        def dying(name, left=left):
            def call(*args, **more):
                left[0] -= 1
                if not left[0]:
                    raise Killed
                return real[name](*args, **more)

            return call

        with monkeypatch.context() as patch:
            for name in names:
                patch.setattr(history.os, name, dying(name))
            try:
                quick.grade()
                done = True
            except Killed:
                pass
        settle(quick.out)
        found = quick.files()
        found.pop("adjustments.csv", None)
        assert found in (old, new), step
        seen.add(found == new)
        if found == new:
            break
    assert seen == {False, True} and step > 5


def test_who_reads_next_finishes_what_was_begun(quick, monkeypatch):
    quick.grade()
    quick.work("ann", one="a=0 b=0")

    def killed(*_):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(history, "settle", killed)
        with pytest.raises(Killed):
            quick.grade()
    assert quick.table()["ann"] == "10 2 12"
    done = quick.run("diff", quick.out / "history" / "0001", quick.out)
    assert done.exit_code == 1 and "10/10 → 0/10" in done.output
    assert quick.table()["ann"] == "0 2 2"


def test_two_runs_at_once(quick):
    quick.grade()
    quick.work("ann", one="a=0 b=0")
    with pytest.raises(UserError, match=r"in use by another run \(.*: grading .*class\)"):
        quick.grade(decide=lambda _: quick.grade())
    assert quick.grade(decide=no).in_force is False


@pytest.mark.parametrize("first", [True, False])
def test_a_run_that_was_stopped_is_no_regrade(quick, first):
    if not first:
        quick.grade()
        quick.work("dan", one="a=1 b=1")
        quick.work("zoe", one="a=1 b=1")
    before = quick.files() if quick.out.exists() else {}

    def stop(done, of):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        quick.grade(progress=stop)
    assert quick.files() == before
    assert quick.grade(decide=never).version == (1 if first else 2)
    assert len(quick.asked) == len(set(quick.asked))  # what was graded is not graded again


def test_a_full_disk_while_it_is_applied_leaves_the_old(quick, monkeypatch):
    quick.grade()
    before = quick.files()
    quick.work("ann", one="a=0 b=0")

    def full(*_, **__):
        raise OSError(28, "No space left on device", "version.json")

    with monkeypatch.context() as patch:
        patch.setattr(history, "write_atomically", full)
        with pytest.raises(UserError, match=r"cannot be written: No space left.*same command"):
            quick.grade()
    assert quick.files() == before
    assert quick.grade().in_force


def test_times_are_in_the_history_alone(quick):
    quick.grade()
    at = json.loads((quick.out / "history" / "0001" / "version.json").read_text())["at"]
    for name, data in quick.files().items():
        assert at[:10].encode() not in data, name


def test_no_name_of_a_folder_or_a_file_is_a_formula_in_any_table(quick):
    for student in ("x;=1+2;", "=cmd|' C'!A0"):
        quick.work(student, one="a=5 b=5")
        (quick.class_folder / student / "q;=1+3;.py").write_text("x = 1")
        quick.work(student, **{"one,@SUM(1)": "a=1"})
    quick.grade()
    quick.work("x;=1+2;", one="a=1 b=5")
    quick.grade()
    options = ["--add", "-1", "--why", "a;=1+4;b", "--by", "me"]
    assert quick.run("adjust", quick.out, "x;=1+2;", "one", *options).exit_code == 0
    tables = {path.name: path.read_text() for path in quick.out.rglob("*.csv")}
    assert set(tables) >= {"grades.csv", "changes.csv", "adjustments.csv"}
    assert all(sign in "".join(tables.values()) for sign in ("=1+2", "=1+3", "=1+4", "=cmd"))
    assert {name: formulas_in(text) for name, text in tables.items() if formulas_in(text)} == {}
    quick.grade()
    assert quick.table()["x;'=1+2;"] == "5 . 5"


def test_points_for_missing_work_are_no_work_that_came_in(quick):
    quick.grade()
    quick.run("adjust", quick.out, "cem", "one", "--set", "8", "--why", "on paper")
    assert whys(quick.grade()) == {"cem": ["adjustment"]}
    quick.run("adjust", quick.out, "cem", "one", "--undo")
    assert whys(quick.grade()) == {"cem": ["adjustment"]}


def test_a_page_that_says_the_same_has_not_changed(quick, tmp_path):
    """The entries of a download are in a record, and on no page: each download has others."""
    for student in ("ann", "bob", "cem"):
        (quick.class_folder / student).rename(quick.class_folder / f"lab-{student}")
    quick.grade("one", platform="repositories")
    for student in ("ann", "bob", "cem"):
        (quick.class_folder / f"lab-{student}").rename(quick.class_folder / f"week-{student}")
    overview = quick.grade("one", platform="repositories")
    assert (overview.difference.changes, overview.difference.texts) == ([], 0)


def test_an_export_says_what_to_grade_again(quick):
    """Grading another assignment again takes in no entry for this one."""
    quick.grade()
    quick.run("adjust", quick.out, "ann", "two", "--set", "8", "--why", "on paper")
    quick.grade("one")
    said = str(quick.run("export", "feedback", quick.out, "--out", quick.root / "x").exception)
    assert said.endswith("Run the same grade command for two again, then export.")
    quick.grade("two")
    assert quick.run("export", "feedback", quick.out, "--out", quick.root / "x").exit_code == 0
