"""Misconceptions about the measurement."""

import numpy as np

from autograder.author import Family, Hints
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
    "From which numbers does your code compute each measure?",
    "In each trial, take the standard deviation of all L × L scores. Take the mean entropy of the "
    "rows, and the mean of the largest weights of the rows. Then take the mean over the trials.",
    "Calculate one trial by hand, and compare each line of your code with it.",
)


DRAWS: Hints = (
    "How does your code make Q and K of each trial?",
    "Each trial uses `rng` to sample a new Q and a new K of shape (seq_len, d) with standard "
    "normal numbers.",
    "Look inside the loop over trials: rng.standard_normal should make a new Q and a new K there.",
)


DIVISOR: Hints = (
    "By what number are the scores divided before the scaled measures are computed?",
    "The scaled scores are the unscaled scores divided by √d, where d is the dimension.",
    "Look at the line that makes scaled scores from unscaled ones.",
)


MEASURING: tuple[Family, ...] = (
    Family(
        "scaled",
        DIVISOR,
        means=each_dimension,
        ways={
            "scaled-not-scaled": (
                "Your code computes the scaled measures from unscaled scores.",
                lambda s: s.unscaled,
            ),
            "divides-by-d": (
                "The scaled scores are divided by d. They should be divided by √d.",
                lambda s: s.unscaled / s.d,
            ),
            "multiplies-by-root": (
                "The scaled scores are multiplied by √d. They should be divided by √d.",
                lambda s: s.unscaled * np.sqrt(s.d),
            ),
            "divides-by-root-of-length": (
                "The scaled scores are divided by √seq_len. They should be divided by √d.",
                lambda s: s.unscaled / np.sqrt(s.seq_len),
            ),
            "divides-by-length": (
                "The scaled scores are divided by seq_len. They should be divided by √d.",
                lambda s: s.unscaled / s.seq_len,
            ),
            "fourth-root": (
                "The scaled scores are divided by the fourth root of d. They should be divided by "
                "√d.",
                lambda s: s.unscaled / s.d**0.25,
            ),
            "unscaled-is-scaled": (
                "Your code computes the unscaled measures from scaled scores.",
                {"unscaled": lambda s: product(s) / np.sqrt(s.d), "scaled": lambda s: s.unscaled},
            ),
            "scaled-twice": (
                "Your code divides all scores by √d before it computes the measures. It divides "
                "the scaled scores by √d again.",
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
            "spread-of-weights": (
                "scores_std is the standard deviation of the weights. It should be that of the "
                "scores.",
                {"std": lambda s: lambda values, weights: weights.std((-1, -2))},
            ),
            "variance": (
                "scores_std is the variance. It should be the standard deviation, the square root "
                "of the variance.",
                {"std": lambda s: lambda values, weights: values.var((-1, -2))},
            ),
            "mean-size": (
                "scores_std is the mean of the absolute scores. It should be the standard "
                "deviation.",
                {"std": lambda s: lambda values, weights: np.abs(values).mean((-1, -2))},
            ),
            "mean-of-scores": (
                "scores_std is the mean of the scores, which is near 0. It should be the standard "
                "deviation.",
                {"std": lambda s: lambda values, weights: values.mean((-1, -2))},
            ),
            "largest-score": (
                "scores_std is the largest score. It should be the standard deviation.",
                {"std": lambda s: lambda values, weights: values.max((-1, -2))},
            ),
            "range-of-scores": (
                "scores_std is the largest score minus the smallest score. It should be the "
                "standard deviation.",
                {"std": lambda s: lambda values, weights: np.ptp(values, axis=(-1, -2))},
            ),
            "sum-of-entropies": (
                "The entropies of the rows are added up. Return their mean.",
                {"entropy": lambda s: lambda weights: entropy(weights).sum(-1)},
            ),
            "entropy-in-bits": (
                "The entropies are in bits (base 2). They should be in nats (base e).",
                {"entropy": lambda s: lambda weights: entropy(weights).mean(-1) / np.log(2)},
            ),
            "entropy-in-base-10": (
                "The entropies use a logarithm with base 10. They should be in nats (base e).",
                {"entropy": lambda s: lambda weights: entropy(weights).mean(-1) / np.log(10)},
            ),
            "entropy-relative": (
                "The entropies are divided by ln L. Do not divide them.",
                {
                    "entropy": lambda s: (
                        lambda weights: entropy(weights).mean(-1) / np.log(s.seq_len)
                    )
                },
            ),
            "entropy-negative": (
                "The entropies are negative: the minus sign of −Σ p·ln p is missing.",
                {"entropy": lambda s: lambda weights: -entropy(weights).mean(-1)},
            ),
            "entropy-per-entry": (
                "The terms −p·ln p are averaged over all entries. The terms of each row should be "
                "added up.",
                {"entropy": lambda s: lambda weights: entropy(weights).mean(-1) / s.seq_len},
            ),
            "entropy-largest": (
                "The entropy is the largest entropy of a row. It should be the mean over the rows.",
                {"entropy": lambda s: lambda weights: entropy(weights).max(-1)},
            ),
            "largest-of-all": (
                "Your code takes the largest weight of the whole matrix. It should take the mean "
                "of the largest weights of the rows.",
                {"largest": lambda s: lambda weights: weights.max((-1, -2))},
            ),
            "sum-of-largest": (
                "The largest weights of the rows are added up. Return their mean.",
                {"largest": lambda s: lambda weights: weights.max(-1).sum(-1)},
            ),
            "mean-weight": (
                "The mean weight is returned instead of the largest weight.",
                {"largest": lambda s: lambda weights: weights.mean((-1, -2))},
            ),
            "smallest-weight": (
                "The smallest weight is returned instead of the largest weight.",
                {"largest": lambda s: lambda weights: weights.min(-1).mean(-1)},
            ),
            "largest-of-columns": (
                "Your code takes the largest weight of each column. It should take the largest "
                "weight of each row.",
                {"largest": lambda s: lambda weights: weights.max(-2).mean(-1)},
            ),
        },
    ),
    Family(
        None,
        DRAWS,
        means=each_dimension,
        ways={
            "uniform": (
                "The entries of Q and K are uniform between 0 and 1. They should be standard "
                "normal.",
                {
                    "Q": lambda s: s.generator.random((REPLAYS, s.seq_len, s.d)),
                    "K": lambda s: s.generator.random((REPLAYS, s.seq_len, s.d)),
                },
            ),
            "uniform-both-signs": (
                "The entries of Q and K are uniform between −1 and 1. They should be standard "
                "normal.",
                {
                    "Q": lambda s: s.generator.uniform(-1, 1, (REPLAYS, s.seq_len, s.d)),
                    "K": lambda s: s.generator.uniform(-1, 1, (REPLAYS, s.seq_len, s.d)),
                },
            ),
            "keys-are-queries": (
                "K is the same array as Q. Sample K separately.",
                {"K": lambda s: s.Q},
            ),
            "draws-divided": (
                "Your code divides Q and K by √d, so even the unscaled scores are divided by d.",
                {
                    "Q": lambda s: drawn(s.d, s.seq_len, 0) / np.sqrt(s.d),
                    "K": lambda s: drawn(s.d, s.seq_len, 1) / np.sqrt(s.d),
                },
            ),
            "length-and-dimension-exchanged": (
                "Q and K have the shape (d, seq_len). It should be (seq_len, d).",
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
                "Your entropy and largest weight for the scaled scores are computed from the "
                "unscaled scores.",
                {"weights_scaled": lambda s: s.weights_unscaled},
            ),
            "same-weights-scaled": (
                "Your entropy and largest weight for the unscaled scores are computed from the "
                "scaled scores.",
                {"weights_unscaled": lambda s: softmax(s.scaled)},
            ),
            "added-over-trials": (
                "The measures are added up over the trials. Return their mean.",
                {"averaged": lambda s: lambda trials: trials * s.trials},
            ),
            "divided-once-too-often": (
                "Your code divides the measures by the number of trials twice.",
                {"averaged": lambda s: lambda trials: trials / s.trials},
            ),
        },
    ),
)
