"""Misconceptions in the exponential, the sum and the division."""

from typing import Any

import numpy as np

from autograder.author import Family, Hints
from reference.misconceptions.softmax.shifts import OVERFLOW

EXPONENTIAL: Hints = (
    "Which function turns each input into a positive number here?",
    "Each result is e to the power of its input, divided by the sum of all these powers.",
    "Look at the line with the exponential: it should be np.exp of the (shifted) input, as it is.",
)
SHARE: Hints = (
    "Add up the results of one row. What do you get?",
    "Each exponential is divided by the exponentials' sum along the axis: the results sum to 1.",
    "Look at the divisor: the sum of the exponentials, along the axis, with keepdims=True.",
)


def _whole(x: Any) -> Any:
    """Return the inputs as an array of whole numbers; −∞ becomes the lowest one."""
    with np.errstate(invalid="ignore"):
        return np.asarray(x).astype(np.int64)


def _softmax(x: Any, axis: Any) -> Any:
    exponentials = np.exp(x - x.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


RATIOS = (
    Family(
        "exponentials",
        EXPONENTIAL,
        {
            "base-2": (
                "Your numbers are those of powers of 2 instead of powers of e.",
                lambda s: np.exp2(s.shifted),
            ),
            "base-10": (
                "Your numbers are those of powers of 10 instead of powers of e.",
                lambda s: np.power(10.0, s.shifted),
            ),
            "negative-exponent": (
                "Your numbers are those of exp(−x): the largest input gets the smallest result.",
                {"shifted": lambda s: -s.array - (-s.array).max(axis=s.axis, keepdims=True)},
            ),
            "negative-exponent-after-shift": (
                "Your numbers are those of exp(max − x): the largest input gets the smallest "
                "result, and inputs that lie far apart overflow.",
                lambda s: np.exp(-s.shifted),
            ),
            "no-exponential": (
                "Your numbers are the inputs divided by their sum: there is no exponential.",
                lambda s: s.array,
            ),
            "no-exponential-after-shift": (
                "Your numbers are the shifted inputs divided by their sum: there is no "
                "exponential.",
                lambda s: s.shifted,
            ),
            "squares": (
                "Your numbers are the squares of the inputs divided by their sum: there is no "
                "exponential.",
                lambda s: s.array**2,
            ),
            "absolute-values": (
                "Your numbers are those of the inputs without their signs.",
                {"array": lambda s: np.abs(np.asarray(s.x, dtype=np.float64))},
            ),
            "exponential-minus-one": (
                "Your numbers are those of exp(x) − 1 instead of exp(x).",
                lambda s: np.expm1(s.shifted),
            ),
            "sigmoid": (
                "Your numbers are those of a sigmoid of each input on its own{: a row does not sum "
                "to 1}.",
                {"weights": lambda s: 1 / (1 + np.exp(-s.array))},
            ),
        },
    ),
    Family(
        "weights",
        SHARE,
        {
            "not-divided": [
                (
                    "{The largest result is 1: }the exponentials are divided by the largest of "
                    "them, or not at all, instead of their sum.",
                    lambda s: s.exponentials,
                ),
                (
                    "The exponentials are divided by the largest of them, instead of their sum.",
                    lambda s: np.exp(s.array) / np.exp(s.array).max(axis=s.axis, keepdims=True),
                ),
                (
                    "The exponentials are divided by the largest of the whole array, instead of "
                    "the sum along the axis.",
                    lambda s: np.exp(s.array) / np.exp(s.array).max(),
                    lambda s: np.exp(s.array - s.array.max()),
                ),
            ],
            "inputs-returned": (
                "Your numbers are the inputs as they were: there is no exponential and no "
                "division.",
                lambda s: s.array,
            ),
            "large-epsilon": [
                (
                    f"A number added to the sum, about {size}, is so large that it changes the "
                    "results.",
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
                "The maximum is subtracted from the exponentials, not from the inputs.",
                lambda s: np.exp(s.array) - s.array.max(axis=s.axis, keepdims=True),
            ),
            "largest-exponential-subtracted": (
                "The largest exponential is subtracted from the exponentials; the maximum of the "
                "inputs is to be subtracted from the inputs.",
                lambda s: np.exp(s.array) - np.exp(s.array).max(axis=s.axis, keepdims=True),
            ),
        },
    ),
    Family(
        "shifted",
        EXPONENTIAL,
        {
            "divided-by-root-of-length": (
                "Your numbers are those of inputs divided by the root of their number.",
                lambda s: s.array / np.sqrt(s.array.shape[s.axis]),
            ),
            "divided-by-sum-first": (
                "Your numbers are those of inputs that were divided by their sum before the "
                "exponential.",
                lambda s: s.array / s.array.sum(axis=s.axis, keepdims=True),
            ),
            "standardised": (
                "Your numbers are those of inputs brought to mean 0 and standard deviation 1 "
                "before the exponential.",
                lambda s: (
                    (s.array - s.array.mean(axis=s.axis, keepdims=True))
                    / s.array.std(axis=s.axis, keepdims=True)
                ),
            ),
            "minimum-to-maximum": (
                "Your numbers are the inputs less their minimum, divided by their sum: there is no "
                "exponential.",
                {"exponentials": lambda s: s.array - s.array.min(axis=s.axis, keepdims=True)},
            ),
        },
    ),
    Family(
        "total",
        SHARE,
        {
            "not-divided-not-shifted": (
                "Your numbers are exp(x) alone, not divided by its sum.",
                {"weights": lambda s: np.exp(s.array)},
            ),
            "divided-by-inputs": (
                "Your numbers are the exponentials divided by the sum of the inputs, not of the "
                "exponentials.",
                lambda s: s.array.sum(axis=s.axis, keepdims=True),
            ),
            "divided-by-shifted-inputs": (
                "Your numbers are the exponentials divided by the sum of the shifted inputs, not "
                "of the exponentials.",
                lambda s: s.shifted.sum(axis=s.axis, keepdims=True),
            ),
            "divided-by-mean": (
                "Your numbers are the exponentials divided by their mean{: a row sums to its "
                "length}.",
                lambda s: s.exponentials.mean(axis=s.axis, keepdims=True),
            ),
            "divided-by-length": (
                "Your numbers are the exponentials divided by their Euclidean length{: the squares "
                "of a row sum to 1, not the entries}.",
                lambda s: np.sqrt((s.exponentials**2).sum(axis=s.axis, keepdims=True)),
            ),
            "one-too-many-below": (
                "Your numbers are the exponentials divided by 1 + their sum.",
                lambda s: 1 + s.exponentials.sum(axis=s.axis, keepdims=True),
            ),
            "shifted-above-only": (
                "The exponentials that are divided are shifted by the maximum, and those in the "
                "sum are not.",
                lambda s: np.exp(s.array).sum(axis=s.axis, keepdims=True),
            ),
            "shifted-below-only": (
                "The exponentials in the sum are shifted by the maximum, and those that are "
                "divided are not.",
                {"weights": lambda s: np.exp(s.array) / s.total},
            ),
        },
    ),
    Family(
        "weights",
        (
            "Can a weight be negative?",
            "The results lie between 0 and 1 and sum to 1; their logarithms do not.",
            "Leave the logarithm out, or take np.exp of what you return.",
        ),
        {
            "logarithm": (
                "Your numbers are the logarithm of the softmax.",
                lambda s: s.shifted - np.log(s.total),
            ),
        },
    ),
    Family(
        "weights",
        (
            "Which share belongs to an input that is nearly as large as the largest?",
            "A softmax is soft: every input gets a share, larger ones a larger share.",
            "Return the exponentials over their sum, not the place of the maximum.",
        ),
        {
            "all-or-nothing": (
                "Your numbers are 1 for the largest input and 0 for all others.",
                lambda s: (s.shifted == 0).astype(float),
            ),
        },
    ),
    Family(
        "weights",
        EXPONENTIAL,
        {
            "all-equal": (
                "All results are equal: the inputs take no part in them.",
                lambda s: np.ones_like(s.array) / s.array.shape[s.axis],
            ),
        },
    ),
    Family(
        "weights",
        (
            "What does your code do to the shares, once the exponentials are divided?",
            "The shares are the result, as they are, in the order and the shape of the inputs.",
            "Look at what follows the division: an axis that was moved has to move back, and "
            "nothing else is left to do.",
        ),
        {
            "percentages": (
                "{Your|The} numbers are percentages{: each row sums to 100, not to 1}.",
                lambda s: 100 * s.exponentials / s.total,
            ),
            "axis-not-moved-back": (
                "The axis is moved to the end for the softmax, and not moved back.",
                lambda s: np.moveaxis(s.exponentials / s.total, s.axis, -1),
                lambda s: np.swapaxes(s.exponentials / s.total, s.axis, -1),
                lambda s: (s.exponentials / s.total).T if s.axis == 0 else s.exponentials / s.total,
            ),
            "one-minus": (
                "Your numbers are 1 − softmax(x).",
                lambda s: 1 - s.exponentials / s.total,
            ),
        },
    ),
    Family(
        "weights",
        (
            "How often does your code exponentiate?",
            "One softmax is enough: a second one makes the results more alike.",
            "Look for a second call of your softmax, on weights instead of inputs.",
        ),
        {
            "twice": (
                "Your numbers are a softmax of a softmax.",
                lambda s: _softmax(s.exponentials / s.total, s.axis),
            ),
        },
    ),
    Family(
        "weights",
        (
            "Of which type are the entries of your result where the inputs are whole numbers?",
            "A softmax of whole numbers has decimals, so its array has to be of float.",
            "Turn the input into float first: np.asarray(x, dtype=float).",
        ),
        {
            "type-of-the-input": (
                "{Right for floats; for|For} whole numbers the result is cut down to whole numbers "
                "too: it has the type of the input.",
                lambda s: (s.exponentials / s.total).astype(np.asarray(s.x).dtype),
            ),
        },
    ),
    Family(
        "array",
        (
            "Of which type are the entries of the array from which you take the exponentials?",
            "An array of whole numbers keeps no decimals: 0.5 stored in it becomes 0.",
            "Turn the input into float, np.asarray(x, dtype=float), and leave out int.",
        ),
        {
            "input-cut-to-whole": (
                "The inputs are cut down to whole numbers before the exponential.",
                lambda s: _whole(s.x),
            ),
        },
    ),
    Family(
        "array",
        (
            "What is np.exp(-np.inf)?",
            "−∞ stands for “not at all”: its weight is exactly 0.",
            "Leave −∞ as it is; the exponential makes it 0.",
        ),
        {
            "minus-infinity-as-zero": (
                "An input of −∞ gets the weight of an input of 0.",
                lambda s: np.nan_to_num(np.asarray(s.x, dtype=np.float64), neginf=0.0),
            ),
        },
    ),
    Family(
        "weights",
        (
            "Which result belongs to the first input?",
            "Result i belongs to input i.",
            "Look for a sort or a [::-1] and leave it out.",
        ),
        {
            "reversed": (
                "{Your numbers are the right ones|The numbers stand} in reverse order along the "
                "axis.",
                lambda s: np.flip(s.exponentials / s.total, axis=s.axis),
            ),
        },
    ),
    Family(
        "weights",
        (
            "Which result belongs to the first input?",
            "Result i belongs to input i, large or small.",
            "Leave the sort out.",
        ),
        {
            "sorted": (
                "{Your numbers are the right ones|The numbers are} sorted by size.",
                lambda s: np.sort(s.exponentials / s.total, axis=s.axis),
            ),
        },
    ),
)
