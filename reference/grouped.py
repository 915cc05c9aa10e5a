"""Attention with grouped queries, and a window mask, in named steps."""

from typing import Any

import numpy as np
import numpy.typing as npt

from reference.attention import Array, Mask, asked_of_softmax, combine, softmax


def group_of(heads: int, kv_heads: int) -> npt.NDArray[np.intp]:
    """Return the kv head of each head: 0, 0, 1, 1, … for two heads in each group.

    Raises:
        ValueError: `heads` is not a multiple of `kv_heads`.
    """
    if heads % kv_heads:
        raise ValueError(f"{heads} heads cannot share {kv_heads} heads of keys and values")
    return np.asarray(np.arange(heads) // (heads // kv_heads))


def repeat_heads(kv: Array, heads: int) -> Array:
    """Return `(..., kv_heads, L, d)` as `(..., heads, L, d)`, with one kv head for each head."""
    return np.asarray(np.take(kv, group_of(heads, kv.shape[-3]), axis=-3))


def grouped_attention(q: Array, k: Array, v: Array, mask: Mask | None = None) -> list[Array]:
    """Return the output `(..., heads, L_q, d_v)` and the weights `(..., heads, L_q, L_k)`."""
    heads = q.shape[-3]
    weights = softmax(asked_of_softmax(q, repeat_heads(k, heads), mask))
    return [combine(weights, repeat_heads(v, heads)), weights]


def own_grouped_attention(
    steps: Any, q: Array, k: Array, v: Array, mask: Mask | None = None
) -> list[Array]:
    """Return the output and the weights that follow from the student's own repeat_heads."""
    heads, d_k = q.shape[-3], q.shape[-1]
    both = np.concatenate([k, v], axis=-1)
    repeated = steps.ask(lambda own, kv: own.repeat_heads(kv, heads), both)
    weights = softmax(asked_of_softmax(q, repeated[..., :d_k], mask))
    return [combine(weights, repeated[..., d_k:]), weights]


def distance(n: int) -> npt.NDArray[np.intp]:
    """Return the distance of each key before each query. Later keys have negative distances."""
    return np.asarray(np.arange(n)[:, np.newaxis] - np.arange(n))


def window_mask(n: int, w: int) -> npt.NDArray[np.bool_]:
    """Return a mask `(n, n)`. Each query sees itself and the w − 1 positions before it.

    Raises:
        ValueError: `w` is less than 1.
    """
    if w < 1:
        raise ValueError("a window has at least one token")
    back = distance(n)
    return np.asarray((back >= 0) & (back < w))
