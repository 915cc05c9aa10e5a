"""No silent zero: what a student wrote, or what could not be graded, never counts as 0 unseen."""

import csv
import json

import msgspec
import pytest
from click.testing import CliRunner

from autograder.classroom.grade_class import Job, grade_class
from autograder.classroom.grades import grade_of, read_reports
from autograder.cli import app
from autograder.course.course_file import load_course
from autograder.grading.judge import Judge
from autograder.platforms import gradescope
from autograder.submission.source import from_text, read_source
from tests.courses import write_course

STUB = "YOUR ANSWER HERE"
NAMES = ("why_scale", "attention_or_recurrence", "what_it_means")


def reflection(*answers):
    cells = zip(NAMES, answers, strict=False)
    return "\n\n".join(f'# %% [markdown] answer="{name}"\n# {text}' for name, text in cells)


@pytest.fixture(scope="module")
def reflect(root):
    course = load_course(root / "course.yml")
    with Judge(course, [course.exercise("reflection")]) as judge:
        yield lambda text: judge.run(from_text(text, "reflection", "reflection.py")).report


def test_every_written_answer_goes_to_a_person(reflect):
    """One word, a Chinese sentence, a formula or a question mark: a person decides."""
    for text in ("Variance.", "点积的方差随维度增长，所以要除以根号。", "?", f"{STUB} Variance."):
        report = reflect(reflection(text, STUB, ""))
        assert report.status == "by hand", text
        assert [answer.name for answer in report.answers] == ["why_scale"], text
        outcomes = [check.outcome for check in report.checks]
        assert outcomes == ["passed", "failed", "failed"], text


def test_only_untouched_answers_are_not_answered(reflect):
    report = reflect(reflection(STUB, "", f"\n# {STUB}\n#\n"))
    assert (report.status, report.points, report.answers) == ("graded", 0, ())


def test_an_answer_whose_cell_is_gone_goes_to_a_person(reflect):
    """It may be in another cell, since people delete cells and write in their own."""
    report = reflect(reflection("Variance.", "Parallel."))
    assert report.status == "by hand"
    assert [answer.name for answer in report.answers] == list(NAMES)
    assert report.answers[2].text.startswith("(The cell for this answer is not in reflection.py.")


CHECK = """
import pytest

@pytest.mark.check("One")
def test_one(submission):
    assert submission.one() == 1
"""


@pytest.fixture
def grade(tmp_path):
    """Grade files of students in one or two exercises; the rows of `grades.csv`."""
    course = write_course(
        tmp_path / "course", {"one": 10, "two": 10}, checks={"one": CHECK, "two": CHECK}
    )

    def grade(files):
        for place, text in files.items():
            path = tmp_path / "class" / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        exercises = tuple(course.content.exercises)
        job = Job(
            course=course,
            exercises=exercises,
            submissions=tmp_path / "class",
            out=tmp_path / "out",
            workers=1,
            seed=0,
        )
        grade_class(job, lambda *_: None)
        with (tmp_path / "out" / "grades.csv").open(newline="") as file:
            return {row["student"]: row for row in csv.DictReader(file)}

    return grade


def test_an_empty_file_needs_a_person(grade):
    no_cells = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    blank = {"cell_type": "code", "metadata": {}, "source": [], "outputs": []}
    rows = grade(
        {
            "a/one.py": "",
            "b/one.py": "\ufeff \n\n",
            "c/one.ipynb": json.dumps(no_cells),
            "d/one.ipynb": json.dumps(no_cells | {"cells": [blank]}),
            "e/one.py": "def one(): return 1",
            "e/__init__.py": "",
        }
    )
    for student in "abcd":
        assert rows[student]["status"] == "needs a person", student
        assert rows[student]["one"] == "", student
        assert " is empty." in rows[student]["notes"], student
    assert (rows["e"]["status"], rows["e"]["one"]) == ("graded", "10")


def test_a_notebook_with_text_alone_is_not_empty(tmp_path):
    cell = {"cell_type": "markdown", "metadata": {}, "source": "My answer."}
    path = tmp_path / "reflection.ipynb"
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}))
    assert read_source(path, "reflection").answers == {}


