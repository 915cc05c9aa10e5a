"""Vectors of positions: sines and cosines of falling frequencies."""

import numpy as np

from reference.attention import Array


def frequencies(d: int, base: float = 10000.0) -> Array:
    """Return the frequency of each pair of columns; for odd `d`, also that of the last sine."""
    pairs = np.arange((d + 1) // 2)
    return np.asarray(float(base) ** (-2.0 * pairs / d))


def turned(n: int, per_position: Array) -> Array:
    """Return the angle of each pair at each position: `(n, pairs)`."""
    return np.arange(n)[:, np.newaxis] * per_position


def interleaved(sines: Array, cosines: Array, d: int) -> Array:
    """Return `(n, d)` with sines in columns 0, 2, … and cosines in columns 1, 3, …"""
    columns = np.empty((len(sines), d))
    columns[:, 0::2] = sines
    columns[:, 1::2] = cosines[:, : d // 2]
    return columns


def sinusoid(n: int, d: int, base: float = 10000.0) -> Array:
    """Return the vectors of the positions 0 to n − 1, one in each row."""
    angles = turned(n, frequencies(d, base))
    return interleaved(np.sin(angles), np.cos(angles), d)


def similarity(pe: Array) -> Array:
    """Return the dot product of each two rows, divided by the number of columns."""
    return np.asarray(pe @ pe.T / pe.shape[1])
