"""Each sign of z in its own place."""

import numpy as np


def standardised(x, eps):
    root = np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps)
    return x / root


def layer_norm(x, g, b, eps=1e-5):
    return standardised(x - x.mean(axis=-1, keepdims=True), eps) * g + b


def rms_norm(x, g, eps=1e-5):
    return standardised(x, eps) * g


def sigmoid(z):
    result = np.empty_like(z)
    positive = z >= 0
    result[positive] = 1 / (1 + np.exp(-z[positive]))
    e = np.exp(z[~positive])
    result[~positive] = e / (1 + e)
    return result


def swiglu(x, W, V, W2):
    gate = x @ W
    gate = gate * sigmoid(gate)
    return np.einsum("...h,...h,hd->...d", gate, x @ V, W2)


def pre_norm(x, f, norm):
    normed = norm(x)
    return x + f(normed)
