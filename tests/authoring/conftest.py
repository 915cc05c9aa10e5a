"""A course on words whose answers contain unique marks, and its released files."""

import importlib.abc
import shutil
import sys
from pathlib import Path

import pytest

from autograder.authoring.kit_files import ReleaseOptions
from autograder.authoring.release import bundle
from autograder.course.course_file import load_course
from autograder.course.files import write_files

NAMES = ("word_counts", "byte_pairs")
LONGER = """

def longer(text):
    return sorted({word: len(word) for word in text.split() if word}.items(), key=lambda p: p[1])
"""


def mark(word):
    """Return a word that occurs nowhere else."""
    return f"zq{word}qz"


def planted(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text, path
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture(scope="session")
def marked(root, tmp_path_factory):
    """Return the course's folder; each name, text, comment and docstring of an answer is marked."""
    folder = tmp_path_factory.mktemp("course") / "text"
    shutil.copytree(root / "examples/courses/text", folder)
    for name in NAMES:
        for extra in sorted((folder / "examples/right" / name).glob("*.py"))[1:]:
            extra.unlink()
        solution = folder / f"solutions/{name}.py"
        begin = "    ### BEGIN SOLUTION\n"
        planted(
            solution, begin, f"{begin}    {mark('solution')} = '{mark('text')}'  # {mark('c')}\n"
        )
        checks = folder / f"reference/checks/test_{name}.py"
        planted(checks, "def test_other_texts(", f"def test_{mark('hidden')}(")
        last = "    expect_independent_calls(submission, calls)\n"
        planted(checks, last, f"{last}    {mark('input')} = '{mark('value')}'\n")
        text = checks.read_text(encoding="utf-8")
        checks.write_text(f"# {mark('comment')}\n{text}\n\ndef {mark('unused')}():\n    pass\n")
        path = folder / f"reference/misconceptions/{name}.py"
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text}\n\n{mark('wrong')} = lambda s: '{mark('lambda')}'\n")
    for path in (folder / "reference").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        path.write_text(
            f"{text}\n\ndef {mark('reference')}():\n    return '{mark('right')}'\n{LONGER}"
        )
    return load_course(folder / "course.yml")


def files_of(course, policy="practice", form="py"):
    """Return the released files of the course."""
    exercises = tuple(course.exercise(name) for name in NAMES)
    return bundle(course, ReleaseOptions(exercises, policy, form, seeds=1))


@pytest.fixture(scope="session")
def released(marked):
    return files_of(marked)


@pytest.fixture
def kit(released, tmp_path):
    """Return a folder with the released course."""
    write_files(tmp_path / "kit", released)
    return tmp_path / "kit"


class _NoReference(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"reference", "solutions"}:
            raise AssertionError(f"a released course imports {name}")
        return


@pytest.fixture
def without_reference(monkeypatch):
    """Make the course's answers impossible to import."""
    monkeypatch.setattr(sys, "meta_path", [_NoReference(), *sys.meta_path])
    for name in [each for each in sys.modules if each.partition(".")[0] == "reference"]:
        monkeypatch.delitem(sys.modules, name)


@pytest.fixture
def text_course(root) -> Path:
    return root / "examples/courses/text"
