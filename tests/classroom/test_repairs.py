"""Repairs in a graded class: they change no grade, and are searched once."""

import json
import re
import textwrap

import pytest

from autograder.classroom.grade_class import Job, grade_class
from autograder.classroom.history import grade_commands
from autograder.classroom.records import Records
from autograder.grading.judge import Judge
from autograder.grading.repair import SharedWorker, look_for_repair
from autograder.sandbox.levels import choose
from autograder.submission.source import from_text
from tests.classroom.quick import Quick
from tests.courses import write_course

SAID = "A change in line 3 makes every check pass."


@pytest.fixture
def quick(tmp_path, monkeypatch):
    quick = Quick(tmp_path, monkeypatch)
    quick.work("ann", one="a=5 b=0 line=3", two="a=5 b=5")
    quick.work("bob", one="a=0 b=0 line=3", two="a=5 b=0")
    quick.work("eve", one="a=5 b=5", two="a=5 b=0 line=3")
    return quick


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


def test_repairs_change_no_grade(quick):
    quick.run("grade", "--no-repairs")
    without, table = quick.files(), quick.table()
    assert not quick.searched and not repairs(quick)
    quick.run("grade")
    assert quick.table() == table and quick.searched
    assert repairs(quick) == {("ann", "one"): SAID, ("bob", "one"): SAID, ("eve", "two"): SAID}
    after = quick.files()
    pages = {f"feedback/{student}.html" for student in ("ann", "bob", "eve")}
    changed = {name for name in after if after[name] != without.get(name)}
    assert changed >= {"report.jsonl", "index.html"} | pages and "grades.csv" not in changed
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
    quick.run("grade")
    before, searched = quick.files(), list(quick.searched)
    assert len(set(searched)) == len(searched) == 4
    quick.run("grade")
    assert quick.searched == searched
    assert quick.files() == before and versions(quick) == ["0001"]
    quick.work("bob", two="a=0 b=0 line=4")
    quick.run("grade", "--apply")
    assert quick.searched[4:] == [("bob", "two")]
    assert repairs(quick)["bob", "two"] == SAID.replace("3", "4")


def test_without_repairs_those_found_are_left_out(quick):
    quick.run("grade")
    quick.run("grade", "--no-repairs")
    assert not repairs(quick) and not grade_commands(quick.out)[0].repairs


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


def test_one_student_again_keeps_the_repairs_of_others(quick):
    quick.run("grade")
    quick.work("eve", two="a=0 b=0 line=3")
    quick.run("grade", "--student", "eve", "--apply")
    assert len(repairs(quick)) == 3 and quick.searched[4:] == [("eve", "two")]


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
        job = Job(course, course.content.exercises, tmp_path / "class", out, workers, 0, level)
        grade_class(job, lambda *_: None)
        return (out / "report.jsonl").read_bytes(), level

    return grade


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
