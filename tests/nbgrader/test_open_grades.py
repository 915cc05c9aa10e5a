"""No silent 0 in nbgrader's gradebook, names in formgrader, comments at lines, the course's id."""

from types import SimpleNamespace

import msgspec
import nbformat
import pytest

from autograder.classroom.adjustments import Adjustments
from autograder.classroom.decisions import work_id
from autograder.course.course_file import ExportPolicy
from autograder.grading.reports import report_without_checks
from autograder.nbgrader.directory import course_id, source_notebook
from autograder.nbgrader.grading import NotebookGrader, ShownReport
from autograder.nbgrader.steps import (
    LOOK_ELSEWHERE,
    _leave_unchanged_answers_open,
    name_student,
)
from autograder.submission.source import from_notebook, from_text
from tests.courses import write_course

SOLUTION = """\
# %% [markdown]
# # Why?

# %% [markdown] answer="why"
# ### BEGIN SOLUTION
# Because.
# ### END SOLUTION
# YOUR ANSWER HERE
"""


@pytest.fixture
def course(tmp_path):
    questions = [{"name": "why", "title": "Why?", "points": 2}]
    return write_course(
        tmp_path / "kit",
        {"words": {"points": 2, "questions": questions}, "one": 3},
        solutions={"words": SOLUTION, "one": "def one(): return 1\n"},
        checks={"words": "", "one": ""},
        title="Attention — from scratch!",
    )


@pytest.fixture
def grading(course):
    return NotebookGrader(course)


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_text_outside_the_cells_for_answers_is_noticed(course, grading, kind):
    """Also where the student split or changed a text of the course's."""
    book = nbformat.reads(source_notebook(course, course.exercise("words")), 4)
    assert not grading.wrote_elsewhere("words", book)
    make = nbformat.v4.new_markdown_cell if kind == "markdown" else nbformat.v4.new_raw_cell
    book.cells.append(make(" \n"))
    assert not grading.wrote_elsewhere("words", book)
    book.cells.append(make("Because the variance grows."))
    assert grading.wrote_elsewhere("words", book)
    assert not grading.wrote_elsewhere("one", book) and not grading.wrote_elsewhere("x", book)


def test_an_untouched_answer_beside_other_text_stays_open():
    marks = {
        "open": (0, None), "marked": (0, 2.0), "given": (None, None), "code": (0, None),
    }  # fmt: skip
    grades = {
        name: SimpleNamespace(auto_score=auto, manual_score=manual, needs_manual_grade=False)
        for name, (auto, manual) in marks.items()
    }
    comments = {name: SimpleNamespace(auto_comment="No response.") for name in marks}
    gradebook = SimpleNamespace(
        find_grade=lambda name, *_: grades[name], find_comment=lambda name, *_: comments[name]
    )
    cells = [
        nbformat.v4.new_code_cell() if name == "code" else nbformat.v4.new_markdown_cell()
        for name in marks
    ]
    for name, cell in zip(marks, cells, strict=True):
        cell.metadata["nbgrader"] = {"grade": True, "solution": True, "grade_id": name}
    _leave_unchanged_answers_open(gradebook, SimpleNamespace(cells=cells), ("n", "a", "s"))
    assert grades["open"].auto_score is None and grades["open"].needs_manual_grade
    assert comments["open"].auto_comment == LOOK_ELSEWHERE
    assert (grades["marked"].auto_score, grades["code"].auto_score) == (0, 0)
    assert not grades["given"].needs_manual_grade


@pytest.mark.parametrize(
    ("status", "policy", "waits"),
    [
        ("not loaded", "empty", True),
        ("not loaded", "excused", True),
        ("not loaded", 0, False),
        ("needs a person", 0, True),
        ("graded", "empty", False),
        ("crashed", "empty", False),
    ],
)
def test_a_notebook_that_did_not_load_waits_for_a_person(course, status, policy, waits):
    """Unless the course says that it is 0."""
    course.content = msgspec.structs.replace(course.content, export=ExportPolicy(not_loaded=policy))
    report = report_without_checks(course.exercise("one"), status, "why")
    source = from_text("x = 1", "one", "one.py")
    assert NotebookGrader(course).know("ann", source, report).waits == waits


@pytest.mark.parametrize(
    ("before", "name", "after"),
    [
        ((None, None), "", ("–", "ann")),
        (("", "ann"), "", ("–", "ann")),
        ((None, None), "Anna Maria Muster", ("Anna Maria", "Muster")),
        ((None, None), "Muster, Anna", ("Anna", "Muster")),
        ((None, None), "Anna", ("–", "Anna")),
        (("–", "ann"), "Anna Muster", ("Anna", "Muster")),
        (("Anna", "Muster"), "", ("Anna", "Muster")),
        (("Anna", None), "", ("Anna", None)),
        (("A.", "M."), "Anna Muster", ("Anna", "Muster")),
    ],
)
def test_a_student_is_not_called_none(before, name, after):
    student = SimpleNamespace(id="ann", first_name=before[0], last_name=before[1])
    name_student(student, name)
    assert (student.first_name, student.last_name) == after


def test_the_id_is_the_title_of_the_course(course, tmp_path):
    assert course_id(course) == "attention-from-scratch"
    assert course_id(write_course(tmp_path / "kurs", {"one": 1}, title="注意")) == "kurs"
    assert "/" not in course_id(write_course(tmp_path / "a", {"one": 1}, title="../" * 90 + "x"))


def test_a_comment_at_a_line_is_the_comment_of_its_cell(course, grading, tmp_path):
    cells = [nbformat.v4.new_code_cell(text) for text in ("import x", "def one():\n    return <2>")]
    source = from_notebook(nbformat.v4.new_notebook(cells=cells), "one", SimpleNamespace(
        named_in=lambda *_: {}))  # fmt: skip
    report = msgspec.structs.replace(
        report_without_checks(course.exercise("one"), "graded", ""), digest=source.digest
    )
    rows = [
        ("ann,one,cell 2 line 2,comment,,Use <b>1</b>.,Kim,", work_id([report])),
        ("ann,one,cell 2 line 1,comment,,Of other work.,Kim,", "other"),
        ("ann,one,cell 9 line 1,comment,,Nowhere.,Kim,", ""),
        ("ann,one,,comment,,No line.,Kim,", ""),
        ("bob,one,line 1,comment,,Of another.,Kim,", ""),
    ]
    head = "student,exercise,check,change,points,why,by,when,work_id\n"
    path = tmp_path / "adjustments.csv"
    path.write_text(head + "".join(f"{row},{work}\n" for row, work in rows))
    entered = Adjustments(path.parent, course).entered
    grading.remarks = {"ann": [e.decision for e in entered if e.decision.student == "ann"]}
    shown = grading.know("ann", source, report)
    answers = {"first": "import x", "second": "def one():\n    return <2>"}
    lost, comment = (shown.comments(answers)[name] for name in ("first", "second"))
    assert "Kim on cell 9 line 1: Nowhere" in lost  # of no such line, and not without a word
    assert set(shown.comments(answers)) == {"first", "second"}
    assert "Kim on line 2, " in comment and "<b>" not in comment and "Use" in comment
    assert shown.comments({}) == {}
    assert list(shown.comments({"other": "text"})) == ["other"]
    assert ShownReport(report, "", "").comments(answers) == {}
