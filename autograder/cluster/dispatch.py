"""A class handed out to machines in chunks, and its reports as they come back.

Which machine grades what, and in which order, changes no report: each submission is graded apart.
"""

import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import msgspec

from autograder.classroom.judge_pool import Reports, Setup, Task, TaskReports
from autograder.cluster.environment import Environment
from autograder.cluster.messages import Admission, Chunk, ChunkReports, Instruction, Readiness
from autograder.course.errors import UserError
from autograder.course.text import one_line, several
from autograder.report.model import ExerciseReport

# Who does what: machines with their room, parcels of work, and what was lost with whom.


MOST_LOSSES = 3  # of machines, with which a submission was under way
AHEAD = 2  # chunks for each judge: one under way, one that waits


class Seat(msgspec.Struct, eq=False):
    """A machine as Dask has it: how many judges it can have, and what is under way there."""

    address: str
    host: str
    name: str
    judges: int
    under_way: "set[Attempt]" = msgspec.field(default_factory=set)

    @property
    def room(self) -> int:
        return AHEAD * self.judges - len(self.under_way)


class Parcel(msgspec.Struct, eq=False):
    """Some tasks that travel together. `losses` counts machines that were lost with them; `alone`
    is for what is graded again with nothing beside it."""

    tasks: tuple[Task, ...]
    alone: bool = False
    losses: int = 0
    done: bool = False
    attempts: "set[Attempt]" = msgspec.field(default_factory=set)


class Attempt(msgspec.Struct, eq=False):
    """A parcel on a machine."""

    number: int
    parcel: Parcel
    seat: Seat
    since: float = msgspec.field(default_factory=time.monotonic)


class Seats:
    """The machines that may grade, and where there is room."""

    def __init__(self) -> None:
        self.there: dict[str, Seat] = {}
        self.attempts: dict[int, Attempt] = {}
        self._number = 0

    def begin(self, parcel: Parcel, seat: Seat) -> Attempt:
        """Note that a parcel is to be graded on a machine."""
        self._number += 1
        attempt = Attempt(self._number, parcel, seat)
        self.attempts[attempt.number] = attempt
        seat.under_way.add(attempt)
        parcel.attempts.add(attempt)
        return attempt

    def end(self, attempt: Attempt) -> None:
        """Note that an attempt is over, however it went."""
        self.attempts.pop(attempt.number, None)
        attempt.seat.under_way.discard(attempt)
        attempt.parcel.attempts.discard(attempt)

    @property
    def live(self) -> list[Attempt]:
        """What is under way and still wanted."""
        return [each for each in self.attempts.values() if not each.parcel.done]

    def free(self) -> Seat | None:
        """The machine with most room for its size."""
        kept = {each.seat.host for each in self.attempts.values() if each.parcel.alone}
        seats = (seat for seat in self.there.values() if seat.host not in kept)
        best = max(seats, key=lambda seat: seat.room / seat.judges, default=None)
        return best if best is not None and best.room > 0 else None

    def quiet(self) -> Seat | None:
        """A machine on whose host nothing is under way."""
        busy = {seat.host for seat in self.there.values() if seat.under_way}
        return next((seat for seat in self.there.values() if seat.host not in busy), None)

    def elsewhere(self, parcel: Parcel) -> Seat | None:
        """A machine with a judge that has nothing to do, and that does not have the parcel."""
        if parcel.alone:
            return self.quiet()
        there = {attempt.seat for attempt in parcel.attempts}
        idle = (seat for seat in self.there.values() if len(seat.under_way) < seat.judges)
        return next((seat for seat in idle if seat not in there), None)


CHUNK_SECONDS = 4.0  # aimed at: long beside what a chunk costs, short beside a class
MOST_TASKS, MOST_BYTES = 64, 2**20  # of a chunk
LOOK_SECONDS = 1.0
PATIENCE = 300.0  # seconds without any machine
LATE, LATE_SECONDS = 4, 5.0  # times a chunk's usual time, and at least so long
LATE_ALONE = 60.0


class Cluster(Protocol):
    """Machines that take bytes and give bytes; what comes back is an event."""

    def machines(self) -> dict[str, Seat]:
        """Those that are there now, by address."""

    def ask(self, addresses: Iterable[str], data: bytes) -> None:
        """Ask machines whether they can grade; the answers are events."""

    def send(self, attempt: int, address: str, data: bytes) -> None:
        """Have a chunk graded on a machine; the answer is an event."""

    def drop(self, attempt: int) -> None:
        """Forget a chunk whose machine is lost."""

    def events(self, seconds: float) -> "Iterable[tuple[int | str, bytes | None]]":
        """What came meanwhile: an attempt or an address, and its answer; None for a failure."""

    def end(self, run: str) -> None:
        """A run is over."""


