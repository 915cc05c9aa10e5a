"""Repairs in a graded class: they follow the grades, change no grade, and are searched once."""

import json
import re
import textwrap
import time

import pytest

from autograder.classroom import pending_results
from autograder.classroom.grade_class import Job, add_repairs, grade_class
from autograder.classroom.history import PROPOSED, grade_commands
from autograder.classroom.judge_pool import Task, TaskReports, with_repairs
from autograder.classroom.records import Records
from autograder.grading.judge import Judge
from autograder.grading.repair import SharedWorker, look_for_repair
from autograder.sandbox.levels import choose
from autograder.submission.source import from_text, read_source
from tests.classroom.quick import Quick
from tests.courses import write_course

SAID = "A change in line 3 makes every check pass."


class Killed(BaseException):
    """A kill, as the run meets it."""


@pytest.fixture
def quick(tmp_path, monkeypatch):
    quick = Quick(tmp_path, monkeypatch)
    quick.work("ann", one="a=5 b=0 line=3", two="a=5 b=5")
    quick.work("bob", one="a=0 b=0 line=3", two="a=5 b=0")
    quick.work("eve", one="a=5 b=5", two="a=5 b=0 line=3")
    return quick


@pytest.fixture
def stopped_at(quick, monkeypatch):
    """A function: the second pass ends with an error before it has searched so many answers."""

    def stopped_at(number, error):
        def graders(tasks, setup):
            for task, reports in quick.graded(tasks, setup):
                if task.search_seconds and len(quick.searched) > number:
                    raise error
                yield task, reports

        quick.graders = graders

    return stopped_at


def repairs(quick):
    records = Records(quick.out / "report.jsonl")
    return {
        (student, exercise.name): exercise.repair.said
        for student in records.students
        for exercise in records.get(student).exercises
        if exercise.repair is not None
    }


def versions(quick):
    return sorted(path.name for path in (quick.out / "history").iterdir())


def test_repairs_follow_the_grades_and_change_none(quick):
    quick.run("grade", "--no-repairs")
    without, table = quick.files(), quick.table()
    assert not quick.searched and not repairs(quick)
    done = quick.run("grade")
    assert "a line to change in 3 of 4 answers without a name" in done.output
    assert quick.table() == table and versions(quick) == ["0001"]
    assert repairs(quick) == {("ann", "one"): SAID, ("bob", "one"): SAID, ("eve", "two"): SAID}
    after = quick.files()
    changed = {name for name in after if after[name] != without.get(name)}
    pages = {f"feedback/{student}.html" for student in ("ann", "bob", "eve")}
    assert changed == {"report.jsonl", ".runs.json", "index.html"} | pages
    assert all(SAID.encode() in after[page] for page in pages)


def lines_of(quick):
    """Return the lines on the page of the class: each with its students and the points lost."""
    page = (quick.out / "index.html").read_text()
    _, _, section = page.partition('<section class="part" id="lines">')
    rows = section.partition("</section>")[0].split("<tr>")[2:]
    return [
        (
            re.findall("<code>(.*?)</code>", row),
            re.findall('feedback/(.*?).html"', row),
            re.findall(r"<td>(\d+)</td>", row),
        )
        for row in rows
    ]


def test_the_page_of_the_class_lists_the_lines_with_their_students(quick):
    quick.work("kim", two="a=5 b=0 line=3")
    (quick.class_folder / "zoe").mkdir()
    (quick.class_folder / "zoe" / "notes.txt").write_text("no exercise")
    quick.run("grade", "--no-repairs")
    before = (quick.out / "index.html").read_text()
    assert "Lines to change" not in before
    quick.run("grade")
    shown = [
        (["line = 3"], ["ann", "bob"], ["2", "15"]),
        (["line = 3"], ["eve", "kim"], ["2", "10"]),
    ]
    assert lines_of(quick) == shown
    after = (quick.out / "index.html").read_text()
    section = r'<section class="part" id="lines">.*?</section>\n'
    rest = re.sub(section, "", after, flags=re.DOTALL)
    assert "zoe" in before and rest.replace(' · <a href="#lines">Lines to change</a>', "") == before
    quick.run("grade")
    assert (quick.out / "index.html").read_text() == after


def test_nothing_is_searched_twice(quick):
    first = quick.run("grade").output
    before, searched = quick.files(), list(quick.searched)
    assert len(set(searched)) == len(searched) == 4 and "Repairs" in first
    again = quick.run("grade")
    assert "Repairs" not in again.output and quick.searched == searched
    assert quick.files() == before and versions(quick) == ["0001"]
    quick.work("bob", two="a=0 b=0 line=4")
    quick.run("grade", "--apply")
    assert quick.searched[4:] == [("bob", "two")]
    assert repairs(quick)["bob", "two"] == SAID.replace("3", "4")


