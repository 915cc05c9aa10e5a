"""`batched_attention(Q, K, V)`: (output, weights) for any number of batch axes.

The shown fault is that of S3: a transpose of K that works only with three axes.
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


def right_query_by_query(Q: Any, K: Any, V: Any) -> Any:
    output = np.zeros((*Q.shape[:-1], V.shape[-1]))
    weights = np.zeros((*Q.shape[:-1], K.shape[-2]))
    for place in np.ndindex(*Q.shape[:-1]):
        batch = place[:-1]
        row = np.array([float(Q[place] @ key) for key in K[batch]]) / K.shape[-1] ** 0.5
        e = np.exp(row - row.max())
        weights[place] = e / e.sum()
        output[place] = sum(w * value for w, value in zip(weights[place], V[batch], strict=True))
    return output, weights


def right_divided_last(Q: Any, K: Any, V: Any) -> Any:
    root = K.shape[-1] ** 0.25
    scores = np.matmul(Q / root, np.moveaxis(K / root, -1, -2))
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    total = e.sum(axis=-1, keepdims=True)
    return np.matmul(e, V) / total, e / total


def wrong_shown(Q: Any, K: Any, V: Any) -> Any:
    """the transpose of K works only with three axes. With four axes, it raises an error"""
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_fixed_to_four(Q: Any, K: Any, V: Any) -> Any:
    """the transpose of K works only with four axes. With three axes, it raises an error"""
    scores = Q @ K.transpose(0, 1, 3, 2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_needs_batch(Q: Any, K: Any, V: Any) -> Any:
    """without a batch axis, the function raises an error"""
    scores = np.einsum("b...qd,b...kd->b...qk", Q, K) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_flat_batch(Q: Any, K: Any, V: Any) -> Any:
    """all batch axes become one: for an input with four axes, the result has three"""
    q, k, v = (x.reshape(-1, *x.shape[-2:]) for x in (Q, K, V))
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ v, weights


def wrong_reshaped(Q: Any, K: Any, V: Any) -> Any:
    """K is reshaped to (…, d_k, L_k), which does not transpose it"""
    turned = K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])
    scores = Q @ turned / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_first_of_batch(Q: Any, K: Any, V: Any) -> Any:
    """every item of the batch gets the keys of the first"""
    keys = K if K.ndim == 2 else np.broadcast_to(K[:1], K.shape)
    scores = Q @ np.swapaxes(keys, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_first_of_second_axis(Q: Any, K: Any, V: Any) -> Any:
    """along the second batch axis, every item gets the keys of the first"""
    keys = K if K.ndim < 4 else np.broadcast_to(K[:, :1], K.shape)
    scores = Q @ np.swapaxes(keys, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_first_query(Q: Any, K: Any, V: Any) -> Any:
    """every query gets the weights of the first"""
    queries = np.broadcast_to(Q[..., :1, :], Q.shape)
    scores = queries @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_first_feature(Q: Any, K: Any, V: Any) -> Any:
    """every feature of the output is the first one"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    output = weights @ V
    return np.broadcast_to(output[..., :1], output.shape), weights


def wrong_scores_used(Q: Any, K: Any, V: Any) -> Any:
    """the output combines the values with the scores instead of the weights"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return scores @ V, weights


def wrong_others_returned(Q: Any, K: Any, V: Any) -> Any:
    """the returned weights come from scores that are not divided by √d_k"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    raw = scores * np.sqrt(K.shape[-1])
    powers = np.exp(raw - raw.max(axis=-1, keepdims=True))
    return weights @ V, powers / powers.sum(axis=-1, keepdims=True)


def wrong_not_scaled(Q: Any, K: Any, V: Any) -> Any:
    """the scores are not divided by √d_k"""
    scores = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_size_of_axis_1(Q: Any, K: Any, V: Any) -> Any:
    """the scores are divided by the root of axis 1's size, which is d_k only without a batch"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_size_of_values(Q: Any, K: Any, V: Any) -> Any:
    """the scores are divided by √d_v, not by √d_k"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(V.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_as_many_keys(Q: Any, K: Any, V: Any) -> Any:
    """the weights have one column per query, so a different number of keys raises an error"""
    scores = np.zeros((*Q.shape[:-1], Q.shape[-2]))
    scores[...] = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_over_queries(Q: Any, K: Any, V: Any) -> Any:
    """the softmax runs over the queries"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-2, keepdims=True))
    weights = e / e.sum(axis=-2, keepdims=True)
    return weights @ V, weights


def wrong_not_stable(Q: Any, K: Any, V: Any) -> Any:
    """nothing is subtracted before exp, so that large scores give NaN"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores)
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights
