"""Calls of `generate` with a table of embeddings, and flat results of `step`."""

from typing import Any

import numpy as np

FUNCTIONS = """
import numpy as np
table, embedded = np.array({}), []
def embed(tokens):
    embedded.extend(int(token) for token in tokens)
    return table[np.asarray(tokens, dtype=int)]
def next_token(row):
    return int(20 * abs(float(np.sum(row)))) % len(table)
"""
CLEAR = 0.05  # least distance of a number from those at which the token changes


def next_of(row: Any, tokens: int) -> int:
    """Return the token that `next_token` makes from an output.

    `next_token` makes another token after a small change of the output.
    """
    return int(20 * abs(float(np.sum(row)))) % tokens


def is_clear(row: Any) -> bool:
    """Return True if a rounding error cannot change the token of this output."""
    return CLEAR < 20 * abs(float(np.sum(row))) % 1 < 1 - CLEAR


def written(submission: Any, prompt: Any, n: int, table: Any, weights: Any) -> tuple[Any, Any]:
    """Return the result of the student's generate, and the embedded tokens."""
    functions = submission.define("functions", FUNCTIONS.format(table.tolist()))
    passed = functions.part("next_token"), functions.part("embed")
    return submission.generate(prompt, n, *passed, weights), functions.value("embedded")


class WritesFromTable:
    """Caller of `generate`."""

    def ask(self, submission: Any, recipe: Any, probe: Any) -> Any:
        state = recipe.arguments(probe)
        return written(submission, state.prompt, state.n, state.table, state.weights)[0]


def flat(value: Any) -> Any:
    """Return the output, the keys and the values in one row."""
    try:
        output, (keys, values) = value
    except (TypeError, ValueError):
        return value
    return output, keys, values
