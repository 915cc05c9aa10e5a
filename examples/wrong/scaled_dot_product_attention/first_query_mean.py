# mistake: averages the queries first
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    q = np.broadcast_to(Q.mean(-2, keepdims=True), Q.shape)
    s = q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -1e9)
    p = np.exp(s - s.max(-1, keepdims=True))
    p = p / p.sum(-1, keepdims=True)
    return p @ V, p
