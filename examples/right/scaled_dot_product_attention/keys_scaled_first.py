import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    root = np.sqrt(np.sqrt(Q.shape[-1]))
    scores = np.matmul(Q / root, np.moveaxis(K / root, -1, -2))
    if mask is not None:
        scores[np.broadcast_to(np.asarray(mask) == 0, scores.shape)] = np.finfo(float).min
    shifted = scores - np.max(scores, axis=-1, keepdims=True)
    unnormalised = np.exp(shifted)
    total = np.sum(unnormalised, axis=-1, keepdims=True)
    output = np.matmul(unnormalised, V) / total
    return [output, unnormalised / total]
