"""Timing of actions side by side."""

import contextlib
import ctypes
import os
import resource
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

Row = tuple[str, str, str, str]
SET_CHILD_SUBREAPER = 36
ENDING = 0.3  # seconds that processes have to end in


class Size(NamedTuple):
    """Amount of measuring; `short` only shows that a benchmark runs."""

    repeats: int
    commands: int
    students: int
    notebooks: int
    more_notebooks: int
    fresh: int


FULL = Size(repeats=40, commands=11, students=60, notebooks=20, more_notebooks=100, fresh=20)
SHORT = Size(repeats=1, commands=1, students=4, notebooks=1, more_notebooks=1, fresh=2)


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def in_turn(repeats: int, *actions: Callable[[], object]) -> list[float]:
    """Return the median time of each action, in turn; the first of several rounds only warms up."""
    times: list[list[float]] = [[] for _ in actions]
    warming = int(repeats > 1)
    for round_ in range(repeats + warming):
        for mine, action in zip(times, actions, strict=True):
            spent = seconds(action)
            if round_ >= warming:
                mine.append(spent)
    return [statistics.median(mine) for mine in times]


def ms(value: float) -> str:
    return f"{value * 1000:.1f} ms"


def processor_time_of_ended() -> float:
    """Return the processor time of ended processes: the fork servers and their forks.

    A fork server ends at once, and its successor takes over its forks.
    """
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1)
    until = time.monotonic() + ENDING
    while time.monotonic() < until:
        with contextlib.suppress(ChildProcessError):
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        time.sleep(0.01)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
