"""Misconceptions in the measures of a matrix of weights."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Step
from reference.attention import softmax
from reference.scaling import entropy

WEIGHTS: Hints = (
    "How do the embeddings become weights, before anything is measured?",
    "The weights are the softmax, over each row, of the dot products divided by √d.",
    "Work the lesson's example through by hand, and compare your matrix of weights.",
)


SELF: Hints = (
    "Which entries of the matrix say how much a position looks at itself?",
    "`self_attention` is the mean of the diagonal: entry [i][i] of each row.",
    "Look at the line that makes self_attention, and at what its mean runs over.",
)


LARGEST: Hints = (
    "Which weights does max_attention compare?",
    "`max_attention` is the single largest weight of the whole matrix.",
    "Look at the line that makes max_attention: one maximum, without an axis and without a mean.",
)


SPREAD: Hints = (
    "Which numbers share one entropy, and what becomes of several entropies?",
    "Each row has an entropy −Σ p·ln p, in nats; the measure is the mean over the rows.",
    "Look at the logarithm, the minus sign, and the axes of the sum and of the mean.",
)


def of_weights(change: Callable[[Any], Any]) -> Step:
    """Return a step that measures the weights."""
    return lambda s: change(s.weights)


MEASURES = (
    Family(
        None,
        WEIGHTS,
        {
            "no-scaling": ("The scores are not divided by √d.", {"scaled": lambda s: s.scores}),
            "divides-by-d": (
                "The scores are divided by d, without the square root.",
                {"scaled": lambda s: s.scores / s.e.shape[1]},
            ),
            "root-of-length": (
                "The scores are divided by the root of the number of positions, not by √d.",
                {"scaled": lambda s: s.scores / np.sqrt(len(s.e))},
            ),
            "multiplies-by-root": (
                "The scores are multiplied by √d; they have to be divided.",
                {"scaled": lambda s: s.scores * np.sqrt(s.e.shape[1])},
            ),
            "cosines": (
                "The scores are cosine similarities: the embeddings were brought to length 1.",
                {
                    "scaled": lambda s: (
                        s.scores
                        / np.linalg.norm(s.e, axis=1)[:, None]
                        / np.linalg.norm(s.e, axis=1)[None]
                    )
                },
            ),
            "softmax-over-everything": (
                "One softmax runs over the whole matrix, not one over each row.",
                {"weights": lambda s: softmax(s.scaled, None)},
            ),
            "softmax-not-stable": (
                "{Right for small embeddings; large ones|Large embeddings} give NaN, as in a "
                "softmax whose exponentials overflow, or are all 0 in a row.",
                {"weights": lambda s: np.exp(s.scaled) / np.exp(s.scaled).sum(-1, keepdims=True)},
            ),
            "no-softmax": (
                "The scaled scores are measured: there is no softmax.",
                {"weights": lambda s: s.scaled},
            ),
            "exponentials-only": (
                "The exponentials are measured; they are not divided by their sum.",
                {"weights": lambda s: np.exp(s.scaled)},
            ),
            "diagonal-blocked": (
                "The diagonal is blocked: no position may look at itself, but each should.",
                {"weights": lambda s: softmax(np.where(np.eye(len(s.e)), -np.inf, s.scaled))},
            ),
            "distances": (
                "The scores are negative squared distances of the embeddings; their dot products "
                "are asked for.",
                {"scores": lambda s: -((s.e[:, None] - s.e[None]) ** 2).sum(-1)},
            ),
            "causal": (
                "A causal mask acts, but no mask is asked for.",
                {"weights": lambda s: softmax(np.where(np.tri(len(s.e)), s.scaled, -np.inf))},
            ),
        },
    ),
    Family(
        "self_attention",
        SELF,
        means=of_weights,
        ways={
            "diagonal-sum": (
                "self_attention is the sum of the diagonal; its mean is asked for.",
                np.trace,
            ),
            "mean-of-everything": (
                "self_attention is the mean of all weights; only the diagonal counts.",
                np.mean,
            ),
            "largest-of-diagonal": (
                "self_attention is the largest entry of the diagonal; its mean is asked for.",
                lambda w: np.diag(w).max(),
            ),
            "first-of-diagonal": (
                "self_attention is the first position's weight alone; the mean is asked for.",
                lambda w: w[0, 0],
            ),
            "rows-that-prefer-themselves": (
                "self_attention is the share of positions whose largest weight is their own; the "
                "mean of the diagonal is asked for.",
                lambda w: (w.argmax(-1) == np.arange(len(w))).mean(),
            ),
            "median-of-diagonal": (
                "self_attention is the median of the diagonal; its mean is asked for.",
                lambda w: np.median(np.diag(w)),
            ),
            "beside-the-diagonal": (
                "self_attention is the weight of the other tokens: 1 minus the right number.",
                lambda w: (1 - np.diag(w)).mean(),
            ),
            "diagonal-returned": (
                "self_attention is the whole diagonal; its mean is asked for.",
                np.diag,
            ),
        },
    ),
    Family(
        "max_attention",
        LARGEST,
        means=of_weights,
        ways={
            "mean-of-rows-largest": (
                "max_attention is the mean of the rows' largest weights; the largest of all is "
                "asked for.",
                lambda w: w.max(-1).mean(),
            ),
            "rows-largest": (
                "max_attention has one value for each row; the largest of all is asked for.",
                lambda w: w.max(-1),
            ),
            "place-of-the-largest": (
                "max_attention is the place of the largest weight; the weight itself is asked for.",
                np.argmax,
            ),
            "largest-column-sum": (
                "max_attention is the largest sum of a column; the largest single weight is asked "
                "for.",
                lambda w: w.sum(0).max(),
            ),
            "largest-column-mean": (
                "max_attention is the largest mean of a column; the largest single weight is asked "
                "for.",
                lambda w: w.mean(0).max(),
            ),
            "largest-beside-the-diagonal": (
                "max_attention leaves the diagonal out; a position's own weight counts too.",
                lambda w: (w - np.diag(np.diag(w))).max(),
            ),
            "smallest": ("max_attention is the smallest weight.", np.min),
        },
    ),
    Family(
        "entropy",
        SPREAD,
        means=of_weights,
        ways={
            "entropy-in-bits": (
                "The entropy is in bits (base 2); nats are asked for.",
                lambda w: entropy(w).mean() / np.log(2),
            ),
            "entropy-in-base-10": (
                "The entropy is that of a logarithm with base 10; nats are asked for.",
                lambda w: entropy(w).mean() / np.log(10),
            ),
            "sum-of-entropies": (
                "The entropies of the rows are added up; their mean is asked for.",
                lambda w: entropy(w).sum(),
            ),
            "entropies-returned": (
                "entropy has one value for each row; their mean is asked for.",
                entropy,
            ),
            "mean-of-terms": (
                "The terms −p·ln p are averaged over all entries; add up each row's terms first.",
                lambda w: entropy(w).mean() / w.shape[-1],
            ),
            "entropy-of-mean-row": (
                "The entropy is the entropy of the mean row; the mean of the rows' entropies is "
                "asked for.",
                lambda w: entropy(w.mean(0)),
            ),
            "one-entropy-of-everything": (
                "The entropy is that of all weights together, divided by their sum; each row has "
                "its own entropy.",
                lambda w: entropy((w / w.sum()).reshape(-1)),
            ),
            "largest-entropy": (
                "The largest entropy of a row is taken; the mean of all rows is asked for.",
                lambda w: entropy(w).max(),
            ),
            "smallest-entropy": (
                "The smallest entropy of a row is taken; the mean of all rows is asked for.",
                lambda w: entropy(w).min(),
            ),
            "median-entropy": (
                "The median of the rows' entropies is taken; their mean is asked for.",
                lambda w: np.median(entropy(w)),
            ),
            "perplexity": (
                "The exponential of the entropy (the perplexity) is taken; plain nats are asked "
                "for.",
                lambda w: np.exp(entropy(w)).mean(),
                lambda w: np.exp(entropy(w).mean()),
            ),
            "large-epsilon": [
                (
                    f"The number added inside the logarithm ({size:g}) is so large that it changes "
                    "the entropy.",
                    lambda w, size=size: -(w * np.log(w + size)).sum(-1).mean(),
                )
                for size in (1e-2, 1e-3, 1e-4, 1e-5)
            ],
            "no-minus": ("The minus sign of −Σ p·ln p is missing.", lambda w: -entropy(w).mean()),
            "relative-entropy": (
                "The entropy is divided by ln L; plain nats are asked for.",
                lambda w: entropy(w).mean() / np.log(w.shape[-1]),
            ),
            "nan-for-zero": (
                "A weight of 0 gives NaN: 0 · ln 0 is not a number for NumPy, and counts as 0 "
                "here.",
                lambda w: -(w * np.log(w)).sum(-1).mean(),
            ),
        },
    ),
)
