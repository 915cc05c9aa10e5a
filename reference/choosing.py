"""Choice of the next token, in named steps: temperature, top-k, top-p and a cumulative sum."""

import numpy as np
import numpy.typing as npt

from reference.attention import Array, softmax

Indices = npt.NDArray[np.int64]


def most_likely(logits: Array) -> Array:
    """Return probability 1 for the first of the largest logits, and 0 for the others."""
    return np.eye(len(logits))[np.argmax(logits)]


def temperature(logits: Array, t: float) -> Array:
    return most_likely(logits) if t == 0 else softmax(logits / t)


def by_likelihood(values: Array) -> Indices:
    """Return the tokens in order, the likeliest first.

    Of equal tokens, the lower index comes first.
    """
    return np.argsort(-values, kind="stable")


def kept_only(logits: Array, kept: Indices) -> Array:
    """Return the logits. Tokens that are not among `kept` get −∞."""
    result = np.full(len(logits), -np.inf)
    result[kept] = logits[kept]
    return result


def top_k(logits: Array, k: int) -> Array:
    """Return the logits, with all but the `k` largest set to −∞."""
    return kept_only(logits, by_likelihood(logits)[:k])


def count_for(sums: Array, p: float) -> int:
    """Return the number of kept tokens. The cumulative sums begin with the likeliest token."""
    return len(sums) if p >= 1 else 1 + int((sums < p).sum())


def is_kept(probabilities: Array, p: float) -> Array:
    """Return 1 for each kept token and 0 for the others.

    The kept tokens are the smallest set with a probability of at least `p`.
    """
    order = by_likelihood(probabilities)
    is_in = np.zeros(len(probabilities))
    is_in[order[: count_for(np.cumsum(probabilities[order]), p)]] = 1
    return is_in


def top_p(logits: Array, p: float) -> Array:
    """Return the logits. Tokens outside the smallest set with probability `p` get −∞."""
    order = by_likelihood(logits)
    return kept_only(logits, order[: count_for(np.cumsum(softmax(logits)[order]), p)])


def first_above(sums: Array, u: float) -> int | None:
    """Return the first index with a sum larger than `u`. If there is none, return None."""
    found = np.flatnonzero(sums > u)
    return int(found[0]) if len(found) else None


def last_possible(probabilities: Array) -> int:
    return int(np.flatnonzero(probabilities)[-1])


def draw(probabilities: Array, u: float) -> int:
    """Return the index of the token that `u` chooses."""
    found = first_above(np.cumsum(probabilities), u)
    return last_possible(probabilities) if found is None else found


def kept_curve(logits: Array) -> Array:
    """Return the number of tokens that top-p keeps, for p = 0, 0.01, …, 1."""
    counts = [np.isfinite(top_p(logits, p)).sum() for p in np.linspace(0, 1, 101)]
    return np.array(counts, dtype=float)
