"""Calls for the exercise on attention in blocks of keys, and a count of merges."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from reference.online import start_of

Call = tuple[npt.NDArray[np.float64], ...]

_ROWS = np.array([[1, 0, 1, 1, 0], [0, 0, 0, 1, 1], [1, 1, 0, 0, 0]])
# for 3 queries and 5 keys: of the scores' shape, and with an axis of length 1
MASKS = _ROWS == 1, _ROWS[1:2].astype(float), _ROWS[:, :1] >= 0
COUNTING = """
import numpy
calls = []
def count(function):
    names = function.__globals__
    merge = names["merge"]
    def counted(*args, **named):
        calls.append(numpy.shape(args[3] if len(args) > 3 else named["scores"])[-1])
        return merge(*args, **named)
    names["merge"] = counted
"""


def some_blocks(rng: np.random.Generator) -> list[Call]:
    """Return arguments of merge for first blocks and for later blocks."""
    first = np.log([[1.0, 2.0]]), np.array([[1.0], [4.0]])
    drawn = rng.normal(size=(3, 4)), rng.normal(size=(4, 2))
    calls = [(*start_of(*args), *args) for args in (first, drawn)]
    small = np.log([2.0]), np.array([1.5]), np.array([[4.5]]), np.log([[4.0]]), np.array([[10.0]])
    done = np.log([4.0]), np.array([1.75]), np.array([[12.25]])
    same = *done, np.log([[1.0, 2.0]]), np.array([[2.0], [3.0]])
    state = rng.normal(size=3), rng.uniform(1, 4, 3), rng.normal(size=(3, 2))
    return [*calls, small, same, (*state, rng.normal(size=(3, 4)), rng.normal(size=(4, 2)))]


def blocked_blocks(rng: np.random.Generator) -> list[Call]:
    """Return arguments of merge with −∞ for a whole block, a whole query, and single keys."""
    v, none = rng.normal(size=(2, 1)), np.full((2, 2), -np.inf)
    some = np.array([[0.5, -np.inf], [-np.inf, -np.inf]])
    state = np.array([1.0, -2.0]), np.array([2.0, 1.0]), np.array([[3.0], [4.0]])
    half = np.array([1.0, -np.inf]), np.array([2.0, 0.0]), np.array([[3.0], [0.0]])
    start = start_of(none, v)
    return [(*start, some, v), (*start, none, v), (*state, none, v), (*half, some[::-1], v)]


def keys_of_merges(submission: Any, calls: Iterable[tuple[Any, ...]]) -> Iterator[list[int]]:
    """Yield the numbers of keys that the merges of each call of tiled_attention get."""
    own = submission.fresh()
    counter = own.define("counter", COUNTING)
    counter.count(own.kept_value("tiled_attention"))
    before = 0
    for args in calls:
        own.tiled_attention(*args)
        sizes = counter.value("calls")
        yield sizes[before:]
        before = len(sizes)
