"""`multi_head_forward(x, W_q, W_k, W_v, W_o, num_heads)`: (output, weights) of several heads.

The fault is that of S1: heads are declared and used for the scaling, and nothing is split.
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


def wrong_shown(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """the heads are never split: one head has all features, and is only scaled like one of many"""
    Q, K, V = x @ W_q, x @ W_k, x @ W_v
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(x.shape[-1] // num_heads)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V @ W_o, weights


def wrong_repeated(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """the heads are never split: the same weights are handed back once for each head"""
    Q, K, V = x @ W_q, x @ W_k, x @ W_v
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(x.shape[-1] // num_heads)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V @ W_o, np.repeat(weights[:, None], num_heads, axis=1)


def wrong_reshape_only(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """the features are cut straight into (B, H, L, d) and back: the words are mixed"""
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
    """the features are dealt out to the heads in turn, in place of blocks of neighbours"""
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


def wrong_no_output_matrix(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """W_o takes no part"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, num_heads, d).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_v))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(0, 2, 1, 3).reshape(B, L, E), weights


def wrong_averaged(x: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, num_heads: int) -> Any:
    """the heads are averaged, and the mean stands in every head's place"""
    B, L, E = x.shape
    d = E // num_heads
    Q, K, V = ((x @ W).reshape(B, L, num_heads, d).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_v))
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return np.tile((weights @ V).mean(1), num_heads) @ W_o, weights
