"""Misconceptions in the student's conclusion."""

from collections.abc import Callable
from typing import Any

from autograder.author import Finding, Hints

EXPONENTS = (
    (
        1.0,
        "variance-exponent",
        "1 is the exponent of the variance. The standard deviation is the square root of the "
        "variance",
    ),
    (
        0.0,
        "scaled-exponent",
        "0 is the exponent of scores_std_scaled, which stays level. The question is about "
        "scores_std_unscaled",
    ),
    (2.0, "squared-exponent", "2 would make scores_std 16 times as large when d grows 4 times"),
    (
        0.25,
        "fourth-root-exponent",
        "0.25 would make scores_std 1.41 times as large when d grows 4 times",
    ),
    (-0.5, "inverse-exponent", "−0.5 would make scores_std smaller as d grows. It becomes larger"),
)


EXPONENT: Hints = (
    "By what factor does the unscaled standard deviation grow when d grows by a factor of 4?",
    "The variance of a dot product of d independent pairs is d. The standard deviation is the "
    "square root of the variance.",
    "The standard deviation grows like a power of d. Find the exponent that turns 4 into 2.",
)


CONCLUSION: Hints = (
    "Which of your curves stays level as d grows?",
    "Scaled scores keep their standard deviation, so the entropy of their softmax stays level. "
    "Unscaled scores grow, and a softmax that is nearly all 0 and 1 hardly reacts to its "
    "scores.",
    "Look at entropy_scaled for your dimensions, and at softmax_gradient_norm for scores that "
    "lie far apart.",
)


def explain_value(name: str, read: Callable[[str], Any], _variant: str = "") -> Finding | None:
    answer = read(name)
    if name != "CONCLUSION" or not isinstance(answer, dict):
        return None
    exponent = answer.get("growth_exponent")
    if isinstance(exponent, int | float) and abs(exponent - 0.5) > 0.05:
        for value, id, words in EXPONENTS:
            if abs(exponent - value) <= 0.05:
                return Finding("named", f"CONCLUSION: growth_exponent: {words}.", (id,), EXPONENT)
    if answer.get("steady") == "unscaled":
        says = "CONCLUSION: it is the other entropy that stays level: the unscaled one falls as d "
        return Finding("named", says + "grows.", ("other-is-steady",), CONCLUSION)
    if answer.get("gradient") == "grows":
        says = "CONCLUSION: the gradient of the unscaled softmax does not grow with d: the larger "
        says += "the scores, the less the weights react."
        return Finding("named", says, ("gradient-grows",), CONCLUSION)
    return None
