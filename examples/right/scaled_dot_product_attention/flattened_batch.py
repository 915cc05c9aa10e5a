import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    batch = Q.shape[:-2]
    q, k, v = (x.reshape(-1, *x.shape[-2:]) for x in (Q, K, V))
    scores = np.stack([a.dot(b.T) for a, b in zip(q, k)]) / np.sqrt(q.shape[-1])
    scores = scores.reshape(*batch, *scores.shape[-2:])
    if mask is not None:
        scores = np.ma.masked_array(scores, mask=np.broadcast_to(mask, scores.shape) == 0)
        scores = scores.filled(-np.inf)
    weights = np.exp(scores - scores.max(axis=-1)[..., np.newaxis])
    weights = weights / weights.sum(axis=-1)[..., np.newaxis]
    flat = weights.reshape(-1, *weights.shape[-2:])
    output = np.stack([w.dot(b) for w, b in zip(flat, v)])
    return output.reshape(*batch, *output.shape[-2:]), weights
