"""How long an answer may take, by the time that the process has had, not by the clock on the wall.

On a busy machine a process waits for a processor, and that is not its doing. So processor time is
counted, of all its threads, and the time in which it slept; not the time in which it was ready to
run and could not. Where the system does not tell, the clock on the wall has to do, with patience.
"""

import re
import time
from typing import NamedTuple

PATIENCE = 3.0  # so many times its limit a process may sleep: for a file, or for its own threads
LONGEST = 20.0  # so many times its limit, on the wall, whatever the process says it does
GRACE = 60.0
AT_ONCE = 0.05  # an answer that comes within this time is not measured
MAPPED = re.compile(rb"^VmPeak:\s+(?P<most>\d+) kB\nVmSize:\s+(?P<now>\d+) kB$", re.MULTILINE)


class Had(NamedTuple):
    """What a process has had since it started, in seconds."""

    processor: float
    asleep: float


class Memory(NamedTuple):
    """What a process has mapped, and the most that it ever had, in KiB."""

    now: int
    most: int


class Clock:
    """Reads what a process has had; `process` is its id, or 0 where it cannot be asked."""

    def __init__(self, process: int) -> None:
        self._id = (~process << 3) | 2 if process > 0 else 0  # see clock_getcpuclockid(3)
        self._schedule = f"/proc/{process}/schedstat"
        self._status = f"/proc/{process}/status"

    def read(self) -> Had | None:
        """None if the process is gone, or the system does not say."""
        if not self._id:
            return None
        try:
            processor = time.clock_gettime(self._id)
            with open(self._schedule, "rb", buffering=0) as file:
                ran, waited, _ = file.read(100).split()
        except (OSError, ValueError, AttributeError):
            return None
        return Had(processor, time.monotonic() - (int(ran) + int(waited)) / 1e9)

    def memory(self) -> Memory | None:
        """How much memory the process has mapped; None where the system does not say."""
        if not self._id:
            return None
        try:
            with open(self._status, "rb", buffering=0) as file:
                found = MAPPED.search(file.read(4096))
        except OSError:
            return None
        return Memory(int(found["now"]), int(found["most"])) if found else None


class Deadline:
    """The time for one answer: `seconds` of the processor, and some more asleep."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        self.seconds = seconds
        self._clock = clock
        self._start = time.monotonic()
        self._had: Had | None = None
        self._asked = False
        self._excused = 0.0

    def left(self) -> float:
        """How long to wait before asking again; nothing is left when it is 0 or less."""
        if not self._asked:
            self._asked = True
            self._had = self._clock.read()
            return min(AT_ONCE, self.seconds)
        wall, had = self._so_far()
        if had is None:
            return self.seconds * PATIENCE - wall
        left = (
            self.seconds - had.processor,
            self.seconds * PATIENCE - had.asleep,
            self.seconds * LONGEST + GRACE - wall,
        )
        return min(left) if min(left) <= 0 else max(min(left), 0.005)

    def used(self) -> float:
        """The seconds that count, so far."""
        wall, had = self._so_far()
        if had is None:
            return min(max(wall, 0.0), self.seconds)
        return had.processor + max(had.asleep, 0.0)

    def _so_far(self) -> tuple[float, Had | None]:
        """The seconds on the wall, and what the process has had in them, where that is known."""
        wall = time.monotonic() - self._start - self._excused
        now = self._clock.read() if self._had is not None else None
        if now is None or self._had is None:
            return wall, None
        slept = now.asleep - self._had.asleep - self._excused
        return wall, Had(now.processor - self._had.processor, slept)

    def excuse(self, seconds: float) -> None:
        """Do not count this time, in which the process waited for the judge."""
        self._excused += seconds
