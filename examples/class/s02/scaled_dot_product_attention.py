import numpy as np


def one(Q, K, V, mask):
    output, weights = [], []
    for i, q in enumerate(Q):
        row = []
        for j, k in enumerate(K):
            score = sum(a * b for a, b in zip(q, k)) / len(q) ** 0.5
            row.append(score if mask is None or mask[i][j] else float("-inf"))
        top = max(row)
        e = [np.exp(s - top) for s in row]
        w = [v / sum(e) for v in e]
        weights.append(w)
        output.append([sum(w[j] * V[j][c] for j in range(len(V))) for c in range(len(V[0]))])
    return output, weights


def scaled_dot_product_attention(Q, K, V, mask=None):
    if mask is not None:
        mask = np.broadcast_to(mask, (*Q.shape[:-1], K.shape[-2]))
    if Q.ndim == 2:
        output, weights = one(Q, K, V, mask)
    else:
        both = [
            scaled_dot_product_attention(Q[b], K[b], V[b], None if mask is None else mask[b])
            for b in range(len(Q))
        ]
        output, weights = zip(*both)
    return np.array(output), np.array(weights)
