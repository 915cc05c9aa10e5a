"""The causal mask: a position sees itself and what comes before it, never the future."""

import numpy as np
import numpy.typing as npt

from reference.attention import Array, Mask, block, softmax


def causal_mask(seq_len: int) -> npt.NDArray[np.bool_]:
    """`(seq_len, seq_len)`: true where the key's position is not after the query's."""
    position = np.arange(seq_len)
    query, key = position[:, np.newaxis], position[np.newaxis, :]
    return np.asarray(key <= query)


def masked_weights(scores: Array, mask: Mask) -> Array:
    """Return the softmax over the allowed positions of scores that are already scaled."""
    return softmax(block(scores, mask))


def count_visible(seq_len: int) -> list[int]:
    """Count the positions that each query sees: 1, 2, 3, …"""
    return [position + 1 for position in range(seq_len)]
