"""Misconceptions about the number of visible positions."""

import numpy as np

from autograder.author import Family, Hints
from reference.misconceptions.causal_mask.create import of_length

COUNT: Hints = (
    "How many positions does each query see, from the first to the last?",
    "Each query sees itself and all positions before it. So each query sees one position more "
    "than the query before.",
    "Count the true entries in each row of the mask.",
)


COUNTS = (
    Family(
        "counts",
        COUNT,
        means=of_length,
        ways={
            "from-zero": (
                "The counts start at 0. They should start at 1, because each query sees itself "
                "too.",
                lambda n: list(range(n)),
            ),
            "from-two": (
                "The counts start at 2. Each count is one too large.",
                lambda n: list(range(2, n + 2)),
            ),
            "reversed": (
                "The counts are in reverse order. They are the counts of the columns, or of a "
                "mask that sees the future.",
                lambda n: list(range(n, 0, -1)),
            ),
            "reversed-from-zero": (
                "Each count is the number of positions that the query does not see.",
                lambda n: list(range(n - 1, -1, -1)),
            ),
            "all-of-them": (
                "The counts say that every query sees all positions.",
                lambda n: [n] * n,
            ),
            "one-each": ("The counts say that every query sees one position.", lambda n: [1] * n),
            "total": (
                "The result is one number, the total. It should have one count for each query.",
                lambda n: n * (n + 1) // 2,
                lambda n: [n * (n + 1) // 2],
            ),
            "last-only": (
                "The result is one number, the count of the last query. It should have one count "
                "for each query.",
                lambda n: n,
            ),
            "one-too-many": (
                "The result has one count too many at the end.",
                lambda n: list(range(1, n + 2)),
            ),
            "first-too-early": (
                "The result has one count too many: a 0 at the front.",
                lambda n: list(range(n + 1)),
            ),
            "shares": (
                "The results are shares of the sequence. They should be whole counts.",
                lambda n: [(i + 1) / n for i in range(n)],
            ),
            "rows": (
                "The result has the rows of the mask. It should have the number of true entries "
                "in each row.",
                lambda n: np.tril(np.ones((n, n))).astype(int).tolist(),
            ),
            "next-seen-too": (
                "Each count is for a query that also sees the next position. No query should "
                "see the next position.",
                lambda n: [min(i + 2, n) for i in range(n)],
            ),
            "positions": (
                "The result lists the visible positions. It should have the number of them.",
                lambda n: [list(range(i + 1)) for i in range(n)],
            ),
        },
    ),
)
