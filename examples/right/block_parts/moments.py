"""The variance as a mean of squares minus the square of the mean; overflow silenced."""

import numpy as np


def layer_norm(x, g, b, eps=1e-5):
    x = np.asarray(x, dtype=np.float64)
    d = x.shape[-1]
    mean = x.sum(axis=-1, keepdims=True) / d
    variance = np.maximum((x * x).sum(axis=-1, keepdims=True) / d - mean**2, 0)
    scale = g / np.sqrt(variance + eps)
    return x * scale + (b - mean * scale)


def rms_norm(x, g, eps=1e-5):
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    return x / np.sqrt(length**2 / x.shape[-1] + eps) * g


def swiglu(x, W, V, W2):
    z = x @ W
    with np.errstate(over="ignore"):
        gate = z / (1 + np.exp(-z))
    return (gate * (x @ V)) @ W2


def pre_norm(x, f, norm):
    result = x.copy()
    result += f(norm(x))
    return result
