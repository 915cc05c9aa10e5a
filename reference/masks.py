"""The causal mask: each position sees itself and earlier positions."""

import numpy as np
import numpy.typing as npt

from reference.attention import Array, Mask, block, softmax

ODD_MASK = np.array([[1, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 0, 1]], bool)


def causal_mask(seq_len: int) -> npt.NDArray[np.bool_]:
    """Return `(seq_len, seq_len)`: true where the key's position is not after the query's."""
    position = np.arange(seq_len)
    query, key = position[:, np.newaxis], position[np.newaxis, :]
    return np.asarray(key <= query)


def masked_weights(scores: Array, mask: Mask) -> Array:
    """Return the softmax of scaled scores over the allowed positions."""
    return softmax(block(scores, mask))


def blocked_keep_weight(weights: Array, right: Array, blocked: Array) -> bool:
    """Return True if blocked keys have weight, and the other weights have the right proportions.

    `blocked` are the masked scores. Weights are like this if blocked scores are not low enough.
    """
    hidden = np.isneginf(blocked)
    kept = np.where(hidden, 0, weights)
    shares = kept / kept.sum(-1, keepdims=True)
    alike = ((weights > 0) | ~hidden).all(-1) | ((weights == 0) | ~hidden).all(-1)
    return (
        bool(alike.all() and (weights >= 0).all() and (weights[hidden] > 1e-7).any())
        and np.allclose(weights.sum(-1), 1, atol=1e-5)
        and np.allclose(shares, right, atol=1e-5)
    )


def match_another_mask(weights: Array, scores: Array) -> bool:
    """Return True if weights are the softmax of scaled scores with some mask.

    A row without allowed keys has equal weights.
    """
    if weights.shape[-2:] != scores.shape[-2:]:
        return False
    allowed = weights > 0
    right = masked_weights(np.broadcast_to(scores, weights.shape), allowed)
    equal = np.isclose(weights, 1 / weights.shape[-1], atol=1e-6).all(-1)
    return bool((np.isclose(weights, right, atol=1e-5).all(-1) | equal).all() and not equal.all())


def explained_by_another_mask(
    weights: Array, scores: Array, output: Array, followed: Array
) -> bool:
    """Return True if weights match another mask, and the output is `followed`.

    `followed` is the output that follows from the weights. Another output has another mistake.
    """
    return match_another_mask(weights, scores) and np.allclose(output, followed, atol=1e-3)


def count_visible(seq_len: int) -> list[int]:
    """Return the number of visible positions for each query: 1, 2, 3, …"""
    return [position + 1 for position in range(seq_len)]
