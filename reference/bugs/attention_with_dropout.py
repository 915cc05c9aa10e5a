"""`attention_with_dropout(Q, K, V, p, rng)`: (output, weights); dropout acts on the weights used.

The fault is that of S2: the weights after dropout are handed back as if they were a distribution.
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


def wrong_shown(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """the weights that are returned are those after dropout: their rows do not sum to 1"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    kept = rng.random(weights.shape) >= p
    weights = weights * kept / (1 - p)
    return weights @ V, weights


def wrong_not_rescaled(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """the weights that are kept are not divided by 1 − p"""
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
    """p is the probability to be kept, in place of that to be dropped"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    kept = rng.random(weights.shape) < p
    return weights * kept / max(p, 1e-12) @ V, weights


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
    """whole keys are dropped: a key that is dropped is so for every query"""
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    kept = rng.random((*weights.shape[:-2], 1, weights.shape[-1])) >= p
    return weights * kept / (1 - p) @ V, weights


def wrong_renormalised(Q: Any, K: Any, V: Any, p: float, rng: Any) -> Any:
    """after dropout the weights are brought to a sum of 1 again"""
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
