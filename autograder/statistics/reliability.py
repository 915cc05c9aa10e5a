"""Whether the exercises measure one thing: Cronbach (1951), equation 2, over exercises.

Not over checks: those of one exercise depend on each other, which makes the figure too good.
"""

import numpy as np

from .scores import Floats


def alpha(points: Floats) -> float:
    """Cronbach's α of points (students, exercises); NaN where it is not defined.

    Exercises in which all have the same points say nothing and are left out.
    """
    if len(points) < 3:
        return np.nan
    varying = points[:, np.ptp(points, axis=0) > 1e-12]
    exercises = varying.shape[1]
    total = varying.sum(1).var(ddof=1) if exercises else 0.0
    if exercises < 2 or total <= 0:
        return np.nan
    return float(exercises / (exercises - 1) * (1 - varying.var(axis=0, ddof=1).sum() / total))


def error_of_measurement(points: Floats, reliability: float) -> float:
    """The standard error of a total, in points: s·√(1 − α); NaN for an α below 0 or unknown."""
    if not 0 <= reliability <= 1:
        return np.nan
    return float(points.sum(1).std(ddof=1) * np.sqrt(1 - reliability))
