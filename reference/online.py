"""Softmax and attention in one pass over blocks of keys, in named steps."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from reference.attention import Array, Mask, block, scale, scores

State = tuple[Array, Array, Array]


def empty(shape: tuple[int, ...], d_v: int) -> State:
    """Return the maximum, the sum and the output before the first block of keys."""
    return np.full(shape, -np.inf), np.zeros(shape), np.zeros((*shape, d_v))


def larger(m: Array, part: Array) -> Array:
    """Return the maximum of all scores so far, including the new block."""
    return np.asarray(np.maximum(m, part.max(axis=-1)))


def exponent(x: Array, m: Array) -> Array:
    """Return exp(x − m). If x is −∞, the result is 0."""
    return np.asarray(np.exp(x - np.where(np.isneginf(m), 0.0, m)))


def factor(old: Array, new: Array) -> Array:
    """Return the factor for earlier sums and outputs if the maximum rises from `old` to `new`."""
    return exponent(old, new)


def exponentials(part: Array, new: Array) -> Array:
    """Return the exponentials of a block's scores, relative to the new maximum."""
    return exponent(part, new[..., np.newaxis])


def merged(new: Array, m: Array, l: Array, o: Array, scores: Array, v: Array) -> list[Array]:  # noqa: E741
    """Return the sum and the output after one more block, relative to the maximum `new`."""
    by, e = factor(m, new), exponentials(scores, new)
    return [by * l + e.sum(axis=-1), by[..., np.newaxis] * o + e @ v]


def merge(m: Array, l: Array, o: Array, scores: Array, v: Array) -> State:  # noqa: E741
    """Return the maximum, the sum and the output after one more block of keys."""
    new = larger(m, scores)
    total, output = merged(new, m, l, o, scores, v)
    return new, total, output


def blocks_of(keys: int, size: int) -> Iterator[slice]:
    """Yield the slices of the blocks. The last one may be smaller than `size`."""
    for start in range(0, keys, size):
        yield slice(start, min(start + size, keys))


def all_scores(q: Array, k: Array, mask: Mask | None) -> Array:
    return block(scale(scores(q, k), q.shape[-1]), mask)


def start_of(logits: Array, v: Array) -> State:
    """Return the state before the first block, for queries with these scores."""
    return empty(logits.shape[:-1], v.shape[-1])


def state_after(
    state: Any, parts: Iterable[slice], logits: Array, v: Array, merge: Any = merge
) -> Any:
    """Return the state after several blocks of keys."""
    for part in parts:
        state = merge(*state, logits[..., part], v[..., part, :])
    return state


def in_blocks(logits: Array, v: Array, block: int, merge: Any = merge) -> Array:
    """Return the output of attention from its scores."""
    parts = blocks_of(logits.shape[-1], block)
    state = state_after(start_of(logits, v), parts, logits, v, merge)
    return np.asarray(state[2]) / np.asarray(state[1])[..., np.newaxis]


def tiled_attention(q: Array, k: Array, v: Array, block: int, mask: Mask | None = None) -> Array:
    """Return the output of attention, computed block by block."""
    return in_blocks(all_scores(q, k, mask), v, block)


def own_tiled_attention(
    steps: Any, q: Array, k: Array, v: Array, block: int, mask: Mask | None = None
) -> Array:
    """Return the output that follows from a student's own merge."""
    logits = all_scores(q, k, mask)
    return np.asarray(steps.ask(lambda own, asked: in_blocks(asked, v, block, own.merge), logits))


def running(scores: Array, block: int, merge: Any = merge) -> Array:
    """Return two rows: the maximum and the sum after each block, for one query."""
    state: Any = empty((1,), 1)
    curves = []
    for part in blocks_of(len(scores), block):
        cut = scores[np.newaxis, part]
        state = merge(*state, cut, np.zeros((cut.shape[1], 1)))
        curves.append([np.asarray(state[0])[0], np.asarray(state[1])[0]])
    return np.array(curves, dtype=float).T


def sums_of_blocks(scores: Array, block: int) -> Array:
    """Return the separate sum of each block, relative to the block's own maximum."""
    cuts = [scores[part] for part in blocks_of(len(scores), block)]
    return np.array([np.exp(cut - cut.max()).sum() for cut in cuts])


def own_running(steps: Any, scores: Array, block: int) -> Array:
    """Return the maximum and the sum after each block, with the student's own merge."""
    return np.asarray(steps.ask(lambda own, x: running(x, block, own.merge), scores))
