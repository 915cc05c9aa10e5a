"""Simulated cluster: `python -m benchmarks.cluster_clock WORKERS SUBMISSIONS`.

The real code hands out a class. The scheduler and the workers are a queue of events with a
simulated clock. The costs of a chunk are those that `benchmarks.cluster` measured (`HERE_SECONDS`
for the coordinator, `THERE_SECONDS` for the scheduler). Each handles one chunk after the other. A
message takes `AWAY`, and the start of a judge `READY`.
"""

import heapq
import itertools
import sys
import types
from concurrent.futures import Future
from pathlib import Path

from autograder.classroom.judge_pool import Setup, TaskReports
from autograder.cluster import dispatch
from autograder.cluster.dask_cluster import Machine
from autograder.cluster.dispatch import Dispatch
from autograder.cluster.messages import Chunk, decode
from benchmarks.cluster import HERE, answer_to, cost, resident, tasks

HERE_SECONDS, THERE_SECONDS, AWAY = 0.0014, 0.0045, 0.005


class Clock:
    """Cluster with a simulated clock."""

    def __init__(self, workers: int) -> None:
        self.there = {f"w{n}": Machine(f"w{n}", f"w{n}", 1) for n in range(workers)}
        self.now = self.judged = self.scheduler = 0.0
        self.chunks = 0
        self.free = [(0.0, name) for name in self.there]  # from when on each has nothing to do
        self._numbers = itertools.count()
        self._waiting: list[tuple[float, int, Future[bytes], bytes]] = []

    def monotonic(self) -> float:
        return self.now

    def machines(self) -> dict[str, Machine]:
        return self.there

    def _later(self, at: float, data: bytes) -> "Future[bytes]":
        future: Future[bytes] = Future()
        heapq.heappush(self._waiting, (at, next(self._numbers), future, data))
        return future

    def grade(self, data: bytes, _: object) -> "Future[bytes]":
        seconds = sum(map(cost, decode(data, Chunk).tasks))
        self.chunks += 1
        self.judged += seconds
        self.now += HERE_SECONDS
        self.scheduler = max(self.scheduler, self.now) + THERE_SECONDS
        free, name = heapq.heappop(self.free)
        free = max(free, self.scheduler + AWAY) + seconds
        heapq.heappush(self.free, (free, name))
        return self._later(free + AWAY, data)

    def done(self, futures: object, seconds: float) -> "set[Future[bytes]]":  # noqa: ARG002
        if not self._waiting:
            self.now += seconds
            return set()
        self.now = max(self.now, self._waiting[0][0])
        found = set()
        while self._waiting and self._waiting[0][0] <= self.now:
            _, _, future, data = heapq.heappop(self._waiting)
            future.set_result(answer_to(data))
            found.add(future)
        return found


def run(workers: int, submissions: int) -> str:
    clock = Clock(workers)
    dispatch.time = types.SimpleNamespace(monotonic=clock.monotonic)
    setup = Setup(Path("course.yml"), ("one",), 0, "none", (), Path("/nonexistent"))
    memory = []
    dispatched = Dispatch(clock, setup, HERE, lambda _: None, lambda _: TaskReports({}))
    for number, _ in enumerate(dispatched.graded(tasks(submissions))):
        if number % max(1, submissions // 5) == submissions // 5 - 1:
            memory.append(resident())
    share = clock.judged / workers / clock.now
    return (
        f"{workers} workers, {submissions} submissions, by the clock: {clock.now:.0f} s, "
        f"efficiency {share:.3f}, {clock.chunks} chunks, memory {memory} MB"
    )


def main() -> None:
    workers, submissions = (int(each) for each in sys.argv[1:3])
    print(run(workers, submissions))


if __name__ == "__main__":
    main()
