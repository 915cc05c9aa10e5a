"""Grade a class on a cluster: send submissions in chunks, and receive reports.

Each submission is graded separately, so reports do not depend on machines or order. Dask chooses a
machine for each chunk. If the machine is lost, Dask chooses another one.
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
from autograder.cluster.messages import (
    Admission,
    Chunk,
    ChunkReports,
    Instruction,
    Machine,
    decode,
    encode,
)
from autograder.course.errors import UserError
from autograder.course.text import one_line, several
from autograder.report.model import ExerciseReport

if TYPE_CHECKING:
    from autograder.cluster.dask_cluster import DaskCluster

CHUNK_SECONDS = 4.0  # target for grading a chunk, much longer than sending it
MAX_TASKS, MAX_BYTES = 64, 2**20  # limits of a chunk
AHEAD = 2  # chunks for each judge: one runs, and one waits
LOOK_SECONDS = 1.0
PATIENCE = 300.0  # seconds without any machine after which the run ends
MAX_LOSSES = 2  # how often a chunk may lose all its machines


class Batch(msgspec.Struct, eq=False):
    """Tasks of one chunk."""

    tasks: tuple[Task, ...]
    alone: bool = False  # true if the host grades nothing else of the class at the same time
    losses: int = 0
    places: tuple[str, ...] = ()  # addresses of machines that may grade the chunk
    earlier: tuple[Task, Reports] | None = None  # whole task and first reports, in a second grading


class Dispatch:
    """One run on a cluster. `told` gets messages about excluded and lost machines.

    `left_out` has the reason for each excluded address, also from earlier runs.
    """

    def __init__(
        self,
        cluster: "DaskCluster",
        setup: Setup,
        here: Environment,
        told: Callable[[str], None],
        left_out: dict[str, str],
    ) -> None:
        self._cluster, self._told, self._left_out = cluster, told, left_out
        self._setup, self._here, self._run = setup, here, secrets.token_hex(8)
        self._machines: dict[str, Machine] = {}
        self._asked: dict[Future[bytes], Machine] = {}
        self._under_way: dict[Future[bytes], Batch] = {}
        self._again: deque[Batch] = deque()
        self._alone: deque[Batch] = deque()
        self._seconds = CHUNK_SECONDS  # estimated seconds for a task
        self._looked = self._last_there = float("-inf")
        self._exhausted = False

    def graded(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Reports]]:
        coming = iter(tasks)
        self._last_there = time.monotonic()
        try:
            while True:
                yield from self._look()
                self._hand_out(coming)
                if self._exhausted and not (self._under_way or self._again or self._alone):
                    return
                for future in self._cluster.done([*self._asked, *self._under_way], LOOK_SECONDS):
                    if future in self._asked:
                        self._admit(self._asked.pop(future), future)
                    elif future in self._under_way:
                        yield from self._take(self._under_way.pop(future), future)
        finally:
            for future in [*self._asked, *self._under_way]:
                future.cancel()

    def _look(self) -> Iterator[tuple[Task, Reports]]:
        """Find new and lost machines once a second, and yield tasks that cannot be graded."""
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
                yield from self._lost(batch, 1)
        for future, machine in list(self._asked.items()):
            if machine.address not in there:
                self._asked.pop(future)
                future.cancel()
        self._ask(there)
        if self._machines:
            self._last_there = now
        elif self._left_out and not self._asked:
            raise UserError(
                "No machine of the cluster can give the same results as this one. "
                + " ".join(self._left_out.values())
            )
        elif now - self._last_there > PATIENCE:
            raise UserError(
                f"The cluster has had no machine for {PATIENCE / 60:g} minutes. Results so far are "
                f"kept: start machines, then run the same command again to continue."
            )

    def _ask(self, there: dict[str, Machine]) -> None:
        known = {machine.address: machine for machine in self._asked.values()} | self._machines
        for address in sorted(there.keys() - known.keys() - self._left_out.keys()):
            machine = there[address]
            cores = sum(other.judges for other in known.values() if other.host == machine.host)
            question = Admission(self._instruction(alone=False), cores)
            self._asked[self._cluster.admit(address, encode(question))] = machine
            known[address] = machine

    def _admit(self, machine: Machine, future: "Future[bytes]") -> None:
        try:
            refused = decode(future.result(), str)
        except (Exception, concurrent.futures.CancelledError):
            refused = "it has another version of autograder or none, or it does not answer"
        if refused:
            self._leave_out(machine, refused)
        else:
            self._machines[machine.address] = machine
        if not self._asked:
            judges = several(sum(each.judges for each in self._machines.values()), "judge")
            count = several(len(self._machines), "machine")
            self._told(f"The cluster has {count} that can grade, with {judges} in all.")

    def _leave_out(self, machine: Machine, why: str) -> None:
        said = one_line(f"{machine.name} is not used: {why}", 1000)
        self._left_out[machine.address] = said if said.endswith(".") else f"{said}."
        self._told(self._left_out[machine.address])

    def _hand_out(self, coming: Iterator[Task]) -> None:
        """Send chunks to free judges. Tasks that need a whole host come last."""
        room = AHEAD * sum(each.judges for each in self._machines.values()) - len(self._under_way)
        for _ in range(room):
            batch = self._again.popleft() if self._again else self._next(coming)
            if batch is None:
                break
            self._begin(batch, tuple(self._machines))
        if self._exhausted and all(batch.alone for batch in self._under_way.values()):
            used = {place for batch in self._under_way.values() for place in batch.places}
            busy = {self._machines[place].host for place in used if place in self._machines}
            one_a_host = {each.host: each.address for each in self._machines.values()}
            for host in one_a_host.keys() - busy:
                if self._alone:
                    self._begin(self._alone.popleft(), (one_a_host[host],))

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

    def _begin(self, batch: Batch, places: tuple[str, ...]) -> None:
        batch.places = places
        chunk = Chunk(self._instruction(batch.alone), batch.tasks)
        self._under_way[self._cluster.grade(encode(chunk), places)] = batch

    def _instruction(self, alone: bool) -> Instruction:
        return Instruction(self._run, msgspec.structs.replace(self._setup, alone=alone), self._here)

    def _withdraw(self, future: "Future[bytes]") -> None:
        del self._under_way[future]
        future.cancel()

    def _put_back(self, batch: Batch) -> None:
        (self._alone if batch.alone else self._again).append(batch)

    def _lost(self, batch: Batch, losses: int) -> Iterator[tuple[Task, Reports]]:
        batch.losses += losses
        if batch.losses < MAX_LOSSES:
            self._put_back(batch)
        elif not batch.alone:
            self._alone += [Batch((task,), alone=True) for task in batch.tasks]
        else:
            yield batch.earlier[0] if batch.earlier else batch.tasks[0], {}

    def _take(self, batch: Batch, future: "Future[bytes]") -> Iterator[tuple[Task, Reports]]:
        """Yield the results of a batch. If they are not credible, exclude the machine."""
        try:
            found = _read(future.result(), batch.tasks)
        except (Exception, concurrent.futures.CancelledError):  # the batch lost too many machines
            yield from self._lost(batch, MAX_LOSSES)
            return
        if isinstance(found, str):
            self._put_back(batch)
            address = self._cluster.place_of(future)
            machine = self._machines.pop(address, None)
            if machine is not None:
                self._leave_out(machine, found)
            for other, its in list(self._under_way.items()):
                if address in its.places:  # other machines grade the machine's batches
                    self._withdraw(other)
                    self._put_back(its)
            return
        outcomes, seconds = found
        self._seconds += 0.1 * (seconds / len(batch.tasks) - self._seconds)
        for task, outcome in zip(batch.tasks, outcomes, strict=True):
            if batch.alone:
                whole, reports = batch.earlier or (task, {})
                yield whole, reports | outcome.reports
            elif outcome.doubtful:  # grade the task again, alone
                sources = tuple(each for each in task.sources if each.name in outcome.doubtful)
                again = msgspec.structs.replace(task, sources=sources)
                earlier = task, outcome.reports
                self._alone.append(Batch((again,), alone=True, earlier=earlier))
            else:
                yield task, outcome.reports


def _read(data: bytes, tasks: tuple[Task, ...]) -> tuple[list[TaskReports], float] | str:
    """Return a chunk's outcomes and seconds. If the data are not credible, return the reason."""
    try:
        found = decode(data, ChunkReports)
        if found.trouble or len(found.reports) != len(tasks):
            return found.trouble or "it gave reports on something else"
        outcomes = [decode(r, TaskReports) if r else TaskReports({}) for r in found.reports]
        for task, outcome in zip(tasks, outcomes, strict=True):
            digests = {source.name: source.digest for source in task.sources}
            for name, report in outcome.reports.items():
                told = msgspec.json.decode(report, type=ExerciseReport)
                if told.name != name or (told.digest or digests[name]) != digests[name]:
                    return "it gave reports on something else"
    except (msgspec.MsgspecError, KeyError, TypeError):
        return "it returned something that is not a report"
    return outcomes, found.seconds
