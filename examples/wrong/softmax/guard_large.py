# mistake: subtracts the maximum only if it is above 1000
import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    if x.max() > 1000:
        x = x - x.max(axis=axis, keepdims=True)
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)
