import numpy as np


def project_qkv(X, W_Q, W_K, W_V):
    Q = np.matmul(X, W_Q.T)
    K = np.matmul(X, W_K.T)
    V = np.matmul(X, W_V.T)
    return Q, K, V
