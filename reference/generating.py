"""Text generation with `small_models.MeanModel`, in NumPy."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from reference.attention import Array

Tokens = npt.NDArray[np.int64]


def mean_logits(embedding: Array, output: Array, tokens: Tokens) -> Array:
    """Return the logits `(B, L, V)` of `MeanModel` for tokens `(B, L)`."""
    x = np.asarray(embedding, dtype=np.float64)[tokens]
    before = x.cumsum(1) / np.arange(1, tokens.shape[1] + 1)[:, None]
    logits: Array = np.tanh(x + before) @ np.asarray(output, dtype=np.float64).T
    return logits


def greedy(
    embedding: Array, output: Array, prompt: Sequence[int], count: int, limit: int
) -> Tokens:
    """Return the prompt and the `count` likeliest next words.

    The model sees the last `limit` tokens.
    """
    tokens = list(prompt)
    for _ in range(count):
        context = np.array([tokens[-limit:]])
        tokens.append(int(mean_logits(embedding, output, context)[0, -1].argmax()))
    return np.array(tokens)
