import numpy as np


class BadHeads(ValueError):
    pass


def repeat_heads(kv, heads):
    kv_heads = kv.shape[-3]
    each, rest = divmod(heads, kv_heads)
    if rest:
        raise BadHeads(f"{kv_heads} kv heads do not divide {heads} heads")
    return kv[..., [h // each for h in range(heads)], :, :]


def softmax(x):
    x = x - x.max(-1)[..., None]
    return np.exp(x) / np.exp(x).sum(-1)[..., None]


def grouped_attention(q, k, v, mask=None):
    k, v = (repeat_heads(kv, q.shape[-3]) for kv in (k, v))
    scores = np.matmul(q, k.swapaxes(-2, -1)) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = np.where(np.broadcast_to(mask, scores.shape) == 0, np.finfo(float).min, scores)
    weights = softmax(scores)
    return np.matmul(weights, v), weights


def window_mask(n, w):
    if w < 1:
        raise ValueError("the window is empty")
    i, j = np.indices((n, n))
    return np.logical_and(j <= i, j > i - w)
