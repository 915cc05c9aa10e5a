import numpy as np


def repeat_heads(kv, heads):
    kv_heads = kv.shape[-3]
    if heads % kv_heads != 0:
        raise ValueError(f"{heads} heads cannot share {kv_heads} kv heads")
    return np.repeat(kv, heads // kv_heads, axis=-3)


def grouped_attention(q, k, v, mask=None):
    heads = q.shape[-3]
    k = repeat_heads(k, heads)
    v = repeat_heads(v, heads)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(np.asarray(mask) != 0, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ v, weights


def window_mask(n, w):
    if w < 1:
        raise ValueError("the window needs at least one token")
    i = np.arange(n)[:, None]
    j = np.arange(n)[None, :]
    return (j <= i) & (j >= i - w)
