"""No silent zero: what a student wrote, or what could not be graded, never counts as 0 unseen."""

import csv
import json

import pytest

from autograder.classroom.grade_class import Job, grade_class
from autograder.course.course_file import load_course
from autograder.grading.judge import Judge
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
        yield lambda text: judge.grade(from_text(text, "reflection", "reflection.py"))


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
        grade_class(
            Job(course, exercises, tmp_path / "class", tmp_path / "out", 1, 0), lambda *_: None
        )
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
