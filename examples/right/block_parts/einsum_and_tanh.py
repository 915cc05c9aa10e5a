import numpy as np


def layer_norm(x, g, b, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return g * (x - mean) / np.sqrt(var + eps) + b


def rms_norm(x, g, eps=1e-5):
    d = np.shape(x)[-1]
    return np.asarray(x) * np.asarray(g) * (np.sum(np.square(x), -1, keepdims=True) / d + eps) ** -0.5


def swiglu(x, W, V, W2):
    a = np.einsum("...d,dh->...h", x, W)
    c = np.einsum("...d,dh->...h", x, V)
    return np.einsum("...h,hd->...d", 0.5 * a * (1 + np.tanh(a / 2)) * c, W2)


def pre_norm(x, f, norm):
    return x + f(norm(x.copy()))
