# mistake: rounds its result to four decimals
import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.around(e / e.sum(axis=axis, keepdims=True), 4)
