"""How results are read, where more than one way to write them is right."""

from typing import Any

import numpy as np


def as_one_number(value: Any) -> Any:
    """An array of one number as that number; all else as it is."""
    return value.reshape(()) if isinstance(value, np.ndarray) and value.size == 1 else value
