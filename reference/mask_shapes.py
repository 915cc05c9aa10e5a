"""Random masks of every shape that broadcasts to the shape of scores."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import numpy.typing as npt


def broadcast_masks(rng: np.random.Generator, *sizes: int) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield random masks, one for each shape that broadcasts to the scores' `sizes`.

    The last axis has its full length. Every query may attend to the first key.
    """
    for axes in range(2, len(sizes) + 1):
        for shape in product(*((1, size) for size in sizes[-axes:-1])):
            mask = rng.random((*shape, sizes[-1])) < 0.5
            mask[..., 0] = True
            yield mask
