"""Whoever asks for a report gets it in one way, also where the grader itself fails."""

import json

import msgspec
import pytest
from click.testing import CliRunner

from autograder.authoring.verify import Verifier
from autograder.classroom.judge_pool import Setup, Task, TaskGrader
from autograder.cli import app
from autograder.course.course_file import FILE_NAME
from autograder.grading.judge import Judge
from autograder.report.model import ExerciseReport
from autograder.sandbox import levels
from autograder.sandbox.child import InternalError
from autograder.sandbox.fork_server import ForkServers
from autograder.sandbox.spawn import Spawner
from autograder.student.notebook_cell import answer_of
from autograder.submission.source import Source
from autograder.worker.messages import Unit
from tests.grading.test_judge import make_course

SOURCE = Source("sorting", "sorting.py", (Unit("sorting.py", "def sort(x): return sorted(x)"),))
TROUBLE = "The grader itself failed: no process could be started."
FAULT = "The grader itself failed: MemoryError, in line "


@pytest.fixture
def course(tmp_path):
    course = make_course(tmp_path)
    (tmp_path / "exercises").mkdir()
    (tmp_path / "solutions").mkdir()
    for folder in (course.handed_out, course.solutions):
        (folder / "sorting.py").write_text(SOURCE.text)
    return course


@pytest.fixture
def no_process(monkeypatch):
    """As on a machine on which nothing can be started any more."""

    def fails(*_, **__):
        raise InternalError("no process could be started")

    monkeypatch.setattr(ForkServers, "take", fails)
    monkeypatch.setattr(Spawner, "take", fails)
    monkeypatch.setattr(levels, "choose", lambda *_, **__: "none")  # it starts some to find out


def by_judge(course):
    with Judge(course, course.content.exercises) as judge:
        return judge.run(SOURCE).report


def by_check(course):
    file = str(course.handed_out / "sorting.py")
    done = CliRunner().invoke(app, ["check", file, "--json"])
    assert done.exit_code == 1, done.output
    assert not (course.handed_out / ".autograder").exists()  # what is kept of the file stays
    exercise = json.loads(done.output)["exercises"][0]
    return msgspec.convert(exercise, ExerciseReport)


def by_notebook(course):
    folder = course.handed_out
    asked = {"exercise": "sorting", "cells": [SOURCE.text], "folder": str(folder)}
    answer = answer_of(asked | {"saved": str(folder / "sorting.ipynb"), "hint": False})
    assert answer["points"] == 0
    return answer["text"]


def by_pool(course):
    setup = Setup(course.root / FILE_NAME, ("sorting",), 0, "none", (), course.root)
    with TaskGrader(setup) as grading:
        (data,) = grading.grade(Task(0, "ann", (SOURCE,))).reports.values()
    return msgspec.json.decode(data, type=ExerciseReport)


def by_verify(course):
    verifier = Verifier(course, course.exercise("sorting"))
    (fault,) = verifier.run().faults
    return fault


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", [by_judge, by_check, by_notebook, by_pool, by_verify])
def test_trouble_of_the_graders_own_is_a_report_for_a_person(course, no_process, way):
    found = way(course)
    if isinstance(found, ExerciseReport):
        assert (found.status, found.points, found.max_points) == ("needs a person", 0, 10)
        found = found.reason
    assert TROUBLE in found


def test_so_it_is_where_pytest_has_run_the_checks(course, no_process, pytester, monkeypatch):
    monkeypatch.delenv("CI", raising=False)  # where pytest says it a third time, in its summary
    done = pytester.runpytest_inprocess(str(course.handed_out / "sorting.py"))
    said = done.stdout.str()
    assert said.count(TROUBLE) == 2  # at the check, and as the report
    assert "INTERNALERROR" not in said


def test_a_fault_of_the_engines_costs_one_submission_and_says_where(course, monkeypatch):
    from autograder.grading import judge as judge_module

    real, calls = judge_module.with_unreadable_answers, []

    def fails_once(*args):
        calls.append(args)
        if len(calls) == 1:
            raise MemoryError
        return real(*args)

    monkeypatch.setattr(judge_module, "with_unreadable_answers", fails_once)
    with Judge(course, course.content.exercises) as judge:
        first, second = judge.run(SOURCE).report, judge.run(SOURCE).report
    assert first.status == "needs a person" and first.reason.startswith(FAULT)
    assert "judge.py" in first.reason
    assert (second.status, second.points) == ("graded", 8)


def test_results_that_are_not_there_are_never_taken_for_passed_ones(course, no_process):
    with Judge(course, course.content.exercises) as judge, pytest.raises(InternalError):
        _ = judge.run(SOURCE).results


def test_a_report_that_cannot_be_written_is_trouble_as_well(course):
    with Judge(course, course.content.exercises) as judge:
        graded = judge.run(SOURCE)
    graded.report = msgspec.structs.replace(graded.report, printed="\ud800")
    report = msgspec.json.decode(graded.encoded, type=ExerciseReport)
    assert report.status == "needs a person"
    assert report.reason.startswith("The grader itself failed: Unicode")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("solution", "said"),
    [
        (SOURCE.text, "check cannot read your result"),
        ("def sort(x): return None", "The check itself stopped"),
    ],
)
def test_pytest_and_a_judge_try_the_solution_if_a_check_stops(tmp_path, pytester, solution, said):
    checks = "import pytest\n@pytest.mark.check('A')\n"
    checks += "def test_x(submission):\n    assert submission.sort([1])[0] == 1, 'no'\n"
    course = make_course(tmp_path, checks)
    text = "def sort(x): return None if x else x"
    for folder, code in (("exercises", text), ("solutions", solution)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "sorting.py").write_text(code)
    with Judge(course, course.content.exercises) as judge:
        found = judge.run(Source("sorting", "sorting.py", (Unit("sorting.py", text),))).report
    assert said in found.checks[0].finding
    done = pytester.runpytest_inprocess(str(tmp_path / "exercises" / "sorting.py"))
    done.stdout.fnmatch_lines([f"*{said}*", "*1 failed*"])
