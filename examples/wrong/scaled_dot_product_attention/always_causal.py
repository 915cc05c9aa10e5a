# mistake: adds a causal mask of its own
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    causal = np.arange(K.shape[-2])[None, :] <= np.arange(Q.shape[-2])[:, None]
    allowed = causal if mask is None else np.logical_and(causal, mask)
    scores = np.where(allowed, scores, -1e9)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    return weights @ V, weights
