"""What is said of classes of 1, 5, 25 and 300, and of odd checks."""

import numpy as np
import pytest

from autograder.course.course_file import Exercise
from autograder.report import statistics
from autograder.report.model import CheckReport, ExerciseReport, Grader, Report
from autograder.report.overview import Scores
from autograder.report.statistics import summarise

GRADER = Grader(version="1", python="3", numpy="2", digest="d", seed=1, confinement="none")
EXERCISES = tuple(Exercise(name=name, title=name.title(), points=4) for name in ("a", "b", "c"))


def a_report(student, points, status="graded"):
    """A student's; `points` of the two checks of each exercise, None where nothing was handed in."""
    exercises = []
    for exercise, own in zip(EXERCISES, points, strict=True):
        checks = tuple(
            CheckReport(name=f"t{i}", title=f"T{i}", points=each, max_points=2.0, outcome="passed")
            for i, each in enumerate(own or ())
        )
        exercises.append(
            ExerciseReport(
                name=exercise.name,
                title=exercise.title,
                status=status if own else "missing",
                points=float(sum(own or ())),
                max_points=4.0,
                checks=checks,
            )
        )
    total = sum(each.points for each in exercises)
    return Report(
        student=student,
        course="C",
        status="graded",
        points=total,
        max_points=12.0,
        grader=GRADER,
        exercises=tuple(exercises),
    )


def summary_of(count, seed=0):
    rng = np.random.default_rng(seed)
    scores = Scores(EXERCISES)
    for number in range(count):
        ability = rng.normal()
        draw = (ability + rng.normal(size=(3, 2)) > 0) * 2.0
        scores.add(a_report(f"s{number}", draw.tolist()))
    return summarise(scores)


def test_of_nobody_nothing_is_said():
    (said,) = statistics.class_sentences(summary_of(0))
    assert "no figures" in said


def test_of_one_student_there_is_no_figure_of_a_class():
    said = statistics.class_sentences(summary_of(1))
    assert "known for 1 student. The" in said[0]
    assert "too few for figures about a class" in said[-1]
    assert not any("mean" in each for each in said)


def test_of_five_it_is_said_what_cannot_be_said():
    summary = summary_of(5)
    said = " ".join(statistics.class_sentences(summary))
    assert "The mean is" in said
    assert "Fewer than 20" in said
    assert "α" not in said
    assert not any(statistics.item_remark(each) for each in summary.checks)


@pytest.mark.parametrize("count", [25, 300])
def test_of_more_their_reliability_is_said(count):
    said = " ".join(statistics.class_sentences(summary_of(count)))
    assert "Cronbach's α over the exercises is" in said
    assert "standard error" in said
    assert "fewer than" not in said


def test_a_check_that_the_good_fail_is_pointed_out_with_them():
    scores = Scores(EXERCISES)
    rng = np.random.default_rng(2)
    for number in range(60):
        good = number % 2
        rest = [[2.0 * good, 2.0 * (rng.random() < 0.5)] for _ in range(2)]
        scores.add(a_report(f"s{number}", [[2.0 * (not good), 1.0], *rest]))
    first, same, *_ = summarise(scores).checks
    assert first.discrimination < 0
    said = statistics.item_remark(first)
    assert "do worse here" in said
    assert all(student in said for student in first.against)
    assert same.facility == 0.5
    assert statistics.item_remark(same) == ""


def test_who_handed_nothing_in_is_not_measured_and_counts_0_in_the_rest():
    scores = Scores(EXERCISES)
    scores.add(a_report("ann", [[2.0, 2.0], None, None]))
    scores.add(a_report("bob", [[2.0, 0.0], [2.0, 2.0], None]))
    scores.add(a_report("cid", [None, None, None]))
    scores.add(a_report("dan", [[0.0, 0.0], None, None], status="needs a person"))
    summary = summarise(scores)
    assert scores.students == ["ann", "bob"]
    assert summary.mean == 5.0
    assert [each.students for each in summary.exercises] == [2, 1]
    assert summary.exercises[0].bars == (0,) * 5 + (1,) + (0,) * 3 + (1,)
    assert [each.failed for each in summary.checks] == [0, 1, 0, 0]
