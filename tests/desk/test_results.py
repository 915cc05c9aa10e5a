"""Results are read once, and again when they have changed."""

import pytest

from autograder.course.errors import UserError
from autograder.desk import view
from autograder.desk.results import ClassResults
from tests.courses import write_course
from tests.desk.conftest import client_of, let_in, text_of
from tests.desk.generated import drawn_class, write


@pytest.fixture
def counted(monkeypatch):
    """How often a class is read."""
    read = []
    whole = view.ClassResults
    monkeypatch.setattr(view, "ClassResults", lambda *args: read.append(args) or whole(*args))
    return read


def test_a_class_is_read_once_for_all_pages(tmp_path, course, counted):
    client = let_in(client_of(write(tmp_path, drawn_class(5)), course))
    for page in ("/", "/students/u0001", "/exercises/softmax", "/map", "/"):
        assert client.get(page).status_code == 200
    assert len(counted) == 1


def test_what_another_command_has_changed_is_there_at_once(tmp_path, course, counted):
    client = let_in(client_of(write(tmp_path, drawn_class(5)), course))
    assert "5 of 5 students" in text_of(client.get("/"))
    write(tmp_path, drawn_class(7, seed=1))
    assert "7 of 7 students" in text_of(client.get("/"))
    assert client.get("/students/u0006").status_code == 200
    assert len(counted) == 2


def test_results_that_go_are_said_to_be_gone(tmp_path, course):
    client = let_in(client_of(write(tmp_path, drawn_class(2)), course))
    (tmp_path / "report.jsonl").unlink()
    answer = client.get("/")
    assert answer.status_code == 422
    assert "holds no report.jsonl" in text_of(answer)


def test_a_folder_without_results_is_refused(tmp_path, course):
    with pytest.raises(UserError, match="holds no report.jsonl"):
        ClassResults(tmp_path, course)


def test_an_exercise_that_left_the_course_is_shown_all_the_same(tmp_path):
    course = write_course(tmp_path, {"other": 1})
    results = write(tmp_path / "results", drawn_class(5))
    client = let_in(client_of(results, course))
    for page in ("/", "/exercises", "/exercises/softmax", "/map", "/students/u0000"):
        assert client.get(page).status_code == 200
