import numpy as np


def softmax(x, axis=-1):
    moved = np.moveaxis(np.asarray(x, float), axis, -1)
    e = np.exp((moved.T - moved.max(-1).T).T)
    e = (e.T / e.sum(-1).T).T
    return np.moveaxis(e, -1, axis)
