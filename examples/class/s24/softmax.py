import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    x -= x.max(axis=axis, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis=axis, keepdims=True)
    return x
