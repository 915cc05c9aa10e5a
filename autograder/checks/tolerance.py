"""Tolerance of comparisons. Only this module defines the largest allowed error."""

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

ABSOLUTE = 1e-6
ROUNDINGS = 8


def allowed_error(
    answer: np.dtype[Any], expected: npt.NDArray[np.float64], condition: float = 1.0
) -> npt.NDArray[np.float64]:
    """Return the largest allowed difference for each entry of `expected`, as float64.

    The tolerance of 1e-6 allows the idioms `log(p + 1e-9)` and `/ (sum + 1e-9)`. For rounding
    errors, the function adds eight units in the last place of the result's dtype, times the
    condition of the problem. A dtype that is less precise than float32 counts as float32: with the
    tolerance of half precision, any value would pass if scores are large. Integers count as
    float64.

    For a softmax, the condition is the largest |score|. An error of |s|·eps in a score causes an
    error of the same size in a weight (Higham, Accuracy and Stability of Numerical Algorithms,
    §1.6; Blanchard, Higham & Higham 2021, eq. 4.7).
    """
    scale = np.maximum(1.0, np.abs(expected)) * max(1.0, condition)
    return np.asarray(ABSOLUTE + ROUNDINGS * _epsilon(answer) * scale, dtype=np.float64)


@cache
def _epsilon(answer: np.dtype[Any]) -> float:
    epsilon = np.finfo(answer if answer.kind == "f" else np.float64).eps
    return min(float(epsilon), float(np.finfo(np.float32).eps))
