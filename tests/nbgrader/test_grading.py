"""What grades within nbgrader's own processes, which may live as long as a server does."""

import shutil

import pytest

from autograder.authoring.build import as_book
from autograder.course.errors import UserError
from autograder.nbgrader import grader_process
from autograder.nbgrader.grading import grading_of
from tests.nbgrader.course import ShortCourse, solution


@pytest.fixture
def kit(tmp_path):
    kit = ShortCourse(tmp_path).kit
    yield kit
    grading_of(str(kit)).close()


def graded(course, folder, text):
    return grading_of(str(course)).report("ann", "softmax", as_book(text), folder).report


def test_a_report_is_made_once_for_a_source(kit, tmp_path):
    waits = []
    grading_of(str(kit)).before_grading = lambda: waits.append("for a report")
    first = graded(kit, tmp_path, solution("softmax"))
    assert first.points == 12
    assert graded(kit, tmp_path, solution("softmax")) is first
    assert len(waits) == 1
    assert graded(kit, tmp_path, solution("softmax", ("axis=axis", "axis=0"))).points == 3
    assert len(waits) == 2


def test_a_course_that_has_changed_is_read_anew(kit, tmp_path):
    assert graded(kit, tmp_path, solution("softmax")).title == "Softmax"
    file = kit / "course.yml"
    file.write_text(file.read_text().replace("title: Softmax", "title: The softmax"))
    assert graded(kit, tmp_path, solution("softmax")).title == "The softmax"


def test_the_last_course_is_meant_where_none_is_named(kit, tmp_path):
    (tmp_path / "other").mkdir()
    other = ShortCourse(tmp_path / "other").kit
    for course in (kit, other, kit):
        grading_of(str(course))
        assert grading_of("").course.root == course.resolve()
    grading_of(str(other)).close()


def test_a_process_that_ends_is_started_anew(kit, tmp_path):
    assert graded(kit, tmp_path, solution("softmax")).points == 12
    process = grading_of(str(kit))._process._process
    process.kill()
    process.wait()
    assert graded(kit, tmp_path, solution("softmax", ("axis=axis", "axis=0"))).points == 3


def test_a_submission_that_ends_it_again_is_for_a_person(kit, tmp_path, monkeypatch):
    monkeypatch.setattr(grader_process.sys, "executable", shutil.which("true"))
    report = graded(kit, tmp_path, solution("softmax"))
    assert (report.status, report.points) == ("needs a person", 0)
    assert report.reason == "The grader itself failed: its process ended."


def test_a_course_that_cannot_be_used_is_said_in_a_sentence(kit, tmp_path):
    grading = grading_of(str(kit))
    whole = (kit / "course.yml").read_text()
    (kit / "course.yml").write_text("exercises: 3")
    with pytest.raises(UserError, match="course.yml"):
        grading.report("ann", "softmax", as_book(solution("softmax")), tmp_path)
    (kit / "course.yml").write_text(whole)
