"""Misconceptions in the measures of a matrix of weights."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Step, without
from reference.attention import softmax
from reference.misconceptions.formulas import formulas
from reference.misconceptions.reductions import wrong_reductions
from reference.scaling import entropy

WEIGHTS: Hints = (
    "How does your code turn the embeddings into weights?",
    "The weights are the softmax, over each row, of the dot products divided by √d.",
    "Calculate the lesson's example by hand, and compare your matrix of weights.",
)
SELF: Hints = (
    "Which entries of the matrix say how much a position looks at itself?",
    "`self_attention` is the mean of the diagonal: entry [i][i] of each row.",
    "Look at the line that makes self_attention. Over which entries does its mean run?",
)
LARGEST: Hints = (
    "From which weights does max_attention take the maximum?",
    "`max_attention` is the single largest weight of the whole matrix.",
    "Look at the line that makes max_attention. It needs one maximum, without an axis and without "
    "a mean.",
)
SPREAD: Hints = (
    "Over which numbers does one entropy run?",
    "Each row has an entropy −Σ p·ln p, in nats. The measure is the mean of these entropies.",
    "Look at the logarithm, the minus sign, and the axes of the sum and of the mean.",
)


def of_weights(change: Callable[[Any], Any]) -> Step:
    return lambda s: change(s.weights)


# mistakes that give right numbers or those of others: the scores are one symmetric matrix
SAME_HERE = (
    "softmax-over-queries softmax-over-axis-0 softmax-over-axis-1 softmax-over-matrix "
    "sum-along-axis-0 sum-along-axis-1 sum-along-matrix maximum-along-queries maximum-along-axis-0 "
    "maximum-along-axis-1 maximum-without-keepdims maximum-added"
)
MEASURES = (
    formulas(
        "scaled",
        "The scores are divided by",
        "√d",
        ("divides-by-d", "d", lambda s: s.scores / s.e.shape[1]),
        (
            "root-of-length",
            "√L, where L is the number of positions",
            lambda s: s.scores / len(s.e) ** 0.5,
        ),
        hints=WEIGHTS,
    ),
    Family(
        None,
        WEIGHTS,
        {
            "no-scaling": (
                "Your numbers match scores that are not divided by √d.",
                {"scaled": lambda s: s.scores},
            ),
            "multiplies-by-root": (
                "The scores are multiplied by √d. They should be divided by √d.",
                {"scaled": lambda s: s.scores * np.sqrt(s.e.shape[1])},
            ),
            "cosines": (
                "Your numbers match cosine similarities: dot products divided by the lengths of "
                "both embeddings. They should be divided by √d.",
                {
                    "scaled": lambda s: (
                        s.scores
                        / np.linalg.norm(s.e, axis=1)[:, None]
                        / np.linalg.norm(s.e, axis=1)[None]
                    )
                },
            ),
            "softmax-not-stable": (
                "{The result is right for small embeddings. }Large embeddings give NaN, as in "
                "a softmax whose exponentials overflow.",
                {"weights": lambda s: np.exp(s.scaled) / np.exp(s.scaled).sum(-1, keepdims=True)},
            ),
            "exponentials-only": (
                "The measures are those of the exponentials. The exponentials should be divided "
                "by their sum first.",
                {"weights": lambda s: np.exp(s.scaled)},
            ),
            "scores-for-weights": (
                "self_attention is the mean of the scaled scores on the diagonal. It should be "
                "the mean of the weights on the diagonal.",
                {"self_attention": lambda s: np.diag(s.scaled).mean()},
            ),
            "diagonal-blocked": (
                "The diagonal is blocked, so no position looks at itself. Each position should.",
                {"weights": lambda s: softmax(np.where(np.eye(len(s.e)), -np.inf, s.scaled))},
            ),
            "distances": (
                "The scores are negative squared distances of the embeddings. They should be dot "
                "products.",
                {"scores": lambda s: -((s.e[:, None] - s.e[None]) ** 2).sum(-1)},
            ),
            "causal": (
                "Your numbers match a causal mask. The task has no mask.",
                {"weights": lambda s: softmax(np.where(np.tri(len(s.e)), s.scaled, -np.inf))},
            ),
        },
    ),
    *without(wrong_reductions("scaled", WEIGHTS), SAME_HERE),
    formulas(
        "self_attention",
        "self_attention is",
        "the mean of the diagonal",
        ("diagonal-sum", "the sum of the diagonal", np.trace),
        ("mean-of-everything", "the mean of all weights", np.mean),
        ("largest-of-diagonal", "the largest entry of the diagonal", lambda w: np.diag(w).max()),
        ("first-of-diagonal", "the first entry of the diagonal", lambda w: w[0, 0]),
        ("median-of-diagonal", "the median of the diagonal", lambda w: np.median(np.diag(w))),
        ("diagonal-returned", "the whole diagonal", np.diag),
        (
            "rows-that-prefer-themselves",
            "the share of positions whose largest weight is their own",
            lambda w: (w.argmax(-1) == np.arange(len(w))).mean(),
        ),
        (
            "beside-the-diagonal",
            "1 minus the right number: the mean weight of all other tokens",
            lambda w: (1 - np.diag(w)).mean(),
        ),
        hints=SELF,
        means=of_weights,
    ),
    formulas(
        "max_attention",
        "max_attention is",
        "the largest weight of all",
        (
            "mean-of-rows-largest",
            "the mean of the largest weights of the rows",
            lambda w: w.max(-1).mean(),
        ),
        ("rows-largest", "an array with one value for each row", lambda w: w.max(-1)),
        ("place-of-the-largest", "the place of the largest weight", np.argmax),
        ("smallest", "the smallest weight", np.min),
        hints=LARGEST,
        means=of_weights,
    ),
    formulas(
        "entropy",
        "entropy is",
        "the mean of the entropies of the rows",
        ("sum-of-entropies", "the sum of the entropies", lambda w: entropy(w).sum()),
        ("entropies-returned", "an array with one value for each row", entropy),
        ("entropy-of-mean-row", "the entropy of the mean row", lambda w: entropy(w.mean(0))),
        ("largest-entropy", "the largest entropy of a row", lambda w: entropy(w).max()),
        ("smallest-entropy", "the smallest entropy of a row", lambda w: entropy(w).min()),
        ("median-entropy", "the median of the entropies", lambda w: np.median(entropy(w))),
        (
            "mean-of-terms",
            "the mean of the terms −p·ln p over all entries",
            lambda w: entropy(w).mean() / w.shape[-1],
        ),
        (
            "sum-of-entropies",
            "one entropy of all weights, divided by their sum",
            lambda w: entropy((w / w.sum()).reshape(-1)),
        ),
        (
            "perplexity",
            "the exponential of the entropy (the perplexity)",
            lambda w: np.exp(entropy(w)).mean(),
            lambda w: np.exp(entropy(w).mean()),
        ),
        hints=SPREAD,
        means=of_weights,
    ),
    Family(
        "entropy",
        SPREAD,
        means=of_weights,
        ways={
            "entropy-in-bits": (
                "The entropy is in bits (base 2). It should be in nats (base e).",
                lambda w: entropy(w).mean() / np.log(2),
            ),
            "entropy-in-base-10": (
                "The entropy uses a logarithm with base 10. It should use the natural logarithm "
                "(nats).",
                lambda w: entropy(w).mean() / np.log(10),
            ),
            "large-epsilon": [
                (
                    f"The number added inside the logarithm ({size:g}) is so large that it changes "
                    "the entropy.",
                    lambda w, size=size: -(w * np.log(w + size)).sum(-1).mean(),
                )
                for size in (1e-2, 1e-3, 1e-4, 1e-5)
            ],
            "no-minus": ("The sign of the entropy is reversed.", lambda w: -entropy(w).mean()),
            "relative-entropy": (
                "The entropy is divided by ln L. It should be the entropy itself, in nats.",
                lambda w: entropy(w).mean() / np.log(w.shape[-1]),
            ),
            "nan-for-zero": (
                "In your code, a weight of 0 gives NaN, because 0 · ln 0 is NaN in NumPy. In an "
                "entropy, this term counts as 0.",
                lambda w: -(w * np.log(w)).sum(-1).mean(),
            ),
        },
    ),
)
