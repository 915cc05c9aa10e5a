# mistake: np.inner, which is not a batched product
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    s = np.inner(Q, K) / np.sqrt(Q.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    p = np.exp(s - s.max(-1, keepdims=True))
    p = p / p.sum(-1, keepdims=True)
    return p @ V, p
