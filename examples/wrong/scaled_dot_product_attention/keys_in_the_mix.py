# mistake: mixes the keys in place of the values
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    s = np.inner(Q, K) if Q.ndim == 2 else Q @ np.swapaxes(K, -1, -2)
    s = s / np.sqrt(Q.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    p = np.exp(s - s.max(-1, keepdims=True))
    p = p / p.sum(-1, keepdims=True)
    context = p @ K
    return context, p
