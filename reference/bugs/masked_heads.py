"""`masked_heads(scores, mask)`: weights of `(B, H, L, L)` scores, mask `(L, L)` or `(B, L, L)`.

The shown fault is that of S4: an axis for the heads is inserted at position 1 of every mask.
"""

from typing import Any

import numpy as np


def right_by_axes(scores: Any, mask: Any) -> Any:
    mask = np.asarray(mask).astype(bool)
    mask = mask[:, None] if mask.ndim == 3 else mask
    scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def right_by_expanding(scores: Any, mask: Any) -> Any:
    allowed = np.expand_dims(np.asarray(mask, bool), -3)
    low = np.where(allowed, 0.0, -1e9)
    e = np.exp(scores + low - np.max(scores + low, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def right_row_by_row(scores: Any, mask: Any) -> Any:
    weights = np.zeros(scores.shape)
    for b, h, i in np.ndindex(*scores.shape[:3]):
        row = mask[i] if np.ndim(mask) == 2 else mask[b][i]
        allowed = [j for j in range(len(row)) if row[j]]
        e = np.exp(scores[b, h, i, allowed] - max(scores[b, h, i, allowed]))
        weights[b, h, i, allowed] = e / sum(e)
    return weights


def right_by_factors(scores: Any, mask: Any) -> Any:
    factors = np.array(mask, float).reshape(-1, 1, *np.shape(mask)[-2:])
    top = np.max(scores, axis=-1, keepdims=True, where=factors > 0, initial=-np.inf)
    e = factors * np.exp(np.minimum(scores - top, 0))
    return e / np.einsum("bhqk->bhq", e)[..., None]


def wrong_shown(scores: Any, mask: Any) -> Any:
    """every mask gets an axis at position 1: (L, L) becomes (L, 1, L), which broadcasts along the
    heads"""
    mask = np.asarray(mask).astype(bool)[:, None]
    scores = np.where(mask, scores, -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_no_axis(scores: Any, mask: Any) -> Any:
    """a (B, L, L) mask gets no axis for the heads, so its batch axis is aligned with the heads"""
    scores = np.where(np.asarray(mask).astype(bool), scores, -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_as_many_heads(scores: Any, mask: Any) -> Any:
    """if there are as many heads as sequences, a (B, L, L) mask is used as one mask per head"""
    mask = np.asarray(mask).astype(bool)
    taken = mask.ndim == 2 or len(mask) == scores.shape[1]
    mask = mask if taken else mask[:, None]
    scores = np.where(mask, scores, -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_as_long_as_heads(scores: Any, mask: Any) -> Any:
    """if there are as many heads as words, each row of an (L, L) mask is used for one head"""
    mask = np.asarray(mask).astype(bool)
    own = mask.ndim == 3 or len(mask) == scores.shape[1]
    mask = mask[:, None] if own else mask
    scores = np.where(mask, scores, -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_first_mask(scores: Any, mask: Any) -> Any:
    """the first mask of a batch of masks is used for all of them"""
    mask = np.asarray(mask).astype(bool)
    mask = mask[0] if mask.ndim == 3 else mask
    scores = np.where(mask, scores, -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_first_sequence(scores: Any, mask: Any) -> Any:
    """the mask acts only on the first sequence"""
    mask = np.asarray(mask).astype(bool)
    mask = mask[:, None] if mask.ndim == 3 else mask
    low = np.where(mask, scores, -1e9)
    scores = np.concatenate([low[:1], scores[1:]])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_first_head(scores: Any, mask: Any) -> Any:
    """the mask acts only on the first head"""
    mask = np.asarray(mask).astype(bool)
    mask = mask[:, None] if mask.ndim == 3 else mask
    low = np.where(mask, scores, -1e9)
    scores = np.concatenate([low[:, :1], scores[:, 1:]], axis=1)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_first_row(scores: Any, mask: Any) -> Any:
    """every query gets the first query's row of the mask"""
    mask = np.asarray(mask).astype(bool)[..., :1, :]
    mask = mask[:, None] if mask.ndim == 3 else mask
    scores = np.where(mask, scores, -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_always_causal(scores: Any, mask: Any) -> Any:
    """every mask is treated as the causal mask"""
    mask = np.tri(scores.shape[-1], dtype=bool)
    scores = np.where(mask, scores, -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_inverted(scores: Any, mask: Any) -> Any:
    """true blocks a position, but should allow it"""
    mask = np.asarray(mask).astype(bool)
    mask = mask[:, None] if mask.ndim == 3 else mask
    scores = np.where(mask, -1e9, scores)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_transposed(scores: Any, mask: Any) -> Any:
    """queries and keys are exchanged in the mask"""
    mask = np.swapaxes(np.asarray(mask).astype(bool), -1, -2)
    mask = mask[:, None] if mask.ndim == 3 else mask
    scores = np.where(mask, scores, -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_whole_numbers(scores: Any, mask: Any) -> Any:
    """the mask is inverted with ~, which works for True and False but turns 1 and 0 to −2 and −1"""
    mask = np.asarray(mask)
    mask = mask if mask.dtype.kind in "iu" else mask.astype(bool)
    mask = mask[:, None] if mask.ndim == 3 else mask
    scores = np.where(~mask, -1e9, scores)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_decimals(scores: Any, mask: Any) -> Any:
    """a mask of 1.0 and 0.0 is added to the scores"""
    mask = np.asarray(mask)
    added = mask if mask.dtype.kind == "f" else np.where(mask, 0.0, -1e9)
    scores = scores + (added[:, None] if mask.ndim == 3 else added)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_after_softmax(scores: Any, mask: Any) -> Any:
    """blocked weights are 0, but blocked scores still count in the sums of the softmax"""
    mask = np.asarray(mask).astype(bool)
    mask = mask[:, None] if mask.ndim == 3 else mask
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) * mask


def wrong_even(scores: Any, mask: Any) -> Any:
    """all allowed positions get equal weights, whatever their scores"""
    mask = np.asarray(mask).astype(bool)
    mask = mask[:, None] if mask.ndim == 3 else mask
    even = np.where(mask, np.ones(scores.shape), 0.0)
    return even / even.sum(axis=-1, keepdims=True)


def wrong_not_low_enough(scores: Any, mask: Any) -> Any:
    """blocked scores become −10, so their weights are not 0"""
    mask = np.asarray(mask).astype(bool)
    mask = mask[:, None] if mask.ndim == 3 else mask
    scores = np.where(mask, scores, -10.0)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_not_stable(scores: Any, mask: Any) -> Any:
    """nothing is subtracted before exp, so that large scores give NaN"""
    mask = np.asarray(mask).astype(bool)
    mask = mask[:, None] if mask.ndim == 3 else mask
    e = np.exp(np.where(mask, scores, -1e9))
    return e / e.sum(axis=-1, keepdims=True)
