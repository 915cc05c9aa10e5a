"""Misconceptions about the division by √d_k."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Step
from reference.attention import softmax

SCALE: Hints = (
    "What do the lines with a division divide, and by which number?",
    "The scores are divided by √d_k, where d_k is the number of columns of Q and of K.",
    "Look at the line that divides the scores. Take d_k from the last axis of K, and divide by "
    "its square root.",
)


def divided(by: Callable[[Any], Any]) -> Step:
    return lambda s: s.scores / by(s)


SCALING = (
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
            "divides-by-d-k": (
                "Your numbers match scores divided by d_k. They should be divided by √d_k.",
                lambda s: s.Q.shape[-1],
            ),
            "multiplies-by-root": (
                "Your numbers match scores multiplied by √d_k. They should be divided by √d_k.",
                lambda s: 1 / np.sqrt(s.Q.shape[-1]),
            ),
            "multiplies-by-d-k": (
                "Your numbers match scores multiplied by d_k. They should be divided by √d_k.",
                lambda s: 1 / s.Q.shape[-1],
            ),
            "root-of-d-v": (
                "Your numbers match scores divided by √d_v, where d_v is the width of the "
                "values. They should be divided by √d_k.",
                lambda s: np.sqrt(s.V.shape[-1]),
            ),
            "divides-by-d-v": (
                "Your numbers match scores divided by d_v, the width of the values. They "
                "should be divided by √d_k.",
                lambda s: s.V.shape[-1],
            ),
            "root-of-l-k": (
                "Your numbers match scores divided by √L_k, where L_k is the number of "
                "keys. They should be divided by √d_k.",
                lambda s: np.sqrt(s.K.shape[-2]),
            ),
            "divides-by-l-k": (
                "Your numbers match scores divided by the number of keys. They should be "
                "divided by √d_k.",
                lambda s: s.K.shape[-2],
            ),
            "root-of-l-q": (
                "Your numbers match scores divided by √L_q, where L_q is the number of "
                "queries. They should be divided by √d_k.",
                lambda s: np.sqrt(s.Q.shape[-2]),
            ),
            "root-of-axis-1": (
                "The divisor of the scores is taken from axis 1. Without a batch axis, the size "
                "of axis 1 is d_k. With one batch axis, it is the number of queries.",
                lambda s: np.sqrt(s.Q.shape[1]),
            ),
            "root-of-axis-1-of-k": (
                "The divisor of the scores is taken from axis 1. Without a batch axis, the size "
                "of axis 1 is d_k. With a batch axis, it is the number of keys.",
                lambda s: np.sqrt(s.K.shape[1]),
            ),
            "root-of-axis-0": (
                "The divisor of the scores is taken from axis 0. The size of axis 0 is not d_k.",
                lambda s: np.sqrt(s.Q.shape[0]),
            ),
            "root-of-axis-0-of-k": (
                "The divisor of the scores is taken from axis 0. The size of axis 0 is not d_k.",
                lambda s: np.sqrt(s.K.shape[0]),
            ),
            "root-of-size": (
                "Your numbers match scores divided by the root of the number of all "
                "entries of Q. They should be divided by √d_k.",
                lambda s: np.sqrt(s.Q.size),
            ),
            "d-k-squared": (
                "Your numbers match scores divided by d_k². They should be divided by √d_k.",
                lambda s: s.Q.shape[-1] ** 2,
            ),
            "fourth-root": (
                "Your numbers match scores divided by the fourth root of d_k. They should "
                "be divided by √d_k.",
                lambda s: s.Q.shape[-1] ** 0.25,
            ),
            "half-of-d-k": (
                "Your numbers match scores divided by d_k / 2. They should be divided by "
                "√d_k, the square root.",
                lambda s: s.Q.shape[-1] / 2,
            ),
            "twice-d-k": (
                "Your numbers match scores divided by 2 · d_k. They should be divided by √d_k. "
                "In `d_k ** 1/2`, the power comes before the `/`, so it is no root.",
                lambda s: 2 * s.Q.shape[-1],
            ),
            "logarithm-of-d-k": (
                "Your numbers match scores divided by ln d_k. They should be divided by √d_k.",
                lambda s: np.log(s.Q.shape[-1]),
            ),
            "root-rounded-down": (
                "Your numbers match scores divided by √d_k without its decimals. Do not round "
                "√d_k.",
                lambda s: np.floor(np.sqrt(s.Q.shape[-1])),
            ),
            "divides-by-norms": (
                "Your numbers match cosine similarities: the scores are divided by the "
                "lengths of the vectors. They should be divided by √d_k.",
                lambda s: (
                    np.linalg.norm(s.Q, axis=-1)[..., None]
                    * np.linalg.norm(s.K, axis=-1)[..., None, :]
                ),
            ),
            "divides-by-spread": (
                "Your numbers match scores divided by their own standard deviation. They "
                "should be divided by √d_k.",
                lambda s: s.scores.std(),
            ),
            **{
                f"constant-{name}": (
                    f"Your numbers match scores divided by {words}{{, whatever d_k is}}.",
                    lambda s, c=value: c,
                )
                for name, value, words in (
                    ("root-2", np.sqrt(2), "√2"),
                    ("root-3", np.sqrt(3), "√3"),
                    ("2", 2.0, "2"),
                    ("3", 3.0, "3"),
                    ("4", 4.0, "4"),
                    ("5", 5.0, "5"),
                    ("8", 8.0, "8 (√64)"),
                    ("10", 10.0, "10"),
                    ("16", 16.0, "16"),
                    ("64", 64.0, "64"),
                    ("root-512", np.sqrt(512), "√512"),
                )
            },
        },
    ),
    Family(
        None,
        SCALE,
        {
            "rounded-scores": (
                "Your numbers match scaled scores that are rounded down to whole numbers (`//`).",
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
            "scaled-before-and-after": (
                "The weights are divided by √d_k again after the softmax{, so rows no longer sum "
                "to 1}.",
                {"weights": lambda s: softmax(s.blocked) / np.sqrt(s.Q.shape[-1])},
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
    Family(
        "output",
        SCALE,
        {
            "output-scaled-too": (
                "{The weights are right, but the|The} output is divided by √d_k again.",
                lambda s: s.weights @ s.V / np.sqrt(s.Q.shape[-1]),
            ),
        },
    ),
)
