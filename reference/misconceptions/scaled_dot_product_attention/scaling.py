"""Misconceptions about the division by √d_k."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Step
from reference.attention import softmax
from reference.misconceptions.formulas import formulas

SCALE: Hints = (
    "What do the lines with a division divide, and by which number?",
    "The scores are divided by √d_k, where d_k is the number of columns of Q and of K.",
    "Take d_k from the last axis of K. Divide the scores by its square root, once.",
)


def divided(by: Callable[[Any], Any]) -> Step:
    return lambda s: s.scores / by(s)


SCALING = (
    formulas(
        "scaled",
        "Your numbers match scores divided by",
        "√d_k",
        ("divides-by-d-k", "d_k", lambda s: s.Q.shape[-1]),
        ("d-k-squared", "d_k²", lambda s: s.Q.shape[-1] ** 2),
        ("fourth-root", "the fourth root of d_k", lambda s: s.Q.shape[-1] ** 0.25),
        ("half-of-d-k", "d_k / 2", lambda s: s.Q.shape[-1] / 2),
        ("logarithm-of-d-k", "ln d_k", lambda s: np.log(s.Q.shape[-1])),
        ("root-rounded-down", "√d_k without its decimals", lambda s: s.Q.shape[-1] ** 0.5 // 1),
        ("root-of-d-v", "the root of the width of the values", lambda s: np.sqrt(s.V.shape[-1])),
        ("root-of-l-k", "the root of the number of keys", lambda s: np.sqrt(s.K.shape[-2])),
        ("divides-by-l-k", "the number of keys", lambda s: s.K.shape[-2]),
        ("root-of-l-q", "the root of the number of queries", lambda s: np.sqrt(s.Q.shape[-2])),
        ("root-of-size", "the root of the number of all entries of Q", lambda s: s.Q.size**0.5),
        ("constant-8", "8 (√64) in every call", lambda s: 8.0),
        hints=SCALE,
        means=divided,
    ),
    Family(
        "scaled",
        SCALE,
        means=divided,
        ways={
            "no-scaling": (
                "Your numbers match scores that are not scaled. Divide the scores by √d_k "
                "before the softmax.",
                lambda s: 1.0,
            ),
            "multiplies-by-root": (
                "Your numbers match scores multiplied by √d_k. They should be divided by √d_k.",
                lambda s: 1 / np.sqrt(s.Q.shape[-1]),
            ),
            "root-of-axis-1": (
                "Your numbers match scores divided by the root of the size of axis 1. This size "
                "is d_k only without a batch axis.",
                lambda s: np.sqrt(s.Q.shape[1]),
                lambda s: np.sqrt(s.K.shape[1]),
            ),
            "root-of-axis-0": (
                "Your numbers match scores divided by the root of the size of axis 0, not of d_k.",
                lambda s: np.sqrt(s.Q.shape[0]),
                lambda s: np.sqrt(s.K.shape[0]),
            ),
            "twice-d-k": (
                "Your numbers match scores divided by 2 · d_k. They should be divided by √d_k. "
                "In `d_k ** 1/2`, the power comes before the `/`, so it is no root.",
                lambda s: 2 * s.Q.shape[-1],
            ),
            "divides-by-norms": (
                "Your numbers match cosine similarities: the scores are divided by the "
                "lengths of the vectors. They should be divided by √d_k.",
                lambda s: (
                    np.linalg.norm(s.Q, axis=-1)[..., None]
                    * np.linalg.norm(s.K, axis=-1)[..., None, :]
                ),
            ),
        },
    ),
    Family(
        None,
        SCALE,
        {
            "rounded-scores": (
                "Your numbers match scaled scores that are rounded down to whole numbers.",
                {"scaled": lambda s: s.scores // np.sqrt(s.Q.shape[-1])},
            ),
            "scaled-after-softmax": (
                "Your numbers match weights divided by √d_k after the softmax{, so rows no "
                "longer sum to 1}. Divide the scores instead.",
                {
                    "scaled": lambda s: s.scores,
                    "weights": lambda s: softmax(s.blocked) / np.sqrt(s.Q.shape[-1]),
                },
            ),
            "output-scaled": (
                "The output is divided by √d_k. The scores should be divided by √d_k instead.",
                {
                    "scaled": lambda s: s.scores,
                    "output": lambda s: s.weights @ s.V / np.sqrt(s.Q.shape[-1]),
                },
            ),
        },
    ),
)
