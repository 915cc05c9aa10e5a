"""Misconceptions about the measurement."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Step
from reference.attention import softmax
from reference.misconceptions.formulas import formulas
from reference.misconceptions.scaling_experiment.simulation import (
    REPLAYS,
    described,
    drawn,
    each_dimension,
    product,
    results,
)
from reference.scaling import entropy

MEASURE: Hints = (
    "From which numbers does your code compute each measure?",
    "In each trial, take the standard deviation of all L × L scores. Take the mean entropy of the "
    "rows, and the mean of the largest weights of the rows. Then take the mean over the trials.",
    "Calculate one trial by hand, and compare each line of your code with it.",
)
DRAWS: Hints = (
    "How does your code make Q and K of each trial?",
    "Each trial uses `rng` to sample a new Q and a new K of shape (seq_len, d) with standard "
    "normal numbers.",
    "Look at the lines that use rng, and at the product of Q and K. Print the shapes of all three.",
)
DIVISOR: Hints = (
    "By what number are the scores divided before the scaled measures are computed?",
    "The scaled scores are the unscaled scores divided by √d, where d is the dimension.",
    "Print the standard deviations of both kinds of scores. How many times larger is one of them?",
)
MATRIX = (-1, -2)


def _measured(measure: Callable[..., Any]) -> Step:
    """Return a step whose value is a measure, the same for each dimension."""
    return each_dimension(lambda s: measure)


def _so_far(average: Callable[..., Any]) -> Step:
    """Return a step whose results also contain the trials of all dimensions before."""

    def step(s: Any) -> Any:
        rows = [*results(s).values()]
        return {
            d: {name: average([row[name] for row in rows[: n + 1]], axis=0) for name in rows[0]}
            for n, d in enumerate(s.dimensions)
        }

    return step


MEASURING: tuple[Family, ...] = (
    Family(
        "results",
        MEASURE,
        {
            "totals-kept": [
                (
                    "The measures of each dimension also contain those of the dimensions before "
                    f"it, as in {words} that does not start again for each dimension.",
                    _so_far(average),
                )
                for words, average in (("a sum", np.sum), ("a mean", np.mean))
            ]
        },
    ),
    formulas(
        "scaled",
        "The scaled scores are divided by",
        "√d",
        ("divides-by-d", "d", lambda s: s.unscaled / s.d),
        ("divides-by-root-of-length", "√seq_len", lambda s: s.unscaled / np.sqrt(s.seq_len)),
        ("divides-by-length", "seq_len", lambda s: s.unscaled / s.seq_len),
        ("fourth-root", "the fourth root of d", lambda s: s.unscaled / s.d**0.25),
        hints=DIVISOR,
        means=each_dimension,
    ),
    formulas(
        "std",
        "scores_std is",
        "the standard deviation of the scores",
        (
            "spread-of-weights",
            "the standard deviation of the weights",
            lambda scores, weights: weights.std(MATRIX),
        ),
        ("variance", "the variance of the scores", lambda scores, weights: scores.var(MATRIX)),
        (
            "mean-size",
            "the mean of the absolute scores",
            lambda scores, weights: np.abs(scores).mean(MATRIX),
        ),
        (
            "mean-of-scores",
            "the mean of the scores, which is near 0",
            lambda scores, weights: scores.mean(MATRIX),
        ),
        ("largest-score", "the largest score", lambda scores, weights: scores.max(MATRIX)),
        (
            "range-of-scores",
            "the largest score minus the smallest score",
            lambda scores, weights: np.ptp(scores, axis=MATRIX),
        ),
        hints=MEASURE,
        means=_measured,
    ),
    formulas(
        "entropy",
        "The entropy is",
        "the mean of the entropies of the rows",
        ("sum-of-entropies", "the sum of the entropies", lambda weights: entropy(weights).sum(-1)),
        (
            "entropy-largest",
            "the largest entropy of a row",
            lambda weights: entropy(weights).max(-1),
        ),
        (
            "entropy-per-entry",
            "the mean of the terms −p·ln p over all entries",
            lambda weights: entropy(weights).mean(-1) / weights.shape[-1],
        ),
        (
            "entropy-relative",
            "divided by ln L",
            lambda weights: entropy(weights).mean(-1) / np.log(weights.shape[-1]),
        ),
        hints=MEASURE,
        means=_measured,
    ),
    formulas(
        "largest",
        "max_weight is",
        "the mean of the largest weights of the rows",
        ("largest-of-all", "the largest weight of the whole matrix", lambda w: w.max(MATRIX)),
        (
            "sum-of-largest",
            "the sum of the largest weights of the rows",
            lambda w: w.max(-1).sum(-1),
        ),
        ("mean-weight", "the mean weight", lambda w: w.mean(MATRIX)),
        ("smallest-weight", "the mean of the smallest weights", lambda w: w.min(-1).mean(-1)),
        (
            "largest-of-columns",
            "the mean of the largest weights of the columns",
            lambda w: w.max(-2).mean(-1),
        ),
        hints=MEASURE,
        means=_measured,
    ),
    Family(
        "scaled",
        DIVISOR,
        means=each_dimension,
        ways={
            "scaled-not-scaled": (
                "The scaled measures are those of unscaled scores.",
                lambda s: s.unscaled,
            ),
            "multiplies-by-root": (
                "The scaled scores are multiplied by √d. They should be divided by √d.",
                lambda s: s.unscaled * np.sqrt(s.d),
            ),
            "unscaled-is-scaled": (
                "The unscaled measures are those of scaled scores.",
                {"unscaled": lambda s: product(s) / np.sqrt(s.d), "scaled": lambda s: s.unscaled},
            ),
            "scaled-twice": (
                "The unscaled measures are those of scores divided by √d, and the scaled measures "
                "are those of scores divided by √d twice.",
                {"unscaled": lambda s: product(s) / np.sqrt(s.d)},
            ),
        },
    ),
    Family(
        None,
        MEASURE,
        means=each_dimension,
        ways={
            "exchanged": (
                "The scaled and the unscaled measures are exchanged in the result.",
                {
                    "row": lambda s: {
                        name.replace("_unscaled", "_S")
                        .replace("_scaled", "_unscaled")
                        .replace("_S", "_scaled"): value
                        for name, value in (
                            described(s, "unscaled") | described(s, "scaled")
                        ).items()
                    }
                },
            ),
            "entropy-in-bits": (
                "The entropies are in bits (base 2). They should be in nats (base e).",
                {"entropy": lambda s: lambda weights: entropy(weights).mean(-1) / np.log(2)},
            ),
            "entropy-in-base-10": (
                "The entropies use a logarithm with base 10. They should be in nats (base e).",
                {"entropy": lambda s: lambda weights: entropy(weights).mean(-1) / np.log(10)},
            ),
            "entropy-negative": (
                "The entropies are negative. An entropy −Σ p·ln p is never negative.",
                {"entropy": lambda s: lambda weights: -entropy(weights).mean(-1)},
            ),
        },
    ),
    Family(
        None,
        DRAWS,
        means=each_dimension,
        ways={
            **{
                name: (
                    f"The entries of Q and K are uniform between {words} and 1. They should be "
                    "standard normal.",
                    dict.fromkeys(
                        "QK",
                        lambda s, low=low: s.generator.uniform(low, 1, (REPLAYS, s.seq_len, s.d)),
                    ),
                )
                for name, words, low in (("uniform", "0", 0), ("uniform-both-signs", "−1", -1))
            },
            "keys-are-queries": (
                "The scores are Q Qᵀ. Sample K separately, and use Q Kᵀ.",
                {"K": lambda s: s.Q},
            ),
            "draws-divided": (
                "Even the unscaled scores are divided by d, as if Q and K were divided by √d.",
                {
                    "Q": lambda s: drawn(s.d, s.seq_len, 0) / np.sqrt(s.d),
                    "K": lambda s: drawn(s.d, s.seq_len, 1) / np.sqrt(s.d),
                },
            ),
            "length-and-dimension-exchanged": (
                "Your numbers match d × d scores: those of Qᵀ K, or of Q and K of the shape (d, "
                "seq_len). The scores of a trial should be seq_len × seq_len.",
                {
                    "Q": lambda s: s.generator.standard_normal((REPLAYS // 4, s.d, s.seq_len)),
                    "K": lambda s: s.generator.standard_normal((REPLAYS // 4, s.d, s.seq_len)),
                },
            ),
        },
    ),
    Family(
        None,
        MEASURE,
        means=each_dimension,
        ways={
            "softmax-over-everything": (
                "One softmax runs over the whole matrix. Each row should have its own softmax.",
                {
                    "weights_unscaled": lambda s: softmax(s.unscaled, (-1, -2)),
                    "weights_scaled": lambda s: softmax(s.scaled, (-1, -2)),
                },
            ),
            "same-weights": (
                "Your entropy and largest weight for the scaled scores are those of the unscaled "
                "scores.",
                {"weights_scaled": lambda s: s.weights_unscaled},
            ),
            "same-weights-scaled": (
                "Your entropy and largest weight for the unscaled scores are those of the scaled "
                "scores.",
                {"weights_unscaled": lambda s: softmax(s.scaled)},
            ),
            "added-over-trials": (
                "The measures are added up over the trials. Return their mean.",
                {"averaged": lambda s: lambda trials: trials * s.trials},
            ),
            "divided-by-another-number": [
                (
                    f"The sum over the trials is divided by {words}, instead of the number of "
                    "trials.",
                    {"averaged": lambda s, n=n: lambda trials: trials * s.trials / n(s)},
                )
                for words, n in (
                    ("the number of dimensions", lambda s: len(s.dimensions)),
                    ("seq_len", lambda s: s.seq_len),
                )
            ],
            "divided-once-too-often": (
                "The measures are too small by the factor `trials`, as if divided by it twice.",
                {"averaged": lambda s: lambda trials: trials / s.trials},
            ),
        },
    ),
)
