import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x, dtype=np.float32)
    x = x - x.max(axis, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis, keepdims=True)
    return x
