"""Conversion of results with several correct forms."""

from typing import Any

import numpy as np


def as_one_number(value: Any) -> Any:
    """Return an array with one entry as a number. Return other values unchanged."""
    return value.reshape(()) if isinstance(value, np.ndarray) and value.size == 1 else value


def as_single(value: Any) -> Any:
    """Return numbers rounded to float32, the precision of training.

    Return other values unchanged.
    """
    try:
        return np.asarray(value, dtype=np.float32)
    except (ValueError, TypeError):
        return value
