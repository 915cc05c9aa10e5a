"""Mistakes in attention by hand, recognised by properties of the wrong numbers.

Student kits, which have no solutions, use this module too. It compares a wrong step with the
previous step, if that is right.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autograder.author import Mismatch
from reference.hand_relations import (
    WITHIN,
    Cells,
    Numbers,
    are_shares,
    as_written,
    first_wrong,
    fits,
    near,
)

Is = Callable[[Numbers], Any]
LN2 = np.log(2)
ROUNDED = 3.0  # factor on the tolerance if the weights are the student's own


def named(
    wrong: Mismatch,
    name: str,
    own: Numbers | None,
    steps: Mapping[str, Numbers],
    givens: Mapping[str, Any],
    findings: Mapping[str, str],
) -> Mismatch:
    """Return a mismatch with the mistake's name, or two names if both give these numbers.

    Args:
        wrong: the message for a mistake without a name.
        name: the value, such as `a_scaled`.
        own: the student's numbers, of any shape.
        steps: the student's steps of this part with a right shape, by name.
        givens: the matrices Q, K and V.
        findings: the sentence for each mistake.
    """
    step = name.partition("_")[2]
    if own is None or not own.size or first_wrong(step, steps, givens):
        return wrong
    return with_names(wrong, name, mistakes_of(step, {**steps, step: own}, givens), findings)


def with_names(
    wrong: Mismatch, name: str, known: Sequence[str], findings: Mapping[str, str]
) -> Mismatch:
    if not 1 <= len(known) <= 2:
        return wrong
    says = f"{name}: your numbers are {findings[known[0]]}."
    if len(known) == 2:
        says += f" They are also {findings[known[1]]}."
    return Mismatch(says, name, wrong.yours, None, wrong.wrong, mistake=tuple(known))


def mistakes_of(step: str, steps: Mapping[str, Numbers], givens: Mapping[str, Any]) -> list[str]:
    """Return the mistakes that give the student's numbers. All earlier steps are right."""
    Q, K, V = (np.asarray(givens[each], float) for each in "QKV")
    scores, root = steps.get("scores", Q), K.shape[1] ** 0.5
    known = {
        "scores": lambda: _scores(Q, K, V, givens),
        "scaled": lambda: _scaled(scores, K.shape[1]),
        "weights": lambda: _weights(scores / root, root),
        "output": lambda: _output(steps["weights"], Q, K, V),
    }
    return _holding(known[step](), steps[step])


def mistakes_of_row(own: Numbers, scores: Numbers) -> list[str]:
    """Return the mistakes that give the student's causal row."""
    some, keep = scores[:-1], np.array([1.0] * (len(scores) - 1) + [0.0])

    def first(x: Numbers, row: Numbers) -> Any:
        return abs(row[-1]) <= WITHIN and _shares(row[:-1], x)

    def times_sum(row: Numbers, numbers: Numbers) -> bool:
        unblocked = np.exp(scores).sum()
        return near(row * unblocked, numbers, unblocked, as_written(row))

    dealt = keep * np.exp(scores[-1]) / len(some)
    known: dict[str, Is] = {
        "not-blocked": lambda row: _shares(row, scores),
        "not-renormalised": lambda row: times_sum(row, np.exp(scores) * keep),
        "blocked-weight-shared-out": lambda row: times_sum(row, np.exp(scores) * keep + dealt),
        "blocked-scores-zero": lambda row: _shares(row, scores * keep),
        "first-blocked": lambda row: abs(row[0]) <= WITHIN and _shares(row[1:], scores[1:]),
        "scaled-again": lambda row: first(some / 2, row),
        "no-exponential": lambda row: near(row, scores * keep / some.sum()),
        "scores-with-zero": lambda row: near(row, scores * keep),
        "equal-shares": lambda row: near(row, keep / keep.sum()),
        "base-2": lambda row: first(some * LN2, row),
    }
    return _holding(known, own)


def _shares(own: Numbers, x: Numbers) -> Cells:
    return are_shares(own, x, as_written(own))


