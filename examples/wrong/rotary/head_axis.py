# mistake: positions are taken from the third axis from the end
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
    d = q.shape[-1]
    a_q = angles(offset + np.arange(q.shape[0]), d)
    a_k = angles(np.arange(k.shape[0]), d)
    if q.ndim > 2:
        a_q = a_q.reshape(a_q.shape[:1] + (1,) * (q.ndim - 2) + a_q.shape[1:])
        a_k = a_k.reshape(a_k.shape[:1] + (1,) * (k.ndim - 2) + a_k.shape[1:])
    return rotate(q, a_q) @ rotate(k, a_k).swapaxes(-1, -2) / np.sqrt(d)
