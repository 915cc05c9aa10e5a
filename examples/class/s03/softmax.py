import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x, dtype=np.float64)
    log_sum = np.logaddexp.reduce(x, axis=axis, keepdims=True)
    return np.exp(x - log_sum)
