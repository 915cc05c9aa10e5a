"""Tolerance of all comparisons: the only place that defines the largest allowed error."""

from typing import Any

import numpy as np
import numpy.typing as npt

ABSOLUTE = 1e-6
ROUNDINGS = 8


def allowed_error(
    answer: np.dtype[Any], expected: npt.NDArray[np.float64], condition: float = 1.0
) -> npt.NDArray[np.float64]:
    """Return the largest difference that counts as right, a float64 for each entry of `expected`.

    1e-6 allows the idioms `log(p + 1e-9)` and `/ (sum + 1e-9)`. Rounding adds eight units
    in the last place of the answer's own dtype, at most float32's, times the condition of the
    problem. Half precision gets no more than float32, because for large scores any value would
    pass.

    For a softmax the condition is the largest |score|, since an error of |s|·eps in a score becomes
    one of the same size in a weight (Higham, Accuracy and Stability of Numerical Algorithms, §1.6;
    Blanchard, Higham & Higham 2021, eq. 4.7).

    Integers count as float64.
    """
    epsilon = np.finfo(answer).eps if answer.kind == "f" else np.finfo(np.float64).eps
    epsilon = min(float(epsilon), float(np.finfo(np.float32).eps))
    scale = np.maximum(1.0, np.abs(expected)) * max(1.0, condition)
    return np.asarray(ABSOLUTE + ROUNDINGS * epsilon * scale, dtype=np.float64)
