# mistake: sums along the wrong axis (always the last)
from functools import reduce

import numpy as np


def softmax(x, axis=-1):
    x = np.array(x, dtype=float)
    top = reduce(np.maximum, np.moveaxis(x, -1, 0))[..., None]
    powers = np.e ** (x - top)
    return powers / reduce(np.add, np.moveaxis(powers, -1, 0))[..., None]
