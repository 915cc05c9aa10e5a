"""Missing, not loaded and too late work counts in exports as course.yml says; results stay as they are."""

import csv
import io
import zipfile

import msgspec
import pytest
import yaml

from autograder.classroom.grades import grade_of, read_reports, under_policy
from autograder.course.course_file import load_course, parse_course
from autograder.course.errors import UserError
from tests.classroom.quick import Quick

ALL = ("one", "two")


@pytest.fixture
def quick(tmp_path, monkeypatch):
    """`ann` has all, `bob` one of two, `cem` nothing, `dan` is too late, `eve` has no Python."""
    quick = Quick(tmp_path, monkeypatch)
    (quick.root / "roster.csv").write_text(
        "id,handed_in\nann,\nbob,\ncem,\ndan,2028-01-01T00:00\neve,\n"
    )
    for student in ("ann", "dan", "eve"):
        quick.work(student, one="a=5 b=5", two="a=5 b=5")
    quick.work("bob", one="a=5 b=5")
    quick.work("cem")
    file = quick.class_folder / "eve" / "two.py"
    file.unlink()
    file.with_suffix(".ipynb").write_text(
        '{"cells": [{"cell_type": "code", "source": "x <- 1", "metadata": {}}], "nbformat": 4,'
        ' "metadata": {"language_info": {"name": "R"}}}'
    )
    change(quick, late={"until_days": 0})
    quick.grade(roster=quick.root / "roster.csv")
    return quick


def change(quick, **settings):
    path = quick.root / "course.yml"
    content = yaml.safe_load(path.read_text()) | settings
    path.write_text(yaml.safe_dump(content))
    return load_course(path)


def exported(quick):
    """What the table for mails has of each student."""
    quick.run("export", "feedback", quick.out, "--out", quick.out / "f.zip")
    with zipfile.ZipFile(quick.out / "f.zip") as file:
        text = file.read("mail-merge.csv").decode("utf-8-sig")
    rows = csv.DictReader(io.StringIO(text))
    return {row["id"]: f"{row['points'] or '-'}/{row['maximum']}" for row in rows}


NOW = {"ann": "20/20", "bob": "10/20", "cem": "-/20", "dan": "0/20", "eve": "-/20"}


@pytest.mark.parametrize(
    ("policy", "changes"),
    [
        ({}, {}),
        ({"missing": 0}, {"cem": "0/20"}),
        ({"missing": "excused"}, {"bob": "10/10", "cem": "EX/0"}),
        ({"not_loaded": 0}, {"eve": "10/20"}),
        ({"not_loaded": "excused"}, {"eve": "10/10"}),
        ({"too_late": "empty"}, {"dan": "-/20"}),
        ({"too_late": "excused"}, {"dan": "EX/0"}),
        (
            {"missing": 0, "not_loaded": 0, "too_late": "empty"},
            {"cem": "0/20", "eve": "10/20", "dan": "-/20"},
        ),
    ],
)
def test_the_policy_is_in_exports(quick, policy, changes):
    records = (quick.out / "report.jsonl").read_bytes(), (quick.out / "grades.csv").read_bytes()
    change(quick, export=policy)
    assert exported(quick) == NOW | changes
    change(quick, export={})
    assert exported(quick) == NOW  # taken back
    assert records == (
        (quick.out / "report.jsonl").read_bytes(),
        (quick.out / "grades.csv").read_bytes(),
    )


def test_points_that_a_person_gave_stay(quick):
    quick.run("adjust", quick.out, "eve", "two", "--add", "3", "--why", "on paper")
    quick.run("adjust", quick.out, "cem", "one", "--set", "4", "--why", "on paper")
    quick.grade(roster=quick.root / "roster.csv")
    course = change(quick, export={"missing": 0, "not_loaded": "excused"})
    found = {r.student: grade_of(under_policy(r, course), ALL) for r in read_reports(quick.out)}
    assert (found["cem"].points, found["cem"].maximum) == (4, 20)
    assert found["eve"].maximum == 20


def test_a_column_of_one_assignment(quick):
    course = change(quick, export={"missing": "excused", "too_late": "excused"})
    reports = {r.student: under_policy(r, course) for r in read_reports(quick.out)}
    assert grade_of(reports["bob"], ("two",), "second").excused
    assert grade_of(reports["bob"], ("one",), "first").points == 10
    assert grade_of(reports["dan"], ("one",), "first").excused
    assert reports["dan"].lateness == ()


@pytest.mark.parametrize("value", [1, "zero", None, "0"])
def test_another_value_is_refused(quick, value):
    path = quick.root / "course.yml"
    content = yaml.safe_load(path.read_text()) | {"export": {"missing": value}}
    with pytest.raises(UserError, match="missing"):
        parse_course(path, yaml.safe_dump(content))


def test_it_is_the_same_for_every_order_of_statuses(quick):
    """Nothing of the points changes: only what is left out, and from how much."""
    course = change(quick, export={"missing": "excused", "not_loaded": 0, "too_late": "empty"})
    for report in read_reports(quick.out):
        after = under_policy(report, course)
        assert after.points == report.points
        assert msgspec.json.decode(msgspec.json.encode(after), type=type(after)) == after
