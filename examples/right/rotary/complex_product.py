import numpy as np


def angles(positions, d, base=10000.0):
    if d % 2:
        raise ValueError(f"d must be even, got {d}")
    freq = base ** (-2.0 * np.arange(d // 2) / d)
    return np.asarray(positions)[..., None] * freq


def rotate(x, angles):
    z = x[..., 0::2] + 1j * x[..., 1::2]
    z = z * np.exp(1j * np.asarray(angles))
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


def rotary_scores(q, k, offset=0):
    d = q.shape[-1]
    turned_q = rotate(q, angles(np.arange(offset, offset + q.shape[-2]), d))
    turned_k = rotate(k, angles(range(k.shape[-2]), d))
    return np.einsum("...id,...jd->...ij", turned_q, turned_k) * d**-0.5