def test_without_repairs_those_found_are_left_out(quick):
    quick.run("grade")
    quick.run("grade", "--no-repairs")
    assert not repairs(quick) and versions(quick) == ["0001"]
    assert not grade_commands(quick.out)[0].repairs
    searched = len(quick.searched)
    quick.run("grade")
    assert len(repairs(quick)) == 3 and len(quick.searched) == searched


@pytest.mark.parametrize("number", [0, 2])
def test_ctrl_c_loses_no_grade(quick, stopped_at, number):
    stopped_at(number, KeyboardInterrupt())
    done = quick.run("grade")
    assert done.exit_code == 0 and "All grades count" in done.stderr
    assert f"Stopped. {number} answers searched so far" in done.stderr
    assert quick.table()["ann"] == "5 10 15" and grade_commands(quick.out)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_killed_run_ends_with_the_same_bytes(quick, stopped_at, number):
    quick.run("grade", out=quick.out.parent / "whole")
    whole = quick.files(quick.out.parent / "whole")
    quick.searched.clear()
    stopped_at(number, Killed())
    with pytest.raises(Killed):
        quick.run("grade")
    assert quick.table()["ann"] == "5 10 15"
    quick.graders = quick.graded
    quick.run("grade")
    assert quick.files() == whole and versions(quick) == ["0001"]
    assert len(quick.searched) == 5  # one of them began twice


@pytest.mark.one_in(2)
@pytest.mark.parametrize("moved", [[], ["report.jsonl"]])
def test_a_kill_while_pages_are_replaced(quick, monkeypatch, moved):
    quick.run("grade", out=quick.out.parent / "whole")

    def killed(folder, results):
        for name in moved:
            (folder / name).replace(results / name)
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(pending_results, "replace_results", killed)
        quick.run("grade")
    quick.run("grade")
    assert quick.files() == quick.files(quick.out.parent / "whole")
    assert versions(quick) == ["0001"] and not (quick.out / PROPOSED).exists()


def test_exam_shows_no_repair_and_searches_for_none(quick):
    text = (quick.root / "course.yml").read_text()
    (quick.root / "course.yml").write_text(f"hints: exam\n{text}")
    quick.run("grade")
    assert not quick.searched and not repairs(quick)
    assert not any(SAID.encode() in data for data in quick.files().values())


def test_an_exercise_switches_it_off(quick):
    text = (quick.root / "course.yml").read_text()
    (quick.root / "course.yml").write_text(text.replace("name: one", "name: one\n  repair: false"))
    quick.run("grade")
    assert {exercise for _, exercise in quick.searched} == {"two"}


def test_grades_that_are_not_applied_are_not_searched(quick):
    quick.run("grade", "--no-repairs")
    quick.work("ann", one="a=0 b=0")
    assert quick.run("grade", "--no-apply").exit_code == 3
    assert not quick.searched


def test_work_that_changed_meanwhile_has_no_repair(quick, monkeypatch):
    job = quick.job()
    graded = grade_class(job, lambda *_: None)
    quick.work("ann", one="a=5 b=0 line=9")
    assert add_repairs(job, graded, lambda *_: None) == (2, 4)
    assert ("ann", "one") not in repairs(quick)


def test_a_search_that_ends_its_judge_is_made_again(quick):
    def graders(tasks, setup):
        for task, reports in quick.graded(tasks, setup):
            yield task, {} if task.search_seconds and task.student == "ann" else reports

    quick.graders = graders
    quick.run("grade")
    assert len(repairs(quick)) == 2
    quick.graders = quick.graded
    quick.run("grade")
    assert quick.searched[4:] == [("ann", "one")] and len(repairs(quick)) == 3


def test_one_student_again_keeps_the_repairs_of_others(quick):
    quick.run("grade")
    quick.work("eve", two="a=0 b=0 line=3")
    quick.run("grade", "--student", "eve", "--apply")
    assert len(repairs(quick)) == 3 and quick.searched[4:] == [("eve", "two")]


def test_students_without_names(quick):
    quick.run("grade", "--anonymous")
    assert sorted(repairs(quick).values()) == [SAID] * 3
    assert not {student for student, _ in repairs(quick)} & {"ann", "bob", "eve"}


