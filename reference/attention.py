"""Scaled dot-product attention, one function per step.

Source: Vaswani et al., "Attention Is All You Need" (2017), equation (1):

    Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[Any]


def scores(Q: Array, K: Array) -> Array:
    """Return the scores of queries and keys.

    Q `(..., L_q, d_k)` and K `(..., L_k, d_k)` give `(..., L_q, L_k)`. Entry i, j is the dot
    product of query i with key j.
    """
    return Q @ np.swapaxes(K, -1, -2)


def scale(scores: Array, d_k: int) -> Array:
    """Return the scores divided by √d_k.

    The standard deviation of the result does not grow with d_k.
    """
    return scores / np.sqrt(d_k)


def block(scores: Array, mask: Mask | None) -> Array:
    """Return the scores with −∞ where the mask is false. A softmax gives these places the weight 0.

    The mask is true (or 1) where a query may attend, and broadcasts against the scores.

    """
    if mask is None:
        return scores
    return np.where(np.asarray(mask).astype(bool), scores, -np.inf)


def softmax(x: npt.ArrayLike, axis: int | tuple[int, ...] | None = -1) -> Array:
    """Return exp(xᵢ) / Σⱼ exp(xⱼ) along an axis.

    The largest entry is subtracted first, so no exponential overflows. The factor exp(−max) cancels
    in the result (Blanchard, Higham & Higham 2021, eq. 1.3).
    """
    x = np.asarray(x, dtype=np.float64)
    exponentials = np.exp(x - x.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def combine(weights: Array, V: Array) -> Array:
    """Return weights `(..., L_q, L_k)` times values `(..., L_k, d_v)`."""
    return weights @ V


def attention(
    Q: Array,
    K: Array,
    V: Array,
    mask: Mask | None = None,
    softmax: Callable[[Array], Array] = softmax,
) -> tuple[Array, Array]:
    """Return the output `(..., L_q, d_v)` and the weights `(..., L_q, L_k)` of attention.

    Each row of the weights sums to 1. If a mask blocks a whole row, its result means nothing.
    `softmax` acts on the last axis.
    """
    weights = softmax(asked_of_softmax(Q, K, mask))
    return combine(weights, V), weights


def asked_of_softmax(Q: Array, K: Array, mask: Mask | None = None) -> Array:
    """Return the scaled, masked scores, which are the softmax's input."""
    return block(scale(scores(Q, K), Q.shape[-1]), mask)
