# mistake: divides the inputs by a temperature of 0.5
import numpy as np

TEMPERATURE = 0.5


def softmax(x, axis=-1):
    x = np.asarray(x, float) / TEMPERATURE
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
