"""Run by itself: what each call of the proof's vocabulary answers, as one line each.

The C library fills memory that nobody wrote with MALLOC_PERTURB_: where the answers of two runs
differ, something read it. Results are large, since NumPy keeps small pieces of memory for itself.
"""

import contextlib
import hashlib
import signal
import warnings
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

import numpy as np

from autograder.submission.purity_vocabulary import ATTRIBUTES, LIBRARY
from autograder.worker.preparation import fill_unwritten

SEVERAL = (float, (2,))  # two numbers as one
POSITIONS: tuple[tuple[Any, ...], ...] = (
    (), (SEVERAL,), (0,), (0, SEVERAL), (None, SEVERAL), (2, 0, SEVERAL), (0, 1, SEVERAL),
    (0, 0, 1, SEVERAL), (0, 1, True, False, SEVERAL), (SEVERAL, None),
)  # fmt: skip
NAMED: tuple[dict[str, Any], ...] = ({}, {"dtype": SEVERAL}, {"dtype": (int, (3,))})
SECONDS = 0.5


def inputs() -> Iterator[Any]:
    x = np.random.default_rng(0).normal(size=(20, 30))
    yield from (x, x.T, x[::2], (9 * x).astype(int), x > 0, [x.T, x.T], (20, 30))


def calls() -> Iterator[tuple[str, int, Callable[..., Any], tuple[Any, ...]]]:
    """The name of each word, the number of an input, and what to call with what before the rest."""
    for path in sorted(LIBRARY):
        library, _, name = path.partition(".")
        function = attrgetter(name)(np) if library == "numpy" else None
        if callable(function) and not name.startswith(("random", "testing")):
            yield from ((path, n, function, (x,)) for n, x in enumerate(inputs()))
    for name in sorted(ATTRIBUTES):
        for n, x in enumerate(inputs()):
            if isinstance(x, np.ndarray) and callable(getattr(x, name, None)):
                yield f".{name}", n, getattr(x, name), ()


def said(value: Any) -> str:
    if isinstance(value, tuple | list):
        return " ".join(map(said, value[:20]))
    array = np.ascontiguousarray(value)
    return "objects" if array.dtype.hasobject else hashlib.md5(array.tobytes()).hexdigest()


def stop(*_: object) -> None:
    raise TimeoutError


def main() -> None:
    fill_unwritten()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, stop)
    for name, number, function, first in calls():
        for position in POSITIONS:
            for named in NAMED:
                answer = "an error"
                with contextlib.suppress(Exception):
                    signal.setitimer(signal.ITIMER_REAL, SECONDS)
                    answer = said(function(*first, *position, **named))
                signal.setitimer(signal.ITIMER_REAL, 0)
                print(name, number, position, named, answer, sep="\t")


if __name__ == "__main__":
    main()
