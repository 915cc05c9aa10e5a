"""nbgrader gets regular files of a bearable size, and is told what it does not get."""

import os

import pytest

from autograder.authoring.build import as_book, written
from autograder.nbgrader import clean_copy
from autograder.nbgrader.clean_copy import stage
from tests.nbgrader.course import solution

NAMES = ["softmax", "causal_mask"]


@pytest.fixture
def folder(tmp_path):
    """A submission of one of two notebooks."""
    made = tmp_path / "submitted"
    made.mkdir()
    (made / "softmax.ipynb").write_text(written(as_book(solution("softmax"))))
    (made / "timestamp.txt").write_text("2027-02-05 20:00:00 UTC")
    return made


@pytest.fixture
def staged(folder, tmp_path):
    """What is staged of it, and the files of the copy."""

    def run():
        clean = tmp_path / "clean"
        found = stage(folder, clean, NAMES, NAMES)
        return found, sorted(
            str(path.relative_to(clean)) for path in clean.rglob("*") if path.is_file()
        )

    return run


def test_what_is_there_and_what_is_not(staged, folder):
    (folder / "helper.py").write_text("x = 1")
    found, files = staged()
    assert files == ["helper.py", "softmax.ipynb", "timestamp.txt"]
    assert [source.name for source in found.sources] == ["softmax"]
    assert (found.present, found.missing) == (("softmax",), ("causal_mask",))
    assert not found.refused
    assert not found.notes


def test_links_lead_nowhere(staged, folder, tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("of the course")
    (folder / "notes.txt").symlink_to(secret / "key")
    (folder / "data").symlink_to(secret)
    (folder / "deep").mkdir()
    (folder / "deep" / "gone").symlink_to("nowhere")
    found, files = staged()
    assert files == ["softmax.ipynb", "timestamp.txt"]
    assert found.notes == ("left out: data, notes.txt, deep/gone",)


def test_pipes_do_not_stop_it(staged, folder):
    os.mkfifo(folder / "causal_mask.ipynb")
    found, files = staged()
    assert "causal_mask.ipynb" in files
    assert found.present == ("softmax", "causal_mask")
    assert "not a regular file" in found.refused["causal_mask"]


def test_a_large_file_is_left_out(staged, folder, monkeypatch):
    monkeypatch.setattr(clean_copy, "MAX_FILE", 20_000)
    (folder / "data.csv").write_bytes(b"0" * 20_001)
    found, files = staged()
    assert files == ["softmax.ipynb", "timestamp.txt"]
    assert "data.csv" in found.notes[0]


def test_of_many_files_the_notebooks_come_first(staged, folder, monkeypatch):
    monkeypatch.setattr(clean_copy, "MAX_FILES", 3)
    for number in range(9):
        (folder / f"a{number}.txt").write_text("")
    found, files = staged()
    assert files == ["a0.txt", "softmax.ipynb", "timestamp.txt"]
    assert found.notes == ("left out: all files after the first 3",)


def test_folders_without_end(staged, folder):
    (folder / "/".join("d" * 100)).mkdir(parents=True)
    found, files = staged()
    assert files == ["softmax.ipynb", "timestamp.txt"]
    assert "d/d/d" in found.notes[0]


def test_a_path_that_is_too_long_in_the_copy(folder, tmp_path):
    at = folder
    while len(str(at)) < 3800:
        at = at / ("d" * 240)
    at.mkdir(parents=True)
    (at / "file.txt").write_text("")
    longer = tmp_path / ("c" * 200) / ("c" * 200) / "clean"
    found = stage(folder, longer, NAMES, NAMES)
    assert found.present == ("softmax",)
    assert "left out: ddd" in found.notes[0]


def test_names_are_safe_to_print(staged, folder):
    (folder / "\x1b[31mred.ipynb").write_text("{}")
    found, _ = staged()
    assert found.unknown == ("\\x1b[31mred",)
