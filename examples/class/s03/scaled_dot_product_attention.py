import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    Q, K, V = (a.astype(np.float32) for a in (Q, K, V))
    s = np.einsum("...qd,...kd->...qk", Q, K) * np.float32(K.shape[-1] ** -0.5)
    if mask is not None:
        s = np.where(mask, s, np.finfo(np.float32).min)
    e = np.exp(s - np.amax(s, axis=-1, keepdims=True))
    w = e / (e.sum(axis=-1, keepdims=True) + 1e-9)
    return np.einsum("...qk,...kd->...qd", w, V), w
