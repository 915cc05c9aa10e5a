import numpy as np


def angles(positions, d, base=10000.0):
    if d & 1:
        raise ValueError(d)
    inv = np.exp(np.arange(0, d, 2) * (-np.log(base) / d))
    return np.multiply.outer(np.array(positions, float), inv)


def rotate(x, angles):
    c = np.repeat(np.cos(angles), 2, axis=-1)
    s = np.repeat(np.sin(angles), 2, axis=-1)
    swapped = np.stack([-x[..., 1::2], x[..., ::2]], axis=-1).reshape(x.shape)
    return x * c + swapped * s


def rotary_scores(q, k, offset=0):
    L_q, d = q.shape[-2:]
    L_k = k.shape[-2]
    q = rotate(q, angles(offset + np.arange(L_q), d))
    k = rotate(k, angles(np.arange(L_k), d))
    return q @ np.swapaxes(k, -1, -2) / np.sqrt(d)
