"""What is missing is said in one sentence, before any work is done."""

import importlib.util
import re
import sys
import tomllib

import pytest

from autograder.cli import app
from autograder.course import installation
from autograder.course.errors import UserError
from autograder.course.installation import CPU_BUILDS, MODULES, engine_folder, install_command

COURSE = """
title: T
exercises:
  - {name: one, title: One, points: 1}
  - {name: two, title: Two, points: 1, needs: torch}
assignments: [{name: week, title: Week, exercises: [two]}]
"""


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """An environment without any extra, in a course that has nothing but its file."""
    found = importlib.util.find_spec
    missing = {name for names in MODULES.values() for name in names}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name in missing else found(name, *a)
    )
    (tmp_path / "course.yml").write_text(COURSE)
    (tmp_path / "two.py").write_text("")
    (tmp_path / "class").mkdir()
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("command", "missing", "extra"),
    [
        (["build"], "jupytext and nbformat", "authoring"),
        (["variants", "students.csv", "--out", "o"], "jupytext and nbformat", "authoring"),
        (["new", "exercise", "three"], "jupytext and nbformat", "authoring"),
        (["new", "course", "other"], "jupytext and nbformat", "authoring"),
        (["release", "kit"], "hatchling", "release"),
        (["nbgrader", "init", "folder"], "nbgrader", "nbgrader"),
        (["desk", "results"], "starlette, uvicorn and python_multipart", "desk"),
        (["verify", "one"], "cosmic_ray", "verify"),
        (["verify", "two", "--no-mutants"], "The exercise two needs torch", "torch"),
        (["check", "two.py"], "The exercise two needs torch", "torch"),
        (["grade", "class", "--out", "o"], "The exercise two needs torch", "torch"),
    ],
)
def test_the_extra_is_named(bare, tmp_path, command, missing, extra):
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UserError) as caught:
        app(command, standalone_mode=False)
    said = str(caught.value)
    clone = engine_folder().parent
    command = f"torch --index-url {CPU_BUILDS}" if extra == "torch" else f'-e "{clone}[{extra}]"'
    assert missing in said and said.endswith(f"Run: {sys.executable} -m pip install {command}")
    assert "\n" not in said
    assert sorted(tmp_path.rglob("*")) == before


def test_every_extra_that_a_message_names_is_one(root):
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(MODULES) <= set(project["optional-dependencies"])


def test_without_a_clone_the_libraries_are_installed(monkeypatch, tmp_path):
    """No package index has the project: its own name would find nothing."""
    monkeypatch.setattr(installation, "engine_folder", lambda: tmp_path / "autograder")
    command = install_command("nbgrader", "torch")
    assert installation.PACKAGE not in command
    assert command.index("torch --index-url") < command.index(" && ")
    libraries = re.findall(r'"([\w-]+)>=', command)
    assert libraries == ["jupytext", "nbformat", "nbgrader", "nh3"]
