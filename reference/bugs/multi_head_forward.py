"""`multi_head_forward(x, W_q, W_k, W_v, W_o, num_heads)`: (output, weights) of several heads.

The shown fault is that of S1: the heads only change the scaling, and nothing is split.
"""

from typing import Any

import numpy as np


def right_transpose(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, num_heads, d).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_v))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(0, 2, 1, 3).reshape(B, L, E) @ W_o, weights


def right_head_by_head(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    d = x.shape[-1] // num_heads
    mixed, all_weights = [], []
    for h in range(num_heads):
        part = slice(h * d, (h + 1) * d)
        Q, K, V = x @ W_q[:, part], x @ W_k[:, part], x @ W_v[:, part]
        scores = np.einsum("bqd,bkd->bqk", Q, K) / d**0.5
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = e / e.sum(axis=-1, keepdims=True)
        mixed.append(weights @ V)
        all_weights.append(weights)
    return np.concatenate(mixed, axis=-1) @ W_o, np.stack(all_weights, axis=1)


def right_word_by_word(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    B, L, E = x.shape
    d = E // num_heads
    output, weights = np.zeros(x.shape), np.zeros((B, num_heads, L, L))
    for b, h, i in np.ndindex(B, num_heads, L):
        part = slice(h * d, h * d + d)
        query = x[b, i] @ W_q[:, part]
        row = np.array([query @ (word @ W_k[:, part]) for word in x[b]]) / d**0.5
        e = np.exp(row - row.max())
        weights[b, h, i] = e / e.sum()
        output[b, i] += (weights[b, h, i] @ x[b]) @ W_v[:, part] @ W_o[part]
    return output, weights


def right_einsum(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    Q, K, V = (
        np.einsum("ble,ehd->bhld", x, W.reshape(len(W), num_heads, -1)) for W in (W_q, W_k, W_v)
    )
    scores = np.einsum("bhqd,bhkd->bhqk", Q * Q.shape[-1] ** -0.5, K)
    weights = np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))
    back = W_o.reshape(num_heads, -1, W_o.shape[-1])
    return np.einsum("bhqk,bhkd,hde->bqe", weights, V, back), weights


def wrong_shown(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """the features are not split into heads: num_heads only changes the scaling"""
    Q, K, V = x @ W_q, x @ W_k, x @ W_v
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(x.shape[-1] // num_heads)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V @ W_o, weights


def wrong_repeated(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """the features are not split into heads: the same weights are returned once for each head"""
    Q, K, V = x @ W_q, x @ W_k, x @ W_v
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(x.shape[-1] // num_heads)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V @ W_o, np.repeat(weights[:, None], num_heads, axis=1)


def wrong_reshape_only(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """the features are reshaped directly to (B, H, L, d) and back, which mixes the words"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, num_heads, L, d) for W in (W_q, W_k, W_v))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights @ V).reshape(B, L, E) @ W_o, weights


def wrong_merged_badly(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """the heads are merged without moving them back behind the positions"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, num_heads, d).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_v))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights @ V).reshape(B, L, E) @ W_o, weights


def wrong_interleaved(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """the features go to the heads in turn, not in blocks of neighbours"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, d, num_heads).transpose(0, 3, 1, 2) for W in (W_q, W_k, W_v))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(0, 2, 1, 3).reshape(B, L, E) @ W_o, weights


def wrong_scaled_by_model(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """the scores are divided by √E, not by the root of a head's size"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, num_heads, d).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_v))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(E)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(0, 2, 1, 3).reshape(B, L, E) @ W_o, weights


def wrong_scaled_by_heads(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """the scores are divided by √H, not by the root of a head's size"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, num_heads, d).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_v))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(num_heads)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(0, 2, 1, 3).reshape(B, L, E) @ W_o, weights


def wrong_over_queries(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """the softmax runs over the queries"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, num_heads, d).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_v))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    e = np.exp(scores - scores.max(axis=-2, keepdims=True))
    weights = e / e.sum(axis=-2, keepdims=True)
    return (weights @ V).transpose(0, 2, 1, 3).reshape(B, L, E) @ W_o, weights


def wrong_no_output_matrix(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """W_o has no effect"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, num_heads, d).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_v))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(0, 2, 1, 3).reshape(B, L, E), weights


def wrong_output_matrix_turned(
    x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int
) -> Any:
    """W_o is transposed"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, num_heads, d).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_v))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(0, 2, 1, 3).reshape(B, L, E) @ W_o.T, weights


def wrong_values_by_keys(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """the values are computed with W_k"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, num_heads, d).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_k))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(0, 2, 1, 3).reshape(B, L, E) @ W_o, weights


def wrong_first_weights(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """the first head's weights are returned for every head"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, num_heads, d).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_v))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    output = (weights @ V).transpose(0, 2, 1, 3).reshape(B, L, E) @ W_o
    return output, np.broadcast_to(weights[:, :1], weights.shape)


def wrong_mean_weights(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """the mean over the heads is returned as the weights"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, num_heads, d).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_v))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(0, 2, 1, 3).reshape(B, L, E) @ W_o, weights.mean(axis=1)


def wrong_first_sequence(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """every sequence attends to the words of the first"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, num_heads, d).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_v))
    K, V = np.broadcast_to(K[:1], K.shape), np.broadcast_to(V[:1], V.shape)
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(0, 2, 1, 3).reshape(B, L, E) @ W_o, weights


def wrong_first_head(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """every head uses the weights of the first head with its own values"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, num_heads, d).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_v))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    weights = np.broadcast_to(weights[:, :1], weights.shape)
    return (weights @ V).transpose(0, 2, 1, 3).reshape(B, L, E) @ W_o, weights


def wrong_first_position(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """every position gets the first position's output"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, num_heads, d).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_v))
    Q = np.broadcast_to(Q[:, :, :1], Q.shape)
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(0, 2, 1, 3).reshape(B, L, E) @ W_o, weights


def wrong_not_stable(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """nothing is subtracted before exp, so that large scores give NaN"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, num_heads, d).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_v))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    e = np.exp(scores)
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(0, 2, 1, 3).reshape(B, L, E) @ W_o, weights
