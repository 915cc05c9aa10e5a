import numpy as np


def project_qkv(X, W_Q, W_K, W_V):
    everything = np.matmul(X, np.hstack([W_Q, W_K, W_V]))
    first, second = W_Q.shape[1], W_Q.shape[1] + W_K.shape[1]
    return np.split(everything, [first, second], axis=-1)
