"""The same with a simulated clock: `python -m benchmarks.cluster_clock WORKERS SUBMISSIONS`.

What hands classes out is the real code; the scheduler and the workers are a queue of events. What a
chunk costs whoever grades and the scheduler is what `benchmarks.cluster` measured (`HERE_SECONDS`,
`THERE_SECONDS`): each does one chunk after the other. A message takes `AWAY`, a judge's start
`READY`.
"""

import heapq
import itertools
import sys
import types
from pathlib import Path

import msgspec

from autograder.classroom.judge_pool import Setup
from autograder.cluster import dispatch
from autograder.cluster.dispatch import Dispatch, Seat
from autograder.cluster.messages import Chunk, Readiness
from benchmarks.cluster import HERE, answer_to, cost, resident, tasks

HERE_SECONDS, THERE_SECONDS, AWAY, READY = 0.0014, 0.0045, 0.005, 2.0


class Clock:
    """A cluster whose time passes only as its events say."""

    def __init__(self, workers: int) -> None:
        self.seats = {f"w{n}": Seat(f"w{n}", f"h{n}", f"w{n}", 1) for n in range(workers)}
        self.now = self.judged = self.scheduler = 0.0
        self.chunks = 0
        self.free = dict.fromkeys(self.seats, 0.0)
        self._numbers = itertools.count()
        self._waiting: list[tuple[float, int, int | str, bytes]] = []

    def monotonic(self) -> float:
        return self.now

    def machines(self) -> dict[str, Seat]:
        return self.seats

    def _later(self, at: float, who: int | str, data: bytes) -> None:
        heapq.heappush(self._waiting, (at, next(self._numbers), who, data))

    def ask(self, addresses, _: bytes) -> None:
        for address in addresses:
            self._later(self.now + READY, address, msgspec.msgpack.encode(Readiness()))

    def send(self, attempt: int, address: str, data: bytes) -> None:
        seconds = sum(map(cost, msgspec.msgpack.decode(data, type=Chunk).tasks))
        self.chunks += 1
        self.judged += seconds
        self.now += HERE_SECONDS
        self.scheduler = max(self.scheduler, self.now) + THERE_SECONDS
        self.free[address] = max(self.free[address], self.scheduler + AWAY) + seconds
        self._later(self.free[address] + AWAY, attempt, data)

    def events(self, seconds: float):
        if not self._waiting:
            self.now += seconds
            return
        self.now = max(self.now, self._waiting[0][0])
        while self._waiting and self._waiting[0][0] <= self.now:
            _, _, who, data = heapq.heappop(self._waiting)
            yield who, data if isinstance(who, str) else answer_to(data)

    def drop(self, attempt: int) -> None:
        pass

    def end(self, run: str) -> None:
        pass


def run(workers: int, submissions: int) -> str:
    clock = Clock(workers)
    dispatch.time = types.SimpleNamespace(monotonic=clock.monotonic)
    setup = Setup(Path("course.yml"), ("one",), 0, "none", (), Path("/nonexistent"))
    memory = []
    for number, _ in enumerate(
        Dispatch(clock, setup, HERE, lambda _: None).graded(tasks(submissions))
    ):
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
