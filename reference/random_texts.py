"""Random texts for the exercise about a KV cache."""

from collections.abc import Sequence
from typing import Any

from reference.caching import is_clear_text
from reference.matrices import matrices


def language(
    rng: Any, prompt: Sequence[int], n: int, tokens: int = 16, inside: tuple[int, int] = (3, 3)
) -> tuple[Any, ...]:
    """Return arguments of `generate` with random embeddings and matrices."""
    for _ in range(1000):
        table = rng.normal(size=(tokens, 3))
        W_q, *rest = matrices(rng, 3, 3, *inside)
        case = prompt, n, table, (0.3 * W_q, *rest)
        if is_clear_text(*case):
            break
    return case
