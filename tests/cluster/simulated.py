"""Machines that are objects: what they do with a chunk is up to the test."""

import msgspec

from autograder.classroom.judge_pool import Task, TaskReports
from autograder.cluster.dispatch import Seat
from autograder.cluster.messages import Chunk, ChunkReports, Readiness
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
    chunk = msgspec.msgpack.decode(data, type=Chunk)
    reports = []
    for each in chunk.tasks:
        doubtful = grade(each, chunk.instruction.alone) or frozenset()
        found = TaskReports({s.name: report_on(s) for s in each.sources}, frozenset(doubtful))
        reports.append(msgspec.msgpack.encode(found))
    return msgspec.msgpack.encode(ChunkReports(tuple(reports), 0.5 * len(chunk.tasks)))


class Machine:
    """One that grades; others override what differs."""

    refused = ()

    def __init__(self, host="h"):
        self.host, self.got = host, []

    def grade(self, data, cluster):
        """The answer's bytes; None if there is none (yet)."""
        return answer(data)


class Deaf(Machine):
    def grade(self, data, cluster):
        return None


class Simulated:
    """A cluster of such machines; `told` is what was said of them."""

    def __init__(self, **machines):
        self.there = machines
        self.came, self.told, self.dropped, self.ended = [], [], [], 0

    def machines(self):
        return {name: Seat(name, each.host, name, 1) for name, each in self.there.items()}

    def ask(self, addresses, data):
        for name in addresses:
            ready = Readiness(tuple(self.there[name].refused))
            self.came.append((name, msgspec.msgpack.encode(ready)))

    def send(self, attempt, address, data):
        machine = self.there.get(address)
        if machine is None:  # lost, and nobody knows yet
            return
        chunk = msgspec.msgpack.decode(data, type=Chunk)
        machine.got.append([each.student for each in chunk.tasks])
        found = machine.grade(data, self)
        if found is not None:
            self.came.append((attempt, found))

    def drop(self, attempt):
        self.dropped.append(attempt)

    def events(self, seconds):
        came, self.came = self.came, []
        return came

    def end(self, run):
        self.ended += 1

    def lose(self, machine):
        """A machine is gone; another comes in its place."""
        name = next(name for name, each in self.there.items() if each is machine)
        del self.there[name]
        fresh = type(machine)(machine.host)
        fresh.__dict__.update(machine.__dict__)
        self.there[f"{name}+"] = fresh
