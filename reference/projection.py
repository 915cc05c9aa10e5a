"""Projection of the same words to queries, keys and values.

Source: Vaswani et al. (2017), section 3.2.2: the learnt projections of one head.
"""

from reference.attention import Array


def project_qkv(X: Array, W_Q: Array, W_K: Array, W_V: Array) -> tuple[Array, Array, Array]:
    """Return Q, K and V, each of shape `(..., L, d)`."""
    return X @ W_Q, X @ W_K, X @ W_V
