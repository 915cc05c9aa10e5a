"""An error in reading one student's files is that student's alone."""

import time

import pytest

from autograder.classroom import grade_class as grade_module
from autograder.classroom import submissions
from autograder.classroom.grade_class import Job, grade_class
from autograder.course.errors import UserError

RIGHT = "import numpy as np\ndef softmax(x, axis=-1):\n    return np.ones(3)\n"


@pytest.fixture
def graded(tmp_path, course, one_judge):
    for student in ("s1", "s2", "s3"):
        (tmp_path / "class" / student).mkdir(parents=True)
        (tmp_path / "class" / student / "softmax.py").write_text(f"{RIGHT}# {student}\n")

    def graded():
        job = Job(
            course=course,
            exercises=(course.exercise("softmax"),),
            submissions=tmp_path / "class",
            out=tmp_path / "out",
            workers=1,
            seed=0,
        )
        rows = grade_class(job, lambda *_: None).rows
        return {row.student: row.statuses["softmax"] for row in rows}

    return graded


def spoilt(monkeypatch, name, wrong, at="s2"):
    """A step of the reading that goes wrong for one student."""
    real = getattr(grade_module, name)

    def step(*args):
        student = next(getattr(a, "student", getattr(a, "text", "")) for a in args[:1])
        if at in student:
            wrong()
        return real(*args)

    monkeypatch.setattr(grade_module, name, step)


def raising(error):
    def wrong():
        raise error

    return wrong


@pytest.mark.one_in(3)
@pytest.mark.parametrize("step", ["read_work", "key_of"])
@pytest.mark.parametrize(
    "error",
    [
        UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"),
        RecursionError("deep"),
        MemoryError(),
        KeyError("x"),
        ZeroDivisionError(),
        OSError(5, "broken"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_while_reading(graded, monkeypatch, tmp_path, step, error):
    spoilt(monkeypatch, step, raising(error))
    assert graded() == {"s1": "graded", "s2": "needs a person", "s3": "graded"}
    assert (
        f"cannot be read ({type(error).__name__})"
        in (tmp_path / "out" / "report.jsonl").read_text()
    )


def test_an_error_in_the_numbers_of_ones_own(graded, monkeypatch):
    monkeypatch.setattr(
        grade_module, "variant_of", lambda e, s, _: raising(ValueError())() if s == "s2" else ""
    )
    assert graded() == {"s1": "graded", "s2": "needs a person", "s3": "graded"}


def test_reading_that_does_not_end(graded, monkeypatch):
    def forever():
        while True:
            time.process_time()

    monkeypatch.setattr(submissions, "READ_SECONDS", 1)
    spoilt(monkeypatch, "read_work", forever)
    assert graded() == {"s1": "graded", "s2": "needs a person", "s3": "graded"}


def test_trouble_of_the_journals_own_ends_the_run(graded, monkeypatch):
    spoilt(monkeypatch, "key_of", raising(UserError("The disk is full.")))
    with pytest.raises(UserError, match="The disk is full"):
        graded()
