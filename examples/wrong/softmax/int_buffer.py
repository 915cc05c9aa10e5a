# mistake: stores the result in an array of the type of the input
import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x)
    out = np.empty_like(x)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    out[...] = e / e.sum(axis=axis, keepdims=True)
    return out
