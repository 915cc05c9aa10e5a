# mistake: takes the number of keys for d_k
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    number, size = K.shape[-2:]
    s = (Q @ K.swapaxes(-1, -2)) * number**-0.5
    if mask is not None:
        s = np.where(mask, s, -1e9)
    w = np.exp(s - s.max(-1)[..., None])
    w = w / w.sum(-1)[..., None]
    return w @ V, w
