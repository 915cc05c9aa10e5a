"""Multiple heads in one array: from features to heads and back.

Source: Vaswani et al. (2017), section 3.2.2. Head h has the features h·E/H … (h+1)·E/H − 1.
"""

import numpy as np
import numpy.typing as npt

from reference.attention import Array


def split_heads(x: npt.ArrayLike, num_heads: int) -> Array:
    """Return `(B, L, E)` as `(B, H, L, E/H)`.

    Raises:
        ValueError: E is not a multiple of the number of heads.
    """
    x = np.asarray(x)
    batch, length, features = x.shape
    if features % num_heads:
        raise ValueError(f"{features} features cannot be split into {num_heads} equal heads")
    by_head = x.reshape(batch, length, num_heads, features // num_heads)
    return by_head.transpose(0, 2, 1, 3)


def merge_heads(x: npt.ArrayLike) -> Array:
    """Return `(B, H, L, d)` as `(B, L, H·d)`: the inverse of `split_heads`."""
    x = np.asarray(x)
    batch, heads, length, size = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, length, heads * size)
