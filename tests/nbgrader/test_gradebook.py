"""One gradebook for a run: a student is written whole or not at all, as nbgrader would write."""

import shutil
import sqlite3
from unittest import mock

import pytest
from nbgrader import api
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import saveautogrades
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from autograder.nbgrader.gradebook import one_gradebook

ASSIGNMENT = "first"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A gradebook with an assignment of two notebooks."""
    path = tmp_path_factory.mktemp("gradebook") / "gradebook.db"
    with (
        mock.patch.object(api, "get_alembic_version", lambda: "1"),  # else a program is asked
        Gradebook(f"sqlite:///{path}", "course") as book,
    ):
        book.add_assignment(ASSIGNMENT)
        for notebook in ("one", "two"):
            book.add_notebook(notebook, ASSIGNMENT)
            where = notebook, ASSIGNMENT
            for name, cell_type in (("check", "code"), ("words", "markdown")):
                book.add_grade_cell(name, *where, max_score=4, cell_type=cell_type)
                book.add_source_cell(name, *where, cell_type=cell_type, locked=name == "check")
            for name in ("answer", "words"):
                book.add_solution_cell(name, *where)
            book.add_task_cell("task", *where, max_score=2, cell_type="markdown")
    return path


@pytest.fixture
def address(fresh, tmp_path):
    """A copy of it."""
    return f"sqlite:///{shutil.copy(fresh, tmp_path / 'gradebook.db')}"


@pytest.fixture
def run(address):
    with one_gradebook(address, "course") as book:
        yield book


def written(address):
    """All grades and comments, by student."""
    with Gradebook(address, "course") as book:
        return {
            student.id: sorted(
                (notebook.name, type(row).__name__, row.name, str(_value(row)))
                for submission in student.submissions
                for notebook in submission.notebooks
                for row in (*notebook.grades, *notebook.comments)
            )
            for student in book.students
        }


def _value(row):
    if isinstance(row, api.Grade):
        return row.auto_score, row.manual_score, row.extra_credit, row.needs_manual_grade
    return row.auto_comment, row.manual_comment


def grade(book, student, points=3.0):
    """As nbgrader's steps do it, commits included."""
    book.update_or_create_student(student)
    book.update_or_create_submission(ASSIGNMENT, student)
    book.find_grade("check", "one", ASSIGNMENT, student).auto_score = points
    book.db.commit()
    book.find_comment("answer", "one", ASSIGNMENT, student).auto_comment = "Well said."
    book.db.commit()


@pytest.mark.filterwarnings("ignore:Object of type")  # nbgrader's own, of its own gradebook
def test_it_writes_what_nbgrader_s_writes(address, run):
    grade(run, "ann")
    run.save()
    ours = written(address)["ann"]
    with Gradebook(address, "course") as theirs:
        grade(theirs, "bob")
    assert ours == written(address)["bob"]
    assert len(ours) == 2 * (3 + 3)


def test_nothing_is_seen_before_it_is_saved(address, run):
    grade(run, "ann")
    assert written(address) == {}
    run.save()
    assert list(written(address)) == ["ann"]


def test_what_is_undone_costs_nobody_else(address, run):
    grade(run, "ann")
    run.save()
    grade(run, "bob")
    run.undo()
    grade(run, "cid")
    run.save()
    assert list(written(address)) == ["ann", "cid"]


def test_a_lock_costs_nobody_but_the_student_of_the_moment(address):
    other = sqlite3.connect(address.removeprefix("sqlite:///"))
    with one_gradebook(f"{address}?timeout=0.1", "course") as run:
        other.execute("begin exclusive")
        with pytest.raises(OperationalError, match="locked"):
            grade(run, "ann")
        run.undo()
        other.rollback()
        grade(run, "bob")
        run.save()
    other.close()
    assert list(written(address)) == ["bob"]


def test_a_submission_that_is_there_is_found_with_all_its_rows(address, run):
    grade(run, "ann")
    run.save()
    found = run.submission(ASSIGNMENT, "ann")
    assert list(found.notebooks) == ["one", "two"]
    for notebook in found.notebooks:
        names = [name for book, name in found.grades if book == notebook]
        assert sorted(names) == ["check", "task", "words"]
        names = [name for book, name in found.comments if book == notebook]
        assert sorted(names) == ["answer", "task", "words"]


@pytest.mark.parametrize(
    ("fields", "points"),
    [
        ({"auto_score": 3.0}, 3.0),
        ({"auto_score": 3.0, "manual_score": 1.5}, 1.5),
        ({"auto_score": 3.0, "extra_credit": 0.5}, 3.5),
        ({"auto_score": None}, 0.0),
    ],
)
def test_it_adds_up_as_nbgrader_does(address, run, fields, points):
    grade(run, "ann")
    row = run.find_grade("check", "one", ASSIGNMENT, "ann")
    for name, value in fields.items():
        setattr(row, name, value)
    found = run.submission(ASSIGNMENT, "ann")
    found.notebooks["two"].late_submission_penalty = 0.5
    ours = found.marks()
    run.save()
    with Gradebook(address, "course") as book:
        theirs = book.find_submission(ASSIGNMENT, "ann")
        assert ours == (
            theirs.score, theirs.max_score, theirs.late_submission_penalty,
            theirs.needs_manual_grade,
        )  # fmt: skip
    assert found.marks()[0] == points


def test_a_penalty_is_reckoned_from_what_was_just_written(run):
    """nbgrader's step for lateness asks the database for the score of a notebook."""
    grade(run, "ann", 3.5)
    assert run.find_submission_notebook("one", ASSIGNMENT, "ann").score == 3.5


def test_what_is_not_there_is_said_as_nbgrader_says_it(run):
    grade(run, "ann")
    for ask in (
        lambda: run.find_student("bob"),
        lambda: run.find_assignment("second"),
        lambda: run.find_notebook("three", ASSIGNMENT),
        lambda: run.find_source_cell("gone", "one", ASSIGNMENT),
        lambda: run.find_graded_cell("gone", "one", ASSIGNMENT),
        lambda: run.find_submission(ASSIGNMENT, "bob"),
        lambda: run.find_submission_notebook("three", ASSIGNMENT, "ann"),
        lambda: run.find_grade("answer", "one", ASSIGNMENT, "ann"),
        lambda: run.find_comment("check", "one", ASSIGNMENT, "ann"),
    ):
        with pytest.raises(MissingEntry):
            ask()


def test_memory_does_not_grow_with_the_class(run):
    held = []
    for number in range(6):
        grade(run, f"s{number}")
        run.save()
        held.append(len(list(run.db)))
    assert len(set(held)) == 1


def test_it_asks_little_of_the_database_for_a_student(run):
    """The assignment is read for the first student, and a submission's rows all at once."""
    asked = []
    event.listen(run.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    for student in ("ann", "bob"):
        del asked[:]
        grade(run, student)
        run.save()
    assert not [statement for statement in asked if "FROM source_cell" in statement]
    assert len(asked) < 20


def test_nbgrader_s_steps_get_it_while_it_lasts(address):
    with one_gradebook(address, "course") as book:
        assert saveautogrades.Gradebook(address) is book
        book.close()  # as the steps do
        assert book.find_assignment(ASSIGNMENT).name == ASSIGNMENT
    assert saveautogrades.Gradebook is Gradebook
