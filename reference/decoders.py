"""Cross-attention and a layer of a decoder, in named steps.

Source: Vaswani et al. (2017), sections 3.1 and 3.2.3.
"""

import numpy as np

from reference.attention import Array, Mask, attention
from reference.masks import causal_mask

Weights = tuple[Array, Array, Array, Array]


def per_query(memory_mask: Mask | None) -> Mask | None:
    """Return a padding mask with an axis for the queries."""
    return None if memory_mask is None else np.asarray(memory_mask)[..., np.newaxis, :]


def cross_attention(
    x: Array,
    memory: Array,
    W_q: Array,
    W_k: Array,
    W_v: Array,
    W_o: Array,
    memory_mask: Mask | None = None,
) -> tuple[Array, Array]:
    mixed, weights = attention(x @ W_q, memory @ W_k, memory @ W_v, per_query(memory_mask))
    return mixed @ W_o, weights


def self_attention(x: Array, self_weights: Weights, mask: Mask | None = None) -> Array:
    """Return self-attention. Without a mask, it is causal."""
    W_q, W_k, W_v, W_o = self_weights
    is_seen = causal_mask(x.shape[-2]) if mask is None else mask
    return attention(x @ W_q, x @ W_k, x @ W_v, is_seen)[0] @ W_o


def first_sum(x: Array, self_weights: Weights) -> Array:
    """Return x plus its causal self-attention."""
    return x + self_attention(x, self_weights)


def decoder_layer(
    x: Array,
    memory: Array,
    self_weights: Weights,
    cross_weights: Weights,
    memory_mask: Mask | None = None,
) -> Array:
    """Return x after two sums, with causal self-attention and with cross-attention."""
    y = first_sum(x, self_weights)
    return y + cross_attention(y, memory, *cross_weights, memory_mask)[0]
