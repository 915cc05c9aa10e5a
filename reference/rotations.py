"""Rotary positions, in named steps: frequencies, angles, rotated pairs and scores."""

from typing import Any

import numpy as np

from autograder.author import OwnSteps
from reference import sinusoids
from reference.attention import Array, asked_of_softmax


def frequencies(d: int, base: float = 10000.0) -> Array:
    """Return the frequency of each pair, base^(−2j/d), for even d."""
    return sinusoids.frequencies(d, base)[0::2]


def angles(positions: Any, d: int, base: float = 10000.0) -> Array:
    """Return the angle of each pair at each position.

    Raises:
        ValueError: d is odd.
    """
    if d % 2:
        raise ValueError(f"d is {d}, which is odd")
    return np.asarray(positions)[..., np.newaxis] * frequencies(d, base)


def neighbours(x: Array) -> tuple[Array, Array]:
    """Return the first and the second features of all pairs."""
    return x[..., 0::2], x[..., 1::2]


def turned(first: Array, second: Array, by: Array) -> tuple[Array, Array]:
    """Return the features of each pair, turned counterclockwise."""
    cos, sin = np.cos(by), np.sin(by)
    return first * cos - second * sin, first * sin + second * cos


def interleaved(first: Array, second: Array) -> Array:
    both = np.stack(np.broadcast_arrays(first, second), axis=-1)
    return both.reshape(*both.shape[:-2], -1)


def rotate(x: Array, by: Array) -> Array:
    """Return x after turning each pair of features by its angle."""
    return interleaved(*turned(*neighbours(x), by))


def placed(x: Array, first: int = 0) -> Array:
    """Return x, turned by its positions. The first position is `first`."""
    return rotate(x, angles(first + np.arange(x.shape[-2]), x.shape[-1]))


def scores(q: Array, k: Array) -> Array:
    return asked_of_softmax(q, k)


def rotary_scores(q: Array, k: Array, offset: int = 0) -> Array:
    """Return the scaled scores. Query i has the position `offset` + i, and key j the position j."""
    return scores(placed(q, offset), placed(k))


def own_rotary_scores(steps: OwnSteps, q: Array, k: Array, offset: int) -> Array:
    """Return the scaled scores from the student's own `angles` and `rotate`."""
    length, d = q.shape[-2:]
    positions = np.concatenate([offset + np.arange(length), np.arange(k.shape[-2])])

    def turned_by_own(own: Any, x: Array) -> Any:
        return own.rotate(x, own.angles(positions, d))

    turned = steps.ask(turned_by_own, np.concatenate([q, k], axis=-2))
    return scores(turned[..., :length, :], turned[..., length:, :])
