# mistake: prints the result and returns nothing
import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x)
    result = np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)
    print("softmax:", result)
