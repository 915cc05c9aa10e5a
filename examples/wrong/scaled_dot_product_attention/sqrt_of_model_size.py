# mistake: scales by the root of a fixed 512
import math

import numpy as np

D_MODEL = 512


def scaled_dot_product_attention(Q, K, V, mask=None):
    logits = Q.dot(K.T) if Q.ndim == 2 else np.matmul(Q, np.swapaxes(K, -2, -1))
    logits = logits / math.sqrt(D_MODEL)
    if mask is not None:
        logits = logits + np.where(np.asarray(mask) > 0, 0.0, -1e9)
    p = np.exp(logits - logits.max(-1, keepdims=True))
    p = p / p.sum(-1, keepdims=True)
    return np.matmul(p, V), p
