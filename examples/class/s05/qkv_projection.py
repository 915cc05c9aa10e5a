import numpy as np


def project_qkv(X, W_Q, W_K, W_V):
    return tuple(np.einsum("...ld,dk->...lk", X, W) for W in (W_Q, W_K, W_V))
