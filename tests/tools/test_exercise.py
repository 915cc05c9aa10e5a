"""An exercise is renamed or removed with all its files, and the course still has no fault."""

import pytest
from click.testing import CliRunner

from autograder.authoring.verify import Verifier
from autograder.cli import app
from autograder.course.course_file import load_course
from tools.exercise import main

ASSIGNMENTS = """
assignments:
  - {name: week, title: Week, exercises: [shares, two]}
  - name: month
    title: Month
    exercises:
      - two
      - shares
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app(["new", "course", "course"], standalone_mode=False)
    app(["new", "exercise", "two", "--course", "course"], standalone_mode=False)
    path = tmp_path / "course" / "course.yml"
    path.write_text(path.read_text() + ASSIGNMENTS)
    return tmp_path / "course"


def run(*args):
    done = CliRunner().invoke(main, [*args, "--course", "."])
    assert done.exit_code == 0, done.output
    return done.output


def exercises(course):
    return [list(each.exercises) for each in course.content.assignments]


def test_rename(folder, monkeypatch):
    monkeypatch.chdir(folder)
    run("rename", "shares", "parts")
    course = load_course(folder / "course.yml")
    assert list(course.exercises) == ["parts", "two"]
    assert exercises(course) == [["parts", "two"], ["two", "parts"]]
    assert not [path for path in folder.rglob("*shares*") if "__pycache__" not in path.parts]
    text = (folder / "solutions" / "parts.py").read_text()
    assert "def parts(x):" in text and "as shares of the whole" in text and "`parts`" in text
    result = Verifier(course, course.exercise("parts")).run(["right answers", "misconceptions"])
    assert result.faults == [] and result.named == 1


def test_remove(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert "Nothing was removed" in run("remove", "two")
    assert (folder / "solutions" / "two.py").exists()
    run("remove", "two", "--yes")
    course = load_course(folder / "course.yml")
    assert list(course.exercises) == ["shares"]
    assert exercises(course) == [["shares"], ["shares"]]
    assert not [path for path in folder.rglob("*two*") if "__pycache__" not in path.parts]
