"""Changes of an intermediate array, with phrases such as "divided by {their} length".

`{their}` stands for `its` or `their`. `{last}` stands for `the last axis` or `the axis`.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from autograder.course.text import is_plural

Change = Callable[[Any], Any]
Along = Callable[..., Any]  # function of an array and an axis


class ArrayChange(NamedTuple):
    """Change of an array, described by `words`. The array needs at least `axes` axes."""

    id: str
    words: str
    change: Change
    axes: int = 0

    def applied_to(self, what: str) -> str:
        """Return text such as `the weights divided by their length along {last}`.

        `general.families` replaces `{last}` by the name of the axis.
        """
        one = what.startswith("the ") and " and " not in what and not is_plural(what)
        said = self.words.format(their="its" if one else "their", last="{last}")
        return f"{what} {said}"

    def of(self, value: Any, axis: Any = -1) -> Any:
        """Return the changed array.

        If the change is impossible, return the same value. With `axis`, the change is along this
        axis instead of the last.
        """
        if not isinstance(value, np.ndarray | list | np.floating | float):
            return value
        try:
            array = np.asarray(value)
        except ValueError:
            return value
        if array.dtype.kind not in "fiub" or array.ndim < self.axes or not array.size:
            return value
        array = array.astype(float)
        along = axis if self.axes == 1 and isinstance(axis, int) else -1
        changed = self.change(np.moveaxis(array, along, -1) if along != -1 else array)
        return np.moveaxis(changed, -1, along) if changed.ndim == array.ndim > 0 else changed


# Powers of an axis's size that the numbers are multiplied by: the id, the phrase, and the power.
BY_A_SIZE = (
    ("times-root", "multiplied by √", 0.5),
    ("over-root", "divided by √", -0.5),
    ("times", "multiplied by ", 1.0),
    ("over", "divided by ", -1.0),
    ("over-fourth-root", "divided by the fourth root of ", -0.25),
)


def _kept(reduce: str) -> Along:
    return lambda x, axis: getattr(x, reduce)(axis=axis, keepdims=True)


_sum, _mean, _max, _std = map(_kept, ("sum", "mean", "max", "std"))


def _shares_of_exponentials(x: Any, axis: Any) -> Any:
    e = np.exp(x - _max(x, axis))
    return e / _sum(e, axis)


def _standardised(x: Any, axis: Any, added: float = 0.0) -> Any:
    return (x - _mean(x, axis)) / np.sqrt(x.var(axis=axis, keepdims=True) + added)


def _with_zero(*place: Any) -> Change:
    def change(x: Any) -> Any:
        x = x.copy()
        x[(..., *place)] = 0
        return x

    return change


def _with_positions(x: Any) -> Any:
    return x + np.arange(x.shape[-2])[:, np.newaxis]


def _with_waves(x: Any) -> Any:
    length, width = x.shape[-2:]
    column = np.arange(width)
    angles = np.arange(length)[:, np.newaxis] / 10000 ** (column // 2 * 2 / width)
    return x + np.where(column % 2 == 0, np.sin(angles), np.cos(angles))


# Changes along an axis: the id, the phrase and the function. If a phrase has no `{along}`, the axis
# is named at the end.
ALONG: tuple[tuple[str, str, Along], ...] = (
    ("centred", "minus {their} mean", lambda x, axis: x - _mean(x, axis)),
    ("unit-length", "divided by {their} length", lambda x, axis: x / np.sqrt(_sum(x * x, axis))),
    ("standardised", "standardised{along} (to mean 0 and standard deviation 1)", _standardised),
    ("share-of-maximum", "divided by {their} maximum", lambda x, axis: x / _max(x, axis)),
    ("exponential-shares", "after e^x / Σ e^x", _shares_of_exponentials),
    ("share-of-sum", "divided by {their} sum", lambda x, axis: x / _sum(x, axis)),
)
_ZED = "standardised{along} (with"
# Along the last axis only: other axes differ from `standardised` by less than records tell.
ALONG_LAST: tuple[tuple[str, str, Along], ...] = (
    ("layer-normalised", f"{_ZED} 1e-5 added to the variance)", partial(_standardised, added=1e-5)),
    (
        "standardised-plus",
        f"{_ZED} 1e-5 added to the standard deviation)",
        lambda x, axis: (x - _mean(x, axis)) / (x.std(axis=axis, keepdims=True) + 1e-5),
    ),
    (
        "standardised-unbiased",
        f"{_ZED} a standard deviation that divides by n − 1)",
        lambda x, axis: (x - (m := _mean(x, axis))) * np.sqrt(1 - m.size / x.size) / _std(x, axis),
    ),
)
ALONG_INSIDE: tuple[tuple[str, str, Along], ...] = (
    (
        "share-of-largest-size",
        "divided by {their} largest absolute value",
        lambda x, axis: x / _max(np.abs(x), axis),
    ),
    ("averaged", "made equal{along}: each is {their} mean", lambda x, axis: _mean(x, axis) + 0 * x),
    (
        "largest-for-each",
        "made equal{along}: each is {their} maximum",
        lambda x, axis: _max(x, axis) + 0 * x,
    ),
    ("sums-so-far", "as running totals", lambda x, axis: np.cumsum(x, axis).reshape(x.shape)),
)
# The axes that a student may have meant. Each row has the end of the id, the axis, the phrase, and
# the smallest number of axes that the array may have.
AXES: tuple[tuple[str, Any, str, int], ...] = (
    ("", -1, " along {last}", 1),
    ("-rows", -2, " along the second-last axis", 2),
    ("-all", None, " over the whole array", 2),
    ("-third", -3, " along the third axis from the end", 3),
    ("-matrix", (-2, -1), " over each matrix", 3),
    ("-first", 0, " along the first axis", 4),
)


def _table(*rows: tuple[Any, ...]) -> tuple[ArrayChange, ...]:
    return tuple(ArrayChange(*row) for row in rows)


_PLAIN = _table(
    ("absolute", "as absolute values", np.abs),
    ("whole", "without decimals", np.trunc),
    ("squared", "squared", np.square),
    ("negative-to-zero", "with 0 instead of negative numbers", lambda x: np.maximum(x, 0)),
    ("zero-to-one", "limited to between 0 and 1", lambda x: np.clip(x, 0, 1)),
    *(
        (f"limited-{n}", f"limited to a range such as ±{n}", partial(np.clip, a_min=-n, a_max=n))
        for n in (50, 80, 100, 20, 10, 5, 1)
    ),
    ("sorted", "sorted along {last}", lambda x: np.sort(x, axis=-1), 1),
    ("reversed-rows", "with the rows in reverse order", lambda x: x[..., ::-1, :], 2),
    ("reversed", "in reverse order along {last}", lambda x: x[..., ::-1], 1),
    ("shifted-rows", "with all rows moved on by one place", lambda x: np.roll(x, 1, -2), 2),
    ("shifted", "with all numbers moved on by one place", lambda x: np.roll(x, 1, -1), 1),
    ("first-of-batch", "with the first entry of the batch for all", lambda x: x[:1] + 0 * x, 3),
    ("mean-of-batch", "averaged over the first axis", lambda x: x.mean(0) + 0 * x, 3),
)
_OF_LOOPS = _table(
    ("last-zero", "with 0 at the end of each row", _with_zero(-1), 1),
    ("last-row-zero", "with 0 in {their} last row", _with_zero(-1, slice(None)), 2),
    ("last-third-zero", "with 0 in {their} last matrix", _with_zero(-1, *[slice(None)] * 2), 3),
    ("without-last-third", "without {their} last matrix", lambda x: x[..., :-1, :, :], 3),
    ("first-zero", "with 0 at the beginning of each row", _with_zero(0), 1),
    ("first-row-zero", "with 0 in {their} first row", _with_zero(0, slice(None)), 2),
    ("sums-of-rows", "added up from row to row", lambda x: np.cumsum(x, -2), 2),
    (
        "means-of-rows",
        "averaged with all rows before",
        lambda x: np.cumsum(x, -2) / np.cumsum(x**0, -2),
        2,
    ),
    ("positions", "with the position (0, 1, 2, …) added to each row", _with_positions, 2),
    ("waves", "with sines and cosines of the position added to each row", _with_waves, 2),
)
_OF_VALUES = _table(
    ("logarithms", "after a logarithm", np.log),
    ("roots", "after a square root", np.sqrt),
    ("exponentials", "after np.exp", np.exp),
    ("tanh", "after a tanh", np.tanh),
    ("sigmoid", "after a sigmoid", lambda x: 1 / (1 + np.exp(-x))),
    ("without-last", "without the last entry along {last}", lambda x: x[..., :-1], 1),
    ("without-first", "without the first entry along {last}", lambda x: x[..., 1:], 1),
    ("first-only", "with only the first entry along {last}", lambda x: x[..., :1], 1),
    ("without-last-row", "without the last row", lambda x: x[..., :-1, :], 2),
    ("without-first-row", "without the first row", lambda x: x[..., 1:, :], 2),
    ("axes-turned", "with the first two axes exchanged", lambda x: np.swapaxes(x, 0, 1), 3),
)
BY_A_NUMBER = _table(
    ("negated", "with reversed signs", np.negative),
    ("doubled", "multiplied by 2", lambda x: 2 * x),
    ("halved", "divided by 2", lambda x: x / 2),
    ("one-over", "as 1 divided by each number", lambda x: 1 / x),
    ("plus-one", "with 1 added to each number", lambda x: x + 1),
)
_INSIDE = _table(
    ("turned", "transposed", lambda x: np.swapaxes(x, -1, -2), 2),
    ("all-turned", "with all axes reversed", np.transpose, 3),
    ("lower-part", "with 0 above the diagonal", np.tril, 2),
    ("upper-part", "with 0 below the diagonal", np.triu, 2),
    ("no-diagonal", "with 0 on the diagonal", lambda x: x * (1 - np.eye(*x.shape[-2:])), 2),
    ("rounded-0", "rounded to whole numbers", np.round),
    ("rounded-1", "rounded to 1 decimal", lambda x: np.round(x, 1)),
    ("rounded-2", "rounded to 2 decimals", lambda x: np.round(x, 2)),
    ("first-matrix", "with {their} first matrix for all", lambda x: x[..., :1, :, :] + 0 * x, 3),
    ("last-row-for-all", "with the last row for all rows", lambda x: x[..., -1:, :] + 0 * x, 2),
    ("first-row-for-all", "with the first row for all rows", lambda x: x[..., :1, :] + 0 * x, 2),
)


def along_axes(table: Sequence[tuple[str, str, Along]], most: int) -> Iterator[ArrayChange]:
    for ending, axis, along, axes in AXES[:most]:
        for id, words, change in table:
            placed = words if "{along}" in words else words + "{along}"
            text = placed.replace("{along}", along)
            yield ArrayChange(id + ending, text, partial(change, axis=axis), axes)


_NORMS = (*along_axes(ALONG_LAST, 1), *along_axes(ALONG, 6))
_MORE_NORMS = tuple(along_axes(ALONG_INSIDE, 4))
ON_ARGUMENTS = (*_PLAIN, *_NORMS, *_OF_LOOPS)
INSIDE = (*_PLAIN, *_OF_VALUES, *BY_A_NUMBER, *_INSIDE, *_OF_LOOPS, *_NORMS, *_MORE_NORMS)
_FLAT = ("flat", "with all axes but the last joined", lambda x: x.reshape(-1, x.shape[-1]), 3)
ON_RESULTS = (*INSIDE, *_table(_FLAT))
REDUCTIONS = tuple(
    ArrayChange(f"{id}-{axis}", f"{words} along {along}", partial(reduce, axis=axis), axes)
    for id, words, reduce in (
        ("sum", "summed", np.sum),
        ("mean", "averaged", np.mean),
        ("max", "reduced to {their} maximum", np.max),
        ("min", "reduced to {their} minimum", np.min),
        ("first", "reduced to the first entry", lambda x, axis: np.take(x, 0, axis)),
        ("last", "reduced to the last entry", lambda x, axis: np.take(x, -1, axis)),
    )
    for axis, along, axes in (
        (0, "the first axis", 1),
        (-1, "{last}", 1),
        (-2, "the second-last axis", 2),
        (-3, "the third axis from the end", 4),
    )
)
