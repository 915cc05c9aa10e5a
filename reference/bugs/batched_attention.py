"""`batched_attention(Q, K, V)`: (output, weights) for any number of batch axes.

The fault is that of S3: a transpose of K that is fixed to three axes.
"""

from typing import Any

import numpy as np


def right_swapaxes(Q: Any, K: Any, V: Any) -> Any:
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def right_einsum(Q: Any, K: Any, V: Any) -> Any:
    scores = np.einsum("...qd,...kd->...qk", Q, K) * Q.shape[-1] ** -0.5
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return np.einsum("...qk,...kv->...qv", weights, V), weights


def wrong_shown(Q: Any, K: Any, V: Any) -> Any:
    """the transpose of K is fixed to three axes, and four are an error"""
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_all_axes(Q: Any, K: Any, V: Any) -> Any:
    """K is transposed over all its axes (`K.T`), the batch too"""
    scores = Q @ K.T / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_reshaped(Q: Any, K: Any, V: Any) -> Any:
    """K is reshaped to (…, d_k, L_k), which does not transpose it"""
    turned = K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])
    scores = Q @ turned / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_flat_batch(Q: Any, K: Any, V: Any) -> Any:
    """the batch axes come back as one: the result has three axes where the input has four"""
    q, k, v = (x.reshape(-1, *x.shape[-2:]) for x in (Q, K, V))
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ v, weights


def wrong_first_of_batch(Q: Any, K: Any, V: Any) -> Any:
    """every item of the batch gets the keys of the first"""
    keys = K if K.ndim == 2 else np.broadcast_to(K[:1], K.shape)
    scores = Q @ np.swapaxes(keys, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_not_scaled(Q: Any, K: Any, V: Any) -> Any:
    """the scores are not divided by √d_k"""
    scores = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_size_of_axis_1(Q: Any, K: Any, V: Any) -> Any:
    """the scores are divided by the root of axis 1, which is d_k only without a batch"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_over_queries(Q: Any, K: Any, V: Any) -> Any:
    """the softmax runs over the queries"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-2, keepdims=True))
    weights = e / e.sum(axis=-2, keepdims=True)
    return weights @ V, weights


def wrong_axis_1(Q: Any, K: Any, V: Any) -> Any:
    """the softmax runs along axis 1, which is that of the keys only without a batch"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return weights @ V, weights