def _holding(known: Mapping[str, Is], own: Numbers) -> list[str]:
    found = []
    for name, holds in known.items():
        try:
            if np.all(holds(own)):
                found.append(name)
        except ValueError:  # other sizes
            continue
    return found


def _scores(Q: Numbers, K: Numbers, V: Numbers, givens: Mapping[str, Any]) -> dict[str, Is]:
    sums = Q.sum(axis=1)[:, np.newaxis] + K.sum(axis=1)
    root = K.shape[1] ** 0.5
    return {
        "keys-not-transposed": lambda own: near(own, Q @ K),
        "queries-transposed": lambda own: near(own, Q.T @ K),
        "scores-transposed": lambda own: fits("scores", {"scores": own.T}, givens),
        "queries-with-queries": lambda own: near(own, Q @ Q.T),
        "keys-with-keys": lambda own: near(own, K @ K.T),
        "queries-with-values": lambda own: near(own, Q @ V.T),
        "entry-by-entry": lambda own: near(own, Q * K),
        "scaled-already": lambda own: fits("scores", {"scores": own * root}, givens, WITHIN * root),
        "sums-for-products": lambda own: near(own, sums),
    }


def _scaled(scores: Numbers, width: int) -> dict[str, Is]:
    length = scores.shape[1]
    factors = {
        "no-scaling": 1.0,
        "divides-by-d-k": 1 / width,
        "multiplies-by-root": width**0.5,
        "multiplies-by-d-k": float(width),
        "root-of-length": length**-0.5,
        "divides-by-length": 1 / length,
        "d-k-squared": width**-2.0,
    }
    is_times = {name: _times(scores, factor) for name, factor in factors.items()}
    return {
        **is_times,
        "root-of-scores": lambda own: near(own, np.sqrt(np.maximum(scores, 0))),
        "weights-already": lambda own: _shares(own, scores / width**0.5),
    }


def _times(scores: Numbers, factor: float) -> Is:
    return lambda own: near(own, scores * factor)


def _weights(x: Numbers, root: float) -> dict[str, Is]:
    def causal(own: Numbers) -> bool:
        rows = range(len(x))
        return near(np.triu(own, 1), 0 * own) and all(
            bool(np.all(_shares(own[i, : i + 1], x[i, : i + 1]))) for i in rows
        )

    largest = (x == x.max(axis=1, keepdims=True)).astype(float)
    return {
        "softmax-over-columns": lambda own: _shares(own.T, x.T),
        "softmax-over-everything": lambda own: _shares(own.ravel(), x.ravel()),
        "base-2": lambda own: _shares(own, x * LN2),
        "no-exponential": lambda own: near(own, x / x.sum(axis=1, keepdims=True)),
        "exponentials-only": lambda own: near(own, np.exp(x)),
        "scores-not-scaled": lambda own: _shares(own, x * root),
        "scaled-again": lambda own: _shares(own, x / root),
        "negative-exponent": lambda own: _shares(own, -x),
        "causal": causal,
        "weights-transposed": lambda own: _shares(own.T, x),
        "all-or-nothing": lambda own: near(own, largest),
    }


def _output(weights: Numbers, Q: Numbers, K: Numbers, V: Numbers) -> dict[str, Is]:
    def is_close(wrong: Numbers) -> Is:
        return lambda own: near(own, wrong, ROUNDED)

    def mixes(rows: Numbers) -> Is:
        return lambda own: near(own, np.einsum("ij,jc->ic", weights, rows), ROUNDED)

    ones = np.ones((len(weights), 1))
    return {
        "weights-transposed": lambda own: near(own, weights.T @ V, ROUNDED),
        "keys-for-values": mixes(K),
        "queries-for-values": mixes(Q),
        "values-first": lambda own: near(own, V @ weights, ROUNDED),
        "entry-by-entry": lambda own: near(own, weights * V, ROUNDED),
        "values-transposed": mixes(V.T),
        "values-unweighted": is_close(ones * V.mean(axis=0)),
        "values-added-up": is_close(ones * V.sum(axis=0)),
        "best-value-only": is_close(V[weights.argmax(axis=1)]),
        "output-transposed": lambda own: mixes(V)(own.T),
    }
