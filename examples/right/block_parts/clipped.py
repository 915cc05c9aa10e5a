"""The rows in a loop, and the exponentials of clipped numbers."""

import numpy as np


def _each_row(x, change):
    rows = x.reshape(-1, x.shape[-1])
    return np.array([change(row) for row in rows]).reshape(x.shape)


def layer_norm(x, g, b, eps=1e-5):
    return _each_row(x, lambda row: g * (row - row.mean()) / (row.var() + eps) ** 0.5 + b)


def rms_norm(x, g, eps=1e-5):
    return _each_row(x, lambda row: g * row / np.sqrt(row.dot(row) / row.size + eps))


def swiglu(x, W, V, W2):
    z = x @ W
    return (z / (1.0 + np.exp(np.clip(-z, -700, 700))) * (x @ V)) @ W2


def pre_norm(x, f, norm):
    return sum([f(norm(x))], start=x)
