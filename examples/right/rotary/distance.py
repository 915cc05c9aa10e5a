"""Scores from distances alone: only differences of positions are computed."""

import numpy as np


class OddWidth(ValueError):
    pass


def angles(positions, d, base=10000.0):
    if d % 2 == 1:
        raise OddWidth(d)
    exponents = np.linspace(0, 1, d // 2, endpoint=False)
    return np.asarray(positions)[..., None] * np.exp(-np.log(base) * exponents)


def rotate(x, angles):
    cos = np.cos(angles)
    sin = np.sin(angles)
    even, odd = x[..., ::2], x[..., 1::2]
    out = np.zeros(np.broadcast_shapes(even.shape, cos.shape) + (2,))
    out[..., 0] = even * cos - odd * sin
    out[..., 1] = odd * cos + even * sin
    return out.reshape(*out.shape[:-2], x.shape[-1])


def rotary_scores(q, k, offset=0):
    d = q.shape[-1]
    i = offset + np.arange(q.shape[-2])[:, None]
    j = np.arange(k.shape[-2])[None, :]
    by = angles(i - j, d)
    q, k = q[..., :, None, :], k[..., None, :, :]
    a, b, c, e = q[..., ::2], q[..., 1::2], k[..., ::2], k[..., 1::2]
    products = (a * c + b * e) * np.cos(by) + (a * e - b * c) * np.sin(by)
    return products.sum(-1) / np.sqrt(d)
