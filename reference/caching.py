"""Causal attention in steps, with a cache of keys and values.

Source: Shazeer (2019), section 2.4: incremental attention with one new token.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reference.attention import Array, attention
from reference.with_tables import is_clear, next_of

Cache = tuple[Array, Array]
Weights = tuple[Array, ...]


def extended(old: Array | None, new: Array) -> Array:
    return new if old is None else np.concatenate([old, new], axis=-2)


def step_mask(new: int, total: int) -> npt.NDArray[np.bool_]:
    return np.tri(new, total, total - new, dtype=bool)


def step(
    x: Array, cache: Cache | None, W_q: Array, W_k: Array, W_v: Array, W_o: Array
) -> tuple[Array, Cache]:
    """Return the output of the new tokens, and the cache with these tokens added."""
    old_keys, old_values = cache or (None, None)
    keys, values = extended(old_keys, x @ W_k), extended(old_values, x @ W_v)
    mask = step_mask(x.shape[-2], keys.shape[-2])
    return attention(x @ W_q, keys, values, mask)[0] @ W_o, (keys, values)


def cache_of(x: Array, weights: Weights) -> Cache | None:
    """Return the cache of these tokens. Without tokens, return None."""
    return step(x, None, *weights)[1] if x.shape[-2] else None


def generate(
    prompt: Sequence[int],
    n: int,
    next_token: Callable[[Array], int],
    embed: Callable[[list[int]], Array],
    weights: Weights,
    step: Any = step,
) -> list[int]:
    written: list[int] = []
    unread, cache = list(prompt), None
    for _ in range(n):
        output, cache = step(embed(unread), cache, *weights)
        unread = [int(next_token(np.asarray(output)[-1]))]
        written += unread
    return written


def generate_of(
    prompt: Sequence[int], n: int, table: Array, weights: Weights, step: Any = step
) -> list[int]:
    """Return the tokens that follow the prompt. The rows of `table` are the embeddings."""
    next_token, embed = (lambda row: next_of(row, len(table))), (lambda tokens: table[tokens])
    return generate(prompt, n, next_token, embed, weights, step)


def is_clear_text(prompt: Sequence[int], n: int, table: Array, weights: Weights) -> bool:
    """Return True if rounding errors cannot change the generated tokens."""
    read = [*prompt, *generate_of(prompt, n, table, weights)][: len(prompt) + n - 1]
    return all(map(is_clear, step(table[read], None, *weights)[0][len(prompt) - 1 :]))


def cache_bytes(
    layers: int, heads: int, d_head: int, length: int, bytes_per_number: int = 2
) -> int:
    return 2 * layers * heads * d_head * length * bytes_per_number
