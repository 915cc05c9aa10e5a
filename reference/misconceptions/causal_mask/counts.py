"""Misconceptions in counting visible positions."""

import numpy as np

from autograder.author import Family, Hints
from reference.misconceptions.causal_mask.create import of_length

COUNT: Hints = (
    "How many positions does the first query see? And the last?",
    "Each query sees itself and all before it: one more than the query before.",
    "Count the true entries in each row of the mask.",
)


COUNTS = (
    Family(
        "counts",
        COUNT,
        means=of_length,
        ways={
            "from-zero": (
                "The counts start at 0: each query sees itself too.",
                lambda n: list(range(n)),
            ),
            "from-two": (
                "The counts start at 2: one more than each query sees.",
                lambda n: list(range(2, n + 2)),
            ),
            "reversed": (
                "The counts are in reverse order: they are those of the columns, or of a mask that "
                "sees the future.",
                lambda n: list(range(n, 0, -1)),
            ),
            "reversed-from-zero": (
                "The counts are those of the future: how many positions each query does not see.",
                lambda n: list(range(n - 1, -1, -1)),
            ),
            "all-of-them": ("Every query is said to see all positions.", lambda n: [n] * n),
            "one-each": ("Every query is said to see one position only.", lambda n: [1] * n),
            "total": (
                "The result is one number, the total; a count for each query is asked for.",
                lambda n: n * (n + 1) // 2,
            ),
            "total-in-a-list": (
                "The result is one number, the total; a count for each query is asked for.",
                lambda n: [n * (n + 1) // 2],
            ),
            "last-only": (
                "The result is one number, the last query's count; a count for each query is "
                "asked for.",
                lambda n: n,
            ),
            "running-total": (
                "The counts are added up from query to query: 1, 3, 6, and so on.",
                lambda n: np.cumsum(np.arange(1, n + 1)).tolist(),
            ),
            "one-too-many": (
                "There is one count too many at the end.",
                lambda n: list(range(1, n + 2)),
            ),
            "last-missing": (
                "The count of the last query is missing.",
                lambda n: list(range(1, n)),
            ),
            "first-too-early": (
                "There is one count too many, a 0 at the front.",
                lambda n: list(range(n + 1)),
            ),
            "shares": (
                "The results are shares of the sequence; whole counts are asked for.",
                lambda n: [(i + 1) / n for i in range(n)],
            ),
            "rows": (
                "The rows of the mask are returned; count the true entries in each row.",
                lambda n: np.tril(np.ones((n, n))).astype(int).tolist(),
            ),
            "next-seen-too": (
                "Each query is said to see the next position too.",
                lambda n: [min(i + 2, n) for i in range(n)],
            ),
            "positions": (
                "The visible positions are listed; their number is asked for.",
                lambda n: [list(range(i + 1)) for i in range(n)],
            ),
        },
    ),
)
