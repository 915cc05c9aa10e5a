"""The entropy of a row, done wrong."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.diagnosis.recipe import Hints, Misconception, Probe, Trait
from reference.attention import softmax
from reference.scaling import entropy

NATS: Hints = (
    "How large is the entropy of one row of four equal weights? (It is ln 4 = 1.386.)",
    "Entropy is −Σ p·ln p over each row: the natural logarithm, and one value for every row.",
    "Look at the logarithm, the minus sign, and the axis of the sum.",
)


ZERO: Hints = (
    "What does NumPy give for 0 * np.log(0)?",
    "p·ln p goes to 0 as p goes to 0, so a weight of 0 adds nothing.",
    "Take the logarithm of p + 1e-12, or only where p > 0.",
)


def _terms(s: Any) -> Any:
    p = s.p
    return -p * np.log(np.where(p > 0, p, 1.0))


def _entropy(
    id: str, change: Callable[[Any], Any], finding: str, hints: Hints = NATS
) -> Misconception:
    return Misconception(id, finding, hints, {"entropy": change})


ENTROPY = (
    _entropy("base-2", lambda s: _terms(s).sum(-1) / np.log(2),
             "Your numbers are in bits: the logarithm has base 2, and nats have base e."),
    _entropy("base-10", lambda s: _terms(s).sum(-1) / np.log(10),
             "Your numbers are those of a logarithm with base 10; nats have base e."),
    _entropy("no-minus", lambda s: -_terms(s).sum(-1),
             "The minus sign is missing: entropy is −Σ p·ln p and never negative."),
    _entropy("sum-over-everything", lambda s: _terms(s).sum(),
             "The sum runs over the whole array: one value a row is asked for."),
    _entropy("mean-over-rows", lambda s: _terms(s).sum(-1).mean(),
             "The result is one number, the mean over the rows; one value a row is asked for."),
    _entropy("mean-of-terms", lambda s: _terms(s).mean(-1),
             "The terms −p·ln p are averaged; they have to be added up."),
    _entropy("over-columns", lambda s: _terms(s).sum(-2),
             "The sum runs over the columns (axis −2), not over each row."),
    _entropy("over-axis-0", lambda s: _terms(s).sum(0),
             "The sum runs along axis 0, not over each row."),
    _entropy("over-axis-1", lambda s: _terms(s).sum(1),
             "The sum runs along axis 1, which is the row only where there is no batch."),
    _entropy("nan-for-zero", lambda s: -(s.p * np.log(s.p)).sum(-1),
             "A weight of 0 gives NaN: 0 · ln 0 is not a number for NumPy, and counts as 0 here.",
             ZERO),
    _entropy("weight-left-out", lambda s: -np.log(np.where(s.p > 0, s.p, 1.0)).sum(-1),
             "Your numbers are −Σ ln p: the factor p is missing."),
    _entropy("mean-logarithm", lambda s: -np.log(np.where(s.p > 0, s.p, 1.0)).mean(-1),
             "Your numbers are the mean of −ln p, not weighted by p."),
    _entropy("largest-term", lambda s: _terms(s).max(-1),
             "Your numbers are the largest term −p·ln p of each row, not their sum."),
    _entropy("terms-not-added", _terms, "The terms −p·ln p come back; they have to be added up."),
    _entropy("relative", lambda s: _terms(s).sum(-1) / np.log(s.p.shape[-1]),
             "Your numbers are divided by ln L, so that they end at 1; plain nats are asked for."),
    _entropy("perplexity", lambda s: np.exp(_terms(s).sum(-1)),
             "Your numbers are the exponential of the entropy (the perplexity)."),
    _entropy("gini", lambda s: 1 - (s.p**2).sum(-1),
             "Your numbers are 1 − Σp², another measure of spread; entropy has a logarithm."),
    _entropy("sum-of-squares", lambda s: (s.p**2).sum(-1),
             "Your numbers are Σp²; entropy is −Σ p·ln p."),
    _entropy("collision", lambda s: -np.log((s.p**2).sum(-1)),
             "Your numbers are −ln Σp² (Rényi's entropy of order 2); Shannon's is −Σ p·ln p."),
    _entropy("smallest", lambda s: -np.log(s.p.max(-1)),
             "Your numbers are −ln of the largest weight; entropy takes all weights."),
    _entropy("both-sides", lambda s: _terms(s).sum(-1)
             - ((1 - s.p) * np.log(np.where(s.p < 1, 1 - s.p, 1.0))).sum(-1),
             "Your numbers count (1 − p)·ln(1 − p) too, as for yes-or-no questions."),
    _entropy("softmax-first", lambda s: entropy(softmax(s.p)),
             "A softmax is taken of the weights first; they are weights already."),
    _entropy("axis-kept", lambda s: _terms(s).sum(-1, keepdims=True),
             "The numbers are right, but an axis of size 1 is left at the end (keepdims)."),
    _entropy("large-epsilon", lambda s: -(s.p * np.log(s.p + 1e-3)).sum(-1),
             "The number added inside the logarithm (1e-3) is so large that it changes the result.",
             ZERO),
    _entropy("large-epsilon", lambda s: -(s.p * np.log(s.p + 1e-2)).sum(-1),
             "The number added inside the logarithm (1e-2) is so large that it changes the result.",
             ZERO),
    _entropy("spread", lambda s: s.p.std(-1),
             "Your numbers are the standard deviation of the weights, not their entropy."),
)  # fmt: skip


def row_probes(draw: int) -> Sequence[Probe]:
    """Rows of weights, some with zeros."""
    rng = np.random.default_rng([61, draw])
    zeros = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.25, 0.75, 0.0]])[rng.permutation(3)]
    return [
        Probe((np.array([[0.5, 0.5], [0.9 - 0.1 * draw, 0.1 + 0.1 * draw]]),)),
        Probe((np.full((2, 4), 0.25),)),
        Probe((softmax(rng.normal(size=(3, 5))),)),
        Probe((softmax(rng.normal(size=(3, 3))),)),
        Probe((softmax(rng.normal(size=(2, 3, 4))),)),
        Probe((softmax(rng.normal(size=(2, 2, 2))),)),
        Probe((softmax(rng.normal(size=6)),)),
        Probe((zeros,)),
        Probe((np.eye(3)[rng.permutation(3)],)),
    ]


ENTROPY_TRAITS = (
    Trait(lambda s: bool((s.p == 0).any()), "with weights of 0", "without weights of 0"),
    Trait(lambda s: s.p.ndim > 2, "with batch axes", "without a batch axis"),
    Trait(lambda s: s.p.ndim < 2, "for a single row", "for several rows"),
)
