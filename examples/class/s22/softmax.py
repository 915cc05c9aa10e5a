import numpy as np


def softmax(x, axis=-1):
    e = np.exp(np.asarray(x) - np.max(x, axis=axis, keepdims=True))
    result = e / e.sum(axis=axis, keepdims=True)
    print(result)
