"""Handing out a class to machines: whatever becomes of them, each submission has its report."""

import pytest

from autograder.classroom.judge_pool import Setup, TaskReports
from autograder.cluster import dispatch as module
from autograder.cluster.command import grading_on
from autograder.cluster.dispatch import Dispatch
from autograder.cluster.messages import Chunk, ChunkReports, decode, encode
from autograder.course.errors import UserError
from tests.cluster.simulated import Machine, Simulated, answer, report_on, task

HERE = {"autograder": "1"}


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.0)


@pytest.fixture
def run(tmp_path):
    def graded_here(task):
        return TaskReports({source.name: report_on(source) for source in task.sources})

    def run(cluster, tasks, alone=graded_here):
        setup = Setup(tmp_path / "course.yml", ("one",), 0, "none", (), tmp_path)
        found = Dispatch(cluster, setup, HERE, cluster.told.append, alone).graded(iter(tasks))
        results = {each.number: (each, reports) for each, reports in found}
        assert any(said.startswith("The cluster has ") for said in cluster.told)
        cluster.told = [said for said in cluster.told if not said.startswith("The cluster has ")]
        return results

    return run


def whole(results, count):
    return sorted(results) == list(range(count)) and all(
        set(reports) == {s.name for s in each.sources} for each, reports in results.values()
    )


def test_each_task_is_graded_once_wherever(run):
    cluster = Simulated(a=Machine(), b=Machine())
    assert whole(run(cluster, [task(n) for n in range(200)]), 200)
    got = [name for each in cluster.there.values() for chunk in each.got for name in chunk]
    assert len(got) == len(set(got)) == 200
    assert all(each.got for each in cluster.there.values())
    assert max(len(chunk) for each in cluster.there.values() for chunk in each.got) > 1


def test_nothing_to_grade_asks_nobody(tmp_path):
    def never():
        raise AssertionError

    setup = Setup(tmp_path / "course.yml", ("one",), 0, "none", (), tmp_path)
    assert list(grading_on(never, print)([], setup)) == []


def test_a_machine_that_differs_gets_no_work_and_is_named(run):
    other = Machine()
    other.refused = "Python 3.12.1 instead of 3.11.4"
    cluster = Simulated(a=Machine(), b=other)
    assert whole(run(cluster, [task(n) for n in range(20)]), 20)
    assert other.got == []
    assert cluster.told == ["b is not used: Python 3.12.1 instead of 3.11.4."]


def test_where_all_machines_differ_the_run_ends_and_says_why(run):
    other = Machine()
    other.trouble = "NumPy 1.26 instead of 2.4"
    with pytest.raises(UserError, match=r"No machine of the cluster can.*NumPy 1\.26 instead of"):
        run(Simulated(a=other), [task(0)])


def test_without_machines_it_waits_and_then_says_so(run, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    with pytest.raises(UserError, match="The cluster has had no machine for"):
        run(Simulated(), [task(0)])


class Killer(Machine):
    """Lost with whatever chunk has student s003 in it."""

    def grade(self, data, cluster):
        if "s003" in {each.student for each in decode(data, Chunk).tasks}:
            cluster.lose(self)
            return None
        return answer(data)


def test_what_kills_machines_is_graded_here_and_costs_nobody_else(run):
    here = []

    def alone(task):
        here.append(task.student)
        lost = task.student == "s003"
        return TaskReports({} if lost else {s.name: report_on(s) for s in task.sources})

    cluster = Simulated(a=Killer(), b=Killer())
    results = run(cluster, [task(n) for n in range(40)], alone)
    assert "s003" in here and results.pop(3)[1] == {}
    assert len(results) == 39 and all(reports for _, reports in results.values())
    assert sum("is lost" in said for said in cluster.told) <= 8


class LostOnce(Machine):
    lost = False

    def grade(self, data, cluster):
        if len(self.got) == 4 and not type(self).lost:
            type(self).lost = True
            del cluster.there["a"]
            return None
        return answer(data)


def test_a_lost_machine_costs_only_its_chunks(run):
    LostOnce.lost = False
    cluster = Simulated(a=LostOnce(), b=Machine())
    assert whole(run(cluster, [task(n) for n in range(60)]), 60)
    assert cluster.told == ["a is lost. Other machines grade its submissions."]


class Doubting(Machine):
    """Finds s005 doubtful, and ends its judge on s006."""

    def grade(self, data, cluster):
        found = answer(data, lambda each: {"two"} if each.student == "s005" else None)
        reports = list(decode(found, ChunkReports).reports)
        for at, each in enumerate(decode(data, Chunk).tasks):
            reports[at] = encode(TaskReports({})) if each.student == "s006" else reports[at]
        return encode(ChunkReports(tuple(reports), 1.0))


def test_what_is_in_doubt_is_graded_again_at_the_end_alone(run):
    here = []

    def alone(task):
        here.append((task.student, [s.name for s in task.sources]))
        return TaskReports({s.name: report_on(s) for s in task.sources})

    results = run(Simulated(a=Doubting()), [task(n, "", "one", "two") for n in range(10)], alone)
    assert whole(results, 10)
    assert here == [("s005", ["two"]), ("s006", ["one", "two"])]
    assert [source.name for source in results[5][0].sources] == ["one", "two"]


def other_source(data):
    """Reports on what was not asked."""
    chunk = decode(data, Chunk)
    found = [
        encode({"reports": {s.name: report_on(task(7, "x").sources[0])}})
        for each in chunk.tasks
        for s in each.sources
    ]
    return encode(ChunkReports(tuple(found), 1.0))


WRONG = {
    "no message": lambda data: b"\xc1",
    "nothing": lambda data: b"",
    "no bytes": lambda data: {"no": "bytes"},
    "too few": lambda data: encode(ChunkReports((), 1.0)),
    "a report on something else": other_source,
    "no report": lambda data: encode(ChunkReports((encode({"reports": {"one": b"{}"}}),) * 1, 1.0)),
    "trouble of its own": lambda data: encode(ChunkReports(trouble="disk full")),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_machine_that_answers_wrongly_is_left_out_and_not_believed(run, wrong):
    class Wrong(Machine):
        def grade(self, data, cluster):
            return wrong(data)

    cluster = Simulated(a=Wrong(), b=Machine())
    results = run(cluster, [task(n) for n in range(12)])
    assert whole(results, 12)
    assert len(cluster.told) == 1 and cluster.told[0].startswith("a is not used: ")
    assert all(reports["one"] == report_on(t.sources[0]) for t, reports in results.values())
