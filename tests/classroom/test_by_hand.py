"""Answers in words: what a person enters becomes grades, and stays when grading is repeated."""

import csv
import shutil

import pytest
from click.testing import CliRunner

from autograder.cli import app
from tests.conftest import ROOT


def rows_of(path):
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.fixture
def graded(tmp_path):
    """Grade a class of three into a folder, as often as wanted."""
    for student, file in (("ann", "solutions"), ("bob", "exercises")):
        folder = tmp_path / "class" / student
        folder.mkdir(parents=True)
        shutil.copy(ROOT / file / "reflection.py", folder)
    (tmp_path / "class" / "cem").mkdir()

    def grade():
        args = ["grade", str(tmp_path / "class"), "--out", str(tmp_path / "out")]
        args += ["--exercise", "reflection", "--course", str(ROOT), "--workers", "1"]
        result = CliRunner().invoke(app, args)
        return result, {row["student"]: row for row in rows_of(tmp_path / "out" / "grades.csv")}

    grade.table = tmp_path / "out" / "by-hand.csv"
    grade.page = tmp_path / "out" / "by-hand.html"
    return grade


def fill_in(path, points):
    rows = rows_of(path)
    for row, each in zip(rows, points, strict=True):
        row["points"], row["comment"] = each, f"=comment on {row['question']}"
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0].keys())
        table.writeheader()
        table.writerows(rows)


def test_answers_wait_for_a_person(graded):
    _, rows = graded()
    assert rows["ann"]["status"] == "by hand"
    assert rows["ann"]["reflection"] == ""
    assert rows["bob"]["reflection"] == "0"
    assert rows["cem"]["status"] == "missing"
    assert [row["student"] for row in rows_of(graded.table)] == ["ann"] * 3
    assert "variance d_k" in graded.page.read_text()
    assert "1 point: large scores push the softmax" in graded.page.read_text()


def test_points_of_a_person_become_the_grade_and_stay(graded):
    graded()
    fill_in(graded.table, ["4", "2,5", "3"])
    _, rows = graded()
    assert rows["ann"]["reflection"] == "9.5"
    assert rows["ann"]["status"] == "graded"
    before = graded.table.read_text()
    assert "'=comment on why_scale" in before
    assert graded()[1] == rows
    assert graded.table.read_text() == before


def test_some_answers_may_wait(graded):
    graded()
    fill_in(graded.table, ["4", "", "3"])
    _, rows = graded()
    assert (rows["ann"]["reflection"], rows["ann"]["status"]) == ("7", "by hand")


@pytest.mark.parametrize("points", ["5", "-1", "many"])
def test_points_that_cannot_be_are_refused_with_their_line(graded, points):
    graded()
    fill_in(graded.table, ["4", points, "3"])
    result, _ = graded()
    assert "by-hand.csv, line 3" in str(result.exception)
    assert "from 0 to 4" in str(result.exception)


def test_a_table_that_is_no_utf_8_is_refused(graded):
    graded()
    graded.table.write_bytes(
        graded.table.read_bytes() + "ann,reflection,why_scale,4,4,gr\xfcn".encode("latin-1")
    )
    result, _ = graded()
    assert "Save it as CSV in UTF-8" in str(result.exception)


def test_a_table_without_its_columns_is_refused(graded):
    graded()
    graded.table.write_text("name,points\nann,4\n")
    result, _ = graded()
    assert "the columns student, exercise, question, of, comment are missing" in str(
        result.exception
    )
