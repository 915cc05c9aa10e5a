"""Results for continuous integration: each format by its own rules, with hostile texts in it."""

import re
import xml.etree.ElementTree as ET

import msgspec
import pytest

from autograder.cli.result_files import ResultFiles, write_result_files
from autograder.course.errors import UserError
from autograder.report.html import check_html
from autograder.report.model import CheckReport, Diagnosis, Evidence, ExerciseReport, Line
from autograder.report.test_results import (
    ShownExercise,
    annotations,
    cases_of,
    job_summary,
    junit,
)

EVIL = "</failure> ]]> | `x` <img src=x> @all ::warning:: \x00\x1b 100%"
TEXT = "import numpy\n\n\ndef other(x):\n    return x\n\n\ndef softmax(x):\n    return other(x)\n"
CHECKS = (
    CheckReport(name="a", title="First", points=2.0, max_points=2.0, outcome="passed"),
    CheckReport(
        name="b",
        title="Second: a, b",
        points=0.0,
        max_points=4.0,
        outcome="failed",
        finding=EVIL,
        evidence=Evidence(call="softmax([1, 2])", yours="```\n" + EVIL, expected="2"),
        hints=("Look.",),
    ),
    CheckReport(
        name="c",
        title="Third",
        points=0.0,
        max_points=3.0,
        outcome="timed out",
        finding="No answer.",
        place=Line(file="softmax.py", line=9),
    ),
    CheckReport(
        name="d",
        title="Fourth",
        points=0.0,
        max_points=3.0,
        outcome="not run",
        finding="It needs Third.",
        diagnosis=Diagnosis(kind="located", finding="Wrong.", function="other"),
    ),
)
EXERCISE = ExerciseReport(
    name="softmax",
    title="Softmax",
    status="timed out",
    points=2.0,
    max_points=12.0,
    file="softmax.py",
    checks=CHECKS,
)
MISSING = ExerciseReport(
    name="qkv", title="QKV", status="missing", points=0.0, max_points=9.0, reason="Nothing came."
)
SHOWN = [ShownExercise(EXERCISE, "work/softmax.py", TEXT), ShownExercise(MISSING)]


def test_the_line_is_the_students():
    """Where it failed; else where the function begins that it is about."""
    assert [case.line for case in cases_of(SHOWN[0])] == [None, 8, 9, 4]
    in_a_notebook = msgspec.structs.replace(SHOWN[0], path="softmax.ipynb")
    assert [case.line for case in cases_of(in_a_notebook)] == [None] * 4
    broken = msgspec.structs.replace(SHOWN[0], text="def softmax(x:")
    assert [case.line for case in cases_of(broken)] == [None, None, 9, None]


def test_junit():
    root = ET.fromstring(junit(SHOWN))
    assert root.attrib | {"tests": "5", "failures": "1", "errors": "1", "skipped": "2"} == (
        root.attrib
    )
    first, second = root.findall("testsuite")
    assert first.find("properties/property[@name='points']").attrib["value"] == "2"
    cases = first.findall("testcase")
    assert [case.attrib.get("line") for case in cases] == [None, "8", "9", "4"]
    assert {case.attrib["file"] for case in cases} == {"work/softmax.py"}
    assert [[each.tag for each in case] for case in cases] == [
        [],
        ["failure"],
        ["error"],
        ["skipped"],
    ]
    assert "</failure> ]]>" in cases[1].find("failure").text
    assert second.find("testcase/skipped").attrib["message"] == "Nothing came."


def test_a_summary_in_which_nothing_acts(monkeypatch):
    text = job_summary(SHOWN).decode()
    assert text.startswith("## 2 of 21 points in 2 exercises\n")
    row = next(line for line in text.split("\n") if line.startswith("| softmax |"))
    assert row.replace("\\|", "").count("|") == 4
    assert "<img" not in row and "@all" not in row
    fence = next(line for line in text.split("\n") if line.startswith("````text"))
    assert text.count(fence.removesuffix("text")) == 2
    assert "**Second: a, b**, line 8" in text
    many = [msgspec.structs.replace(SHOWN[0], student=f"s{n}") for n in range(20)]
    monkeypatch.setattr("autograder.report.test_results.MAX_SUMMARY", 5000)
    long = job_summary(many)
    assert len(long) < 5100 and long.endswith(b"The rest has no room here.\n")


def test_annotations_are_one_line_each():
    first, second = annotations(SHOWN)
    assert first.startswith("::error file=work/softmax.py,line=8,title=Second%3A a%2C b::")
    assert first.endswith("100%25") and "\n" not in first
    assert second == "::error file=work/softmax.py,line=9,title=Third::No answer."


def test_a_check_as_html_holds_nothing_that_acts():
    """Only the tags of our own, for whoever shows it as it comes."""
    tags = set(re.findall(r"<\s*/?\s*(\w+)", check_html(CHECKS[1])))
    assert tags == {"p", "pre"}
    assert check_html(CHECKS[0]).strip() == "" and "<p>Hint: Look.</p>" in check_html(CHECKS[1])


def test_the_same_work_gives_the_same_bytes():
    for make in (junit, job_summary):
        assert make(SHOWN) == make(list(SHOWN))


def test_a_file_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        write_result_files(ResultFiles(junit=tmp_path / "file" / "x.xml"), SHOWN)
