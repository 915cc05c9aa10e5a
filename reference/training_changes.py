"""Changes of gradients and of the learning rate that the task does not ask for."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np


def _limit_length(parameters: Sequence[Any], most: float) -> None:
    length = sum(float((each.grad**2).sum()) for each in parameters) ** 0.5
    for each in parameters:
        each.grad *= min(1.0, most / (length + 1e-6))


def _clamped(grad: Any, most: float) -> Any:
    return grad.clamp(-most, most)


def _each(change: Callable[[Any], Any]) -> Callable[[Sequence[Any]], None]:
    def gradients(parameters: Sequence[Any]) -> None:
        for each in parameters:
            each.grad = change(each.grad)

    return gradients


# The words for each change, and the change.
GRADIENTS = (
    ("limits the length of the gradients to 1", partial(_limit_length, most=1.0)),
    ("limits the length of the gradients to 0.5 or less", partial(_limit_length, most=0.5)),
    *(
        (
            f"limits each gradient to values from −{most:g} to {most:g}",
            _each(partial(_clamped, most=most)),
        )
        for most in (0.5, 0.1)
    ),
    ("uses only the signs of the gradients", _each(lambda grad: grad.sign())),
)
RATES = (
    *(
        (
            f"lets the learning rate grow during the first {count} steps",
            lambda lr, step, steps, count=count: lr * min(1, (step + 1) / count),
        )
        for count in (5, 10, 20, 50, 100)
    ),
    *(
        (
            f"multiplies the learning rate by {factor:g} after each step",
            lambda lr, step, steps, factor=factor: lr * factor**step,
        )
        for factor in (0.9, 0.95, 0.99, 0.5)
    ),
    (
        "lowers the learning rate to 0 along a straight line",
        lambda lr, step, steps: lr * (1 - step / steps),
    ),
    (
        "lowers the learning rate to 0 along a cosine",
        lambda lr, step, steps: lr * (1 + np.cos(np.pi * step / steps)) / 2,
    ),
)
