"""Misconceptions about the softmax."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.diagnosis.recipe import Fact, Hints, Misconception, Probe, Recipe, Trait

STEPS = {
    "array": lambda s: np.asarray(s.x, dtype=np.float64),
    "shifted": lambda s: s.array - s.array.max(axis=s.axis, keepdims=True),
    "exponentials": lambda s: np.exp(s.shifted),
    "total": lambda s: s.exponentials.sum(axis=s.axis, keepdims=True),
    "weights": lambda s: s.exponentials / s.total,
}

AXIS: Hints = (
    "Which of your results add up to 1, and which should?",
    "The results along `axis` sum to 1, whichever axis that is; the other axes only say which "
    "softmax it is.",
    "Look at every call that reduces an array (max, sum): each needs axis=axis and keepdims=True.",
)
OVERFLOW: Hints = (
    "What is np.exp(1000)? And what is infinity divided by infinity?",
    "The softmax stays the same when one number is taken from all inputs. With the largest of "
    "them taken away, no exponential is above 1.",
    "Before you exponentiate, subtract the maximum along the axis, with keepdims=True.",
)
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


def _at(state: Any, change: Any) -> Any:
    """The sum of the exponentials, changed."""
    return change(state.exponentials)


MISCONCEPTIONS = (
    Misconception(
        "always-last-axis",
        "Your numbers are those of a softmax along the last axis, whichever axis is asked for.",
        AXIS,
        {"axis": lambda s: -1},
    ),
    Misconception(
        "always-first-axis",
        "Your numbers are those of a softmax along the first axis, whichever axis is asked for.",
        AXIS,
        {"axis": lambda s: 0},
    ),
    Misconception(
        "always-second-axis",
        "Your numbers are those of a softmax along axis 1, whichever axis is asked for.",
        AXIS,
        {"axis": lambda s: 1},
    ),
    Misconception(
        "over-everything",
        "Your numbers are those of one softmax over the whole array: all entries together sum "
        "to 1.",
        AXIS,
        {"axis": lambda s: None},
        "S1 of the course's sources: a softmax without an axis",
    ),
    Misconception(
        "first-axis-by-default",
        "Without an axis given, your numbers are those of a softmax along the first axis; the "
        "default is the last.",
        AXIS,
        {"axis": lambda s: s.axis if "axis" in s.given else 0},
    ),
    Misconception(
        "everything-by-default",
        "Without an axis given, your numbers are those of one softmax over the whole array; the "
        "default is the last axis.",
        AXIS,
        {"axis": lambda s: s.axis if "axis" in s.given else None},
    ),
    Misconception(
        "last-two-axes",
        "Your numbers are those of a softmax over the last two axes together.",
        AXIS,
        {"axis": lambda s: (-2, -1) if np.ndim(s.x) > 1 else -1},
    ),
    Misconception(
        "row-by-row",
        "Each part along the first axis gets one softmax as a whole, whichever axis is asked for.",
        AXIS,
        {"axis": lambda s: tuple(range(1, np.ndim(s.x))) if np.ndim(s.x) > 1 else 0},
    ),
    Misconception(
        "axis-without-its-sign",
        "A negative axis is taken as if it had no sign: −2 as 2.",
        (
            "Which axis is −1 of an array with three axes?",
            "A negative axis counts from the end: −1 is the last one.",
            "Hand `axis` to NumPy as it is: it understands negative numbers.",
        ),
        {"axis": lambda s: abs(s.axis)},
    ),
    Misconception(
        "sum-over-everything",
        "Your numbers are the exponentials divided by the sum over the whole array.",
        AXIS,
        {"total": lambda s: np.exp(s.shifted).sum() if s.array.ndim > 1 else _at(s, np.sum)},
    ),
    Misconception(
        "sum-over-first-axis",
        "Your numbers are the exponentials divided by their sum along the first axis.",
        AXIS,
        {"total": lambda s: s.exponentials.sum(axis=0, keepdims=True)},
    ),
    Misconception(
        "sum-without-keepdims",
        "Your numbers are the exponentials divided by sums that have lost their axis, so that "
        "each sum divides the wrong entries.",
        (
            "Which shape has the sum of a (3, 3) matrix along its last axis?",
            "A sum along an axis loses that axis; without it the sums line up with the columns.",
            "Give the sum (and the maximum) keepdims=True, so that each row meets its own sum.",
        ),
        {"total": lambda s: s.exponentials.sum(axis=s.axis)},
    ),
    Misconception(
        "maximum-without-keepdims",
        "Your numbers are those of inputs from which the maxima of other rows were subtracted.",
        (
            "Which shape has the maximum of a (3, 3) matrix along its last axis?",
            "A maximum along an axis loses that axis; without it the maxima line up with the "
            "columns.",
            "Give the maximum keepdims=True, so that each row meets its own maximum.",
        ),
        {"shifted": lambda s: s.array - s.array.max(axis=s.axis)},
    ),
    Misconception(
        "maximum-along-first-axis",
        "Your numbers are those of inputs from which the maxima along the first axis were "
        "subtracted, whichever axis is asked for.",
        (
            "From which numbers does each row have its maximum taken away?",
            "What is subtracted has to be one and the same number for all entries of a softmax.",
            "Take the maximum along the same axis as the sum, with keepdims=True.",
        ),
        {"shifted": lambda s: s.array - s.array.max(axis=0, keepdims=True)},
    ),
    Misconception(
        "maximum-along-last-axis",
        "Your numbers are those of inputs from which the maxima along the last axis were "
        "subtracted, whichever axis is asked for.",
        (
            "From which numbers does each column have its maximum taken away when axis is 0?",
            "What is subtracted has to be one and the same number for all entries of a softmax.",
            "Take the maximum along the same axis as the sum, with keepdims=True.",
        ),
        {"shifted": lambda s: s.array - s.array.max(axis=-1, keepdims=True)},
    ),
    Misconception(
        "maximum-along-axis-1",
        "Your numbers are those of inputs from which the maxima along axis 1 were subtracted, "
        "whichever axis is asked for.",
        (
            "From which numbers does each column have its maximum taken away when axis is 0?",
            "What is subtracted has to be one and the same number for all entries of a softmax.",
            "Take the maximum along the same axis as the sum, with keepdims=True.",
        ),
        {
            "shifted": lambda s: s.array
            - s.array.max(axis=1 if s.array.ndim > 1 else 0, keepdims=True),
        },
    ),
    Misconception(
        "not-stable",
        "Right for small numbers; large ones overflow, as in a softmax that exponentiates its "
        "inputs as they are, with the NaN replaced by numbers afterwards.",
        OVERFLOW,
        {
            "shifted": lambda s: s.array,
            "weights": lambda s: np.nan_to_num(s.exponentials / s.total),
        },
    ),
    Misconception(
        "not-stable",
        "Right for small numbers; large ones overflow, as in a softmax that exponentiates its "
        "inputs as they are.",
        OVERFLOW,
        {"shifted": lambda s: s.array},
        "Blanchard, Higham & Higham 2021",
    ),
    Misconception(
        "largest-of-all",
        "Right as long as the rows are of like size: the maximum of the whole array is "
        "subtracted, and rows far below it vanish.",
        (
            "What is left of a row of small numbers when another row's 10,000 is subtracted?",
            "Each softmax needs its own maximum: that of its row, not that of the whole array.",
            "Take the maximum along the axis, with keepdims=True.",
        ),
        {"shifted": lambda s: s.array - s.array.max()},
    ),
    Misconception(
        "mean-subtracted",
        "Large inputs that lie far apart overflow: your numbers are those of inputs with their "
        "mean subtracted.",
        OVERFLOW,
        {"shifted": lambda s: s.array - s.array.mean(axis=s.axis, keepdims=True)},
    ),
    Misconception(
        "minimum-subtracted",
        "Large inputs that lie far apart overflow: your numbers are those of inputs with their "
        "minimum subtracted.",
        OVERFLOW,
        {"shifted": lambda s: s.array - s.array.min(axis=s.axis, keepdims=True)},
    ),
    Misconception(
        "maximum-added",
        "Large inputs overflow: your numbers are those of inputs with their maximum added.",
        OVERFLOW,
        {"shifted": lambda s: s.array + s.array.max(axis=s.axis, keepdims=True)},
    ),
    Misconception(
        "divided-by-maximum",
        "Your numbers are those of inputs that were divided by their maximum.",
        (
            "Does a softmax stay the same when all inputs are divided by one number?",
            "Subtracting the maximum changes nothing in the result; dividing by it does.",
            "In the line that keeps the numbers small, subtract the maximum.",
        ),
        {"shifted": lambda s: s.array / s.array.max(axis=s.axis, keepdims=True)},
    ),
    Misconception(
        "clipped",
        "Large inputs come out as if they were equal: your numbers are those of inputs cut to a "
        "range.",
        OVERFLOW,
        {"shifted": lambda s: np.clip(s.array, -500, 500)},
    ),
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
            "weights": lambda s: np.exp(s.array)
            / np.exp(s.array).max(axis=s.axis, keepdims=True),
        },
    ),
    *(
        Misconception(
            "large-epsilon",
            f"A number added to the sum, about {size}, is so large that it changes the results.",
            SHARE,
            {
                "total": lambda s, size=size: s.exponentials.sum(axis=s.axis, keepdims=True)
                + size,
            },
        )
        for size in (1e-5, 1e-4, 1e-3, 1e-2, 0.1)
    ),
    Misconception(
        "maximum-after-exponential",
        "The maximum is subtracted from the exponentials, not from the inputs.",
        OVERFLOW,
        {
            "exponentials": lambda s: np.exp(s.array)
            - s.array.max(axis=s.axis, keepdims=True),
        },
    ),
    Misconception(
        "largest-exponential-subtracted",
        "The largest exponential is subtracted from the exponentials; the maximum of the inputs "
        "is to be subtracted from the inputs.",
        OVERFLOW,
        {
            "exponentials": lambda s: np.exp(s.array)
            - np.exp(s.array).max(axis=s.axis, keepdims=True),
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
            "shifted": lambda s: (s.array - s.array.mean(axis=s.axis, keepdims=True))
            / s.array.std(axis=s.axis, keepdims=True),
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


def _softmax(x: Any, axis: Any) -> Any:
    exponentials = np.exp(x - x.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def probes(draw: int) -> Sequence[Probe]:
    """Small whole numbers first; square arrays, where wrong axes go unnoticed by shape alone."""
    rng = np.random.default_rng([20, draw])

    def whole(*sizes: int) -> Any:
        return rng.permutation(int(np.prod(sizes))).reshape(sizes) / 2.0 - 0.5

    def real(*sizes: int) -> Any:
        return rng.normal(size=sizes)

    infinite = real(3, 3)
    infinite[0, 1] = infinite[2, 0] = infinite[2, 2] = -np.inf
    one = float(rng.integers(1, 4))
    return [
        Probe((whole(3),)),
        Probe((whole(2, 3),)),
        Probe((whole(3, 3),)),
        Probe((whole(3, 3), 0)),
        Probe((real(4, 2), 0)),
        Probe((real(2, 3, 4), 1)),
        Probe((real(3, 3, 3), -3)),
        Probe((real(2, 2, 2), -2)),
        Probe((real(3, 2, 4, 2),)),
        Probe((rng.permutation(4) - 1,)),
        Probe((rng.permutation(6).reshape(2, 3) + 1,)),
        Probe(([[1, 2 + int(one)], [3, 0]],)),
        Probe((np.array([one, -np.inf, 1.5]),)),
        Probe((infinite,)),
        Probe((np.array([1000.0, 1000.0 + one]),), condition=1e4),
        Probe((np.array([-1e4, -1e4 + one]),), condition=1e4),
        Probe((np.array([1e4, -1e4, one]),), condition=1e4),
        Probe((np.array([900.0 + one, 0.0]),), condition=1e4),
        Probe((np.array([[0.0, 1100.0 + one], [1102.0, 1101.0]]),), condition=1e4),
        Probe((np.array([[1e4, 0.0], [-1e4, -1e4 + one]]),), condition=1e4),
        Probe((np.array([[2000.0, 1999.0], [0.0, one], [5.0, 3.0]]),), condition=1e4),
    ]


def _large(s: Any) -> bool:
    finite = s.array[np.isfinite(s.array)]
    return bool(np.abs(finite).max() > 100)


TRAITS = (
    Trait(_large, "for large numbers", "for small numbers"),
    Trait(lambda s: bool(np.isinf(s.array).any()), "with −∞ among the inputs", "without −∞"),
    Trait(lambda s: s.array.ndim > 1, "for more than one axis", "for a single row of numbers"),
    Trait(lambda s: s.array.ndim > 2, "for three axes and more", "for up to two axes"),
    Trait(
        lambda s: s.axis not in {-1, s.array.ndim - 1},
        "along another axis than the last",
        "along the last axis",
    ),
    Trait(lambda s: s.axis < -1, "for a negative axis other than −1", "for other axes"),
    Trait(
        lambda s: np.asarray(s.x).dtype.kind == "i",
        "for whole numbers",
        "for numbers with decimals",
    ),
    Trait(lambda s: "axis" in s.given, "where an axis is given", "without an axis"),
    Trait(lambda s: isinstance(s.x, list), "for lists", "for arrays"),
)


def _sums(value: Any, axis: Any) -> bool:
    return bool(np.allclose(value.sum(axis=axis), 1.0, atol=1e-6))


FACTS = (
    Fact(
        "nan",
        lambda s, v: bool(np.isnan(v).any()),
        "There are NaN (not a number) in the result, as ∞ / ∞ and ∞ − ∞ give.",
    ),
    Fact("negative", lambda s, v: bool((v < 0).any()), "Some results are negative."),
    Fact(
        "sum",
        lambda s, v: v.shape == s.array.shape and not _sums(v, s.axis),
        "The results along the axis do not sum to 1.",
    ),
    Fact(
        "sums-right",
        lambda s, v: v.shape == s.array.shape and _sums(v, s.axis),
        "The results along the axis do sum to 1, so the division is right and what is divided "
        "is not.",
    ),
)

def _factor(s: Any, v: Any) -> float:
    """The factor by which the inputs of a softmax were multiplied; NaN where it cannot be seen.

    The logarithms of its results are that factor times the inputs, plus a constant.
    """
    if not np.isfinite(s.array).all() or np.abs(s.array).max() > 50:
        return float("nan")
    logarithms = np.log(v) - np.log(v).mean(axis=s.axis, keepdims=True)
    inputs = s.array - s.array.mean(axis=s.axis, keepdims=True)
    factor = float((logarithms * inputs).sum() / (inputs * inputs).sum())
    if v.shape != s.array.shape or not np.allclose(logarithms, factor * inputs, atol=1e-6):
        raise ValueError("not a softmax of the inputs times a factor")
    return factor


RECIPES = {
    "softmax": Recipe(
        "softmax",
        ("x", "axis"),
        STEPS,
        probes,
        MISCONCEPTIONS,
        defaults={"axis": -1},
        traits=TRAITS,
        facts=FACTS,
        measure=_factor,
        measured="Your numbers are those of a softmax of inputs that were multiplied by {}.",
    )
}
