# mistake: a blocked score is −10
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        allowed = np.broadcast_to(np.asarray(mask) != 0, scores.shape)
        scores = np.where(allowed, scores, -10)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    return weights @ V, weights
