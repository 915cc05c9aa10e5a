"""Grade a class on a cluster: send submissions in chunks, and receive reports.

Each submission is graded separately, so reports do not depend on machines or order. Dask chooses a
machine for each chunk. If the machine is lost, Dask chooses another one. At the end, this machine
grades the doubtful submissions again, and those that no other machine could grade.
"""

import concurrent.futures
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import TYPE_CHECKING

import msgspec

from autograder.classroom.judge_pool import Reports, Setup, Task, TaskReports
from autograder.cluster.environment import Environment
from autograder.cluster.messages import Chunk, ChunkReports, Instruction, decode, encode
from autograder.course.errors import UserError
from autograder.course.text import one_line, several
from autograder.report.model import ExerciseReport

if TYPE_CHECKING:
    from autograder.cluster.dask_cluster import DaskCluster, Machine

CHUNK_SECONDS = 4.0  # target for grading a chunk, much longer than sending it
MAX_TASKS, MAX_BYTES = 64, 2**20  # limits of a chunk
AHEAD = 2  # chunks for each judge: one runs, and one waits
LOOK_SECONDS = 1.0
PATIENCE = 300.0  # seconds without any machine after which the run ends
MAX_LOSSES = 2  # how often a chunk may lose all its machines


class Batch(msgspec.Struct, eq=False):
    """Tasks of one chunk."""

    tasks: tuple[Task, ...]
    losses: int = 0
    places: tuple[str, ...] = ()  # addresses of machines that may grade the chunk


