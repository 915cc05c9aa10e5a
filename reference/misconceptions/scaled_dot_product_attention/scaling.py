"""The division by √d_k, done wrong or left out."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.diagnosis.recipe import Hints, Misconception
from reference.attention import softmax
from reference.misconceptions.scaled_dot_product_attention.mixing import MIXING

SCALE: Hints = (
    "By what do you divide the scores, and how does it change when the keys get longer?",
    "The scores are divided by √d_k, where d_k is the number of columns of Q and of K.",
    "Look at the line that makes the scores smaller: take d_k from the last axis of K, and its "
    "square root.",
)


def _scale(
    id: str, by: Callable[[Any], Any], finding: str, hints: Hints = SCALE, source: str = ""
) -> Misconception:
    return Misconception(id, finding, hints, {"scaled": lambda s: s.scores / by(s)}, source)


SCALING = (
    _scale("no-scaling", lambda s: 1.0, "Your numbers are those of scores that are not scaled: "
           "there is no division by √d_k."),
    _scale("divides-by-d-k", lambda s: s.Q.shape[-1],
           "Your numbers are those of scores divided by d_k, without the square root."),
    _scale("multiplies-by-root", lambda s: 1 / np.sqrt(s.Q.shape[-1]),
           "Your numbers are those of scores multiplied by √d_k; they have to be divided."),
    _scale("multiplies-by-d-k", lambda s: 1 / s.Q.shape[-1],
           "Your numbers are those of scores multiplied by d_k; they have to be divided by √d_k."),
    _scale("root-of-d-v", lambda s: np.sqrt(s.V.shape[-1]),
           "Your numbers are those of scores divided by √d_v, the width of the values, not √d_k."),
    _scale("divides-by-d-v", lambda s: s.V.shape[-1],
           "Your numbers are those of scores divided by d_v, the width of the values, not √d_k."),
    _scale("root-of-l-k", lambda s: np.sqrt(s.K.shape[-2]),
           "Your numbers are those of scores divided by √L_k, the root of the number of keys, "
           "not √d_k."),
    _scale("divides-by-l-k", lambda s: s.K.shape[-2],
           "Your numbers are those of scores divided by the number of keys, not √d_k."),
    _scale("root-of-l-q", lambda s: np.sqrt(s.Q.shape[-2]),
           "Your numbers are those of scores divided by √L_q, the root of the number of queries, "
           "not √d_k."),
    _scale("root-of-axis-1", lambda s: np.sqrt(s.Q.shape[1]),
           "The size for the scaling is taken from axis 1 of Q: that is d_k without a batch axis, "
           "and L_q with one."),
    _scale("root-of-axis-1-of-k", lambda s: np.sqrt(s.K.shape[1]),
           "The size for the scaling is taken from axis 1 of K: that is d_k without a batch axis, "
           "and L_k with one."),
    _scale("root-of-axis-0", lambda s: np.sqrt(s.Q.shape[0]),
           "The size for the scaling is taken from axis 0 of Q, which is not d_k."),
    _scale("root-of-axis-0-of-k", lambda s: np.sqrt(s.K.shape[0]),
           "The size for the scaling is taken from axis 0 of K, which is not d_k."),
    _scale("root-of-size", lambda s: np.sqrt(s.Q.size),
           "Your numbers are those of scores divided by the root of the number of all entries of "
           "Q, not √d_k."),
    _scale("d-k-squared", lambda s: s.Q.shape[-1] ** 2,
           "Your numbers are those of scores divided by d_k², not √d_k."),
    _scale("fourth-root", lambda s: s.Q.shape[-1] ** 0.25,
           "Your numbers are those of scores divided by the fourth root of d_k."),
    _scale("half-of-d-k", lambda s: s.Q.shape[-1] / 2,
           "Your numbers are those of scores divided by d_k / 2; the root of d_k is meant."),
    _scale("logarithm-of-d-k", lambda s: np.log(s.Q.shape[-1]),
           "Your numbers are those of scores divided by ln d_k, not √d_k."),
    _scale("root-rounded-down", lambda s: np.floor(np.sqrt(s.Q.shape[-1])),
           "Your numbers are those of scores divided by √d_k rounded to a whole number."),
    _scale("divides-by-norms",
           lambda s: np.linalg.norm(s.Q, axis=-1)[..., None]
           * np.linalg.norm(s.K, axis=-1)[..., None, :],
           "Your numbers are those of cosine similarities: the scores are divided by the lengths "
           "of the vectors, not by √d_k."),
    _scale("divides-by-spread", lambda s: s.scores.std(),
           "Your numbers are those of scores divided by their own standard deviation, not √d_k."),
    *(
        _scale(f"constant-{name}", lambda s, c=value: c,
               f"Your numbers are those of scores divided by {words}, whatever d_k is.")
        for name, value, words in (
            ("root-2", np.sqrt(2), "√2"), ("root-3", np.sqrt(3), "√3"), ("2", 2.0, "2"),
            ("3", 3.0, "3"), ("4", 4.0, "4"), ("5", 5.0, "5"), ("8", 8.0, "8 (√64)"),
            ("10", 10.0, "10"), ("16", 16.0, "16"), ("64", 64.0, "64"),
            ("root-512", np.sqrt(512), "√512"),
        )
    ),
    Misconception(
        "rounded-scores", "Your numbers are those of scaled scores cut to whole numbers (`//`).",
        SCALE, {"scaled": lambda s: s.scores // np.sqrt(s.Q.shape[-1])},
    ),
    Misconception(
        "scaled-after-softmax",
        "Your numbers are those of weights divided by √d_k after the softmax: a row no longer "
        "sums to 1.",
        SCALE,
        {
            "scaled": lambda s: s.scores,
            "weights": lambda s: softmax(s.blocked) / np.sqrt(s.Q.shape[-1]),
        },
    ),
    Misconception(
        "scaled-before-and-after",
        "The weights are divided by √d_k once more after the softmax: a row no longer sums to 1.",
        SCALE,
        {"weights": lambda s: softmax(s.blocked) / np.sqrt(s.Q.shape[-1])},
    ),
    Misconception(
        "output-scaled",
        "The output is divided by √d_k in place of the scores.",
        SCALE,
        {
            "scaled": lambda s: s.scores,
            "output": lambda s: s.weights @ s.V / np.sqrt(s.Q.shape[-1]),
        },
    ),
    Misconception(
        "output-scaled-too",
        "The weights are right; the output is divided by √d_k once more.",
        MIXING,
        {"output": lambda s: s.weights @ s.V / np.sqrt(s.Q.shape[-1])},
    ),
)  # fmt: skip
