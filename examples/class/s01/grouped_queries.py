import numpy as np


def repeat_heads(kv, heads):
    *batch, g, length, d = kv.shape
    if heads % g:
        raise ValueError(f"heads={heads} must be divisible by kv_heads={g}")
    r = heads // g
    wide = np.broadcast_to(kv[..., :, None, :, :], (*batch, g, r, length, d))
    return wide.reshape(*batch, heads, length, d)


def grouped_attention(q, k, v, mask=None):
    """Give the queries a group axis: nothing is copied."""
    *batch, h, n, d = q.shape
    g = k.shape[-3]
    q = q.reshape(*batch, g, h // g, n, d)
    scores = np.einsum("...grid,...gjd->...grij", q, k) * d**-0.5
    scores = scores.reshape(*batch, h, n, k.shape[-2])
    if mask is not None:
        scores = scores + np.where(np.asarray(mask) > 0, 0.0, -1e9)
    e = np.exp(scores - np.max(scores, -1, keepdims=True))
    weights = e / np.sum(e, -1, keepdims=True)
    grouped = weights.reshape(*batch, g, h // g, n, k.shape[-2])
    output = np.einsum("...grij,...gjv->...griv", grouped, v)
    return output.reshape(*batch, h, n, v.shape[-1]), weights


def window_mask(n, w):
    if w < 1:
        raise ValueError(w)
    return np.tril(np.ones((n, n))) - np.tril(np.ones((n, n)), -w)
