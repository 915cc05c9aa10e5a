"""What `release` reports of a student kit: right answers that it judges, and those it does not."""

import pytest
from click.testing import CliRunner

from autograder.authoring.diagnosis_records import names_of
from autograder.authoring.kit_files import ReleaseOptions
from autograder.authoring.recording import KitShares
from autograder.authoring.release import bundle, shares_of
from autograder.cli import app
from autograder.course.course_file import load_course
from autograder.course.errors import UserError
from tests.authoring.course import CHECKS, MISTAKES, REFERENCE, make

OWN_CALLER = """

class ByWidth:
    def ask(self, submission, recipe, probe):
        return submission.area(*probe.args)

    def simulated(self, recipe, original, wrong):
        return lambda width, height=1: recipe.run(Probe((width, height)), wrong)
"""
OBJECT = """

class Answer:
    def __init__(self, value):
        self.value = value

    def right(self):
        return self.value


def answer(*sides):
    return Answer(area(*sides))
"""
FAILS_THERE = '@pytest.mark.check("The area", points=2'
NEVER = """

@pytest.mark.check("The area of an object")
def test_object(submission, reference):
    expect_close(submission.area(2, 3), reference.answer(2, 3).right())
"""


def released(folder, **whole):
    """The course, its only exercise, and the files of its release."""
    course = load_course(make(folder, **whole) / "course.yml")
    options = ReleaseOptions(tuple(course.exercises.values()), "practice", seeds=1)
    return course, options, bundle(course, options)


def shares(folder, **whole):
    course, options, files = released(folder, **whole)
    (found,) = shares_of(course, files, options)
    return found


def test_a_right_answer_that_cannot_be_read_stops_the_release(tmp_path):
    """Release left it out without a word: it counted neither as judged nor as not."""
    course = load_course(make(tmp_path) / "course.yml")
    path = tmp_path / "examples/right/areas/latin.py"
    path.parent.mkdir(parents=True)
    path.write_bytes("größe = 1\n".encode("latin-1"))
    options = ReleaseOptions(tuple(course.exercises.values()), "practice", seeds=1)
    with pytest.raises(UserError, match=r"latin\.py is .*\(.*examples/right/areas/latin\.py\)"):
        bundle(course, options)


def test_all_is_judged(tmp_path):
    found = shares(tmp_path)
    assert (found.complete, found.right) == (1, 1)
    assert list(found.warnings()) == []


@pytest.mark.thorough
def test_a_function_with_a_caller_of_its_own_has_no_names_and_release_says_why(tmp_path):
    mistakes = MISTAKES.replace("MISTAKES =", f"{OWN_CALLER}\n\nMISTAKES =").replace(
        "        traits=", "        caller=ByWidth(),\n        traits="
    )
    found = shares(tmp_path, mistakes=mistakes)
    (reason,) = found.warnings()
    assert "the kit names no mistake of area" in reason and "its caller ByWidth" in reason


def test_a_helper_that_only_the_mistakes_import_is_found(tmp_path):
    mistakes = MISTAKES.replace("import Fact,", "import Comparison, Fact,").replace(
        "        traits=", "        comparison=Comparison(read=as_number),\n        traits="
    )
    folder = make(tmp_path, mistakes=f"from ..reading import as_number\n{mistakes}")
    name = load_course(folder / "course.yml").content.reference
    (folder / name / "reading.py").write_text("def as_number(value):\n    return value\n")
    with (folder / "course.yml").open("a") as file:
        file.write("helpers: [reading]\n")
    course = load_course(folder / "course.yml")
    (function,) = names_of(course, course.exercise("areas"), 3).functions
    assert function.read == "reading.as_number"


@pytest.mark.thorough
def test_a_check_that_no_right_answer_passes_there_is_refused(tmp_path):
    with pytest.raises(
        UserError, match="no correct solution of areas passes “The area of an object”"
    ):
        shares(tmp_path, checks=CHECKS + NEVER, reference=REFERENCE + OBJECT)


@pytest.mark.thorough
def test_a_check_that_is_graded_when_handed_in_by_its_mark_is_not(tmp_path):
    left_out = NEVER.replace("\n@pytest", "\n@pytest.mark.graded_when_handed_in\n@pytest", 1)
    course, options, files = released(
        tmp_path, checks=CHECKS + left_out, reference=REFERENCE + OBJECT
    )
    assert b"test_object" not in files["released/checks/test_areas.py"]
    (found,) = shares_of(course, files, options)
    assert (found.complete, found.right) == (1, 1)


def test_low_shares_are_warned_of():
    assert not list(KitShares("x", 20, 19, not_complete=["loops (One row)"]).warnings())
    some = KitShares("x", 4, 3, not_complete=["loops (One row)"])
    assert list(some.warnings()) == [
        "the kit leaves checks of these right answers ungraded: loops (One row)"
    ]


@pytest.mark.thorough
def test_the_command_prints_the_shares(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = make(tmp_path / "course")
    asked = [
        "release",
        str(tmp_path / "kit"),
        "--course",
        str(folder),
        "--workers",
        "1",
    ]
    done = CliRunner().invoke(app, [*asked, "--seeds", "1"])
    assert done.exit_code == 0, done.output
    lines = [" ".join(line.split()) for line in done.output.splitlines()]
    assert "exercise right answers judged" in lines
    assert "areas 1 of 1 (100 %)" in lines
