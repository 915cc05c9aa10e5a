"""Results of the version before the store: they are read as they are, and go on as they would have.

`before_the_store/results` was written by that version, with marks of the desk, typed marks,
adjustments and four versions; `expected` is what its own next `grade` made of it.
"""

import csv
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.classroom.history import versions
from autograder.classroom.marking import Marking
from autograder.classroom.store import OLD_MARKS, STORE, write_store
from autograder.cli import app
from tests.conftest import ROOT

HERE = Path(__file__).parent / "before_the_store"
TABLES = ("grades.csv", "by-hand.csv", "adjustments.csv")


@pytest.fixture
def results(tmp_path):
    text = (HERE / "reflection.txt").read_text()
    for student in ("ann", "bob", "dora", "emil"):
        folder = tmp_path / "class" / student
        folder.mkdir(parents=True)
        new = "variance of d_k" if student == "dora" else "variance d_k"
        (folder / "reflection.py").write_text(text.replace("variance d_k", new))
    return Path(shutil.copytree(HERE / "results", tmp_path / "results"))


def rows(path):
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.mark.usefixtures("one_judge")
def test_the_next_run_makes_of_them_what_the_old_version_would_have(results):
    command = ["grade", str(results.parent / "class"), "--out", str(results), "--apply"]
    command += ["--exercise", "reflection", "--course", str(ROOT), "--workers", "1"]
    for _ in range(2):
        done = CliRunner().invoke(app, command)
        assert done.exit_code in {0, 1}, done.output
        for name in TABLES:
            assert rows(results / name) == rows(HERE / "expected" / name)
    assert [version.number for version, _ in versions(results)] == [1, 2, 3, 4, 5]
    assert (results / OLD_MARKS).read_bytes() == (HERE / "results" / OLD_MARKS).read_bytes()


def test_to_look_at_them_changes_nothing(results, course):
    before = {path: path.read_bytes() for path in results.rglob("*") if path.is_file()}
    found = versions(results)
    assert [(version.number, version.changed) for version, _ in found] == [
        (1, 4), (2, 2), (3, 2), (4, 2)
    ]  # fmt: skip
    desk = Marking(results, course)
    key = "bob", "reflection", "why_scale"
    standing = desk.standing(desk.answers()[key])
    assert (standing.mark.points, standing.mark.comment) == (3, "corrected")
    assert standing.by == "grader two"
    two = desk.standing(desk.answers()["emil", "reflection", "why_scale"])
    assert (two.state, two.before.points, two.other.points) == ("two marks", 3, 1)
    assert {path: path.read_bytes() for path in results.rglob("*") if path.is_file()} == before


def test_a_damaged_line_stays_named(results, course):
    old = results / OLD_MARKS
    old.write_bytes(old.read_bytes().replace(b'"points":4.0', b'"points":3.5'))
    with write_store(results) as store:
        (damaged,) = store.marks().damaged
    assert (results / STORE).is_file()
    desk = Marking(results, course)
    assert (
        desk.marks().notes([])[-1]
        == f"{STORE}: row {damaged} is damaged and not counted. Mark it again."
    )
    assert desk.standing(desk.answers()["bob", "reflection", "what_it_means"]).is_open
