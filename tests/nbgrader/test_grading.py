"""What grades within nbgrader's own processes, which may live as long as a server does."""

import contextlib
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from autograder.authoring.build import as_book
from autograder.classroom.judge_pool import JudgePool, TaskReports
from autograder.course.errors import UserError
from autograder.nbgrader import grading as module
from autograder.nbgrader.grading import JUDGE, grading_of, open_grading
from tests.nbgrader.course import ShortCourse, solution

pytestmark = pytest.mark.one_in(2)


@pytest.fixture
def kit(tmp_path):
    return ShortCourse(tmp_path).kit


def report(grading, folder, text):
    return grading.report("ann", "softmax", as_book(text), folder).report


@pytest.mark.thorough
def test_a_report_is_made_once_for_a_source(kit, tmp_path):
    waits = []
    grading = grading_of(str(kit))
    grading.before_grading = lambda: waits.append("for a report")
    first = report(grading, tmp_path, solution("softmax"))
    assert first.points == 12
    assert report(grading, tmp_path, solution("softmax")) is first
    assert len(waits) == 1
    assert report(grading, tmp_path, solution("softmax", ("axis=axis", "axis=0"))).points == 3
    assert len(waits) == 2


def test_a_course_that_has_changed_is_read_anew(kit, tmp_path):
    assert report(grading_of(str(kit)), tmp_path, solution("softmax")).title == "Softmax"
    file = kit / "course.yml"
    file.write_text(file.read_text().replace("title: Softmax", "title: The softmax"))
    assert report(grading_of(str(kit)), tmp_path, solution("softmax")).title == "The softmax"


def test_the_course_of_the_run_is_meant_where_none_is_named(kit):
    course = grading_of(str(kit)).course
    with open_grading(course) as grading:
        assert grading_of("") is grading
        assert grading_of(str(kit)) is grading
    with pytest.raises(UserError, match="does not name the course"):
        grading_of("")


def test_a_submission_whose_process_always_ends_is_for_a_person(kit, tmp_path, monkeypatch):
    monkeypatch.setattr(JUDGE, "grade", lambda *_: TaskReports({}))  # as if its judges died
    found = report(grading_of(str(kit)), tmp_path, solution("softmax"))
    assert (found.status, found.points) == ("needs a person", 0)
    assert found.reason == "The grader itself failed: its process ended."


@pytest.fixture
def judges(monkeypatch):
    """The judges after each grading. At the end of the test, none stays."""
    used, run = [], JudgePool.grade_one

    def grade_one(pool, task, setup):
        outcome = run(pool, task, setup)
        used.append(judge_processes() - before)
        return outcome

    if sys.platform != "linux":
        pytest.skip("needs /proc")
    JUDGE.end()
    before = judge_processes()
    monkeypatch.setattr(JudgePool, "grade_one", grade_one)
    yield used
    JUDGE.end()
    assert judge_processes() <= before


def judge_processes():
    """Return the ids of this process's grandchildren: the judges, which a fork server starts."""
    parents = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):  # a glob fails if a process ends meanwhile
        with contextlib.suppress(OSError):
            rest = Path("/proc", pid, "stat").read_text()
            parents[int(pid)] = int(rest.rpartition(") ")[2].split()[1])
    return {pid for pid, parent in parents.items() if parents.get(parent) == os.getpid()}


def test_the_judge_stays_for_the_next_notebook(kit, tmp_path, judges):
    for text in (solution("softmax"), solution("softmax", ("axis=axis", "axis=0"))):
        report(grading_of(str(kit)), tmp_path, text)
    assert len(judges) == 2 and judges[0] == judges[1] and len(judges[0]) == 1


@pytest.mark.thorough
def test_an_idle_judge_ends(kit, tmp_path, judges, monkeypatch):
    monkeypatch.setattr(module, "IDLE_SECONDS", 0.2)
    report(grading_of(str(kit)), tmp_path, solution("softmax"))
    end = time.monotonic() + 30
    while judge_processes() & judges[0] and time.monotonic() < end:
        time.sleep(0.05)
    assert len(judges) == 1 and not judge_processes() & judges[0]
    report(grading_of(str(kit)), tmp_path, solution("softmax"))
    assert len(judges) == 2


@pytest.mark.thorough
def test_two_threads_share_the_judge(kit, tmp_path, judges):
    report(grading_of(str(kit)), tmp_path, solution("softmax"))  # the lint needs one thread
    with ThreadPoolExecutor(2) as threads:
        texts = [solution("softmax"), solution("softmax", ("axis=axis", "axis=0"))] * 2
        found = [threads.submit(report, grading_of(str(kit)), tmp_path, text) for text in texts]
        assert [each.result().points for each in found] == [12, 3, 12, 3]
    assert len(set(map(frozenset, judges))) == 1


@pytest.mark.thorough
def test_a_line_to_change_is_searched_in_time(kit, tmp_path, judges, monkeypatch):
    seconds = []
    grade = JUDGE.grade

    def graded(course, names, digest, task):
        seconds.append(task.search_seconds)
        return grade(course, names, digest, task)

    monkeypatch.setattr(JUDGE, "grade", graded)
    less = solution("softmax", ("return exponentials /", "return exponentials * 0.99 /"))
    found = report(grading_of(str(kit), 30.0), tmp_path, less)
    assert found.repair.said.endswith("makes every check pass.") and found.points == 0
    assert seconds[0] == 0 < seconds[1] <= 30
    assert report(grading_of(str(kit), 0.0), tmp_path, less).repair is None
    assert len(seconds) == 3


def test_a_course_that_cannot_be_used_is_said_in_a_sentence(kit):
    (kit / "course.yml").write_text("exercises: 3")
    with pytest.raises(UserError, match="course.yml"):
        grading_of(str(kit))
