import numpy as np


def repeat_heads(kv, heads):
    kv_heads = kv.shape[-3]
    if heads / kv_heads != heads // kv_heads:
        raise ValueError(f"cannot make {heads} heads from {kv_heads}")
    copies = heads // kv_heads
    parts = np.split(kv, kv_heads, axis=-3)
    return np.concatenate([part for part in parts for _ in range(copies)], axis=-3)


def grouped_attention(q, k, v, mask=None):
    """One group of queries at a time."""
    g = k.shape[-3]
    r = q.shape[-3] // g
    blocked = np.zeros((*q.shape[:-1], k.shape[-2]))
    if mask is not None:
        blocked[...] = np.where(mask, 0, -np.inf)
    outputs, weights = [], []
    for n in range(g):
        part = slice(n * r, (n + 1) * r)
        keys, values = k[..., n : n + 1, :, :], v[..., n : n + 1, :, :]
        s = q[..., part, :, :] @ np.moveaxis(keys, -1, -2) / np.sqrt(k.shape[-1])
        s = s + blocked[..., part, :, :]
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        w /= w.sum(axis=-1, keepdims=True)
        weights.append(w)
        outputs.append(w @ values)
    return np.concatenate(outputs, axis=-3), np.concatenate(weights, axis=-3)


def window_mask(n, w):
    if w <= 0:
        raise ValueError("w")
    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        mask[i, max(0, i - w + 1) : i + 1] = True
    return mask
