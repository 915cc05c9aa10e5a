"""Patterns in a matrix of attention weights: three measures, and the strongest links."""

from collections.abc import Sequence

import numpy as np

from reference.attention import Array, attention
from reference.scaling import entropy


def analyze_pattern(embeddings: Array) -> dict[str, float]:
    """Return the measures of scaled self-attention. Q, K and V are the embeddings `(L, d)`."""
    _, weights = attention(embeddings, embeddings, embeddings)
    return measures(weights)


def measures(weights: Array) -> dict[str, float]:
    """Return the mean of the diagonal, the largest weight, and the rows' mean entropy in nats."""
    return {
        "self_attention": float(np.diag(weights).mean()),
        "max_attention": float(weights.max()),
        "entropy": float(entropy(weights).mean()),
    }


def strongest_links(
    weights: Array, tokens: Sequence[str], k: int = 2
) -> list[list[tuple[str, float]]]:
    """Return each query's k largest links, largest first."""
    order = np.argsort(-weights, axis=1, kind="stable")[:, :k]
    return [
        [(tokens[j], float(row[j])) for j in chosen]
        for row, chosen in zip(weights, order, strict=True)
    ]
