"""The measurement, done wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.diagnosis.recipe import Hints, Misconception
from reference.attention import softmax
from reference.misconceptions.scaling_experiment.simulation import (
    REPLAYS,
    described,
    drawn,
    each_dimension,
    product,
)
from reference.scaling import entropy

MEASURE: Hints = (
    "Of which numbers is each measure taken, and over which of them does the mean run?",
    "For each trial: the spread of all L × L scores; the mean over the rows of their entropy, and "
    "of their largest weight. Then the mean over the trials.",
    "Work through one trial by hand: which line computes this measure, and from what?",
)


DRAWS: Hints = (
    "How are the entries of Q and K distributed in your code, and how often are they drawn?",
    "Each trial draws a new Q and a new K of shape (seq_len, d), standard normal, from `rng`.",
    "Look at the lines that draw: rng.standard_normal, for Q and for K, inside the loop over "
    "trials.",
)


DIVISOR: Hints = (
    "By what are the scores divided for the scaled measures?",
    "The scaled scores are the same scores divided by √d, with d the dimension at hand.",
    "Look at the line that makes scaled scores from unscaled ones.",
)


def _measure(id: str, finding: str, hints: Hints, **replaces: Callable[[Any], Any]) -> Any:
    return Misconception(
        id, finding, hints, {name: each_dimension(step) for name, step in replaces.items()}
    )


MEASURING: tuple[Misconception, ...] = (
    _measure("scaled-not-scaled", "The scaled measures are those of scores that are not scaled.",
             DIVISOR, scaled=lambda s: s.unscaled),
    _measure("divides-by-d", "The scaled scores are divided by d, without the square root.",
             DIVISOR, scaled=lambda s: s.unscaled / s.d),
    _measure("multiplies-by-root", "The scaled scores are multiplied by √d; they have to be "
             "divided.", DIVISOR, scaled=lambda s: s.unscaled * np.sqrt(s.d)),
    _measure("divides-by-root-of-length", "The scaled scores are divided by √seq_len, not by √d.",
             DIVISOR, scaled=lambda s: s.unscaled / np.sqrt(s.seq_len)),
    _measure("divides-by-length", "The scaled scores are divided by seq_len, not by √d.",
             DIVISOR, scaled=lambda s: s.unscaled / s.seq_len),
    _measure("fourth-root", "The scaled scores are divided by the fourth root of d.",
             DIVISOR, scaled=lambda s: s.unscaled / s.d**0.25),
    _measure("unscaled-is-scaled", "The unscaled measures are those of scaled scores.",
             DIVISOR, unscaled=lambda s: product(s) / np.sqrt(s.d),
             scaled=lambda s: s.unscaled),
    _measure("scaled-twice", "All scores are divided by √d before anything is measured, and the "
             "scaled ones once more.", DIVISOR,
             unscaled=lambda s: product(s) / np.sqrt(s.d)),
    _measure("exchanged", "Scaled and unscaled are exchanged in the result.", MEASURE,
             row=lambda s: {
                 name.replace("_unscaled", "_S").replace("_scaled", "_unscaled")
                 .replace("_S", "_scaled"): value
                 for name, value in (described(s, "unscaled") | described(s, "scaled")).items()
             }),
    _measure("spread-of-weights", "The standard deviation is that of the weights, not of the "
             "scores.", MEASURE, std=lambda s: lambda values, weights: weights.std((-1, -2))),
    _measure("variance", "The spread is the variance; its square root, the standard deviation, is "
             "asked for.", MEASURE, std=lambda s: lambda values, weights: values.var((-1, -2))),
    _measure("mean-size", "The spread is the mean size of the scores, not their standard "
             "deviation.", MEASURE,
             std=lambda s: lambda values, weights: np.abs(values).mean((-1, -2))),
    _measure("mean-of-scores", "The spread is the mean of the scores, which is near 0; their "
             "standard deviation is asked for.", MEASURE,
             std=lambda s: lambda values, weights: values.mean((-1, -2))),
    _measure("largest-score", "The spread is the largest score, not the standard deviation.",
             MEASURE, std=lambda s: lambda values, weights: values.max((-1, -2))),
    _measure("range-of-scores", "The spread is the distance of largest and smallest score, not "
             "the standard deviation.", MEASURE,
             std=lambda s: lambda values, weights: np.ptp(values, axis=(-1, -2))),
    _measure("sum-of-entropies", "The entropies of the rows are added up; their mean is asked for.",
             MEASURE, entropy=lambda s: lambda weights: entropy(weights).sum(-1)),
    _measure("entropy-in-bits", "The entropies are in bits (base 2); nats are asked for.",
             MEASURE, entropy=lambda s: lambda weights: entropy(weights).mean(-1) / np.log(2)),
    _measure("entropy-in-base-10", "The entropies are those of a logarithm with base 10; nats are "
             "asked for.", MEASURE,
             entropy=lambda s: lambda weights: entropy(weights).mean(-1) / np.log(10)),
    _measure("entropy-relative", "The entropies are divided by ln L; plain nats are asked for.",
             MEASURE,
             entropy=lambda s: lambda weights: entropy(weights).mean(-1) / np.log(s.seq_len)),
    _measure("entropy-negative", "The entropies are negative: the minus sign of −Σ p·ln p is "
             "missing.", MEASURE,
             entropy=lambda s: lambda weights: -entropy(weights).mean(-1)),
    _measure("entropy-per-entry", "The terms −p·ln p are averaged over all entries; each row's "
             "are added up.", MEASURE,
             entropy=lambda s: lambda weights: entropy(weights).mean(-1) / s.seq_len),
    _measure("entropy-largest", "The entropy is that of the row with the largest; the mean of the "
             "rows is asked for.", MEASURE,
             entropy=lambda s: lambda weights: entropy(weights).max(-1)),
    _measure("largest-of-all", "The largest weight is that of the whole matrix; the mean of the "
             "rows' largest is asked for.", MEASURE,
             largest=lambda s: lambda weights: weights.max((-1, -2))),
    _measure("sum-of-largest", "The rows' largest weights are added up; their mean is asked for.",
             MEASURE, largest=lambda s: lambda weights: weights.max(-1).sum(-1)),
    _measure("mean-weight", "The mean weight stands where the largest is asked for.", MEASURE,
             largest=lambda s: lambda weights: weights.mean((-1, -2))),
    _measure("smallest-weight", "The smallest weight stands where the largest is asked for.",
             MEASURE, largest=lambda s: lambda weights: weights.min(-1).mean(-1)),
    _measure("largest-of-columns", "Rows and columns are mixed up: the softmax runs along one, and "
             "the largest weight is taken along the other.", MEASURE,
             largest=lambda s: lambda weights: weights.max(-2).mean(-1)),
    _measure("uniform", "Q and K are drawn evenly between 0 and 1; standard normal numbers are "
             "asked for.", DRAWS,
             Q=lambda s: s.generator.random((REPLAYS, s.seq_len, s.d)),
             K=lambda s: s.generator.random((REPLAYS, s.seq_len, s.d))),
    _measure("uniform-both-signs", "Q and K are drawn evenly between −1 and 1; standard normal "
             "numbers are asked for.", DRAWS,
             Q=lambda s: s.generator.uniform(-1, 1, (REPLAYS, s.seq_len, s.d)),
             K=lambda s: s.generator.uniform(-1, 1, (REPLAYS, s.seq_len, s.d))),
    _measure("keys-are-queries", "K is the same as Q: the two have to be drawn apart.", DRAWS,
             K=lambda s: s.Q),
    _measure("draws-divided", "Q and K are divided by √d each, so the unscaled scores are scaled "
             "twice over.", DRAWS,
             Q=lambda s: drawn(s.d, s.seq_len, 0) / np.sqrt(s.d),
             K=lambda s: drawn(s.d, s.seq_len, 1) / np.sqrt(s.d)),
    _measure("length-and-dimension-exchanged", "Q and K are (d, seq_len): length and dimension "
             "have changed places.", DRAWS,
             Q=lambda s: s.generator.standard_normal((REPLAYS // 4, s.d, s.seq_len)),
             K=lambda s: s.generator.standard_normal((REPLAYS // 4, s.d, s.seq_len))),
    _measure("softmax-over-everything", "One softmax runs over the whole matrix, not one over "
             "each row.", MEASURE,
             weights_unscaled=lambda s: softmax(s.unscaled, (-1, -2)),  # type: ignore[arg-type]
             weights_scaled=lambda s: softmax(s.scaled, (-1, -2))),  # type: ignore[arg-type]
    _measure("same-weights", "Entropy and largest weight of the scaled scores are those of the "
             "unscaled ones.", MEASURE, weights_scaled=lambda s: s.weights_unscaled),
    _measure("same-weights-scaled", "Entropy and largest weight of the unscaled scores are those "
             "of the scaled ones.", MEASURE, weights_unscaled=lambda s: softmax(s.scaled)),
    _measure("added-over-trials", "The measures are added up over the trials; their mean is asked "
             "for.", MEASURE, averaged=lambda s: lambda trials: trials * s.trials),
    _measure("divided-once-too-often", "The measures are divided by the number of trials once too "
             "often.", MEASURE, averaged=lambda s: lambda trials: trials / s.trials),
)  # fmt: skip
