import math

import numpy as np


def row_softmax(x):
    def one(row):
        e = np.exp(row - row.max())
        return e / e.sum()
    return np.apply_along_axis(one, -1, x)


def batched_attention(Q, K, V):
    if Q.ndim > 2:
        parts = [batched_attention(q, k, v) for q, k, v in zip(Q, K, V)]
        return np.stack([p[0] for p in parts]), np.stack([p[1] for p in parts])
    w = row_softmax(Q.dot(K.T) / np.sqrt(Q.shape[1]))
    return w.dot(V), w


def masked_heads(scores, mask):
    mask = np.broadcast_to(mask, (len(scores), *scores.shape[-2:]))
    out = np.empty_like(scores)
    for b in range(scores.shape[0]):
        for h in range(scores.shape[1]):
            out[b, h] = row_softmax(np.where(mask[b] != 0, scores[b, h], -1e30))
    return out


def multi_head_forward(x, W_q, W_k, W_v, W_o, num_heads):
    results = [
        batched_attention(x @ q, x @ k, x @ v)
        for q, k, v in zip(*(np.split(W, num_heads, axis=1) for W in (W_q, W_k, W_v)))
    ]
    joined = np.concatenate([r[0] for r in results], axis=2)
    return joined @ W_o, np.stack([r[1] for r in results], axis=1)


def attention_with_dropout(Q, K, V, p, rng):
    w = batched_attention(Q, K, V)[1]
    used = w.copy()
    used[rng.random(w.shape) < p] = 0
    return used / (1 - p) @ V, w


def by_hand(row):
    powers = [math.e ** (value - max(row)) for value in row]
    return [power / sum(powers) for power in powers]


def reference_attention(q, k, v):
    weights = np.array([by_hand([float(a @ b) / math.sqrt(len(a)) for b in k]) for a in q])
    return weights @ v, weights


def test_row_softmax(implementation):
    rng = np.random.default_rng(2)
    inputs = [rng.normal(size=shape) for shape in [(4,), (3, 4), (2, 3, 4), (2, 2, 3, 5)]]
    inputs += [np.array([[1000.0, 999.0], [-1000.0, -1001.5]]), np.array([[1, 2, 3], [3, 0, 1]])]
    for x in inputs:
        got = implementation(x.copy())
        assert got.shape == x.shape
        for place in np.ndindex(*x.shape[:-1]):
            assert np.allclose(got[place], by_hand(list(x[place])))


def test_batched_attention(implementation):
    rng = np.random.default_rng(2)
    for lead, size in [((), 1), ((2,), 1), ((2, 3), 1), ((2,), 1000)]:
        Q, K, V = rng.normal(size=(*lead, 3, 4)), rng.normal(size=(*lead, 5, 4)), rng.normal(size=(*lead, 5, 2))
        output, weights = implementation(size * Q, K, V)
        assert np.shape(output) == (*lead, 3, 2)
        assert np.shape(weights) == (*lead, 3, 5)
        for place in np.ndindex(*lead):
            right = reference_attention(size * Q[place], K[place], V[place])
            assert np.allclose(output[place], right[0])
            assert np.allclose(weights[place], right[1])


def test_masked_heads(implementation):
    rng = np.random.default_rng(2)
    for B, H, L in [(2, 3, 4), (3, 3, 3)]:
        shared = np.tri(L, dtype=bool)
        own = rng.random((B, L, L)) < 0.6
        own[:, range(L), range(L)] = True
        for mask in (shared, own, own.astype(int), own[0].astype(float)):
            for size in (1, 1000):
                scores = size * rng.normal(size=(B, H, L, L))
                got = implementation(scores, mask)
                for b, h, i in np.ndindex(B, H, L):
                    row = (mask[i] if mask.ndim == 2 else mask[b, i]) > 0
                    assert np.allclose(got[b, h, i][~row], 0, atol=1e-6)
                    assert np.allclose(got[b, h, i][row], by_hand(list(scores[b, h, i][row])))


def test_multi_head_forward(implementation):
    rng = np.random.default_rng(2)
    W = rng.normal(size=(4, 8, 8))
    for size in (1, 30):
        x = size * rng.normal(size=(3, 5, 8))
        output, weights = implementation(x, *W, 2)
        assert np.shape(weights) == (3, 2, 5, 5)
        for b in range(3):
            both = []
            for h, cut in enumerate((slice(0, 4), slice(4, 8))):
                o, w = reference_attention(*(x[b] @ m[:, cut] for m in W[:3]))
                assert np.allclose(weights[b][h], w)
                both.append(o)
            assert np.allclose(output[b], np.hstack(both) @ W[3])


def test_attention_with_dropout(implementation):
    rng = np.random.default_rng(2)
    n = 40
    Q, K = rng.normal(size=(2, n, 3)), rng.normal(size=(2, n, 3))
    V = np.stack([np.hstack([np.eye(n), np.eye(n)])] * 2)
    right = np.stack([reference_attention(q, k, v)[1] for q, k, v in zip(Q, K, V)])
    for p in (0, 0.1, 0.3, 0.8):
        output, weights = implementation(Q, K, V, p, np.random.default_rng(5))
        again, _ = implementation(Q, K, V, p, np.random.default_rng(5))
        other, _ = implementation(Q, K, V, p, np.random.default_rng(6))
        assert np.allclose(weights, right)
        assert np.array_equal(output, again)
        used = output[..., :n]
        assert np.allclose(used, output[..., n:])
        dropped = np.isclose(used, 0)
        assert abs(dropped.mean() - p) < 0.06
        assert np.allclose(used[~dropped], right[~dropped] / (1 - p))
        if p:
            assert not np.array_equal(output, other)
            assert dropped.std(axis=1).max() > 0
            assert dropped.std(axis=2).max() > 0
            assert (dropped[0] != dropped[1]).any()
