"""Random masks of every shape that broadcasts to the shape of scores, and blocked weights."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.author import Mismatch

LEAST_WEIGHT = 1e-16  # smaller weights count as 0: added to 1, they change nothing


def broadcast_masks(rng: np.random.Generator, *sizes: int) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield random masks, one for each shape that broadcasts to the scores' `sizes`.

    The last axis has its full length. Every query may attend to the first key.
    """
    for axes in range(2, len(sizes) + 1):
        for shape in product(*((1, size) for size in sizes[-axes:-1])):
            mask = rng.random((*shape, sizes[-1])) < 0.5
            mask[..., 0] = True
            yield mask


def expect_no_weight(weights: Any, right: Any, what: str) -> None:
    """Pass if weights are 0 where the right weights are 0."""
    __tracebackhide__ = True
    high = (np.asarray(right) == 0) & (np.abs(np.asarray(weights, float)) > LEAST_WEIGHT)
    if high.any():
        least = f"{np.asarray(weights, float)[high][0]:.1g}".replace("-", "−")
        raise Mismatch(
            f"A blocked key gets the weight {least}. It has to be 0.",
            what,
            np.asarray(weights, float),
            np.asarray(right, float),
            high,
            told="A blocked key gets a weight above 0.",
        )
