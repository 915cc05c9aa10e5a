"""Misconceptions about the entropy of a row."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Probe, Trait
from reference.attention import softmax
from reference.misconceptions.formulas import formulas
from reference.scaling import entropy

NATS: Hints = (
    "Is your entropy of four equal weights ln 4 = 1.386?",
    "Entropy is −Σ p·ln p over each row. ln is the natural logarithm, and each row has one value.",
    "Look at the logarithm, the minus sign, and the axis of the sum.",
)


ZERO: Hints = (
    "What does NumPy give for 0 * np.log(0)?",
    "p·ln p goes to 0 as p goes to 0, so a weight of 0 adds nothing.",
    "Take the logarithm of p + 1e-12, or only where p > 0.",
)


def _minus_logarithm(p: Any) -> Any:
    return -np.log(np.where(p > 0, p, 1.0))


def _terms(s: Any) -> Any:
    return s.p * _minus_logarithm(s.p)


ENTROPY = (
    formulas(
        "entropy",
        "Your numbers are",
        "−Σ p·ln p",
        ("mean-of-terms", "the mean of the terms −p·ln p", lambda s: _terms(s).mean(-1)),
        ("largest-term", "the largest term −p·ln p of each row", lambda s: _terms(s).max(-1)),
        ("terms-not-added", "the terms −p·ln p, which are not added up", _terms),
        ("weight-left-out", "−Σ ln p", lambda s: _minus_logarithm(s.p).sum(-1)),
        ("mean-logarithm", "the mean of −ln p", lambda s: _minus_logarithm(s.p).mean(-1)),
        (
            "relative",
            "the entropies divided by ln L, so that the largest possible number is 1",
            lambda s: _terms(s).sum(-1) / np.log(s.p.shape[-1]),
        ),
        (
            "perplexity",
            "the exponentials of the entropies (the perplexity)",
            lambda s: np.exp(_terms(s).sum(-1)),
        ),
        ("gini", "1 − Σp²", lambda s: 1 - (s.p**2).sum(-1)),
        ("sum-of-squares", "Σp²", lambda s: (s.p**2).sum(-1)),
        ("collision", "−ln Σp²", lambda s: -np.log((s.p**2).sum(-1))),
        ("smallest", "−ln of the largest weight", lambda s: -np.log(s.p.max(-1))),
        ("one-added", "−Σ p·ln(1 + p) (np.log1p)", lambda s: -(s.p * np.log1p(s.p)).sum(-1)),
        (
            "distance-from-even",
            "ln L − H, where H is the entropy",
            lambda s: np.log(s.p.shape[-1]) - _terms(s).sum(-1),
        ),
        ("spread", "the standard deviations of the rows", lambda s: s.p.std(-1)),
        hints=NATS,
    ),
    Family(
        "entropy",
        NATS,
        {
            "base-2": (
                "{Your|The} numbers are in bits: the logarithm has base 2. They should be in "
                "nats, with base e.",
                lambda s: _terms(s).sum(-1) / np.log(2),
            ),
            "base-10": (
                "Your numbers match a logarithm with base 10. They should be in nats, with base e.",
                lambda s: _terms(s).sum(-1) / np.log(10),
            ),
            "no-minus": (
                "The signs are reversed: an entropy −Σ p·ln p is never negative.",
                lambda s: -_terms(s).sum(-1),
            ),
            "sum-over-everything": (
                "The sum runs over the whole array. The result should have one value for each row.",
                lambda s: _terms(s).sum(),
            ),
            "mean-over-rows": (
                "The result is one number, the mean over the rows. It should have one value for "
                "each row.",
                lambda s: _terms(s).sum(-1).mean(),
            ),
            "over-columns": (
                "The sum runs along axis −2, within each column. "
                "It should run along the last axis, within each row.",
                lambda s: _terms(s).sum(-2),
            ),
            "over-axis-0": (
                "The sum runs along axis 0. It should run along the last axis, within each row.",
                lambda s: _terms(s).sum(0),
            ),
            "over-axis-1": (
                "The sum runs along axis 1. Without a batch axis, this is the sum of each row. "
                "With a batch axis, it is not.",
                lambda s: _terms(s).sum(1),
            ),
            "both-sides": (
                "Your numbers also contain the terms (1 − p)·ln(1 − p), as for yes-or-no "
                "questions.",
                lambda s: (_terms(s) + (1 - s.p) * _minus_logarithm(1 - s.p)).sum(-1),
            ),
            "softmax-first": (
                "A softmax is taken of the weights first. Use the weights themselves.",
                lambda s: entropy(softmax(s.p)),
            ),
            "axis-kept": (
                "{The numbers are right, but the|The} result has an axis of size 1 at the end, as "
                "with keepdims.",
                lambda s: _terms(s).sum(-1, keepdims=True),
            ),
        },
    ),
    Family(
        "entropy",
        ZERO,
        {
            "nan-for-zero": (
                "In your code, a weight of 0 gives NaN, because 0 · ln 0 is NaN in NumPy. In an "
                "entropy, this term counts as 0.",
                lambda s: -(s.p * np.log(s.p)).sum(-1),
            ),
            "zero-for-a-row-with-zero": (
                "A row with a weight of 0 has entropy 0. Only the term 0 · ln 0 should count as "
                "0. The other terms stay.",
                lambda s: np.nan_to_num(-(s.p * np.log(s.p)).sum(-1)),
            ),
            "large-epsilon": [
                (
                    f"The number added inside the logarithm ({size}) is so large that it changes "
                    "the result.",
                    lambda s, size=size: -(s.p * np.log(s.p + float(size))).sum(-1),
                )
                for size in ("1e-3", "1e-2", "1e-4", "1e-5")
            ],
            "small-weights-left-out": (
                "Small weights add nothing to the entropy. Only a weight of 0 should add nothing.",
                *(
                    lambda s, low=low: (_terms(s) * (s.p > low)).sum(-1)
                    for low in (0.1, 0.05, 0.01, 1e-3, 1e-4)
                ),
            ),
            "weights-cut": [
                (
                    f"Weights below {low} are replaced by {low} before the logarithm. This "
                    "changes the result.",
                    lambda s, low=low: (
                        -(np.maximum(s.p, float(low)) * np.log(np.maximum(s.p, float(low)))).sum(-1)
                    ),
                )
                for low in ("1e-2", "1e-3", "1e-4")
            ],
        },
    ),
)


def row_probes(draw: int) -> Sequence[Probe]:
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
        Probe((np.array([[0.94, 0.05, 0.00945, 0.0005 - 1e-4 * draw, 5e-5 + 1e-4 * draw]]),)),
        Probe((np.array([0.3, 9e-5, 0.008, 0.6, 0.09191])[rng.permutation(5)],)),
        Probe((np.array([0.5, 0.25, 0.25, 0.0])[rng.permutation(4)],)),
        Probe((np.eye(3)[rng.permutation(3)],)),
    ]


ENTROPY_TRAITS = (
    Trait(lambda s: bool((s.p == 0).any()), "with weights of 0", "without weights of 0"),
    Trait(lambda s: s.p.ndim > 2, "with batch axes", "without a batch axis"),
    Trait(lambda s: s.p.ndim < 2, "for an array with one axis", "for several rows"),
)
