"""Misconceptions in the measurement."""

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
    "From which numbers is each measure computed? Over which numbers does its mean run?",
    "For each trial: the standard deviation of all L × L scores; the mean over the rows of their "
    "entropy, and of their largest weight. Then the mean over the trials.",
    "Work through one trial by hand: which line computes this measure, and from what?",
)


DRAWS: Hints = (
    "How are the entries of Q and K distributed in your code, and how often are they sampled?",
    "Each trial samples a new Q and a new K of shape (seq_len, d), standard normal, by `rng`.",
    "Look inside the loop over trials: rng.standard_normal should make a new Q and a new K there.",
)


DIVISOR: Hints = (
    "By what are the scores divided for the scaled measures?",
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
                "The scaled measures are those of scores that are not scaled.",
                lambda s: s.unscaled,
            ),
            "divides-by-d": (
                "The scaled scores are divided by d, without the square root.",
                lambda s: s.unscaled / s.d,
            ),
            "multiplies-by-root": (
                "The scaled scores are multiplied by √d; they have to be divided.",
                lambda s: s.unscaled * np.sqrt(s.d),
            ),
            "divides-by-root-of-length": (
                "The scaled scores are divided by √seq_len, not by √d.",
                lambda s: s.unscaled / np.sqrt(s.seq_len),
            ),
            "divides-by-length": (
                "The scaled scores are divided by seq_len, not by √d.",
                lambda s: s.unscaled / s.seq_len,
            ),
            "fourth-root": (
                "The scaled scores are divided by the fourth root of d.",
                lambda s: s.unscaled / s.d**0.25,
            ),
            "unscaled-is-scaled": (
                "The unscaled measures are those of scaled scores.",
                {"unscaled": lambda s: product(s) / np.sqrt(s.d), "scaled": lambda s: s.unscaled},
            ),
            "scaled-twice": (
                "All scores are divided by √d before anything is measured, and the "
                "scaled ones once more.",
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
                "Scaled and unscaled are exchanged in the result.",
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
                "The standard deviation is that of the weights, not of the scores.",
                {"std": lambda s: lambda values, weights: weights.std((-1, -2))},
            ),
            "variance": (
                "scores_std is the variance; its square root, the standard deviation, is "
                "asked for.",
                {"std": lambda s: lambda values, weights: values.var((-1, -2))},
            ),
            "mean-size": (
                "scores_std is the mean size of the scores, not their standard deviation.",
                {"std": lambda s: lambda values, weights: np.abs(values).mean((-1, -2))},
            ),
            "mean-of-scores": (
                "scores_std is the mean of the scores, which is near 0; their "
                "standard deviation is asked for.",
                {"std": lambda s: lambda values, weights: values.mean((-1, -2))},
            ),
            "largest-score": (
                "scores_std is the largest score, not the standard deviation.",
                {"std": lambda s: lambda values, weights: values.max((-1, -2))},
            ),
            "range-of-scores": (
                "scores_std is the distance of largest and smallest score, not "
                "the standard deviation.",
                {"std": lambda s: lambda values, weights: np.ptp(values, axis=(-1, -2))},
            ),
            "sum-of-entropies": (
                "The entropies of the rows are added up; their mean is asked for.",
                {"entropy": lambda s: lambda weights: entropy(weights).sum(-1)},
            ),
            "entropy-in-bits": (
                "The entropies are in bits (base 2); nats are asked for.",
                {"entropy": lambda s: lambda weights: entropy(weights).mean(-1) / np.log(2)},
            ),
            "entropy-in-base-10": (
                "The entropies are those of a logarithm with base 10; nats are asked for.",
                {"entropy": lambda s: lambda weights: entropy(weights).mean(-1) / np.log(10)},
            ),
            "entropy-relative": (
                "The entropies are divided by ln L; plain nats are asked for.",
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
                "The terms −p·ln p are averaged over all entries; each row's are added up.",
                {"entropy": lambda s: lambda weights: entropy(weights).mean(-1) / s.seq_len},
            ),
            "entropy-largest": (
                "The entropy is the largest of a row; the mean over the rows is asked for.",
                {"entropy": lambda s: lambda weights: entropy(weights).max(-1)},
            ),
            "largest-of-all": (
                "The largest weight is that of the whole matrix; the mean of each row's largest "
                "is asked for.",
                {"largest": lambda s: lambda weights: weights.max((-1, -2))},
            ),
            "sum-of-largest": (
                "The rows' largest weights are added up; their mean is asked for.",
                {"largest": lambda s: lambda weights: weights.max(-1).sum(-1)},
            ),
            "mean-weight": (
                "The mean weight is returned; the largest weight is asked for.",
                {"largest": lambda s: lambda weights: weights.mean((-1, -2))},
            ),
            "smallest-weight": (
                "The smallest weight is returned; the largest weight is asked for.",
                {"largest": lambda s: lambda weights: weights.min(-1).mean(-1)},
            ),
            "largest-of-columns": (
                "Rows and columns are mixed up: the softmax runs along one, and "
                "the largest weight is taken along the other.",
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
                "Q and K are uniform between 0 and 1; standard normal numbers are asked for.",
                {
                    "Q": lambda s: s.generator.random((REPLAYS, s.seq_len, s.d)),
                    "K": lambda s: s.generator.random((REPLAYS, s.seq_len, s.d)),
                },
            ),
            "uniform-both-signs": (
                "Q and K are uniform between −1 and 1; standard normal numbers are asked for.",
                {
                    "Q": lambda s: s.generator.uniform(-1, 1, (REPLAYS, s.seq_len, s.d)),
                    "K": lambda s: s.generator.uniform(-1, 1, (REPLAYS, s.seq_len, s.d)),
                },
            ),
            "keys-are-queries": (
                "K is the same as Q: Q and K have to be sampled separately.",
                {"K": lambda s: s.Q},
            ),
            "draws-divided": (
                "Q and K are divided by √d each, so the unscaled scores are scaled twice over.",
                {
                    "Q": lambda s: drawn(s.d, s.seq_len, 0) / np.sqrt(s.d),
                    "K": lambda s: drawn(s.d, s.seq_len, 1) / np.sqrt(s.d),
                },
            ),
            "length-and-dimension-exchanged": (
                "Q and K are (d, seq_len): length and dimension have changed places.",
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
                "One softmax runs over the whole matrix, not one over each row.",
                {
                    "weights_unscaled": lambda s: softmax(s.unscaled, (-1, -2)),
                    "weights_scaled": lambda s: softmax(s.scaled, (-1, -2)),
                },
            ),
            "same-weights": (
                "Entropy and largest weight of the scaled scores are those of the unscaled ones.",
                {"weights_scaled": lambda s: s.weights_unscaled},
            ),
            "same-weights-scaled": (
                "Entropy and largest weight of the unscaled scores are those of the scaled ones.",
                {"weights_unscaled": lambda s: softmax(s.scaled)},
            ),
            "added-over-trials": (
                "The measures are added up over the trials; their mean is asked for.",
                {"averaged": lambda s: lambda trials: trials * s.trials},
            ),
            "divided-once-too-often": (
                "The measures are divided by the number of trials once too often.",
                {"averaged": lambda s: lambda trials: trials / s.trials},
            ),
        },
    ),
)