class Dispatch:
    """One run on a cluster. `told` hears of machines that are left out or lost."""

    def __init__(
        self, cluster: Cluster, setup: Setup, here: Environment, told: Callable[[str], None]
    ) -> None:
        self._cluster, self._told = cluster, told
        secret = tuple(str(path) for path in setup.secret)
        self._instruction = Instruction(
            secrets.token_hex(8),
            str(setup.course_file),
            setup.exercises,
            setup.seed,
            setup.level,
            secret,
            here,
        )
        self._seats = Seats()
        self._asked: dict[str, Seat] = {}
        self._left_out: dict[str, str] = {}
        self._again: deque[Parcel] = deque()
        self._alone: deque[Parcel] = deque()
        self._suspects: deque[Parcel] = deque()
        self._doubtful: dict[int, tuple[Task, Reports]] = {}
        self._seconds = CHUNK_SECONDS  # that a task takes, so far as is known
        self._looked = self._last_there = float("-inf")
        self._exhausted = False

    def graded(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Reports]]:
        """Each task and its reports, as they get ready.

        Raises:
            UserError: no machine is left that can grade.
        """
        coming = iter(tasks)
        self._last_there = time.monotonic()
        try:
            while True:
                self._look()
                yield from self._given_up()
                self._hand_out(coming)
                if self._is_over():
                    return
                for who, data in self._cluster.events(LOOK_SECONDS):
                    if isinstance(who, str):
                        self._admit(who, data)
                    elif who in self._seats.attempts:
                        yield from self._take(self._seats.attempts[who], data)
        finally:
            self._cluster.end(self._instruction.run)

    def _is_over(self) -> bool:
        waiting = self._again or self._alone or self._suspects
        return self._exhausted and not waiting and not self._seats.live

    def _look(self) -> None:
        """See, now and then, which machines have come and which are gone."""
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        there = self._cluster.machines()
        for address in [each for each in self._seats.there if each not in there]:
            seat = self._seats.there.pop(address)
            chunks = several(len(seat.under_way), "chunk")
            self._told(f"{seat.name} is lost; its {chunks} go elsewhere.")
            self._withdraw(seat, lost=True)
        self._asked = {each: seat for each, seat in self._asked.items() if each in there}
        new = {
            address: seat
            for address, seat in there.items()
            if address not in self._seats.there
            and address not in self._asked
            and address not in self._left_out
        }
        if new:
            self._asked |= new
            first = _first_cores([*self._seats.there.values(), *self._asked.values()])
            asked = Admission(self._instruction, {each: first[each] for each in new})
            self._cluster.ask(new, msgspec.msgpack.encode(asked))
        self._be_patient(now)

    def _be_patient(self, now: float) -> None:
        """Wait for machines, but not for ever.

        Raises:
            UserError: all that are there cannot grade this, or none has come for long.
        """
        if self._seats.there or self._asked:
            self._last_there = now
            return
        if self._left_out:
            raise UserError(
                "No machine of the cluster can grade this as this one would: "
                + " ".join(self._left_out.values())
            )
        if now - self._last_there > PATIENCE:
            raise UserError(
                f"No machine has been there for {PATIENCE / 60:g} minutes. What is graded is kept: "
                f"start machines, and run the same command again to go on."
            )

    def _admit(self, address: str, data: bytes | None) -> None:
        """Take a machine in that grades as this one would; name one that does not."""
        seat = self._asked.pop(address, None)
        if seat is None:
            return
        try:
            refused = msgspec.msgpack.decode(data or b"", type=Readiness).refused
        except msgspec.MsgspecError:
            refused = ("it has no autograder of this version, or does not answer",)
        if refused:
            self._leave_out(seat, "; ".join(refused))
        else:
            self._seats.there[address] = seat
        if not self._asked:
            seats = self._seats.there.values()
            judges = several(sum(each.judges for each in seats), "judge")
            self._told(
                f"The cluster has {several(len(seats), 'machine')} that can grade: {judges}."
            )

    def _leave_out(self, seat: Seat, why: str) -> None:
        said = one_line(f"{seat.name} is left out: {why}", 1000)
        self._left_out[seat.address] = said if said.endswith(".") else f"{said}."
        self._told(self._left_out[seat.address])

    def _withdraw(self, seat: Seat, lost: bool) -> None:
        """Have what is under way on a machine graded elsewhere; a lost one counts against it."""
        for attempt in list(seat.under_way):
            parcel = attempt.parcel
            self._seats.end(attempt)
            self._cluster.drop(attempt.number)
            parcel.losses += lost
            if not parcel.done and not parcel.attempts:
                self._put_back(parcel)

    def _put_back(self, parcel: Parcel) -> None:
        """Queue a parcel again: after a loss each task for itself, and at last apart from all."""
        if parcel.losses and len(parcel.tasks) > 1:
            parts = [Parcel((task,), parcel.alone, parcel.losses) for task in parcel.tasks]
        else:
            parts = [parcel]
        for part in parts:
            if part.losses >= MOST_LOSSES - 1:
                self._suspects.append(part)
            elif part.alone:
                self._alone.append(part)
            else:
                self._again.append(part)

    def _given_up(self) -> Iterator[tuple[Task, Reports]]:
        """Submissions with which, alone in all, yet another machine was lost: for a person."""
        for parcel in [each for each in self._suspects if each.losses >= MOST_LOSSES]:
            self._suspects.remove(parcel)
            for task in parcel.tasks:
                whole, _ = self._doubtful.pop(task.number, (task, {}))
                yield whole, {}

    def _hand_out(self, coming: Iterator[Task]) -> None:
        """Begin whatever there is room for."""
        while (seat := self._seats.free()) is not None:
            parcel = self._again.popleft() if self._again else self._next(coming)
            if parcel is None:
                break
            self._begin(parcel, seat)
        beside = any(not attempt.parcel.alone for attempt in self._seats.live)
        if not self._exhausted or self._again or beside:
            self._try_elsewhere()
            return
        while self._alone and (quiet := self._seats.quiet()) is not None:
            self._begin(self._alone.popleft(), quiet)
        if self._suspects and not self._seats.live:
            quiet = self._seats.quiet()
            if quiet is not None:
                self._begin(self._suspects.popleft(), quiet)
        self._try_elsewhere()

    def _next(self, coming: Iterator[Task]) -> Parcel | None:
        """The next chunk: as many tasks as take about as long as a chunk should."""
        most = max(1, min(MOST_TASKS, int(CHUNK_SECONDS / max(self._seconds, 1e-6))))
        tasks: list[Task] = []
        size = 0
        while len(tasks) < most and size < MOST_BYTES and not self._exhausted:
            task = next(coming, None)
            if task is None:
                self._exhausted = True
                break
            tasks.append(task)
            size += sum(len(source.text) for source in task.sources)
        return Parcel(tuple(tasks)) if tasks else None

    def _begin(self, parcel: Parcel, seat: Seat) -> None:
        attempt = self._seats.begin(parcel, seat)
        told = msgspec.structs.replace(self._instruction, alone=parcel.alone)
        data = msgspec.msgpack.encode(Chunk(told, parcel.tasks))
        self._cluster.send(attempt.number, seat.address, data)

    def _try_elsewhere(self) -> None:
        """At the end, try what is late on another machine too; the first to answer counts."""
        if not self._exhausted or self._again:
            return
        now = time.monotonic()
        for attempt in self._seats.live:
            parcel = attempt.parcel
            late = max(LATE_SECONDS, LATE * self._seconds * len(parcel.tasks))
            late = LATE_ALONE if parcel.alone else late
            if len(parcel.attempts) > 1 or now - attempt.since < late:
                continue
            seat = self._seats.elsewhere(parcel)
            if seat is not None:
                self._begin(parcel, seat)

    def _take(self, attempt: Attempt, data: bytes | None) -> Iterator[tuple[Task, Reports]]:
        """What came of an attempt."""
        self._seats.end(attempt)
        parcel, seat = attempt.parcel, attempt.seat
        if parcel.done:
            return
        found = None if data is None else _read(data, parcel.tasks)
        if isinstance(found, str) or found is None:
            if seat.address in self._seats.there and isinstance(found, str):
                del self._seats.there[seat.address]
                self._leave_out(seat, found)
                self._withdraw(seat, lost=False)
            elif found is None:
                parcel.losses += 1
            if not parcel.attempts:
                self._put_back(parcel)
            return
        outcomes, seconds = found
        parcel.done = True
        self._seconds += 0.1 * (seconds / len(parcel.tasks) - self._seconds)
        for task, outcome in zip(parcel.tasks, outcomes, strict=True):
            yield from self._believed(task, outcome, parcel.alone)

    def _believed(
        self, task: Task, outcome: TaskReports, alone: bool
    ) -> Iterator[tuple[Task, Reports]]:
        """A task's reports, unless some are in doubt; those are asked for again, alone."""
        if alone:
            whole, reports = self._doubtful.pop(task.number)
            yield whole, reports | outcome.reports
        elif outcome.doubtful:
            sources = tuple(each for each in task.sources if each.name in outcome.doubtful)
            self._doubtful[task.number] = task, outcome.reports
            self._alone.append(Parcel((Task(task.number, task.student, sources),), alone=True))
        else:
            yield task, outcome.reports


