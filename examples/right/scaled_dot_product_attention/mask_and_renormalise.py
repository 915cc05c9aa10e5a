import numpy as np


def softmax(x):
    x = x - x.max(axis=-1, keepdims=True)
    return np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = (Q @ K.swapaxes(-2, -1)) / K.shape[-1] ** 0.5
    if mask is None:
        weights = softmax(scores)
    else:
        allowed = np.broadcast_to(np.asarray(mask).astype(bool), scores.shape)
        lowest = np.where(allowed, scores, -np.inf).max(axis=-1, keepdims=True)
        kept = np.where(allowed, np.exp(np.minimum(scores - lowest, 0)), 0)
        weights = kept / kept.sum(axis=-1, keepdims=True)
    return weights @ V, weights
