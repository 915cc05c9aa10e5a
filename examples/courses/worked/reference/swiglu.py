"""SwiGLU in NumPy."""

import numpy as np


def silu(z):
    return z / (1 + np.exp(-z))


def swiglu(x, W1, W2, W3):
    return (silu(x @ W1.T) * (x @ W3.T)) @ W2.T
