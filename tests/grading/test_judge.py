"""The judge: dependencies, faults of a check, and reports that do not change."""

import msgspec
import pytest

from autograder.course.errors import UserError
from autograder.grading.judge import Judge, RunOptions
from autograder.submission.source import Source, read_source
from autograder.worker.messages import Unit
from tests.courses import write_course

CHECKS = """
import pytest

@pytest.mark.check("Sorts", points=3, hints=("Look at the order.",))
def test_sorts(submission, reference):
    assert submission.sort([3, 1, 2]) == reference.sort([3, 1, 2]), "The order is not right."

@pytest.mark.check("Sorts nothing", needs=["test_sorts"])
def test_empty(submission):
    assert submission.sort([]) == []

@pytest.mark.check("Skips", points=1)
def test_skips():
    pytest.skip("for a reason")
"""


MARK = "import pytest\n@pytest.mark.check('A')\n"


def make_course(folder, checks=CHECKS):
    return write_course(
        folder, {"sorting": 10}, checks={"sorting": checks}, answers="sort = sorted\n"
    )


def grade(course, text):
    exercise = course.exercise("sorting")
    source = Source("sorting", "sorting.py", (Unit("sorting.py", text),))
    with Judge(course, [exercise]) as judge:
        return judge.run(source).report


DOCSTRING = CHECKS.replace(', hints=("Look at the order.",))', ")").replace(
    "    assert submission.sort([3, 1, 2])",
    '''    """Look at the order.

    What comes first of the things
      that you have?
    """
    assert submission.sort([3, 1, 2])''',
)


def test_the_hints_may_stand_in_the_docstring(tmp_path):
    report = grade(make_course(tmp_path, DOCSTRING), "def sort(x): return x")
    assert report.checks[0].hints == (
        "Look at the order.",
        "What comes first of the things that you have?",
    )


def test_a_course_on_another_subject(tmp_path):
    report = grade(make_course(tmp_path), "def sort(x): return sorted(x)")
    assert [check.outcome for check in report.checks] == ["passed", "passed", "not run"]
    assert report.points == 8  # weights 3 + 1 of 5, scaled to 10 points
    assert report.max_points == 10


def test_a_dependency_that_failed(tmp_path):
    report = grade(make_course(tmp_path), "def sort(x): return x")
    first, second, _ = report.checks
    assert first.finding == "The order is not right."
    assert first.hints == ("Look at the order.",)
    assert second.outcome == "not run"
    assert second.finding == "Not run: “Sorts” must pass first."
    assert report.points == 0


def test_a_fault_of_the_check_needs_a_person(tmp_path):
    report = grade(make_course(tmp_path, f"{MARK}def test_x(submission): {{}}['oops']\n"), "")
    assert report.status == "needs a person"
    assert report.points == 0
    assert "in line 3 of test_sorting.py with KeyError: 'oops'" in report.reason


def test_checks_that_cannot_be_loaded(tmp_path):
    course = make_course(tmp_path, "def test_x(:\n")
    with (
        pytest.raises(UserError, match=r"line 1: test_sorting\.py cannot be loaded: SyntaxError"),
        Judge(course, course.content.exercises),
    ):
        pass


def test_an_exercise_without_checks(tmp_path):
    course = make_course(tmp_path)
    course.checks_file("sorting").unlink()
    with (
        pytest.raises(UserError, match="sorting has no checks: .*test_sorting.py does not exist"),
        Judge(course, course.content.exercises),
    ):
        pass


@pytest.mark.parametrize(
    ("student", "exercise"),
    [
        ("s14", "causal_mask"),
        pytest.param("s06", "softmax", marks=pytest.mark.thorough),
        pytest.param("s22", "scaling_experiment", marks=pytest.mark.thorough),
    ],
)
def test_the_same_submission_gives_the_same_report(grade_file, root, student, exercise):
    path = root / "examples" / "class" / student / f"{exercise}.py"
    first, second = (msgspec.json.encode(grade_file(path, exercise)) for _ in range(2))
    assert first == second


def test_what_ends_early_leaves_nothing_for_the_next_submission(course, root):
    """Also where the next is of another exercise: its first check is not the one to suffer."""
    crashing = Source("softmax", "softmax.py", (Unit("softmax.py", CRASHES),))
    exercises = [course.exercise("softmax"), course.exercise("hand_computation")]
    solution = read_source(root / "solutions" / "hand_computation.py", "hand_computation")
    until_doubt = RunOptions(until="a doubt")
    with Judge(course, exercises) as judge:
        for _ in range(2):
            outcomes = [check.outcome for check in judge.run(crashing, until_doubt).report.checks]
            assert outcomes[0] == "crashed"
            assert set(outcomes[1:]) == {"not run"}
            report = judge.run(solution, until_doubt).report
            assert {check.outcome for check in report.checks} == {"passed"}


CRASHES = "import os\ndef softmax(x, axis=-1): os._exit(0)\n"
