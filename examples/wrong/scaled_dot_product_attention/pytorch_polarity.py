# mistake: takes True in the mask for “blocked”
import numpy as np


def masked_fill(x, where, value):
    x = x.copy()
    x[np.broadcast_to(where, x.shape)] = value
    return x


def scaled_dot_product_attention(Q, K, V, mask=None):
    x = Q @ np.swapaxes(K, -2, -1) / np.sqrt(Q.shape[-1])
    if mask is not None:
        x = masked_fill(x, np.asarray(mask).astype(bool), float("-inf"))
    x = np.exp(x - np.max(x, axis=-1, keepdims=True))
    attention = x / np.sum(x, axis=-1, keepdims=True)
    return attention @ V, attention
