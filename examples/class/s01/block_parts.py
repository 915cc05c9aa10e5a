import numpy as np


def layer_norm(x, g, b, eps=1e-5):
    mu = np.mean(x, axis=-1)[..., None]
    var = np.var(x, axis=-1)[..., None]
    return (x - mu) / np.sqrt(var + eps) * g + b


def rms_norm(x, g, eps=1e-5):
    return x * (np.mean(np.square(x), -1, keepdims=True) + eps) ** -0.5 * g


def swiglu(x, W, V, W2):
    z = np.matmul(x, W)
    silu = z * 0.5 * (1 + np.tanh(z / 2))
    return np.matmul(silu * np.matmul(x, V), W2)


def pre_norm(x, f, norm):
    return np.add(f(norm(x)), x)
