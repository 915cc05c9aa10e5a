"""Misconceptions about the exponential, the sum and the division."""

from typing import Any

import numpy as np

from autograder.author import Family, Hints
from reference.misconceptions.softmax.shifts import OVERFLOW, divided

EXPONENTIAL: Hints = (
    "What does the formula compute from each input before the division? What does your code "
    "compute?",
    "Each result is e to the power of its input, divided by the sum of all these powers.",
    "Look at the line with the exponential. It should be np.exp of the inputs, or of the inputs "
    "minus their maximum.",
)
SHARE: Hints = (
    "What is the sum of one row of your results?",
    "Each exponential is divided by the sum of the exponentials along the axis, so the results "
    "sum to 1.",
    "Look at the divisor. It should be the sum of the exponentials along the axis, with "
    "keepdims=True.",
)


def _whole(x: Any) -> Any:
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
                "Your numbers match powers of 2 instead of powers of e.",
                lambda s: np.exp2(s.shifted),
            ),
            "base-10": (
                "Your numbers match powers of 10 instead of powers of e.",
                lambda s: np.power(10.0, s.shifted),
            ),
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
            "no-exponential": (
                "Your numbers are the inputs divided by their sum. There is no exponential.",
                lambda s: s.array,
            ),
            "no-exponential-after-shift": (
                "Your numbers are the inputs minus their maximum, divided by the sum of these "
                "differences. There is no exponential.",
                lambda s: s.shifted,
            ),
            "squares": (
                "Your numbers are the squares of the inputs divided by the sum of the squares. "
                "There is no exponential.",
                lambda s: s.array**2,
            ),
            "absolute-values": (
                "Your numbers match a softmax of the absolute values of the inputs.",
                {"array": lambda s: np.abs(np.asarray(s.x, dtype=np.float64))},
            ),
            "exponential-minus-one": (
                "Your numbers match exponentials minus 1, as np.expm1 gives them.",
                lambda s: np.expm1(s.shifted),
            ),
            "sigmoid": (
                "Your numbers match a sigmoid of each input{, so rows do not sum to 1}.",
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
                    "The exponentials are divided by the largest exponential of the whole array. "
                    "They should be divided by their sum along the axis.",
                    lambda s: np.exp(s.array) / np.exp(s.array).max(),
                    lambda s: np.exp(s.array - s.array.max()),
                ),
            ],
            "inputs-returned": (
                "Your numbers are the unchanged inputs. There is no exponential and no division.",
                lambda s: s.array,
            ),
            "large-epsilon": [
                (
                    f"A number of about {size} is added to the sum. It is so large that it "
                    "changes the results.",
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
            ),
            "largest-exponential-subtracted": (
                "The largest exponential is subtracted from the exponentials. Instead, subtract "
                "the largest input from the inputs.",
                lambda s: np.exp(s.array) - np.exp(s.array).max(axis=s.axis, keepdims=True),
            ),
        },
    ),
    Family(
        "shifted",
        EXPONENTIAL,
        {
            "divided-by-root-of-length": (
                "Your numbers match a softmax of inputs divided by the root of their number. Do "
                "not divide the inputs.",
                *divided(lambda s: np.sqrt(s.array.shape[s.axis])),
            ),
            "divided-by-sum-first": (
                "Your numbers match a softmax of inputs divided by their sum. Do "
                "not divide the inputs.",
                *divided(lambda s: s.array.sum(axis=s.axis, keepdims=True)),
            ),
            "standardised": (
                "Your numbers match a softmax of inputs changed to mean 0 and standard "
                "deviation 1 before the exponential. Only subtract the maximum.",
                lambda s: (
                    (s.array - s.array.mean(axis=s.axis, keepdims=True))
                    / s.array.std(axis=s.axis, keepdims=True)
                ),
            ),
            "minimum-to-maximum": (
                "Your numbers are the inputs minus their minimum, divided by the sum of these "
                "differences. There is no exponential.",
                {"exponentials": lambda s: s.array - s.array.min(axis=s.axis, keepdims=True)},
            ),
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
            "divided-by-inputs": (
                "Your numbers are the exponentials divided by the sum of the inputs. They should "
                "be divided by the sum of the exponentials.",
                lambda s: s.array.sum(axis=s.axis, keepdims=True),
            ),
            "divided-by-shifted-inputs": (
                "Your numbers are the exponentials divided by the sum of the shifted inputs. They "
                "should be divided by the sum of the exponentials.",
                lambda s: s.shifted.sum(axis=s.axis, keepdims=True),
            ),
            "divided-by-mean": (
                "Your numbers are the exponentials divided by their mean{, so each row sums to "
                "its length}. They should be divided by their sum.",
                lambda s: s.exponentials.mean(axis=s.axis, keepdims=True),
            ),
            "divided-by-length": (
                "Your numbers are the exponentials divided by their Euclidean length{, so the "
                "squares of a row sum to 1}. They should be divided by their sum.",
                lambda s: np.sqrt((s.exponentials**2).sum(axis=s.axis, keepdims=True)),
            ),
            "one-too-many-below": (
                "Your numbers are the exponentials divided by 1 + their sum. They should be "
                "divided by their sum.",
                lambda s: 1 + s.exponentials.sum(axis=s.axis, keepdims=True),
            ),
            "shifted-above-only": (
                "The maximum is subtracted in the exponentials above the fraction line, but not "
                "in their sum below it.",
                lambda s: np.exp(s.array).sum(axis=s.axis, keepdims=True),
            ),
            "shifted-below-only": (
                "The maximum is subtracted in the sum below the fraction line, but not in the "
                "exponentials above it.",
                {"weights": lambda s: np.exp(s.array) / s.total},
            ),
        },
    ),
    Family(
        "weights",
        (
            "Can a weight be negative?",
            "The results are between 0 and 1, and sum to 1. Their logarithms are not.",
            "Leave the logarithm out, or take np.exp of what you return.",
        ),
        {
            "logarithm": (
                "Your numbers are the logarithms of the softmax.",
                lambda s: s.shifted - np.log(s.total),
            )
        },
    ),
    Family(
        "weights",
        (
            "Which result belongs to an input that is nearly as large as the largest?",
            "A softmax is soft: every input gets a share, and a larger input gets a larger share.",
            "Return the exponentials divided by their sum. Do not use the position of the "
            "maximum (argmax).",
        ),
        {
            "all-or-nothing": (
                "Your numbers are 1 for the largest input and 0 for all others.",
                lambda s: (s.shifted == 0).astype(float),
            )
        },
    ),
    Family(
        "weights",
        EXPONENTIAL,
        {
            "all-equal": (
                "All results are equal: the inputs have no effect.",
                lambda s: np.ones_like(s.array) / s.array.shape[s.axis],
            )
        },
    ),
    Family(
        "weights",
        (
            "What does your code do after the division?",
            "Return the results of the division unchanged, in the order and the shape of the "
            "inputs.",
            "Look at the lines after the division. If your code moved an axis before, it has to "
            "move this axis back. Nothing else is left to do.",
        ),
        {
            "percentages": (
                "{Your|The} numbers are percentages{: each row sums to 100. It should sum to 1}.",
                lambda s: 100 * s.exponentials / s.total,
            ),
            "axis-not-moved-back": (
                "The axis is moved for the softmax, but it is not moved back.",
                lambda s: np.moveaxis(s.exponentials / s.total, s.axis, -1),
                lambda s: np.moveaxis(s.exponentials / s.total, s.axis, 0),
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
            "Look for a second call of your softmax, with weights as its input.",
        ),
        {
            "twice": (
                "Your numbers are a softmax of a softmax.",
                lambda s: _softmax(s.exponentials / s.total, s.axis),
            )
        },
    ),
    Family(
        "weights",
        (
            "If the inputs are whole numbers, of which type are the entries of your result?",
            "A softmax of whole numbers has decimals, so its array needs the type float.",
            "Turn the input into float first: np.asarray(x, dtype=float).",
        ),
        {
            "type-of-the-input": (
                "{The result is right for floats. }For whole numbers, the result is rounded down "
                "to whole numbers: it has the type of the input.",
                lambda s: (s.exponentials / s.total).astype(np.asarray(s.x).dtype),
            )
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
    Family(
        "weights",
        (
            "Which result belongs to the first input?",
            "Result i belongs to input i, large or small.",
            "Look for a sort or a [::-1], and remove it.",
        ),
        {
            "reversed": (
                "{Your numbers are the right ones, but|The numbers are} in reverse order along "
                "the axis.",
                lambda s: np.flip(s.exponentials / s.total, axis=s.axis),
            ),
            "sorted": (
                "{Your numbers are the right ones, but|The numbers are} sorted by size.",
                lambda s: np.sort(s.exponentials / s.total, axis=s.axis),
            ),
        },
    ),
)