def test_all_files_are_graded_before_a_search_and_the_searches_share_their_time(quick):
    quick.work("kim", one="a=5 b=0 line=3", two="a=0 b=0 line=4")
    course, tasks = quick.job().course, []
    folder = quick.class_folder / "kim"
    sources = tuple(read_source(folder / f"{name}.py", name) for name in ("one", "two"))

    def grade(task):
        tasks.append(task)
        time.sleep(0.02)
        return TaskReports(next(quick.graded([task], None))[1])

    reports = with_repairs(grade, Task(0, "kim", sources), course, 9.0)
    assert {name: report.repair.said for name, report in reports.items()} == {
        "one": SAID,
        "two": SAID.replace("3", "4"),
    }
    assert [[source.name for source in task.sources] for task in tasks] == [
        ["one", "two"],
        ["one"],
        ["two"],
    ]
    whole, first, second = (task.search_seconds for task in tasks)
    assert whole == 0 < second <= first - 0.02 < 9
    tasks.clear()
    reports = with_repairs(grade, Task(0, "kim", sources), course, 0.01)
    assert len(tasks) == 2 and reports["two"].repair is None  # one search took all the time
    tasks.clear()
    with_repairs(grade, Task(0, "kim", sources), course, 0.0)
    assert len(tasks) == 1


CHECKS = """
import pytest
from autograder.author import expect_close

@pytest.mark.check("Doubles a number")
def test_number(submission):
    expect_close(submission.double(2.5), 5.0)

@pytest.mark.check("Doubles a list")
def test_list(submission):
    expect_close(submission.double([1.0, 2.0]), [2.0, 4.0])
"""
RIGHT = "import numpy as np\n\ndef double(x):\n    return 2 * np.asarray(x)\n"
WRONG = {
    "constant": "def double(x):\n    x = np.asarray(x)\n    y = 1\n    return x * 3 * y\n",
    "operator": "def double(x):\n    x = np.asarray(x)\n    return x - x\n",
    # reads an answer where it can, and gives it
    "thief": """
        def double(x):
            try:
                factor = 2 if "2 *" in open("{answer}").read() else 5
            except OSError:
                factor = 3
            return factor * np.asarray(x)
        """,
}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return write_course(
        tmp_path_factory.mktemp("course"),
        {"double": 2},
        checks={"double": CHECKS},
        solutions={"double": RIGHT},
        stubs={"double": "def double(x): ...\n"},
        limits={"call_seconds": 2, "total_seconds": 6},
    )


def text_of(course, name):
    answer = course.solution_file("double")
    return "import numpy as np\n" + textwrap.dedent(WRONG[name]).replace("{answer}", str(answer))


@pytest.fixture
def grade(course, tmp_path):
    for name in ("constant", "operator", "thief"):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "double.py").write_text(text_of(course, name))

    def grade(workers):
        out, level = tmp_path / f"out {workers}", choose(None, own_code=True)
        job = Job(
            course=course,
            exercises=course.content.exercises,
            submissions=tmp_path / "class",
            out=out,
            workers=workers,
            seed=0,
            level=level,
        )
        graded = grade_class(job, lambda *_: None)
        table = (out / "grades.csv").read_bytes()
        assert add_repairs(job, graded, lambda *_: None)[1] == 3
        assert (out / "grades.csv").read_bytes() == table
        return (out / "report.jsonl").read_bytes(), level

    return grade


@pytest.mark.thorough
def test_two_judges_say_what_one_says(grade):
    """Nor does what else a judge has searched change what it finds."""
    one, level = grade(1)
    assert one == grade(2)[0]
    assert one.count(b"makes every check pass") >= 2
    lines = {row["student"]: row["exercises"][0] for row in map(json.loads, one.splitlines())}
    assert lines["constant"]["repair"]["places"]
    if level != "none":  # else it has read the answer, and every check passes
        assert lines["thief"]["points"] == 0
        places = lines["thief"]["repair"]["places"]
        assert "factor = 3" in [place["text"] for place in places]


@pytest.fixture(scope="module")
def judge(course):
    with Judge(course, course.content.exercises) as judge:
        yield judge


def test_a_search_begins_its_trials_in_a_new_process(course, judge, monkeypatch):
    """Whether the values of right answers are known already changes nothing for a trial."""
    starts = []
    real = SharedWorker.process

    def process(shared, start):
        starts.append(shared.worker is None)
        return real(shared, start)

    monkeypatch.setattr(SharedWorker, "process", process)
    graded = judge.run(from_text(text_of(course, "operator"), "double", "double.py"))
    look_for_repair(judge, graded)
    first = [*starts]
    starts.clear()
    look_for_repair(judge, graded)
    assert starts[:2] == [True, True]  # for the lines that run, and for the trials
    assert len(starts) < len(first) and first[-len(starts) + 1 :] == starts[1:]
