"""How many positions are visible, counted wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.diagnosis.recipe import Hints, Misconception

COUNT: Hints = (
    "How many positions does the first query see? And the last?",
    "Each query sees itself and all before it: one more than the query before.",
    "It is the number of true entries in each row of the mask.",
)


def _count(id: str, make: Callable[[int], Any], finding: str) -> Misconception:
    return Misconception(id, finding, COUNT, {"counts": lambda s: make(s.seq_len)})


COUNTS = (
    _count("from-zero", lambda n: list(range(n)),
           "The counts start at 0: each query sees itself too."),
    _count("from-two", lambda n: list(range(2, n + 2)),
           "The counts start at 2: one more than each query sees."),
    _count("reversed", lambda n: list(range(n, 0, -1)),
           "The counts are in reverse order: they are those of the columns, or of a mask that "
           "sees the future."),
    _count("reversed-from-zero", lambda n: list(range(n - 1, -1, -1)),
           "The counts are those of the future: how many positions each query does not see."),
    _count("all-of-them", lambda n: [n] * n, "Every query is said to see all positions."),
    _count("one-each", lambda n: [1] * n, "Every query is said to see one position only."),
    _count("total", lambda n: n * (n + 1) // 2,
           "The result is one number, the total; a count for each query is asked for."),
    _count("total-in-a-list", lambda n: [n * (n + 1) // 2],
           "The result is one number, the total; a count for each query is asked for."),
    _count("last-only", lambda n: n,
           "The result is one number, what the last query sees; a count for each query is asked "
           "for."),
    _count("running-total", lambda n: np.cumsum(np.arange(1, n + 1)).tolist(),
           "The counts are added up from query to query: 1, 3, 6, and so on."),
    _count("one-too-many", lambda n: list(range(1, n + 2)),
           "There is one count too many at the end."),
    _count("last-missing", lambda n: list(range(1, n)), "The count of the last query is missing."),
    _count("first-too-early", lambda n: list(range(n + 1)),
           "There is one count too many, a 0 at the front."),
    _count("shares", lambda n: [(i + 1) / n for i in range(n)],
           "The results are shares of the sequence; whole counts are asked for."),
    _count("rows", lambda n: np.tril(np.ones((n, n))).astype(int).tolist(),
           "The rows of the mask come back; how many entries of each are true is asked for."),
    _count("next-seen-too", lambda n: [min(i + 2, n) for i in range(n)],
           "Each query is said to see the next position too."),
    _count("positions", lambda n: [list(range(i + 1)) for i in range(n)],
           "The visible positions are listed; how many there are is asked for."),
)  # fmt: skip
