"""x·cos + swapped x·sin, as libraries write it, with neighbours as pairs."""

import numpy as np


def angles(positions, d, base=10000.0):
    if d // 2 * 2 != d:
        raise ValueError("d must be even, got " + str(d))
    inverse = 1.0 / (base ** (np.arange(0, d, 2, dtype=float) / d))
    return np.einsum("...l,j->...lj", np.asarray(positions, dtype=float), inverse)


def swapped(x):
    result = np.empty_like(x)
    result[..., ::2] = -x[..., 1::2]
    result[..., 1::2] = x[..., ::2]
    return result


def rotate(x, angles):
    by = np.repeat(angles, 2, axis=-1)
    return x * np.cos(by) + swapped(x) * np.sin(by)


def rotary_scores(q, k, offset=0):
    n, m, d = q.shape[-2], k.shape[-2], k.shape[-1]
    every = angles(range(max(n + offset, m)), d)
    q = rotate(q, every[offset : offset + n])
    k = rotate(k, every[:m])
    return (q / np.sqrt(d)) @ k.swapaxes(-2, -1)
