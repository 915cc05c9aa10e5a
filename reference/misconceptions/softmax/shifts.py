"""Misconceptions about a softmax's axis, and about the number subtracted before the exponential."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Step
from reference.misconceptions.formulas import formulas
from reference.misconceptions.reductions import KEEPDIMS, minus_logarithm

AXIS: Hints = (
    "Along which axis do your results add up to 1?",
    "The results along `axis` sum to 1, for every value of `axis`. There is a separate softmax "
    "for each place along the other axes.",
    "Look at every call that reduces an array (max, sum). Each of these calls needs axis=axis and "
    "keepdims=True.",
)
OVERFLOW: Hints = (
    "Which numbers does your code pass to np.exp in the call that the report shows?",
    "The softmax stays the same if you subtract one number from all inputs. If you subtract the "
    "largest, no exponential is above 1.",
    "Before you exponentiate, subtract the maximum along the axis, with keepdims=True.",
)


def _along(s: Any, of: Callable[..., Any]) -> Any:
    return of(s.array, axis=s.axis, keepdims=True)


def _divided(by: Callable[[Any], Any]) -> tuple[Step, Step]:
    """Return steps that divide the inputs, and subtract no maximum or the new maximum."""

    def and_shifted(s: Any) -> Any:
        x = s.array / by(s)
        return x - x.max(axis=s.axis, keepdims=True)

    return lambda s: s.array / by(s), and_shifted


SHIFTS = (
    Family(
        "axis",
        AXIS,
        {
            "always-last-axis": (
                "Your numbers match a softmax along the last axis, even if another axis is "
                "asked for.",
                lambda s: -1,
            ),
            "always-first-axis": (
                "Your numbers match a softmax along the first axis, even if another axis "
                "is asked for.",
                lambda s: 0,
            ),
            "always-second-axis": (
                "Your numbers match a softmax along axis 1, even if another axis is asked for.",
                lambda s: 1,
            ),
            # S1 of the course's sources: a softmax without an axis
            "over-everything": (
                "Your numbers match one softmax over the whole array{: all entries together "
                "sum to 1}.",
                lambda s: None,
            ),
            "first-axis-by-default": (
                "Without the argument axis, your numbers match a softmax along the first "
                "axis. The default should be the last axis.",
                lambda s: s.axis if "axis" in s.given else 0,
            ),
            "everything-by-default": (
                "Without the argument axis, your numbers match one softmax over the whole "
                "array. The default should be the last axis.",
                lambda s: s.axis if "axis" in s.given else None,
            ),
            "last-two-axes": (
                "Your numbers match a softmax over the last two axes together.",
                lambda s: (-2, -1) if np.ndim(s.x) > 1 else -1,
            ),
            "row-by-row": (
                "Each part x[i] gets one softmax as a whole, whichever axis is asked for.",
                lambda s: tuple(range(1, np.ndim(s.x))) if np.ndim(s.x) > 1 else 0,
            ),
            "axis-counted-from-one": (
                "For axis 0 and 1, your numbers match a softmax along the next axis. Axes "
                "count from 0.",
                lambda s: s.axis + 1 if s.axis >= 0 else s.axis,
            ),
        },
    ),
    Family(
        "axis",
        (
            "Which axis of an array with three axes does −1 mean?",
            "A negative axis counts from the end: −1 is the last axis.",
            "Pass `axis` to NumPy unchanged. NumPy understands negative numbers.",
        ),
        {
            "axis-without-its-sign": (
                "The minus sign of a negative axis is ignored: axis −1 is treated as axis 1.",
                lambda s: abs(s.axis),
            )
        },
    ),
    Family(
        "total",
        AXIS,
        {
            "sum-over-everything": (
                "Your numbers are the exponentials divided by the sum over the whole array. They "
                "should be divided by the sum along the axis.",
                lambda s: s.exponentials.sum(),
            ),
            **{
                f"sum-over-{name}-axis": (
                    f"Your numbers are the exponentials divided by their sum along the {name} "
                    "axis. They should be divided by the sum along `axis`.",
                    lambda s, axis=axis: s.exponentials.sum(axis=axis, keepdims=True),
                )
                for name, axis in (("first", 0), ("last", -1))
            },
        },
    ),
    Family(
        None,
        KEEPDIMS,
        {
            "sum-without-keepdims": (
                "The sum loses its axis, as without keepdims=True. Then each sum divides the "
                "wrong entries, or the shapes do not fit.",
                {"total": lambda s: s.exponentials.sum(axis=s.axis)},
            ),
            "maximum-without-keepdims": (
                "The maximum loses its axis, as without keepdims=True. Then the maxima of other "
                "rows are subtracted, or the shapes do not fit.",
                {"shifted": lambda s: s.array - s.array.max(axis=s.axis)},
            ),
            "without-keepdims": (
                "The maximum and the sum lose their axis, as without keepdims=True. Then each row "
                "is combined with the numbers of other rows, or the shapes do not fit.",
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
            "Which maximum do you subtract from each number?",
            "Subtract the same number from all entries that share a softmax.",
            "Take the maximum along the same axis as the sum, with keepdims=True.",
        ),
        {
            name: (
                f"Your numbers match maxima along {words}, even if another axis is asked for.",
                lambda s, axis=axis: s.array - s.array.max(axis=axis(s), keepdims=True),
            )
            for name, words, axis in (
                ("maximum-along-first-axis", "the first axis", lambda s: 0),
                ("maximum-along-last-axis", "the last axis", lambda s: -1),
                ("maximum-along-axis-1", "axis 1", lambda s: min(1, s.array.ndim - 1)),
            )
        },
    ),
    Family(
        None,
        OVERFLOW,
        {
            # Blanchard, Higham & Higham 2021
            "not-stable": [
                (
                    "{The result is right for small numbers. }Large numbers overflow, as in a "
                    "softmax that does not subtract the maximum, and that replaces NaN by numbers "
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
                    "{The result is right for small numbers. }Large numbers overflow{, as in a "
                    "softmax that does not subtract the maximum| in the exponential}.",
                    {"shifted": lambda s: s.array},
                    {"weights": lambda s: minus_logarithm(s.array, s.axis)},
                ),
            ]
        },
    ),
    Family(
        "shifted",
        (
            "Subtract 10,000, the maximum of another row, from a row of small numbers. What are "
            "the exponentials of the differences?",
            "Each softmax needs its own maximum: the maximum of its row. Do not use the maximum "
            "of the whole array.",
            "Take the maximum along the axis, with keepdims=True.",
        ),
        {
            "largest-of-all": (
                "{The result is right if all rows have values of similar size. }The maximum of "
                "the whole array is subtracted from every row, so rows that are far below this "
                "maximum vanish.",
                lambda s: s.array - s.array.max(),
            ),
            "largest-of-first-row": (
                "{The result is right if all numbers have a similar size. }The maximum of x[0] is "
                "subtracted everywhere, so rows that are far above it overflow, and rows that are "
                "far below it vanish.",
                lambda s: s.array - s.array[0].max(),
            ),
        },
    ),
    Family(
        "shifted",
        OVERFLOW,
        {
            "largest-size-subtracted": (
                "Rows of large negative numbers vanish, as in a softmax that subtracts a number "
                "far above their maximum, such as their largest absolute value.",
                lambda s: s.array - np.abs(s.array).max(axis=s.axis, keepdims=True),
            ),
            "maximum-added": (
                "Large inputs overflow, as in a softmax that adds the maximum instead of "
                "subtracting it.",
                lambda s: s.array + s.array.max(axis=s.axis, keepdims=True),
            ),
        },
    ),
    formulas(
        "shifted",
        "Large inputs that are far apart overflow, as in a softmax that subtracts a number below "
        "the maximum, such as",
        "the maximum",
        *(
            (f"{name}-subtracted", f"the {name}", lambda s, of=of: s.array - _along(s, of))
            for name, of in (("mean", np.mean), ("median", np.median), ("minimum", np.min))
        ),
        (
            "first-subtracted",
            "the first input",
            lambda s: s.array - np.take(s.array, [0], axis=s.axis),
        ),
        hints=OVERFLOW,
    ),
    formulas(
        "shifted",
        "Your numbers match a softmax of inputs divided by",
        "inputs minus their maximum",
        ("divided-by-maximum", "their maximum", *_divided(lambda s: _along(s, np.max))),
        (
            "divided-by-largest-size",
            "their largest absolute value",
            *_divided(lambda s: np.abs(s.array).max(axis=s.axis, keepdims=True)),
        ),
        (
            "divided-by-root-of-length",
            "the root of their number",
            *_divided(lambda s: np.sqrt(s.array.shape[s.axis])),
        ),
        ("divided-by-sum-first", "their sum", *_divided(lambda s: _along(s, np.sum))),
        hints=(
            "Does a softmax stay the same if all inputs are divided by the same number?",
            "You can subtract the maximum without any change of the result. If you divide by the "
            "maximum, the result changes.",
            "Do not divide the inputs. To keep the numbers small, subtract the maximum.",
        ),
    ),
    Family(
        "array",
        OVERFLOW,
        {
            "clipped": (
                "Large inputs are treated as equal, as in a softmax that first limits its inputs "
                "to a range.",
                *(
                    lambda s, most=most: np.clip(np.asarray(s.x, float), -most, most)
                    for most in (100, 500, 700)
                ),
            )
        },
    ),
)
