import numpy as np


def layer_norm(x, g, b, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True, ddof=1)
    return g * (x - mean) / np.sqrt(var + eps) + b


def rms_norm(x, g, eps=1e-5):
    mean_square = np.mean(x * x, axis=-1, keepdims=True)
    return g * x / np.sqrt(mean_square + eps)


def swiglu(x, W, V, W2):
    z = x @ W
    small = np.exp(-np.abs(z))
    sigmoid = np.where(z >= 0, 1 / (1 + small), small / (1 + small))
    return (z * sigmoid * (x @ V)) @ W2


def pre_norm(x, f, norm):
    return x + f(norm(x.copy()))
