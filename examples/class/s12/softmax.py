import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True)
    return e / e.sum(axis=axis, keepdims=True)
