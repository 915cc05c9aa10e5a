"""Inputs of attention with the largest scaled scores that the exercises allow."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.author import Mismatch
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


def projected_to_low_scores(heads: int) -> tuple[npt.NDArray[Any], ...]:
    """Return `x`, `W_q` and `W_k` that give each head the scaled scores of `LOW_SCORES`.

    The last query has the scores 0 instead, so no exponential overflows.
    """
    query, key, _ = LOW_SCORES
    each = np.concatenate([query * [[1], [1], [0]], key], axis=-1)
    W_q, W_k = np.sqrt(2) * np.diag([1.0, 1.0, 0.0, 0.0]), np.eye(4, k=2)
    return (
        np.tile(each, heads)[np.newaxis],
        np.kron(np.eye(heads), W_q),
        np.kron(np.eye(heads), W_k),
    )


LARGE = (
    "For the scores in the call shown, what does each line of your softmax compute?",
    "e to the power of 2000 overflows, and e to the power of −2000 is 0. A row's softmax stays the "
    "same after you subtract its largest score. A blocked score has to be far below all scores.",
    "Subtract the largest score of each row (with keepdims) before the exponential, or use torch's "
    "softmax. Block a score with −∞ or −1e9.",
)


@contextmanager
def about_large_scores() -> Iterator[None]:
    """Give a mismatch of large scores its own hints."""
    __tracebackhide__ = True
    try:
        yield
    except Mismatch as wrong:
        wrong.hints = wrong.hints or LARGE
        raise


def with_scores_up_to(most: float, Q: Any, K: Any) -> tuple[Any, Any]:
    """Return Q and K times a factor. Their largest scaled score is then ±`most`."""
    factor = np.sqrt(0.99 * most / np.abs(scale(scores(Q, K), Q.shape[-1])).max())
    return (Q * factor).astype(Q.dtype), (K * factor).astype(K.dtype)


def compare_low(bare: Any, value: Any, mask: Any, note: Callable[[str], None]) -> None:
    """Pass if the values are right when blocked scores are far above allowed scores."""
    __tracebackhide__ = True
    batch, few = value.shape[:-2], value[..., :3, :]
    query, key, allowed = LOW_SCORES
    given = (
        np.broadcast_to(each, (*batch, *each.shape)).astype(np.float32) for each in (query, key)
    )
    try:
        bare.compare((), (*given, few, allowed), {}, condition=1e4)
    except Mismatch:
        if bare.is_right((), (few, few, few, mask[:, :3]), {}):
            raise
        note("A mask is judged by another check.")


def expect_finite(bare: Any, inputs: Any, mask: str = "") -> None:
    """Pass if large scores give no NaN, whatever the scale."""
    __tracebackhide__ = True
    output = np.asarray(bare.output((), inputs, {}))
    if not np.isfinite(output).all():
        raise Mismatch(
            f"With large scores{mask}, the output contains NaN or infinite values.", "the output"
        )
