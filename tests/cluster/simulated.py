"""Simulated machines: each test decides how they treat a chunk."""

from concurrent.futures import Future

import msgspec

from autograder.classroom.judge_pool import Task, TaskReports
from autograder.cluster.dask_cluster import Machine as Place
from autograder.cluster.messages import Chunk, ChunkReports, decode, encode
from autograder.report.model import ExerciseReport
from autograder.submission.source import Source
from autograder.worker.messages import Unit


def task(number, text="", *names):
    names = names or ("one",)
    sources = tuple(Source(name, f"{name}.py", (Unit(f"{name}.py", text),)) for name in names)
    return Task(number, f"s{number:03}", sources)


def report_on(source, status="graded"):
    report = ExerciseReport(
        name=source.name, title="", status=status, points=1.0, max_points=1.0, digest=source.digest
    )
    return msgspec.json.encode(report)


def answer(data, grade=lambda task: None):
    """Return a machine's answer to a chunk; `grade` returns the doubtful sources of a task."""
    chunk = decode(data, Chunk)
    reports = []
    for each in chunk.tasks:
        doubtful = grade(each) or frozenset()
        found = TaskReports({s.name: report_on(s) for s in each.sources}, frozenset(doubtful))
        reports.append(encode(found))
    return encode(ChunkReports(tuple(reports), 0.5 * len(chunk.tasks)))


class Machine:
    """Machine that grades; tests override the methods."""

    refused = ""  # by the address
    trouble = ""  # said in the answer

    def __init__(self):
        self.got = []

    def grade(self, data, cluster):
        """Return the answer's bytes, or None if there is no answer (yet)."""
        return answer(data)


class Simulated:
    """Cluster of such machines that chooses among them as Dask does; `told` are its messages.

    A task of a lost machine goes to another allowed machine, until four machines were lost with it.
    """

    ALLOWED_FAILURES = 3

    def __init__(self, **machines):
        self.there = machines
        self.told, self.places, self.ended = [], {}, 0

    def machines(self):
        return {name: Place(name, name, 1, each.refused) for name, each in self.there.items()}

    def grade(self, data, places):
        future = Future()
        chunk = decode(data, Chunk)
        for _ in range(self.ALLOWED_FAILURES + 1):
            there = [name for name in places if name in self.there]
            if not there:
                return future
            name = min(there, key=lambda each: len(self.there[each].got))
            machine = self.there[name]
            machine.got.append([each.student for each in chunk.tasks])
            trouble = machine.trouble and encode(ChunkReports(trouble=machine.trouble))
            found = trouble or machine.grade(data, self)
            if found is not None:
                self.places[future] = name
                future.set_result(found)
            if found is not None or name in self.there:
                return future
        future.set_exception(RuntimeError("killed"))
        return future

    def done(self, futures, seconds):
        return {future for future in futures if future.done()}

    def place_of(self, future):
        return self.places[future]

    def lose(self, machine):
        """Remove a machine; a new one replaces it."""
        name = next(name for name, each in self.there.items() if each is machine)
        del self.there[name]
        fresh = type(machine)()
        fresh.__dict__.update(machine.__dict__)
        self.there[f"{name}+"] = fresh