def test_what_nobody_knows_yet_has_an_empty_cell(grade, tmp_path):
    """In the table, its totals, the class page, the student's page and on the platforms."""
    rows = grade(
        {
            "a/readme.txt": "later",
            "b/one.py": "",
            "c/one.py": "",
            "c/two.py": "def one(): return 1",
            "d/one.py": "def one(): return 2",
        }
    )
    shown = {s: (row["one"], row["two"], row["total"]) for s, row in rows.items()}
    assert shown == {
        "a": ("", "", ""),
        "b": ("", "", ""),
        "c": ("", "10", "10"),
        "d": ("0", "", "0"),
    }
    index = (tmp_path / "out" / "index.html").read_text().split(">student</th>")[1]
    index = index.split("<tbody>")[1].split("</tbody>")[0]
    totals = [line.split("<strong>")[1].split("<")[0] for line in index.split("<tr>")[1:]]
    assert totals == ["–", "–", "10", "0"]
    page = (tmp_path / "out" / "feedback" / "b.html").read_text()
    assert "– of 20 points" in page and "0 of 10 points" not in page


@pytest.fixture
def reports(grade, tmp_path):
    grade({"a/one.py": "", "a/two.py": "def one(): return 1", "b/one.py": ""})
    return read_reports(tmp_path / "out")


def test_gradescope_gets_no_score_for_what_a_person_has_to_look_at(reports):
    some, none = (gradescope.results_of(report, "practice") for report in reports)
    scores = {test["name"]: test.get("score") for test in some["tests"]}
    assert scores == {"One": None, "Two: One": 10.0}
    assert "max_score" not in some["tests"][0]
    assert some["tests"][0]["output"] == "No points yet. one.py is empty."
    assert some["tests"][0]["visibility"] == "visible"
    assert "One: no points yet, needs a person" in some["output"]
    assert not any("score" in test for test in none["tests"])
    assert none["output"].startswith("The 0 is not a grade: there are no points yet.")


def test_a_check_that_the_grader_could_not_judge_has_no_score_on_gradescope(reports):
    exercise = reports[0].exercises[1]
    failed = msgspec.structs.replace(exercise.checks[0], outcome="error", points=0.0)
    exercise = msgspec.structs.replace(exercise, checks=(failed,), status="needs a person")
    report = msgspec.structs.replace(reports[0], exercises=(exercise,))
    (test,) = gradescope.results_of(report, "practice")["tests"]
    assert "score" not in test and test["status"] == "failed"


def test_a_grade_that_waits_says_what_there_is_so_far(reports):
    names = ["one", "two"]
    said = [grade_of(report, names).why_not for report in reports]
    assert said == ["needs a person, 10 of 20 so far", "needs a person"]


QUESTION = {"name": "why", "title": "Why?", "points": 3}


def test_the_exit_code_is_1_while_answers_wait_for_marks(tmp_path, monkeypatch):
    course = write_course(
        tmp_path / "course",
        {"essay": {"points": 3, "questions": [QUESTION]}},
        checks={"essay": CHECK.replace("submission.one() == 1", "submission.answer('why')")},
    )
    work = tmp_path / "class" / "ann" / "essay.py"
    work.parent.mkdir(parents=True)
    work.write_text('# %% [markdown] answer="why"\n# So.\n')
    arguments = ["grade", tmp_path / "class", "--out", tmp_path / "out", "--own-code"]
    arguments += ["--course", course.root]

    def grade():
        return CliRunner().invoke(app, [str(each) for each in arguments])

    done = grade()
    assert done.exit_code == 1, done.output
    assert "1 student waiting" in done.output
    table = tmp_path / "out" / "by-hand.csv"
    lines = table.read_text().splitlines()
    table.write_text("\n".join([lines[0], lines[1].replace(",,3,", ",2,3,", 1)]) + "\n")
    done = grade()
    assert done.exit_code == 0, done.output
    assert "waiting" not in done.output
