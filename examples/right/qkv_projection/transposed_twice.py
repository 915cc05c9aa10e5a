import numpy as np


def project_qkv(X, W_Q, W_K, W_V):
    def project(W):
        return np.swapaxes(W.T @ np.swapaxes(X, -1, -2), -1, -2)

    Q = project(W_Q)
    K = project(W_K)
    V = project(W_V)
    return Q, K, V
