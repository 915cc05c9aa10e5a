"""Vectors of positions: sines and cosines with decreasing frequencies."""

import numpy as np

from reference.attention import Array


def frequencies(d: int, base: float = 10000.0) -> Array:
    """Return the frequency of each column. Both columns of a pair have the same frequency."""
    pairs = np.arange(d) // 2
    return np.asarray(float(base) ** (-2.0 * pairs / d))


def angles(n: int, per_column: Array) -> Array:
    return np.arange(n)[:, np.newaxis] * per_column


def sines_and_cosines(turned: Array) -> Array:
    is_sine = np.arange(turned.shape[1]) % 2 == 0
    return np.where(is_sine, np.sin(turned), np.cos(turned))


def sinusoid(n: int, d: int, base: float = 10000.0) -> Array:
    """Return the vectors of the positions 0 to n − 1, one in each row."""
    return sines_and_cosines(angles(n, frequencies(d, base)))


def products(pe: Array) -> Array:
    """Return the dot product of each pair of rows."""
    return np.asarray(pe @ pe.T)


def similarity(pe: Array) -> Array:
    """Return the dot product of each pair of rows, divided by the number of columns."""
    return products(pe) / pe.shape[1]
