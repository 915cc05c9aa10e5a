"""Random inputs of attention: queries, keys and values, or the matrices of one head."""

from typing import Any

import numpy as np
import numpy.typing as npt

Four = tuple[npt.NDArray[np.float64], ...]


def qkv(
    rng: Any, l_q: int, l_k: int, d_k: int, d_v: int, batch: Any = (), heads: Any = ((), ())
) -> list[Any]:
    of_q, of_kv = heads
    shapes = (*of_q, l_q, d_k), (*of_kv, l_k, d_k), (*of_kv, l_k, d_v)
    return [rng.normal(size=(*batch, *shape)) for shape in shapes]


def grouped_qkv(
    rng: Any,
    heads: int,
    kv_heads: int,
    l_q: int,
    l_k: int,
    d_k: int,
    d_v: int,
    batch: Any = (),
) -> list[Any]:
    """Return random queries, and keys and values with fewer heads."""
    return qkv(rng, l_q, l_k, d_k, d_v, batch, ((heads,), (kv_heads,)))


def matrices(rng: Any, d: int, d_memory: int, d_k: int, d_v: int) -> Four:
    """Return random W_q, W_k, W_v and W_o."""
    shapes = (d, d_k), (d_memory, d_k), (d_memory, d_v), (d_v, d)
    return tuple(rng.normal(size=shape) for shape in shapes)


def head(rng: Any, *batch: int, lengths: Any, widths: Any, inside: Any = (3, 2)) -> Four:
    """Return random vectors of a target and a memory, and the four matrices."""
    sizes = zip(lengths, widths, strict=True)
    both = (rng.normal(size=(*batch, length, width)) for length, width in sizes)
    return *both, *matrices(rng, *widths, *inside)


def layer(rng: Any, *batch: int, lengths: Any, widths: Any = (4, 3), mask: Any = None) -> Any:
    """Return random arguments of a decoder layer. No attention weight is near 0 or 1."""
    x, memory, *cross = head(rng, *batch, lengths=lengths, widths=widths)
    both = matrices(rng, widths[0], widths[0], 2, 5), cross
    halves = (tuple(each / 2 for each in weights) for weights in both)
    return x, memory, *halves, *([] if mask is None else [mask])
