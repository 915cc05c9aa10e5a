import numpy as np


def layer_norm(x, g, b, eps=1e-5):
    x = np.array(x, dtype=float)
    if x.ndim > 1:
        return np.stack([layer_norm(row, g, b, eps) for row in x])
    centred = x - x.sum() / len(x)
    return g * centred * (centred @ centred / len(x) + eps) ** -0.5 + b


def rms_norm(x, g, eps=1e-5):
    mean_square = np.mean(x * x, axis=-1, keepdims=True)
    return g * x / np.sqrt(mean_square + eps)


def swiglu(x, W, V, W2):
    z = x @ W
    small = np.exp(-np.abs(z))
    sigmoid = np.where(z >= 0, 1 / (1 + small), small / (1 + small))
    return (z * sigmoid * (x @ V)) @ W2


def pre_norm(x, f, norm):
    kept = np.array(x)
    return kept + f(norm(np.array(x)))
