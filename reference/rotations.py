"""Rotary positions, in named steps: frequencies, angles, rotated pairs and scores."""

from typing import Any

import numpy as np

from reference.attention import Array


def frequencies(d: int, base: float = 10000.0) -> Array:
    """Return the frequency of each pair, base^(−2j/d)."""
    return float(base) ** (-2 * np.arange(d // 2) / d)


def angles(positions: Any, d: int, base: float = 10000.0) -> Array:
    """Return the angle of each pair at each position; raise ValueError if d is odd."""
    if d % 2:
        raise ValueError(f"d is {d}, which is odd")
    return np.asarray(positions)[..., np.newaxis] * frequencies(d, base)


def turned(first: Array, second: Array, by: Array) -> tuple[Array, Array]:
    """Return the features of each pair, turned counterclockwise."""
    cos, sin = np.cos(by), np.sin(by)
    return first * cos - second * sin, first * sin + second * cos


def interleaved(first: Array, second: Array) -> Array:
    """Return one array with the first and second features of the pairs in turn."""
    both = np.stack(np.broadcast_arrays(first, second), axis=-1)
    return both.reshape(*both.shape[:-2], -1)


def rotate(x: Array, by: Array) -> Array:
    """Return x with each pair of neighbouring features turned by its angle."""
    return interleaved(*turned(x[..., 0::2], x[..., 1::2], by))


def placed(x: Array, first: int = 0) -> Array:
    """Return x turned by its positions, which begin with `first`."""
    return rotate(x, angles(first + np.arange(x.shape[-2]), x.shape[-1]))


def scores(q: Array, k: Array) -> Array:
    """Return the scaled dot products."""
    return q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])


def rotary_scores(q: Array, k: Array, offset: int = 0) -> Array:
    """Return the scaled scores; query i is at `offset` + i, and key j at j."""
    return scores(placed(q, offset), placed(k))
