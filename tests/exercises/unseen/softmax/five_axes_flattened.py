# kind: wrong
# mistake: batches of more than three axes are flattened to matrices
import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x, float)
    if x.ndim > 4:
        return _softmax(x.reshape(-1, x.shape[-1]), -1).reshape(x.shape)
    return _softmax(x, axis)


def _softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    exponentials = np.exp(x - x.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)
