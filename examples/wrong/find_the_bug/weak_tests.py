# mistake: tests that look at shapes and sums only
import math

import numpy as np


def row_softmax(x):
    y = np.moveaxis(x, -1, 0)
    e = np.exp(y - y.max(0))
    return np.moveaxis(e / e.sum(0), 0, -1)


def batched_attention(Q, K, V):
    order = list(range(K.ndim))
    order[-2], order[-1] = order[-1], order[-2]
    w = row_softmax(np.matmul(Q, K.transpose(order)) / np.sqrt(K.shape[-1]))
    return [np.matmul(w, V), w]


def masked_heads(scores, mask):
    by_head = np.moveaxis(scores, 1, 0)
    return np.moveaxis(row_softmax(np.where(mask, by_head, np.finfo(float).min)), 0, 1)


def multi_head_forward(x, W_q, W_k, W_v, W_o, num_heads):
    Q, K, V = (np.stack(np.split(x @ W, num_heads, axis=-1), axis=1) for W in (W_q, W_k, W_v))
    out, w = batched_attention(Q, K, V)
    return np.concatenate(list(np.moveaxis(out, 1, 0)), axis=-1) @ W_o, w


def attention_with_dropout(Q, K, V, p, rng):
    w = batched_attention(Q, K, V)[1]
    if p == 0:
        return w @ V, w
    factor = rng.choice([0.0, 1 / (1 - p)], size=w.shape, p=[p, 1 - p])
    return (factor * w) @ V, w


def slow_softmax(row):
    powers = [math.e ** (value - max(row)) for value in row]
    return [power / sum(powers) for power in powers]


def reference_attention(q, k, v):
    weights = np.array([slow_softmax([float(a @ b) / math.sqrt(len(a)) for b in k]) for a in q])
    return weights @ v, weights


def test_row_softmax(implementation):
    assert np.allclose(implementation(np.eye(3)).sum(axis=1), 1)


def test_batched_attention(implementation):
    x = np.ones((2, 2, 3, 4))
    output, weights = implementation(x, x, x)
    assert output.shape == x.shape


def test_masked_heads(implementation):
    pass


def test_multi_head_forward(implementation):
    x = np.ones((1, 2, 4))
    output, weights = implementation(x, *np.ones((4, 4, 4)), 2)
    assert weights.shape == (1, 2, 2, 2)


def test_attention_with_dropout(implementation):
    x = np.random.default_rng(0).normal(size=(5, 4))
    output, weights = implementation(x, x, x, 0.5, np.random.default_rng(0))
    assert np.allclose(weights.sum(axis=-1), 1)
