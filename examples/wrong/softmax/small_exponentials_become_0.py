# mistake: exponentials below 0.0005 become 0
import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    e[e < 5e-4] = 0
    return e / e.sum(axis=axis, keepdims=True)
