import numpy as np


class Projection:
    def __init__(self, W):
        self.W = W

    def __call__(self, X):
        return np.tensordot(X, self.W, axes=([X.ndim - 1], [0]))


def project_qkv(X, W_Q, W_K, W_V):
    return tuple(map(lambda W: Projection(W)(X), [W_Q, W_K, W_V]))
