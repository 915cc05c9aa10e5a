"""Who does what: machines with their room, parcels of work, and what was lost with whom."""

import time

import msgspec

from autograder.classroom.pool import Task

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
