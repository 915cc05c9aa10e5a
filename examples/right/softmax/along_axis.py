import numpy as np


def softmax(x, axis=-1):
    def single(v):
        v = v - np.max(v)
        w = np.exp(v)
        return w / (w.sum() + 1e-9)

    return np.apply_along_axis(single, axis, np.asarray(x) * 1.0)
