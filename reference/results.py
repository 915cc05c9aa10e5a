"""Readers of results that may be written in more than one way."""

from typing import Any

import numpy as np


def as_one_number(value: Any) -> Any:
    """Return an array of one number as that number; all else as it is."""
    return value.reshape(()) if isinstance(value, np.ndarray) and value.size == 1 else value


def as_single(value: Any) -> Any:
    """Numbers as float32, what a training in float32 can be held to; all else as it is."""
    try:
        return np.asarray(value, dtype=np.float32)
    except (ValueError, TypeError):
        return value
