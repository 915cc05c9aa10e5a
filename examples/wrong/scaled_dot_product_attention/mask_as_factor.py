# mistake: multiplies the scores by the mask
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = np.einsum("...qc,...kc->...qk", Q, K) / np.sqrt(K.shape[-1])
    if mask is not None:
        scores *= mask
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return np.einsum("...qk,...kv->...qv", weights, V), weights
