"""The journal is a cache: a row that is not what was written is graded again, and never believed."""

import sqlite3

import msgspec
import pytest

from autograder.classroom.grade_class import Job, grade_class
from autograder.classroom.records import JOURNAL, Journal

pytestmark = [pytest.mark.one_in(6), pytest.mark.usefixtures("one_judge")]


@pytest.fixture
def grade(course, tmp_path):
    for student in ("s1", "s2"):
        folder = tmp_path / "class" / student
        folder.mkdir(parents=True)
        (folder / "causal_mask.py").write_text("def count_visible(n): return n\n")

    def grade():
        exercises = (course.exercise("causal_mask"),)
        job = Job(
            course=course,
            exercises=exercises,
            submissions=tmp_path / "class",
            out=tmp_path / "out",
            workers=1,
            seed=0,
        )
        grade_class(job, lambda *_: None)
        return (tmp_path / "out" / "report.jsonl").read_bytes()

    grade.journal = tmp_path / "out" / JOURNAL
    return grade


def old_schema(report):
    """As an earlier version may have written it: a field has another type, another is absent."""
    record = msgspec.json.decode(report)
    record.pop("status")
    return msgspec.json.encode(record)


CHANGES = {
    "empty": lambda report: b"",
    "cut": lambda report: report[:-20],
    "no JSON": lambda report: b"\xff" + report,
    "JSON of something else": lambda report: b"[]",
    "deep": lambda report: b"[" * 100_000,
    "an older schema": old_schema,
    "a newer schema": lambda report: report[:-1] + b',"more":1}',
    "other points": lambda report: report.replace(b'"points":0.0', b'"points":9.0'),
    "text": lambda report: report.decode(),
    "a number": lambda report: 10**12,
    "the report on another exercise": lambda report: report.replace(b"causal_mask", b"softmax"),
}


@pytest.mark.one_in(12)
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_damaged_report_is_graded_again(grade, change):
    before = grade()
    with sqlite3.connect(grade.journal) as journal:
        (report,) = journal.execute("SELECT report FROM results WHERE student='s1'").fetchone()
        assert change(report) != report
        journal.execute("UPDATE results SET report = ? WHERE student='s1'", [change(report)])
    journal.close()
    assert grade() == before
    assert grade() == before


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE results SET key = 'x'",
        "UPDATE results SET key = CAST(x'ff00fe' AS TEXT)",
        "UPDATE results SET key = 7",
        "UPDATE results SET report = (SELECT report FROM results r WHERE r.student = 's2')",
        "UPDATE results SET student = CAST(x'ff' AS TEXT) WHERE student = 's1'",
    ],
)
def test_a_damaged_row_is_graded_again(grade, damage):
    before = grade()
    with sqlite3.connect(grade.journal) as journal:
        journal.execute(damage)
    journal.close()
    assert grade() == before


def test_what_was_kept_is_found_by_its_key_only(tmp_path):
    journal = Journal(tmp_path)
    journal.keep("ann", "softmax", "key", b"report")
    assert journal.find("ann", "softmax", "key") == b"report"
    assert journal.find("ann", "softmax", "other") is None
    assert journal.find("bob", "softmax", "key") is None
    journal.close()


def test_a_sealed_report_of_another_form_is_graded_again(grade, monkeypatch):
    """Even a row that this journal wrote is not believed if it is no report of today's."""
    before = grade()
    monkeypatch.setattr(Journal, "find", lambda *_: msgspec.json.encode({"name": "causal_mask"}))
    assert grade() == before
