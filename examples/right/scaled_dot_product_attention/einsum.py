import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = K.shape[-1]
    scores = np.einsum("...qd,...kd->...qk", Q, K) * d_k**-0.5
    if mask is not None:
        scores = scores + (1.0 - np.asarray(mask, dtype=float)) * -1e9
    scores -= scores.max(-1, keepdims=True)
    weights = np.exp(scores)
    weights /= np.einsum("...k->...", weights)[..., None]
    return np.einsum("...qk,...kv->...qv", weights, V), weights
