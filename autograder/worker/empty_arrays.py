"""Memory that nobody has written: what `numpy.empty` gives is the same at any time.

Otherwise it is what an earlier call left there: the same submission could be graded in two ways,
and a function could read there what it was asked before. As PyTorch does where it is to be
deterministic, floating-point numbers are NaN, and whole ones the largest there are.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

MAKERS = "empty", "empty_like"
REAL_OR_COMPLEX, INTEGER, BOOLEAN = "fc", "iu", "b"  # what NumPy calls these kinds


def fill_unwritten() -> None:
    """Have `numpy.empty` and `numpy.empty_like` fill what they make, from now on."""
    for name in MAKERS:
        setattr(np, name, _filling(getattr(np, name)))


def _filling(make: Callable[..., Any]) -> Any:
    @functools.wraps(make, assigned=("__name__", "__qualname__", "__doc__", "__module__"))
    def filled(*args: Any, **kwargs: Any) -> Any:
        made = make(*args, **kwargs)
        if isinstance(made, np.ndarray):
            value = _value_for(made.dtype)
            if value is not None:
                np.ndarray.fill(made, value)
        return made

    return filled


def _value_for(dtype: np.dtype[Any]) -> Any:
    """None where NumPy itself writes something, or for several numbers as one."""
    if dtype.kind in REAL_OR_COMPLEX:
        return np.nan
    if dtype.kind in INTEGER:
        return np.iinfo(dtype).max
    return True if dtype.kind in BOOLEAN else None
