"""The causal mask: each position sees itself and earlier positions."""

import numpy as np
import numpy.typing as npt

from reference.attention import Array, Mask, block, softmax


def causal_mask(seq_len: int) -> npt.NDArray[np.bool_]:
    """Return `(seq_len, seq_len)`: true where the key's position is not after the query's."""
    position = np.arange(seq_len)
    query, key = position[:, np.newaxis], position[np.newaxis, :]
    return np.asarray(key <= query)


def masked_weights(scores: Array, mask: Mask) -> Array:
    """Return the softmax of scaled scores over the allowed positions."""
    return softmax(block(scores, mask))


def count_visible(seq_len: int) -> list[int]:
    """Return the number of visible positions for each query: 1, 2, 3, …"""
    return [position + 1 for position in range(seq_len)]
