"""ALiBi: biases that decrease with a key's distance. Each head has its own slope."""

import numpy as np

from reference.attention import Array, block


def power_below(h: int) -> int:
    return 1 << (h.bit_length() - 1)


def sequence(n: int) -> Array:
    """Return 2^(−8/n), 2^(−16/n), …, 2^(−8): the slopes if `n` is a power of two."""
    return np.asarray(2.0 ** (-8.0 * np.arange(1, n + 1) / n))


def alibi_slopes(h: int) -> Array:
    """Return the slopes of `h` heads, in the order of the published code."""
    n = power_below(h)
    return np.concatenate([sequence(n), sequence(2 * n)[0::2][: h - n]])


def distances(q_len: int, k_len: int) -> Array:
    """Return the distance of each key before each query. Later keys have negative distances."""
    queries = k_len - q_len + np.arange(q_len)
    return np.asarray(queries[:, np.newaxis] - np.arange(k_len), dtype=float)


def biases(slopes: Array, apart: Array) -> Array:
    """Return −slope · distance for each head: `(h, q_len, k_len)`."""
    return np.asarray(0.0 - slopes[:, np.newaxis, np.newaxis] * apart)


def block_later(bias: Array, apart: Array) -> Array:
    """Return the biases with −∞ for later keys."""
    return block(bias, apart >= 0)


def alibi_of(slopes: Array, q_len: int, k_len: int) -> Array:
    """Return the biases of heads with these slopes."""
    apart = distances(q_len, k_len)
    return block_later(biases(slopes, apart), apart)


def alibi(h: int, q_len: int, k_len: int) -> Array:
    return alibi_of(alibi_slopes(h), q_len, k_len)
