"""`attention_with_dropout(Q, K, V, p, rng)`: (output, weights); dropout acts on the weights used.

The fault is a real one: source S2 (docs/errata.md) returns the weights after dropout, as if their
rows still summed to 1.
"""

from typing import Any

import numpy as np


def right_kept(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    kept = rng.random(weights.shape) >= p
    return weights * kept / (1 - p) @ V, weights


def right_dropped(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    scores = Q @ np.swapaxes(K, -1, -2) * Q.shape[-1] ** -0.5
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    used = np.where(rng.binomial(1, p, size=weights.shape), 0.0, weights / (1 - p))
    return used @ V, weights


def right_one_by_one(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    scores = np.einsum("...qd,...kd->...qk", Q, K) / K.shape[-1] ** 0.5
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    used = weights.copy()
    for place in np.ndindex(*weights.shape):
        if rng.uniform() < p:
            used[place] = 0.0
    return np.matmul(used, V) / (1 - p), weights


def right_by_choice(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    scores = np.matmul(Q / np.sqrt(Q.shape[-1]), np.moveaxis(K, -1, -2))
    weights = np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))
    factors = rng.choice([0.0, 1 / (1 - p)], size=weights.shape, p=[p, 1 - p])
    return np.einsum("...qk,...kv->...qv", factors * weights, V), weights


def wrong_shown(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """the returned weights are those after dropout: their rows do not sum to 1"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    kept = rng.random(weights.shape) >= p
    weights = weights * kept / (1 - p)
    return weights @ V, weights


def wrong_returned_renormalised(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """the returned weights are those after dropout, normalised to a sum of 1"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    kept = rng.random(weights.shape) >= p
    used = weights * kept
    returned = used / np.maximum(used.sum(axis=-1, keepdims=True), 1e-12)
    return used / (1 - p) @ V, returned


def wrong_not_scaled(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """the scores are not divided by √d_k"""
    scores = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    kept = rng.random(weights.shape) >= p
    return weights * kept / (1 - p) @ V, weights


def wrong_others_used(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """the output uses weights from scores that are not divided by √d_k, but the returned weights
    are right"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    raw = scores * np.sqrt(K.shape[-1])
    powers = np.exp(raw - raw.max(axis=-1, keepdims=True))
    used = powers / powers.sum(axis=-1, keepdims=True)
    kept = rng.random(weights.shape) >= p
    return used * kept / (1 - p) @ V, weights


def wrong_not_rescaled(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """the kept weights are not divided by 1 − p"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    kept = rng.random(weights.shape) >= p
    return weights * kept @ V, weights


def wrong_missing(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """nothing is ever dropped"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_inverted(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """p is used as the probability to keep a weight, not to drop it"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    kept = rng.random(weights.shape) < p
    return weights * kept / max(p, 1e-12) @ V, weights


def wrong_always_half(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """half of the weights are dropped for any p except 0"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    kept = rng.random(weights.shape) >= (0.5 if p > 0 else 0)
    return weights * kept / (1 - p) @ V, weights


def wrong_at_most_half(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """at most half of the weights are dropped, even if p is above 0.5"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    p = min(p, 0.5)
    kept = rng.random(weights.shape) >= p
    return weights * kept / (1 - p) @ V, weights


def wrong_zero_ignored(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """p = 0 counts as no p given, so half of the weights are dropped"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    p = p or 0.5
    kept = rng.random(weights.shape) >= p
    return weights * kept / (1 - p) @ V, weights


def wrong_on_output(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """dropout acts on the output, not on the weights"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    output = weights @ V
    return output * (rng.random(output.shape) >= p) / (1 - p), weights


def wrong_on_scores(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """dropout acts on the scores, before the softmax"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    scores = scores * (rng.random(scores.shape) >= p) / (1 - p)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights


def wrong_whole_keys(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """whole keys are dropped: a dropped key is dropped for every query"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    kept = rng.random((*weights.shape[:-2], 1, weights.shape[-1])) >= p
    return weights * kept / (1 - p) @ V, weights


def wrong_whole_queries(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """whole rows are dropped: a query loses all of its keys, or none"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    kept = rng.random((*weights.shape[:-1], 1)) >= p
    return weights * kept / (1 - p) @ V, weights


def wrong_shared_by_batch(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """the same weights are dropped in every item of a batch"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    kept = rng.random(weights.shape[-2:]) >= p
    return weights * kept / (1 - p) @ V, weights


def wrong_renormalised(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """after dropout the weights are normalised again"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    used = weights * (rng.random(weights.shape) >= p)
    used = used / np.maximum(used.sum(axis=-1, keepdims=True), 1e-12)
    return used @ V, weights


def wrong_own_numbers(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """the random numbers do not come from `rng`: the same generator gives another result"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    kept = np.random.default_rng().random(weights.shape) >= p
    return weights * kept / (1 - p) @ V, weights


def wrong_same_every_time(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """the same weights are dropped in every call: another generator gives the same result"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    kept = np.random.default_rng(0).random(weights.shape) >= p
    return weights * kept / (1 - p) @ V, weights