class Dispatch:
    """One run on a cluster.

    `told` gets messages about excluded and lost machines. `alone` grades a task on this machine
    while no other code runs here.
    """

    def __init__(
        self,
        cluster: "DaskCluster",
        setup: Setup,
        here: Environment,
        told: Callable[[str], None],
        alone: Callable[[Task], TaskReports],
    ) -> None:
        self._cluster, self._told, self._alone = cluster, told, alone
        beside = msgspec.structs.replace(setup, alone=False)
        self._instruction = encode(Instruction(secrets.token_hex(8), beside, here))
        self._machines: dict[str, Machine] = {}
        self._left_out: dict[str, str] = {}  # reason for each excluded address
        self._under_way: dict[Future[bytes], Batch] = {}
        self._again: deque[Batch] = deque()
        self._for_here: list[tuple[Task, TaskReports]] = []  # with the first reports
        self._seconds = CHUNK_SECONDS  # estimated seconds for a task
        self._looked = self._last_there = float("-inf")
        self._exhausted = False

    def graded(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Reports]]:
        coming = iter(tasks)
        self._last_there = time.monotonic()
        try:
            while not self._exhausted or self._under_way or self._again:
                self._look()
                self._hand_out(coming)
                for future in self._cluster.done(list(self._under_way), LOOK_SECONDS):
                    if future in self._under_way:
                        yield from self._take(self._under_way.pop(future), future)
        finally:
            for future in self._under_way:
                future.cancel()
        for task, first in self._for_here:
            sources = (s for s in task.sources if s.name in first.doubtful or not first.reports)
            again = msgspec.structs.replace(task, sources=tuple(sources))
            yield task, first.reports | self._alone(again).reports

    def _look(self) -> None:
        """Find new and lost machines once a second."""
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        there = self._cluster.machines()
        for address in sorted(self._machines.keys() - there.keys()):
            name = self._machines.pop(address).name
            self._told(f"{name} is lost. Other machines grade its submissions.")
        for future, batch in list(self._under_way.items()):
            if not any(place in there for place in batch.places):
                self._withdraw(future)
                self._lose(batch, 1)
        new = there.keys() - self._machines.keys() - self._left_out.keys()
        for address in sorted(new):
            if there[address].refused:
                self._leave_out(there[address], there[address].refused)
            else:
                self._machines[address] = there[address]
        if new:
            judges = several(sum(each.judges for each in self._machines.values()), "judge")
            self._told(f"The cluster has {several(len(self._machines), 'machine')}, with {judges}.")
        if self._machines:
            self._last_there = now
        elif self._left_out:
            raise UserError(
                "No machine of the cluster can give the same results as this one. "
                + " ".join(self._left_out.values())
            )
        elif now - self._last_there > PATIENCE:
            raise UserError(
                f"The cluster has had no machine for {PATIENCE / 60:g} minutes. Results so far are "
                f"kept: start machines, then run the same command again to continue."
            )

    def _leave_out(self, machine: "Machine", why: str) -> None:
        said = one_line(f"{machine.name} is not used: {why}", 1000)
        self._left_out[machine.address] = said if said.endswith(".") else f"{said}."
        self._told(self._left_out[machine.address])

    def _hand_out(self, coming: Iterator[Task]) -> None:
        """Send chunks to free judges."""
        room = AHEAD * sum(each.judges for each in self._machines.values()) - len(self._under_way)
        for _ in range(room):
            batch = self._again.popleft() if self._again else self._next(coming)
            if batch is None:
                break
            batch.places = tuple(self._machines)
            chunk = Chunk(self._instruction, batch.tasks)
            self._under_way[self._cluster.grade(encode(chunk), batch.places)] = batch

    def _next(self, coming: Iterator[Task]) -> Batch | None:
        most = max(1, min(MAX_TASKS, int(CHUNK_SECONDS / max(self._seconds, 1e-6))))
        tasks: list[Task] = []
        size = 0
        while len(tasks) < most and size < MAX_BYTES and not self._exhausted:
            task = next(coming, None)
            if task is None:
                self._exhausted = True
                break
            tasks.append(task)
            size += sum(len(source.text) for source in task.sources)
        return Batch(tuple(tasks)) if tasks else None

    def _withdraw(self, future: "Future[bytes]") -> None:
        del self._under_way[future]
        future.cancel()

    def _lose(self, batch: Batch, losses: int) -> None:
        batch.losses += losses
        if batch.losses < MAX_LOSSES:
            self._again.append(batch)
        else:
            self._for_here += [(task, TaskReports({})) for task in batch.tasks]

    def _take(self, batch: Batch, future: "Future[bytes]") -> Iterator[tuple[Task, Reports]]:
        """Yield the results of a batch. If they are not credible, exclude the machine."""
        try:
            found = _read(future.result(), batch.tasks)
        except (Exception, concurrent.futures.CancelledError):  # the batch lost too many machines
            self._lose(batch, MAX_LOSSES)
            return
        if isinstance(found, str):
            self._again.append(batch)
            address = self._cluster.place_of(future)
            machine = self._machines.pop(address, None)
            if machine is not None:
                self._leave_out(machine, found)
            for other, its in list(self._under_way.items()):
                if address in its.places:  # other machines grade the machine's batches
                    self._withdraw(other)
                    self._again.append(its)
            return
        outcomes, seconds = found
        self._seconds += 0.1 * (seconds / len(batch.tasks) - self._seconds)
        for task, outcome in zip(batch.tasks, outcomes, strict=True):
            if outcome.doubtful or not outcome.reports:
                self._for_here.append((task, outcome))
            else:
                yield task, outcome.reports


def _read(data: bytes, tasks: tuple[Task, ...]) -> tuple[list[TaskReports], float] | str:
    """Return a chunk's outcomes and seconds. If the data are not credible, return the reason."""
    try:
        found = decode(data, ChunkReports)
        if found.trouble or len(found.reports) != len(tasks):
            return found.trouble or "it gave reports on something else"
        outcomes = [decode(reports, TaskReports) for reports in found.reports]
        for task, outcome in zip(tasks, outcomes, strict=True):
            digests = {source.name: source.digest for source in task.sources}
            for name, report in outcome.reports.items():
                told = msgspec.json.decode(report, type=ExerciseReport)
                if told.name != name or (told.digest or digests[name]) != digests[name]:
                    return "it gave reports on something else"
    except (msgspec.MsgspecError, KeyError, TypeError):
        return "it returned something that is not a report"
    return outcomes, found.seconds
