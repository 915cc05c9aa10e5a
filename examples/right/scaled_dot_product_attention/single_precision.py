import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    Q, K, V = (np.asarray(x, dtype=np.float32) for x in (Q, K, V))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(np.float32(Q.shape[-1]))
    if mask is not None:
        scores = np.where(np.asarray(mask) > 0, scores, np.float32(-1e9))
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    return weights @ V, weights
