"""What grades within nbgrader's own processes, which may live as long as a server does."""

import contextlib

import pytest

from autograder.authoring.build import as_book
from autograder.course.errors import UserError
from autograder.nbgrader import grading as module
from autograder.nbgrader.grading import grading_of, open_grading
from tests.nbgrader.course import ShortCourse, solution


@pytest.fixture
def kit(tmp_path):
    return ShortCourse(tmp_path).kit


def report(grading, folder, text):
    return grading.report("ann", "softmax", as_book(text), folder).report


def test_a_report_is_made_once_for_a_source(kit, tmp_path):
    waits = []
    grading = grading_of(str(kit))
    grading.before_grading = lambda: waits.append("for a report")
    first = report(grading, tmp_path, solution("softmax"))
    assert first.points == 12
    assert report(grading, tmp_path, solution("softmax")) is first
    assert len(waits) == 1
    assert report(grading, tmp_path, solution("softmax", ("axis=axis", "axis=0"))).points == 3
    assert len(waits) == 2


def test_a_course_that_has_changed_is_read_anew(kit, tmp_path):
    assert report(grading_of(str(kit)), tmp_path, solution("softmax")).title == "Softmax"
    file = kit / "course.yml"
    file.write_text(file.read_text().replace("title: Softmax", "title: The softmax"))
    assert report(grading_of(str(kit)), tmp_path, solution("softmax")).title == "The softmax"


def test_the_course_of_the_run_is_meant_where_none_is_named(kit):
    course = grading_of(str(kit)).course
    with open_grading(course) as grading:
        assert grading_of("") is grading
        assert grading_of(str(kit)) is grading
    with pytest.raises(UserError, match="does not name the course"):
        grading_of("")


def test_a_submission_whose_process_always_ends_is_for_a_person(kit, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "open_pool", lambda _: contextlib.nullcontext(ends_always))
    found = report(grading_of(str(kit)), tmp_path, solution("softmax"))
    assert (found.status, found.points) == ("needs a person", 0)
    assert found.reason == "The grader itself failed: its process ended."


def ends_always(tasks, setup):
    """As a pool whose judges die."""
    return ((task, {}) for task in tasks)


def test_a_course_that_cannot_be_used_is_said_in_a_sentence(kit):
    (kit / "course.yml").write_text("exercises: 3")
    with pytest.raises(UserError, match="course.yml"):
        grading_of(str(kit))
