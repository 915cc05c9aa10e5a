"""The causal mask: each position sees itself and earlier positions, never later ones."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import numpy.typing as npt

from reference.attention import Array, Mask, block, softmax


def causal_mask(seq_len: int) -> npt.NDArray[np.bool_]:
    """Return `(seq_len, seq_len)`: true where the key's position is not after the query's."""
    position = np.arange(seq_len)
    query, key = position[:, np.newaxis], position[np.newaxis, :]
    return np.asarray(key <= query)


def broadcast_masks(rng: np.random.Generator, *sizes: int) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield a random mask of each shape that broadcasts to `sizes`, the shape of scores.

    The last axis has its full length, and every query may attend to the first key.
    """
    for axes in range(2, len(sizes) + 1):
        for shape in product(*((1, size) for size in sizes[-axes:-1])):
            mask = rng.random((*shape, sizes[-1])) < 0.5
            mask[..., 0] = True
            yield mask


def masked_weights(scores: Array, mask: Mask) -> Array:
    """Return the softmax of scaled scores over the allowed positions."""
    return softmax(block(scores, mask))


def count_visible(seq_len: int) -> list[int]:
    """Return how many positions each query sees: 1, 2, 3, …"""
    return [position + 1 for position in range(seq_len)]
