"""Removal of constants from the rows of biases. A constant in a row does not change its softmax."""

from typing import Any

import numpy as np
import numpy.typing as npt

LOW = 9e3  # a bias this far below the others blocks a key, whatever its score


def without_row_constants(value: Any) -> npt.NDArray[np.float64] | None:
    """Return biases minus the largest bias of each row. Very low biases become −∞."""
    try:
        bias = np.asarray(value, dtype=np.float64)
        with np.errstate(invalid="ignore"):
            above = bias - bias.max(axis=-1, keepdims=True)
    except (TypeError, ValueError):
        return None
    return np.where(above < -LOW, -np.inf, above)
