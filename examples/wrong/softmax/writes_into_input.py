# mistake: changes the caller's array
import numpy as np


def softmax(x, axis=-1):
    if not isinstance(x, np.ndarray) or x.dtype.kind != "f":
        x = np.array(x, dtype=float)
    x[...] = np.exp(x - x.max(axis=axis, keepdims=True))
    return x / x.sum(axis=axis, keepdims=True)
