"""Machines that are objects: what they do with a chunk is up to the test."""

from concurrent.futures import Future

import msgspec

from autograder.classroom.judge_pool import Task, TaskReports
from autograder.cluster.messages import Chunk, ChunkReports, decode, encode
from autograder.cluster.messages import Machine as Place
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


def answer(data, grade=lambda task, alone: None):
    """What a machine makes of a chunk: `grade` says for a task what is in doubt of it."""
    chunk = decode(data, Chunk)
    reports = []
    for each in chunk.tasks:
        doubtful = grade(each, chunk.instruction.setup.alone) or frozenset()
        found = TaskReports({s.name: report_on(s) for s in each.sources}, frozenset(doubtful))
        reports.append(encode(found))
    return encode(ChunkReports(tuple(reports), 0.5 * len(chunk.tasks)))


class Machine:
    """One that grades; others override what differs."""

    refused = ""

    def __init__(self, host="h"):
        self.host, self.got = host, []

    def grade(self, data, cluster):
        """The answer's bytes; None if there is none (yet)."""
        return answer(data)


class Simulated:
    """A cluster of such machines that chooses among them as Dask does; `told` is said of them.

    What is lost with a machine goes to another on which it may be, until four were lost with it.
    """

    ALLOWED_FAILURES = 3

    def __init__(self, **machines):
        self.there = machines
        self.told, self.places, self.ended = [], {}, 0

    def machines(self):
        return {name: Place(name, each.host, name, 1) for name, each in self.there.items()}

    def admit(self, address, data):
        future = Future()
        future.set_result(encode(self.there[address].refused))
        return future

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
            found = machine.grade(data, self)
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
        """A machine is gone; another comes in its place."""
        name = next(name for name, each in self.there.items() if each is machine)
        del self.there[name]
        fresh = type(machine)(machine.host)
        fresh.__dict__.update(machine.__dict__)
        self.there[f"{name}+"] = fresh
