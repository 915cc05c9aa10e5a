"""Misconceptions about the softmax."""

from typing import Any

import numpy as np

from autograder.author import Family, Hints
from reference.attention import block, softmax
from reference.misconceptions.reductions import minus_logarithm, wrong_reductions

ROWS: Hints = (
    "Along which axes do the maximum and the sum in your softmax run?",
    "Each row of the weights is the softmax of one row of scores, so each row of weights sums to "
    "1.",
    "Look at the axis of the maximum and of the sum in your softmax. The keys are on the last "
    "axis. keepdims=True makes each number act on its own row.",
)


SOFTMAX: Hints = (
    "How do scores become weights that are positive and sum to 1?",
    "Each weight is exp(score), divided by the sum of the row's exponentials.",
    "Look at the lines between the scaled scores and the product with V.",
)


def _shares(exponentials: Any, small: float = 0.0) -> Any:
    return exponentials / (exponentials.sum(axis=-1, keepdims=True) + small)


def shifted(s: Any) -> Any:
    return s.blocked - s.blocked.max(axis=-1, keepdims=True)


WEIGHTS = (
    Family(
        None,
        ROWS,
        {
            "mean-subtracted": (
                "Large scores that are far apart overflow, as in a softmax that subtracts the "
                "mean of the scores instead of their maximum.",
                {"weights": lambda s: _shares(np.exp(s.blocked - s.scaled.mean()))},
                {
                    "weights": lambda s: _shares(
                        np.exp(s.blocked - s.scaled.mean(-1, keepdims=True))
                    )
                },
            ),
            "nan-replaced": (
                "{The result is right for small scores. }Large scores overflow, as in a softmax "
                "that does not subtract the maximum, and that replaces NaN by numbers afterwards.",
                {"weights": lambda s: np.nan_to_num(_shares(np.exp(s.blocked)))},
                {"weights": lambda s: np.nan_to_num(_shares(np.exp(s.blocked).astype(np.float32)))},
            ),
        },
    ),
    Family(
        "weights",
        (
            "In NumPy, what is np.exp(1000) / np.exp(1000)?",
            "The softmax stays the same if you subtract one number from a whole row. If you "
            "subtract the largest, no exponential is above 1.",
            "Before you exponentiate, subtract the maximum of each row, with keepdims=True.",
        ),
        {
            # Blanchard, Higham & Higham 2021
            "softmax-not-stable": (
                "{The result is right for small scores. }Large scores overflow{, as in a softmax "
                "that does not subtract the maximum| in the exponential}.",
                lambda s: _shares(np.exp(s.blocked)),
                lambda s: _shares(np.exp(s.blocked).astype(np.float32)),  # as torch does
                lambda s: minus_logarithm(s.blocked),
            ),
        },
    ),
    *wrong_reductions("blocked", ROWS),
    Family(
        "weights",
        SOFTMAX,
        {
            "exponentials-only": (
                "The weights are exponentials that are not divided by their sum{, so no row sums "
                "to 1}.",
                lambda s: np.exp(s.blocked),
            ),
            "no-exponential": (
                "Your numbers match scores divided by the sum of their row, without an "
                "exponential.",
                lambda s: s.blocked / s.blocked.sum(-1, keepdims=True),
            ),
            "sigmoid": (
                "Your weights are sigmoids of the scores{, so no row sums to 1}. They should be "
                "softmaxes of the rows.",
                lambda s: 1 / (1 + np.exp(-s.blocked)),
            ),
            "sigmoid-normalised": (
                "Your weights are sigmoids of the scores, divided by their sum. A softmax uses "
                "exponentials instead of sigmoids.",
                lambda s: _shares(1 / (1 + np.exp(-s.blocked))),
            ),
            "large-epsilon": [
                (
                    f"The sums of the exponentials are about {size} too large{{, so the rows do "
                    f"not sum to 1}}.",
                    lambda s, size=size: (
                        np.exp(shifted(s)) / (np.exp(shifted(s)).sum(-1, keepdims=True) + size)
                    ),
                )
                for size in (1e-5, 1e-4, 1e-3, 1e-2, 0.1)
            ],
            "equal-weights": (
                "All keys that are not blocked get the same weight: the scores have no effect.",
                lambda s: softmax(block(0 * s.scaled, s.mask)),
            ),
        },
    ),
)
