import math

import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    if Q.ndim > 2:
        parts = []
        for i in range(len(Q)):
            m = mask
            if mask is not None and np.ndim(mask) >= Q.ndim:
                m = mask[i] if len(mask) > 1 else mask[0]
            parts.append(scaled_dot_product_attention(Q[i], K[i], V[i], m))
        return [p[0] for p in parts], [p[1] for p in parts]
    if mask is not None:
        mask = np.broadcast_to(mask, (len(Q), len(K)))
    outputs, weights = [], []
    for i, q in enumerate(Q):
        scores = [sum(a * b for a, b in zip(q, k)) / math.sqrt(len(q)) for k in K]
        if mask is not None:
            scores = [s if mask[i][j] else -math.inf for j, s in enumerate(scores)]
        top = max(scores)
        exps = [math.exp(s - top) for s in scores]
        row = [e / sum(exps) for e in exps]
        weights.append(row)
        outputs.append([sum(w * v[c] for w, v in zip(row, V)) for c in range(V.shape[1])])
    return outputs, weights
