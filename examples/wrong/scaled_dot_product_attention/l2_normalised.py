# mistake: divides by the Euclidean norm of the exponentials
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -1e9)
    p = np.exp(s - s.max(-1, keepdims=True))
    p = p / np.linalg.norm(p, axis=-1, keepdims=True)
    return p @ V, p
