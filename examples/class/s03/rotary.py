import numpy as np


def angles(positions, d, base=10000.0):
    if d % 2:
        raise ValueError(f"d must be even, got {d}")
    freq = base ** (-2.0 * np.arange(d // 2) / d)
    return np.asarray(positions)[..., None] * freq


def rotate(x, angles):
    cos, sin = np.cos(angles), np.sin(angles)
    even, odd = x[..., 0::2], x[..., 1::2]
    out = np.empty(x.shape)
    out[..., 0::2] = even * cos - odd * sin
    out[..., 1::2] = even * sin + odd * cos
    return out


def rotary_scores(q, k, offset=0):
    L_q, d = q.shape[-2:]
    L_k = k.shape[-2]
    q = rotate(q, angles(np.arange(L_q), d))
    k = rotate(k, angles(offset + np.arange(L_k), d))
    return q @ np.swapaxes(k, -1, -2) / np.sqrt(d)
