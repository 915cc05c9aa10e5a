# mistake: divided by the root of the width, and the values made with W_K
import math


def project_qkv(X, W_Q, W_K, W_V):
    def make(W):
        return X @ W / math.sqrt(W.shape[1])

    return make(W_Q), make(W_K), make(W_K)