def _first_cores(seats: Iterable[Seat]) -> dict[str, int]:
    """For each machine its first core: those on one host share none."""
    taken: dict[str, int] = {}
    first = {}
    for seat in seats:
        first[seat.address] = taken.get(seat.host, 0)
        taken[seat.host] = first[seat.address] + seat.judges
    return first


def _read(data: bytes, tasks: tuple[Task, ...]) -> tuple[list[TaskReports], float] | str:
    """The outcomes of a chunk, which are of the very sources that were sent; else what is wrong."""
    try:
        found = msgspec.msgpack.decode(data, type=ChunkReports)
        if found.trouble or len(found.reports) != len(tasks):
            return found.trouble or "it gave reports on something else"
        outcomes = [
            msgspec.msgpack.decode(each, type=TaskReports) if each else TaskReports({})
            for each in found.reports
        ]
        for task, outcome in zip(tasks, outcomes, strict=True):
            digests = {source.name: source.digest for source in task.sources}
            for name, report in outcome.reports.items():
                told = msgspec.json.decode(report, type=ExerciseReport)
                if told.name != name or (told.digest or digests[name]) != digests[name]:
                    return "it gave reports on something else"
    except (msgspec.MsgspecError, KeyError):
        return "it gave what is no report"
    return outcomes, found.seconds
