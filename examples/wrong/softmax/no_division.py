# mistake: forgets to divide by the sum
import numpy as np


def softmax(x, axis=-1):
    """exponentiate (stable)"""
    shifted = np.subtract(x, np.max(x, axis=axis, keepdims=True))
    return np.exp(shifted)
