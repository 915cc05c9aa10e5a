"""A course without slips is not looked through again until one of its files has changed."""

import os
import shutil

import pytest

from autograder.authoring import lint
from autograder.authoring.lint_cache import refuse_new_errors
from autograder.course.course_file import load_course
from autograder.course.errors import UserError


@pytest.fixture
def course(tmp_path, monkeypatch, text_course):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(text_course, tmp_path / "text")
    return load_course(tmp_path / "text" / "course.yml")


@pytest.fixture
def looked(course, monkeypatch):
    """Look at all exercises; how often that was needed so far."""
    times = []
    monkeypatch.setattr(lint, "refuse_authoring_errors", lambda *_: times.append(1))

    def at_all():
        refuse_new_errors(course, course.content.exercises)
        return len(times)

    return at_all


def test_the_same_files_are_looked_at_once(looked):
    assert looked() == looked() == 1


def test_whatever_changes_is_looked_at(looked, course):
    assert looked() == 1
    (course.grading[0] / "more.py").write_text("")
    assert looked() == 2
    os.utime(course.root / "course.yml", ns=(0, 0))
    assert looked() == looked() == 3


def test_other_exercises_and_other_ways_to_look_are_others(course, looked, monkeypatch):
    def refuse(*_):
        raise UserError("A slip.")

    monkeypatch.setattr(lint, "refuse_errors_in_code", refuse)
    assert looked() == 1
    with pytest.raises(UserError):
        refuse_new_errors(course, course.content.exercises, only_code=True)
    with pytest.raises(UserError):  # what was refused is not known to be good
        refuse_new_errors(course, course.content.exercises, only_code=True)
    assert looked() == 1
    refuse_new_errors(course, course.content.exercises[:0])
    assert looked() == 2


def test_a_cache_that_cannot_be_written_is_none(looked, tmp_path):
    (tmp_path / "cache").write_text("in the way")
    assert (looked(), looked()) == (1, 2)
