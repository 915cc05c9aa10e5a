"""How hard an item is, and whether who is good at the rest is good at it (classical test theory).

An item is a check or an exercise; `rest` is what a student has in all others together. Shapes:
points and rest are (students,) or (students, items).
"""

from typing import NamedTuple

import numpy as np

from .scores import Floats

END = 0.27  # of a class at either end: Kelley (1939), the share at which the ends differ most


class Item(NamedTuple):
    """The statistics of one item; NaN where the numbers leave one undefined.

    `facility` is the mean part of its points (0 to 1), `deviation` the standard deviation of that
    part, `discrimination` Pearson's correlation of the points with the rest, `efficiency` the same
    covariance as a part of the largest that these points and totals could have, and `ends` the
    facility in the upper 27 % by total less that in the lower 27 %.
    """

    students: int
    facility: float
    deviation: float
    discrimination: float
    efficiency: float
    ends: float


def item(points: Floats, rest: Floats, maximum: float) -> Item:
    """The statistics of an item of `maximum` points; both arrays of shape (students,)."""
    count = len(points)
    part = points / maximum if maximum else np.full(count, np.nan)
    return Item(
        count,
        float(part.mean()) if count else np.nan,
        float(part.std(ddof=1)) if count > 1 else np.nan,
        correlation(points, rest),
        efficiency(points, rest),
        ends(part, points + rest),
    )


def correlation(one: Floats, other: Floats) -> float:
    """Pearson's r; NaN for fewer than three students, or where one of the two never differs."""
    if len(one) < 3 or _constant(one) or _constant(other):
        return np.nan
    a, b = one - one.mean(), other - other.mean()
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1.0, 1.0))


def efficiency(points: Floats, rest: Floats) -> float:
    """Covariance with the rest, as a part of what it were if both had the same order."""
    if len(points) < 3 or _constant(points) or _constant(rest):
        return np.nan
    centred = rest - rest.mean()
    return float((points @ centred) / (np.sort(points) @ np.sort(centred)))


def ends(part: Floats, totals: Floats) -> float:
    """Mean part of the points in the upper 27 % by total, less that in the lower 27 %.

    Students of the same total at a border share its places: the order of the class has no say.
    """
    size = int(np.floor(END * len(part)))
    if size < 1:
        return np.nan
    return _mean_of_top(part, totals, size) - _mean_of_top(part, -totals, size)


def _mean_of_top(part: Floats, totals: Floats, size: int) -> float:
    border = np.sort(totals)[-size]
    above, at = totals > border, totals == border
    places = size - int(above.sum())
    return float((part[above].sum() + places * part[at].mean()) / size)


def against_the_grain(points: Floats, rest: Floats, most: int = 3) -> list[int]:
    """The students who pull a correlation down most: good at the rest and not here, or reverse."""
    if len(points) < 3:
        return []
    pull = (points - points.mean()) * (rest - rest.mean())
    order = np.lexsort((np.arange(len(pull)), pull))
    return [int(each) for each in order[:most] if pull[each] < 0]


def _constant(values: Floats) -> bool:
    return bool(np.ptp(values) <= 1e-12 * max(1.0, float(np.abs(values).max())))
