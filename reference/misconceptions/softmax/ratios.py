"""Misconceptions about the exponential, the sum and the division."""

from typing import Any

import numpy as np

from autograder.author import Family, Hints
from reference.misconceptions.formulas import formulas
from reference.misconceptions.softmax.shifts import OVERFLOW

EXPONENTIAL: Hints = (
    "What does the formula compute from each input before the division? What does your code "
    "compute?",
    "Each result is e to the power of its input, divided by the sum of all these powers.",
    "Before the division, compute np.exp of the inputs, or of the inputs minus their maximum.",
)
SHARE: Hints = (
    "What is the sum of one row of your results?",
    "Each exponential is divided by the sum of the exponentials along the axis, so the results "
    "sum to 1.",
    "Divide the exponentials by their sum along the axis, with keepdims=True. Return the result.",
)


def _whole(x: Any) -> Any:
    with np.errstate(invalid="ignore"):
        return np.asarray(x).astype(np.int64)


def _softmax(x: Any, axis: Any) -> Any:
    exponentials = np.exp(x - x.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


RATIOS = (
    formulas(
        "exponentials",
        "Your numbers are",
        "the exponentials divided by their sum",
        *(
            (
                name,
                f"powers of {base} divided by their sum",
                lambda s, b=base: float(b) ** s.shifted,
            )
            for base, name in {
                **{2: "base-2", 3: "base-3", 10: "base-10"},
                **dict.fromkeys((2.7, 2.71, 2.72, 2.718), "rounded-e"),
            }.items()
        ),
        ("no-exponential", "the inputs divided by their sum", lambda s: s.array),
        (
            "minimum-to-maximum",
            "the inputs minus their minimum, divided by the sum of these differences",
            lambda s: s.array - s.array.min(axis=s.axis, keepdims=True),
        ),
        ("squares", "squares of the inputs divided by their sum", lambda s: s.array**2),
        (
            "exponential-minus-one",
            "exponentials minus 1 (np.expm1) divided by their sum",
            lambda s: np.expm1(s.shifted),
        ),
        ("sigmoid", "sigmoids of the inputs", {"weights": lambda s: 1 / (1 + np.exp(-s.array))}),
        (
            "all-or-nothing",
            "1 for the largest input and 0 for all others",
            {"weights": lambda s: (s.shifted == 0).astype(float)},
        ),
        hints=EXPONENTIAL,
    ),
    formulas(
        "total",
        "Your numbers are the exponentials divided by",
        "their sum",
        ("divided-by-mean", "their mean", lambda s: s.exponentials.mean(s.axis, keepdims=True)),
        (
            "divided-by-others",
            "the sum of the other exponentials",
            lambda s: s.exponentials.sum(s.axis, keepdims=True) - s.exponentials,
        ),
        (
            "divided-by-inputs",
            "the sum of the inputs",
            lambda s: s.array.sum(axis=s.axis, keepdims=True),
        ),
        hints=SHARE,
    ),
    Family(
        "exponentials",
        EXPONENTIAL,
        {
            "negative-exponent": (
                "Your numbers match exp(−x) divided by its sum: the largest input gets the "
                "smallest result.",
                {"shifted": lambda s: -s.array - (-s.array).max(axis=s.axis, keepdims=True)},
            ),
            "negative-exponent-after-shift": (
                "Your numbers match exp(max − x), divided by its sum: the largest input gets the "
                "smallest result, and inputs that are far apart overflow.",
                lambda s: np.exp(-s.shifted),
            ),
        },
    ),
    Family(
        "weights",
        SHARE,
        {
            "not-divided": [
                (
                    "{The largest result is 1: }the exponentials are divided by the largest "
                    "exponential, or not at all. They should be divided by their sum.",
                    lambda s: s.exponentials,
                ),
                (
                    "The exponentials are divided by the largest exponential. They should be "
                    "divided by their sum.",
                    lambda s: np.exp(s.array) / np.exp(s.array).max(axis=s.axis, keepdims=True),
                ),
                (
                    "Your numbers are exp(x − max), with the maximum of the whole array. They "
                    "should be divided by their sum along the axis.",
                    lambda s: np.exp(s.array) / np.exp(s.array).max(),
                    lambda s: np.exp(s.array - s.array.max()),
                ),
            ],
            "inputs-returned": (
                "Your numbers are the unchanged inputs instead of their softmax.",
                lambda s: s.array,
            ),
            "large-epsilon": [
                (
                    f"The sum of the exponentials is about {size} too large.",
                    {
                        "total": lambda s, size=size: (
                            s.exponentials.sum(axis=s.axis, keepdims=True) + size
                        )
                    },
                )
                for size in (1e-5, 1e-4, 1e-3, 1e-2, 0.1)
            ],
        },
    ),
    Family(
        "exponentials",
        OVERFLOW,
        {
            "maximum-after-exponential": (
                "The maximum is subtracted from the exponentials. It should be subtracted from "
                "the inputs.",
                lambda s: np.exp(s.array) - s.array.max(axis=s.axis, keepdims=True),
            )
        },
    ),
    Family(
        "total",
        SHARE,
        {
            "not-divided-not-shifted": (
                "Your numbers are exp(x). They should be divided by their sum.",
                {"weights": lambda s: np.exp(s.array)},
            ),
            "shifted-above-only": (
                "Your numbers are exp(x − max) divided by the sum of exp(x). The maximum should "
                "be subtracted in both.",
                lambda s: np.exp(s.array).sum(axis=s.axis, keepdims=True),
            ),
            "shifted-below-only": (
                "Your numbers are exp(x) divided by the sum of exp(x − max). The maximum should "
                "be subtracted in both.",
                {"weights": lambda s: np.exp(s.array) / s.total},
            ),
        },
    ),
    Family(
        "weights",
        (
            "How do your results differ from the exponentials divided by their sum?",
            "The results are these shares, unchanged, in the order and the shape of the inputs.",
            "Look at the last lines of your function. If your code moves an axis, it has to move "
            "this axis back.",
        ),
        {
            "percentages": (
                "{Your|The} numbers are percentages{: they sum to 100. They should sum to 1}.",
                lambda s: 100 * s.exponentials / s.total,
            ),
            "axis-not-moved-back": (
                "The axes of the result are in another order than those of the input.",
                lambda s: np.moveaxis(s.exponentials / s.total, s.axis, -1),
                lambda s: np.moveaxis(s.exponentials / s.total, s.axis, 0),
                lambda s: np.swapaxes(s.exponentials / s.total, s.axis, -1),
                lambda s: (s.exponentials / s.total).T if s.axis == 0 else s.exponentials / s.total,
            ),
            "one-minus": (
                "Your numbers are 1 − softmax(x).",
                lambda s: 1 - s.exponentials / s.total,
            ),
            "logarithm": (
                "Your numbers are the logarithms of the softmax.",
                lambda s: s.shifted - np.log(s.total),
            ),
            "twice": (
                "Your numbers are a softmax of a softmax.",
                lambda s: _softmax(s.exponentials / s.total, s.axis),
            ),
        },
    ),
    Family(
        "array",
        (
            "Of which type are the entries of the array from which you take the exponentials?",
            "An array of whole numbers keeps no decimals: 0.5 stored in it becomes 0.",
            "Make an array of floats, np.asarray(x, dtype=float). Do not use int.",
        ),
        {
            "input-cut-to-whole": (
                "The decimals of the inputs are cut off before the exponential.",
                lambda s: _whole(s.x),
            )
        },
    ),
    Family(
        "array",
        (
            "What does each line of your code make of an input of −∞?",
            "−∞ means “not at all”: its weight is exactly 0.",
            "Do not change −∞. Its exponential is 0.",
        ),
        {
            "minus-infinity-as-zero": (
                "An input of −∞ gets the same weight as an input of 0.",
                lambda s: np.nan_to_num(np.asarray(s.x, dtype=np.float64), neginf=0.0),
            )
        },
    ),
)
