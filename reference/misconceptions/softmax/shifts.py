"""Misconceptions in the axis, and in the number subtracted before the exponential."""

from typing import Any

import numpy as np

from autograder.author import Family, Hints

AXIS: Hints = (
    "Which of your results add up to 1, and which should?",
    "The results along `axis` sum to 1, whichever axis that is; the other axes only number the "
    "softmaxes.",
    "Look at every call that reduces an array (max, sum): each needs axis=axis and keepdims=True.",
)
OVERFLOW: Hints = (
    "Which numbers does your code hand to np.exp for [10000, -10000, 0]?",
    "The softmax stays the same if you subtract one number from all inputs. If you subtract the "
    "largest, no exponential is above 1.",
    "Before you exponentiate, subtract the maximum along the axis, with keepdims=True.",
)


def _at(state: Any, change: Any) -> Any:
    """Return the sum of the exponentials after a change."""
    return change(state.exponentials)


def below_largest(s: Any, x: Any) -> Any:
    """Return the numbers minus the largest of them along the axis."""
    return x - x.max(axis=s.axis, keepdims=True)


def _length(s: Any) -> Any:
    return np.sqrt((s.array**2).sum(axis=s.axis, keepdims=True))


SHIFTS = (
    Family(
        "axis",
        AXIS,
        {
            "always-last-axis": (
                "Your numbers are those of a softmax along the last axis, whichever axis is asked "
                "for.",
                lambda s: -1,
            ),
            "always-first-axis": (
                "Your numbers are those of a softmax along the first axis, whichever axis is "
                "asked for.",
                lambda s: 0,
            ),
            "always-second-axis": (
                "Your numbers are those of a softmax along axis 1, whichever axis is asked for.",
                lambda s: 1,
            ),
            # S1 of the course's sources: a softmax without an axis
            "over-everything": (
                "Your numbers are those of one softmax over the whole array{: all entries together "
                "sum to 1}.",
                lambda s: None,
            ),
            "first-axis-by-default": (
                "Without an axis given, your numbers are those of a softmax along the first axis; "
                "the default is the last.",
                lambda s: s.axis if "axis" in s.given else 0,
            ),
            "everything-by-default": (
                "Without an axis given, your numbers are those of one softmax over the whole "
                "array; the default is the last axis.",
                lambda s: s.axis if "axis" in s.given else None,
            ),
            "last-two-axes": (
                "Your numbers are those of a softmax over the last two axes together.",
                lambda s: (-2, -1) if np.ndim(s.x) > 1 else -1,
            ),
            "row-by-row": (
                "Each part along the first axis gets one softmax as a whole, whichever axis is "
                "asked for.",
                lambda s: tuple(range(1, np.ndim(s.x))) if np.ndim(s.x) > 1 else 0,
            ),
            "axis-counted-from-one": (
                "For axis 0 and 1, your numbers are those of a softmax along the next axis: axes "
                "count from 0.",
                lambda s: s.axis + 1 if s.axis >= 0 else s.axis,
            ),
        },
    ),
    Family(
        "axis",
        (
            "Which axis is −1 of an array with three axes?",
            "A negative axis counts from the end: −1 is the last one.",
            "Hand `axis` to NumPy as it is: it understands negative numbers.",
        ),
        {
            "axis-without-its-sign": (
                "A negative axis is taken as if it had no sign: −2 as 2.",
                lambda s: abs(s.axis),
            ),
        },
    ),
    Family(
        "total",
        AXIS,
        {
            "sum-over-everything": (
                "Your numbers are the exponentials divided by the sum over the whole array.",
                lambda s: np.exp(s.shifted).sum() if s.array.ndim > 1 else _at(s, np.sum),
            ),
            "sum-over-first-axis": (
                "Your numbers are the exponentials divided by their sum along the first axis.",
                lambda s: s.exponentials.sum(axis=0, keepdims=True),
            ),
        },
    ),
    Family(
        "total",
        (
            "Which shape has the sum of a (3, 3) matrix along its last axis?",
            "A sum along an axis loses that axis; without the axis, the sums line up with the "
            "columns.",
            "Give the sum (and the maximum) keepdims=True, so that each row meets its own sum.",
        ),
        {
            "sum-without-keepdims": (
                "Without keepdims=True the sum loses its axis and divides the wrong entries, or "
                "the shapes do not fit.",
                lambda s: s.exponentials.sum(axis=s.axis),
            ),
        },
    ),
    Family(
        None,
        (
            "Which shape has the sum of a (3, 3) matrix along its last axis?",
            "A maximum or a sum along an axis loses that axis; the numbers then line up with the "
            "columns.",
            "Give the maximum and the sum keepdims=True, so that each row meets its own.",
        ),
        {
            "without-keepdims": (
                "Without keepdims=True the maximum and the sum lose their axis: each row meets "
                "those of other rows, or the shapes do not fit.",
                {
                    "shifted": lambda s: s.array - s.array.max(axis=s.axis),
                    "total": lambda s: s.exponentials.sum(axis=s.axis),
                },
            ),
        },
    ),
    Family(
        "shifted",
        (
            "Which shape has the maximum of a (3, 3) matrix along its last axis?",
            "A maximum along an axis loses that axis; the maxima then line up with the columns.",
            "Give the maximum keepdims=True, so that each row meets its own maximum.",
        ),
        {
            "maximum-without-keepdims": (
                "Without keepdims=True the maximum loses its axis: the maxima of other rows are "
                "subtracted, or the shapes do not fit.",
                lambda s: s.array - s.array.max(axis=s.axis),
            ),
        },
    ),
    Family(
        "shifted",
        (
            "Which maximum do you subtract from each row?",
            "Subtract one number, the same for all entries of a softmax.",
            "Take the maximum along the same axis as the sum, with keepdims=True.",
        ),
        {
            "maximum-along-first-axis": (
                "Your numbers are those of inputs from which the maxima along the first axis were "
                "subtracted, whichever axis is asked for.",
                lambda s: s.array - s.array.max(axis=0, keepdims=True),
            ),
        },
    ),
    Family(
        "shifted",
        (
            "With axis=0, which maximum do you subtract from each column?",
            "Subtract one number, the same for all entries of a softmax.",
            "Take the maximum along the same axis as the sum, with keepdims=True.",
        ),
        {
            "maximum-along-last-axis": (
                "Your numbers are those of inputs from which the maxima along the last axis were "
                "subtracted, whichever axis is asked for.",
                lambda s: s.array - s.array.max(axis=-1, keepdims=True),
            ),
            "maximum-along-axis-1": (
                "Your numbers are those of inputs from which the maxima along axis 1 were "
                "subtracted, whichever axis is asked for.",
                lambda s: s.array - s.array.max(axis=1 if s.array.ndim > 1 else 0, keepdims=True),
            ),
        },
    ),
    Family(
        None,
        OVERFLOW,
        {
            # Blanchard, Higham & Higham 2021
            "not-stable": [
                (
                    "{Right for small numbers; large ones|Large numbers} overflow, as in a softmax "
                    "that exponentiates its inputs as they are, with the NaN replaced by numbers "
                    "afterwards.",
                    {
                        "shifted": lambda s: s.array,
                        "weights": lambda s: np.nan_to_num(s.exponentials / s.total),
                    },
                    {
                        "shifted": lambda s: s.array,
                        "exponentials": lambda s: np.nan_to_num(np.exp(s.shifted)),
                        "weights": lambda s: np.nan_to_num(s.exponentials / s.total),
                    },
                    {
                        "shifted": lambda s: s.array,
                        "weights": lambda s: np.nan_to_num(s.exponentials / s.total, nan=1.0),
                    },
                ),
                (
                    "{Right for small numbers; large ones|Large numbers} overflow{, as in a "
                    "softmax that exponentiates its inputs as they are| in the exponential}.",
                    {"shifted": lambda s: s.array},
                ),
            ],
        },
    ),
    Family(
        "shifted",
        (
            "What is left of a row of small numbers if you subtract 10,000, another row's maximum?",
            "Each softmax needs its own maximum: that of its row, not that of the whole array.",
            "Take the maximum along the axis, with keepdims=True.",
        ),
        {
            "largest-of-all": (
                "{Right as long as the rows have values of similar size: }the maximum of the whole "
                "array is subtracted, and rows far below it vanish.",
                lambda s: s.array - s.array.max(),
            ),
            "largest-of-first-row": (
                "{Right as long as all numbers are of similar size: }the maximum of x[0] is "
                "subtracted everywhere; rows far above it overflow, and rows far below it vanish.",
                lambda s: s.array - s.array[0].max(),
            ),
        },
    ),
    Family(
        "shifted",
        OVERFLOW,
        {
            "mean-subtracted": (
                "Large inputs that lie far apart overflow: your numbers are those of inputs with "
                "their mean subtracted.",
                lambda s: s.array - s.array.mean(axis=s.axis, keepdims=True),
            ),
            "median-subtracted": (
                "Large inputs that lie far apart overflow: your numbers are those of inputs with "
                "their median subtracted.",
                lambda s: s.array - np.median(s.array, axis=s.axis, keepdims=True),
            ),
            "first-subtracted": (
                "Large inputs that lie far apart overflow: your numbers are those of inputs with "
                "the first of them subtracted.",
                lambda s: s.array - np.take(s.array, [0], axis=s.axis),
            ),
            "minimum-subtracted": (
                "Large inputs that lie far apart overflow: your numbers are those of inputs with "
                "their minimum subtracted.",
                lambda s: s.array - s.array.min(axis=s.axis, keepdims=True),
            ),
            "largest-size-subtracted": (
                "The largest size, without its sign, is subtracted: rows of large negative "
                "numbers vanish.",
                lambda s: s.array - np.abs(s.array).max(axis=s.axis, keepdims=True),
            ),
            "maximum-added": (
                "Large inputs overflow: your numbers are those of inputs with their maximum added.",
                lambda s: s.array + s.array.max(axis=s.axis, keepdims=True),
            ),
        },
    ),
    Family(
        "shifted",
        (
            "Does a softmax stay the same when all inputs are divided by one number?",
            "Subtracting the maximum changes nothing in the result; dividing by it does.",
            "In the line that keeps the numbers small, subtract the maximum.",
        ),
        {
            "divided-by-maximum": (
                "Your numbers are those of inputs that were divided by their maximum.",
                lambda s: s.array / s.array.max(axis=s.axis, keepdims=True),
                lambda s: below_largest(s, s.array / s.array.max(axis=s.axis, keepdims=True)),
            ),
            "unit-length": (
                "Your numbers are those of inputs that were divided by their length.",
                lambda s: s.array / _length(s),
                lambda s: below_largest(s, s.array / _length(s)),
            ),
        },
    ),
    Family(
        "shifted",
        OVERFLOW,
        {
            "clipped": (
                "Large inputs come out as if they were equal: your numbers are those of inputs "
                "cut to a range.",
                lambda s: np.clip(s.array, -500, 500),
            ),
        },
    ),
)
