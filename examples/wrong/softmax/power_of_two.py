# mistake: uses 2 ** x
import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x, float)
    x = x - x.max(axis=axis, keepdims=True)
    return 2**x / (2**x).sum(axis=axis, keepdims=True)
