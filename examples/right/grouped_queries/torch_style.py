import numpy as np


def repeat_heads(kv, heads):
    n_kv = kv.shape[-3]
    if heads % n_kv != 0:
        raise ValueError(f"n_heads ({heads}) % n_kv_heads ({n_kv}) != 0")
    tiled = np.stack([kv] * (heads // n_kv), axis=-3)
    return tiled.reshape(kv.shape[:-3] + (heads,) + kv.shape[-2:])


def grouped_attention(q, k, v, mask=None):
    H = q.shape[-3]
    logits = q / np.sqrt(q.shape[-1]) @ repeat_heads(k, H).swapaxes(-1, -2)
    if mask is not None:
        logits = np.where(mask, logits, -1e30)
    top = np.exp(logits - logits.max(axis=-1, keepdims=True))
    if mask is not None:
        top = top * mask
    weights = top / top.sum(axis=-1, keepdims=True)
    return np.einsum("...ij,...jd->...id", weights, repeat_heads(v, H)), weights


def window_mask(n, w):
    if not w >= 1:
        raise ValueError(f"window {w}")
    diagonals = sum(np.eye(n, k=-back) for back in range(min(n, w)))
    return diagonals.astype(int)
