"""The worked examples for authors: `verify` has no fault, and they stay short."""

import pytest

from autograder.authoring.verify import STEPS, Verifier
from autograder.cli import app
from autograder.course.course_file import load_course
from tests.conftest import ROOT

FOLDER = ROOT / "examples/courses/worked"
COURSE = load_course(FOLDER / "course.yml")
# Mistakes of each exercise, and most lines: 60 % of what the same exercise once took.
EXERCISES = {"gram_schmidt": (14, 130), "priority_queue": (8, 144), "swiglu": (24, 222)}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", EXERCISES)
def test_a_worked_example_has_no_fault(name):
    steps = [step for step in STEPS if step != "mutants"]
    result = Verifier(COURSE, COURSE.exercise(name)).run(steps)
    assert result.faults == []
    assert result.named == result.misconceptions == EXERCISES[name][0]


@pytest.mark.parametrize("name", EXERCISES)
def test_a_worked_example_is_short(name):
    folders = ("solutions", "reference", "examples/right")
    paths = [path for folder in folders for path in (FOLDER / folder).rglob("*.py")]
    own = [path for path in paths if name in path.parent.name or name in path.name]
    assert len(own) >= 5
    lines = [line for path in own for line in path.read_text().splitlines()]
    assert len(lines) <= EXERCISES[name][1]


@pytest.mark.thorough
def test_verify_shows_what_students_get(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    args = ["verify", "gram_schmidt", "--course", str(FOLDER), "--workers", "1"]
    app(args, standalone_mode=False)
    said = " ".join(capfd.readouterr().out.split())
    assert "exercise right answers judged" in said
    assert "gram_schmidt 2 of 2 (100 %)" in said
