import numpy as np


def angles(positions, d, base=10000.0):
    if d % 2 != 0:
        raise ValueError("odd: %d" % d)
    omega = np.power(base, -np.arange(0, d, 2) / d)
    return np.asarray(positions)[..., None] * omega


def rotate(x, angles):
    z = x[..., 0::2] + 1j * x[..., 1::2]
    z = z * np.exp(1j * np.asarray(angles))
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


def rotary_scores(q, k, offset=0):
    d = q.shape[-1]
    i = np.arange(offset, offset + q.shape[-2])
    j = np.arange(k.shape[-2])
    q = rotate(q, angles(i, d))
    k = rotate(k, angles(j, d))
    return np.einsum("...id,...jd->...ij", q, k) / d**0.5
