"""The exponential, the sum and the division, done wrong."""

from typing import Any

import numpy as np

from autograder.diagnosis.recipe import Hints, Misconception
from reference.misconceptions.softmax.shifts import OVERFLOW

EXPONENTIAL: Hints = (
    "Which function turns each input into a positive number here?",
    "Each result is e to the power of its input, divided by the sum of all of these.",
    "Look at the line with the exponential: it should be np.exp of the (shifted) input, as it is.",
)
SHARE: Hints = (
    "Add up the results of one row. What do you get?",
    "Each exponential is divided by the sum of the exponentials along the axis; so they sum to 1.",
    "Look at the divisor: the sum of the exponentials, along the axis, with keepdims=True.",
)


def _softmax(x: Any, axis: Any) -> Any:
    exponentials = np.exp(x - x.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


RATIOS = (
    Misconception(
        "base-2",
        "Your numbers are those of powers of 2 in place of powers of e.",
        EXPONENTIAL,
        {"exponentials": lambda s: np.exp2(s.shifted)},
    ),
    Misconception(
        "base-10",
        "Your numbers are those of powers of 10 in place of powers of e.",
        EXPONENTIAL,
        {"exponentials": lambda s: np.power(10.0, s.shifted)},
    ),
    Misconception(
        "negative-exponent",
        "Your numbers are those of exp(−x): the largest input gets the smallest result.",
        EXPONENTIAL,
        {
            "shifted": lambda s: -s.array - (-s.array).max(axis=s.axis, keepdims=True),
        },
    ),
    Misconception(
        "negative-exponent-after-shift",
        "Your numbers are those of exp(max − x): the largest input gets the smallest result, and "
        "large inputs overflow.",
        EXPONENTIAL,
        {"exponentials": lambda s: np.exp(-s.shifted)},
    ),
    Misconception(
        "no-exponential",
        "Your numbers are the inputs divided by their sum: there is no exponential.",
        EXPONENTIAL,
        {"exponentials": lambda s: s.array},
    ),
    Misconception(
        "no-exponential-after-shift",
        "Your numbers are the shifted inputs divided by their sum: there is no exponential.",
        EXPONENTIAL,
        {"exponentials": lambda s: s.shifted},
    ),
    Misconception(
        "squares",
        "Your numbers are the squares of the inputs divided by their sum: there is no exponential.",
        EXPONENTIAL,
        {"exponentials": lambda s: s.array**2},
    ),
    Misconception(
        "absolute-values",
        "Your numbers are those of the inputs without their signs.",
        EXPONENTIAL,
        {"array": lambda s: np.abs(np.asarray(s.x, dtype=np.float64))},
    ),
    Misconception(
        "exponential-minus-one",
        "Your numbers are those of exp(x) − 1 in place of exp(x).",
        EXPONENTIAL,
        {"exponentials": lambda s: np.expm1(s.shifted)},
    ),
    Misconception(
        "sigmoid",
        "Your numbers are those of a sigmoid of each input on its own: a row does not sum to 1.",
        EXPONENTIAL,
        {"weights": lambda s: 1 / (1 + np.exp(-s.array))},
    ),
    Misconception(
        "not-divided",
        "The largest result is 1: the exponentials are divided by the largest of them, or not at "
        "all, in place of their sum.",
        SHARE,
        {"weights": lambda s: s.exponentials},
    ),
    Misconception(
        "not-divided",
        "The largest result is 1: the exponentials are divided by the largest of them, or not at "
        "all, in place of their sum.",
        SHARE,
        {
            "weights": lambda s: np.exp(s.array) / np.exp(s.array).max(axis=s.axis, keepdims=True),
        },
    ),
    *(
        Misconception(
            "large-epsilon",
            f"A number added to the sum, about {size}, is so large that it changes the results.",
            SHARE,
            {
                "total": lambda s, size=size: s.exponentials.sum(axis=s.axis, keepdims=True) + size,
            },
        )
        for size in (1e-5, 1e-4, 1e-3, 1e-2, 0.1)
    ),
    Misconception(
        "maximum-after-exponential",
        "The maximum is subtracted from the exponentials, not from the inputs.",
        OVERFLOW,
        {
            "exponentials": lambda s: np.exp(s.array) - s.array.max(axis=s.axis, keepdims=True),
        },
    ),
    Misconception(
        "largest-exponential-subtracted",
        "The largest exponential is subtracted from the exponentials; the maximum of the inputs "
        "is to be subtracted from the inputs.",
        OVERFLOW,
        {
            "exponentials": lambda s: (
                np.exp(s.array) - np.exp(s.array).max(axis=s.axis, keepdims=True)
            ),
        },
    ),
    Misconception(
        "divided-by-root-of-length",
        "Your numbers are those of inputs divided by the root of how many there are.",
        EXPONENTIAL,
        {"shifted": lambda s: s.array / np.sqrt(s.array.shape[s.axis])},
    ),
    Misconception(
        "divided-by-sum-first",
        "Your numbers are those of inputs that were divided by their sum before the exponential.",
        EXPONENTIAL,
        {"shifted": lambda s: s.array / s.array.sum(axis=s.axis, keepdims=True)},
    ),
    Misconception(
        "standardised",
        "Your numbers are those of inputs brought to mean 0 and spread 1 before the exponential.",
        EXPONENTIAL,
        {
            "shifted": lambda s: (
                (s.array - s.array.mean(axis=s.axis, keepdims=True))
                / s.array.std(axis=s.axis, keepdims=True)
            ),
        },
    ),
    Misconception(
        "minimum-to-maximum",
        "Your numbers are the inputs less their minimum, divided by their sum: there is no "
        "exponential.",
        EXPONENTIAL,
        {"exponentials": lambda s: s.array - s.array.min(axis=s.axis, keepdims=True)},
    ),
    Misconception(
        "not-divided-not-shifted",
        "Your numbers are exp(x) alone: they are not divided by their sum.",
        SHARE,
        {"weights": lambda s: np.exp(s.array)},
    ),
    Misconception(
        "divided-by-inputs",
        "Your numbers are the exponentials divided by the sum of the inputs, not of the "
        "exponentials.",
        SHARE,
        {"total": lambda s: s.array.sum(axis=s.axis, keepdims=True)},
    ),
    Misconception(
        "divided-by-shifted-inputs",
        "Your numbers are the exponentials divided by the sum of the shifted inputs, not of the "
        "exponentials.",
        SHARE,
        {"total": lambda s: s.shifted.sum(axis=s.axis, keepdims=True)},
    ),
    Misconception(
        "divided-by-mean",
        "Your numbers are the exponentials divided by their mean: a row sums to its length.",
        SHARE,
        {"total": lambda s: s.exponentials.mean(axis=s.axis, keepdims=True)},
    ),
    Misconception(
        "divided-by-length",
        "Your numbers are the exponentials divided by their Euclidean length: the squares of a "
        "row sum to 1, not the entries.",
        SHARE,
        {
            "total": lambda s: np.sqrt((s.exponentials**2).sum(axis=s.axis, keepdims=True)),
        },
    ),
    Misconception(
        "one-too-many-below",
        "Your numbers are the exponentials divided by 1 + their sum.",
        SHARE,
        {"total": lambda s: 1 + s.exponentials.sum(axis=s.axis, keepdims=True)},
    ),
    Misconception(
        "shifted-above-only",
        "The exponentials above are shifted by the maximum and those in the sum are not.",
        SHARE,
        {"total": lambda s: np.exp(s.array).sum(axis=s.axis, keepdims=True)},
    ),
    Misconception(
        "shifted-below-only",
        "The exponentials in the sum are shifted by the maximum and those above are not.",
        SHARE,
        {
            "weights": lambda s: np.exp(s.array) / s.total,
        },
    ),
    Misconception(
        "logarithm",
        "Your numbers are the logarithm of the softmax.",
        (
            "Can a weight be negative?",
            "The results lie between 0 and 1 and sum to 1; their logarithms do not.",
            "Leave the logarithm out, or take np.exp of what you return.",
        ),
        {"weights": lambda s: s.shifted - np.log(s.total)},
    ),
    Misconception(
        "all-or-nothing",
        "Your numbers are 1 for the largest input and 0 for all others.",
        (
            "What do inputs get that are nearly as large as the largest?",
            "A softmax is soft: every input gets a share, larger ones a larger share.",
            "Return the exponentials over their sum, not the place of the maximum.",
        ),
        {
            "weights": lambda s: (s.shifted == 0).astype(float),
        },
    ),
    Misconception(
        "all-equal",
        "All results are equal: the inputs take no part in them.",
        EXPONENTIAL,
        {"weights": lambda s: np.ones_like(s.array) / s.array.shape[s.axis]},
    ),
    Misconception(
        "one-minus",
        "Your numbers are 1 − softmax(x).",
        SHARE,
        {"weights": lambda s: 1 - s.exponentials / s.total},
    ),
    Misconception(
        "twice",
        "Your numbers are a softmax of a softmax.",
        (
            "How often does your code exponentiate?",
            "One softmax is enough: a second one makes the results more alike.",
            "Look for a second call of your softmax, on weights in place of inputs.",
        ),
        {"weights": lambda s: _softmax(s.exponentials / s.total, s.axis)},
    ),
    Misconception(
        "type-of-the-input",
        "Right for floats; for whole numbers the result is cut down to whole numbers too: it has "
        "the type of the input.",
        (
            "What does np.zeros_like make of an array of whole numbers?",
            "A softmax of whole numbers has decimals, so its array has to be of float.",
            "Turn the input into float first: np.asarray(x, dtype=float).",
        ),
        {"weights": lambda s: (s.exponentials / s.total).astype(np.asarray(s.x).dtype)},
    ),
    Misconception(
        "minus-infinity-as-zero",
        "An input of −∞ gets the weight of an input of 0.",
        (
            "What is np.exp(-np.inf)?",
            "−∞ stands for “not at all”: its weight is exactly 0.",
            "Leave −∞ as it is; the exponential makes it 0.",
        ),
        {"array": lambda s: np.nan_to_num(np.asarray(s.x, dtype=np.float64), neginf=0.0)},
    ),
    Misconception(
        "reversed",
        "Your numbers are the right ones in reverse order along the axis.",
        (
            "Which result belongs to the first input?",
            "Result i belongs to input i.",
            "Look for a sort or a [::-1] and leave it out.",
        ),
        {"weights": lambda s: np.flip(s.exponentials / s.total, axis=s.axis)},
    ),
    Misconception(
        "sorted",
        "Your numbers are the right ones sorted by size.",
        (
            "Which result belongs to the first input?",
            "Result i belongs to input i, large or small.",
            "Leave the sort out.",
        ),
        {"weights": lambda s: np.sort(s.exponentials / s.total, axis=s.axis)},
    ),
)
