"""`masked_heads(scores, mask)`: weights of `(B, H, L, L)` scores, mask `(L, L)` or `(B, L, L)`.

The fault is that of S4: an axis for the heads is put in at position 1 of every mask.
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


def wrong_shown(scores: Any, mask: Any) -> Any:
    """an axis is put in at position 1 of every mask: (L, L) becomes (L, 1, L), which broadcasts
    along the heads"""
    mask = np.asarray(mask).astype(bool)[:, None]
    scores = np.where(mask, scores, -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_no_axis(scores: Any, mask: Any) -> Any:
    """no axis is put in at all: the batch of a (B, L, L) mask meets the heads"""
    scores = np.where(np.asarray(mask).astype(bool), scores, -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_repeated_in_turn(scores: Any, mask: Any) -> Any:
    """the masks of a batch are dealt out to the heads in turn, not one to each sequence"""
    mask = np.resize(np.asarray(mask).astype(bool), scores.shape)
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


def wrong_first_head(scores: Any, mask: Any) -> Any:
    """the mask acts on the first head alone"""
    mask = np.asarray(mask).astype(bool)
    mask = mask[:, None] if mask.ndim == 3 else mask
    low = np.where(mask, scores, -1e9)
    scores = np.concatenate([low[:, :1], scores[:, 1:]], axis=1)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_inverted(scores: Any, mask: Any) -> Any:
    """true blocks, where it should allow"""
    mask = np.asarray(mask).astype(bool)
    mask = mask[:, None] if mask.ndim == 3 else mask
    scores = np.where(mask, -1e9, scores)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_after_softmax(scores: Any, mask: Any) -> Any:
    """the mask acts after the softmax: the rows no longer sum to 1"""
    mask = np.asarray(mask).astype(bool)
    mask = mask[:, None] if mask.ndim == 3 else mask
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) * mask


def wrong_ignored(scores: Any, mask: Any) -> Any:
    """the mask has no effect"""
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_transposed(scores: Any, mask: Any) -> Any:
    """queries and keys have changed places in the mask"""
    mask = np.swapaxes(np.asarray(mask).astype(bool), -1, -2)
    mask = mask[:, None] if mask.ndim == 3 else mask
    scores = np.where(mask, scores, -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
