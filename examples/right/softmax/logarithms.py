import numpy as np


def softmax(x, axis=-1):
    x = np.array(x, dtype=np.float64)
    top = np.amax(x, axis=axis, keepdims=True)
    log_sum = top + np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True))
    return np.exp(x - log_sum)
