import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=0))
    return e / e.sum(axis=0)
