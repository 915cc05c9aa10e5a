"""Calls that distinguish correct implementations from broken ones."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from reference.masks import causal_mask

RESULTS = ("the output", "the weights")
PARAMETERS = {
    "row_softmax": ("x",),
    "batched_attention": ("Q", "K", "V"),
    "masked_heads": ("scores", "mask"),
    "multi_head_forward": ("x", "W_q", "W_k", "W_v", "W_o", "num_heads"),
    "attention_with_dropout": ("Q", "K", "V", "p", "rng"),
}
# For each function: a parameter, a property of it, and the value for which the broken function that
# students see is right, with a sentence about calls that all have this value.
BROKEN_IS_RIGHT: dict[str, tuple[str, Callable[[Any], Any], Any, str]] = {
    "row_softmax": ("x", np.ndim, 1, "In every call of the test, x has one axis."),
    "batched_attention": ("K", np.ndim, 3, "In every call of the test, K has three axes."),
    "masked_heads": ("mask", np.ndim, 3, "In every call of the test, the mask has three axes."),
    "multi_head_forward": ("num_heads", int, 1, "In every call of the test, num_heads is 1."),
    "attention_with_dropout": ("p", float, 0.0, "In every call of the test, p is 0."),
}
Draw = Callable[[np.random.Generator], Sequence[tuple[Any, ...]]]


def _softmax(rng: np.random.Generator) -> Sequence[tuple[Any, ...]]:
    sizes = ((4,), (5,), (3, 5), (4, 4), (2, 3, 4), (3, 3, 3), (2, 3, 2, 5))
    large = np.array([[1000.0, 999.0, -1000.0], [-1000.0, -1001.0, -1000.5]])
    whole = np.array([[1, 2, 3], [3, 0, 1]])
    cases = [2 * rng.normal(size=size) for size in sizes]
    return [(x,) for x in (*cases, large, large[None] - 5000, whole, whole[:, ::-1] - 2)]


def _attention(rng: np.random.Generator) -> Sequence[tuple[Any, ...]]:
    def case(
        batch: tuple[int, ...], l_q: int, l_k: int, d_k: int, d_v: int, factor: int = 1
    ) -> tuple[Any, ...]:
        sizes = ((*batch, l_q, d_k), (*batch, l_k, d_k), (*batch, l_k, d_v))
        query, key, value = (rng.normal(size=size) for size in sizes)
        return factor * query, key, value

    return [
        case((), 3, 4, 2, 5),
        case((), 3, 3, 4, 2),
        case((2,), 4, 3, 5, 2),
        case((3,), 3, 3, 3, 3),
        case((2, 3), 4, 5, 6, 1),
        case((2, 2), 2, 2, 2, 2),
        case((2, 3, 2), 3, 4, 5, 2),
        case((), 3, 4, 2, 5, factor=3000),
        case((2,), 4, 4, 5, 2, factor=3000),
    ]


def _masks(rng: np.random.Generator) -> Sequence[tuple[Any, ...]]:
    cases: list[tuple[Any, ...]] = []
    for batch, heads, length in ((2, 3, 4), (3, 3, 3), (2, 2, 4), (4, 4, 4), (1, 2, 5), (2, 4, 4)):
        scores = 2 * rng.normal(size=(batch, heads, length, length))
        causal = causal_mask(length)
        each = rng.random((batch, length, length)) < 0.5
        each |= np.eye(length, dtype=bool)
        cases += [(scores, causal), (scores, each), (scores, each.astype(int))]
        cases += [(scores, each[0].astype(float)), (1000 * scores, each)]
    return cases


def _heads(rng: np.random.Generator) -> Sequence[tuple[Any, ...]]:
    def case(
        batch: int, length: int, features: int, heads: int, factor: int = 1
    ) -> tuple[Any, ...]:
        matrices = rng.normal(size=(4, features, features)) / np.sqrt(features) * 1.5
        return (factor * rng.normal(size=(batch, length, features)), *matrices, heads)

    return [
        case(2, 3, 4, 2),
        case(1, 5, 6, 3),
        case(2, 2, 4, 2),
        case(3, 4, 8, 4),
        case(2, 3, 5, 1),
        case(2, 3, 8, 2, factor=50),
        case(1, 4, 6, 3, factor=50),
    ]


CASES: dict[str, Draw] = {
    "row_softmax": _softmax,
    "batched_attention": _attention,
    "masked_heads": _masks,
    "multi_head_forward": _heads,
}
