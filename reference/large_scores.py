"""Inputs of attention with the largest scaled scores that the exercises allow."""

from typing import Any

import numpy as np
import numpy.typing as npt

from reference.attention import scale, scores

LOW_SCORES: tuple[npt.NDArray[Any], ...] = (
    np.array([[30.0, 0.0], [34.0, 1.0], [-30.0, 0.0]]),
    np.array([[-41.5, 0.0], [-39.0, 1.0], [0.0, 2.0]]),
    np.array([[True, True, False], [True, False, False], [True, True, False]]),
)
"""Queries, keys and a mask. Scaled scores are at most ±1,000.

In two rows, the allowed scores are far below the blocked score. In the last row, they are far above
it.
"""


def with_scores_up_to(most: float, Q: Any, K: Any) -> tuple[Any, Any]:
    """Return Q and K times a factor. Their largest scaled score is then ±`most`."""
    factor = np.sqrt(0.99 * most / np.abs(scale(scores(Q, K), Q.shape[-1])).max())
    return (Q * factor).astype(Q.dtype), (K * factor).astype(K.dtype)
