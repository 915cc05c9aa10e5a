"""Tests of `find_the_bug` as students might write them: thorough ones and lazy ones.

A thorough test compares every result completely for every kind of input. A lazy one omits a kind of
input, has only one kind, has only inputs of one size, or looks at one part of the results.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from reference.bugs import implementations

Results = tuple[np.ndarray, ...]
Look = Callable[[Results], list[Any]]
Inputs = dict[str, list[tuple[Any, ...]]]


@dataclass(frozen=True)
class Test:
    """Test by its inputs and by the part of the results that it looks at."""

    inputs: list[tuple[Any, ...]]
    look: Look = list
    atol: float = 1e-8

    def stops(self, name: str, implementation: Callable[..., Any]) -> bool:
        right = implementations(name)[0].function
        for args in self.inputs:
            try:
                with np.errstate(all="ignore"):
                    mine = self.look(_results(implementation(*args)))
            except Exception:
                return True
            for one, other in zip(mine, self.look(_results(right(*args))), strict=True):
                if np.shape(one) != np.shape(other):
                    return True
                if not np.allclose(one, other, atol=self.atol):
                    return True
        return False


def _results(answer: Any) -> Results:
    return tuple(answer) if isinstance(answer, tuple | list) else (answer,)


def _normal(*sizes: tuple[int, ...], factor: float = 1.0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng([len(sizes), *sizes[0]])
    first, *rest = (rng.normal(size=size) for size in sizes)
    return factor * first, *rest


FAR_APART = np.array([[1000.0, 999.0, 997.5], [-1000.0, -1002.0, -1000.5]])


def _qkv(
    *batch: int, l_q: int = 4, l_k: int = 6, d_k: int = 5, d_v: int = 7, factor: float = 1.0
) -> tuple[np.ndarray, ...]:
    return _normal((*batch, l_q, d_k), (*batch, l_k, d_k), (*batch, l_k, d_v), factor=factor)


def _masked(sizes: tuple[int, int, int], mask: Any, kind: type = bool, factor: float = 1.0) -> Any:
    batch, heads, length = sizes
    masks = {
        "causal": np.tri(length),
        "symmetrical": np.eye(length) + np.eye(length, k=1) + np.eye(length, k=-1),
        "one": np.eye(length) + np.eye(length, k=1),
    }
    masks["each"] = np.array([np.roll(masks["one"], n, axis=1) for n in range(batch)])
    return *_normal((batch, heads, length, length), factor=factor), masks[mask].astype(kind)


def _heads(
    batch: int = 2, length: int = 4, size: int = 6, heads: int = 3, factor: float = 1.0
) -> list[Any]:
    (x,) = _normal((batch, length, size), factor=factor)
    matrices = np.random.default_rng(size).normal(size=(4, size, size))
    return [x, *matrices, heads]


def _with(args: list[Any], **replaced: Any) -> tuple[Any, ...]:
    names = ("x", "W_q", "W_k", "W_v", "W_o", "num_heads")
    return tuple(replaced.get(name, value) for name, value in zip(names, args, strict=True))


# Each kind is needed: a test without it is lazy, and so is a test with only that kind.
KINDS: dict[str, Inputs] = {
    "row_softmax": {
        "one axis": [_normal((4,))],
        "three axes": [_normal((2, 3, 4))],
        "rows far apart": [(FAR_APART,)],
        "whole numbers": [(np.array([[1, 2, 4], [3, 0, 1]]),)],
    },
    "batched_attention": {
        "no batch axis": [_qkv()],
        "two batch axes": [_qkv(2, 3)],
        "large scores": [_qkv(2, factor=1000.0)],
    },
    "masked_heads": {
        "one mask": [_masked((2, 3, 4), "one"), _masked((2, 3, 3), "one")],
        "a mask of each": [_masked((2, 3, 4), "each"), _masked((3, 3, 4), "each")],
        "1 and 0": [_masked((2, 3, 4), "one", int)],
        "1.0 and 0.0": [_masked((2, 3, 4), "one", float)],
        "large scores": [_masked((2, 3, 4), "one", factor=1000.0)],
    },
    "multi_head_forward": {
        "ordinary": [tuple(_heads())],
        "large scores": [tuple(_heads(factor=30.0))],
    },
}
FEW: dict[str, Inputs] = {
    "row_softmax": {
        "matrices alone": [_normal((3, 4)), (FAR_APART,), (np.array([[1, 2, 4], [3, 0, 1]]),)],
        "large rows one at a time": [
            _normal((4,)),
            _normal((2, 3, 4)),
            (FAR_APART[0],),
            (FAR_APART[1],),
        ],
        "equal rows": [(np.ones((2, 3, 4)),), (np.full((2, 3), 1000.0),)],
        "ascending rows": [(np.arange(24.0).reshape(2, 3, 4) ** 1.5,)],
    },
    "batched_attention": {
        "one batch axis": [_qkv(2), _qkv(2, factor=1000.0)],
        "a batch of one": [_qkv(), _qkv(1), _qkv(1, 1), _qkv(1, factor=1000.0)],
        "all sizes equal": [_qkv(*b, l_q=3, l_k=3, d_k=3, d_v=3) for b in ((), (3,), (3, 3))],
        "as many keys as queries": [_qkv(*b, l_k=4) for b in ((), (2,), (2, 3))],
        "d_v = d_k": [_qkv(*b, d_v=5) for b in ((), (2,), (2, 3))],
        "one query": [_qkv(*b, l_q=1) for b in ((), (2,), (2, 3))],
        "one feature": [_qkv(*b, d_v=1) for b in ((), (2,), (2, 3))],
        "ones": [tuple(np.ones_like(x) for x in _qkv(2, 3))],
    },
    "masked_heads": {
        "sizes that differ": [
            _masked((2, 3, 4), mask, kind, factor)
            for mask in ("one", "each")
            for kind in (bool, int, float)
            for factor in (1.0, 1000.0)
        ],
        "causal masks": [
            _masked(sizes, "causal", kind, factor)
            for sizes in ((2, 3, 4), (3, 3, 3))
            for kind in (bool, int, float)
            for factor in (1.0, 1000.0)
        ],
        "symmetrical masks": [_masked((3, 3, 3), "symmetrical"), _masked((2, 3, 4), "symmetrical")],
        "one sequence": [_masked((1, 3, 3), "one"), _masked((1, 3, 3), "each")],
        "one head": [_masked((2, 1, 4), "one"), _masked((2, 1, 4), "each")],
    },
    "multi_head_forward": {
        "one head": [tuple(_heads(heads=1)), tuple(_heads(heads=1, factor=30.0))],
        "one sequence": [tuple(_heads(batch=1)), tuple(_heads(batch=1, factor=30.0))],
        "one word": [tuple(_heads(length=1))],
        "W_o the identity": [_with(_heads(factor=f), W_o=np.eye(6)) for f in (1.0, 30.0)],
        "one matrix for all": [
            _with(args, W_q=args[1], W_k=args[1], W_v=args[1])
            for args in (_heads(), _heads(factor=30.0))
        ],
        "as many heads as features of one": [
            tuple(_heads(size=4, heads=2, factor=f)) for f in (1.0, 30.0)
        ],
    },
}


def _each(take: Callable[[np.ndarray], Any]) -> Look:
    return lambda results: [take(result) for result in results]


SHAPES = _each(np.shape)
SUMS = _each(lambda result: result.sum(axis=-1))
LOOKS: dict[str, dict[str, Look]] = {
    "row_softmax": {
        "shapes": SHAPES,
        "sums": SUMS,
        "values without shape": _each(np.ravel),
        "the first row": _each(lambda w: np.atleast_2d(w)[..., 0, :]),
        "the first item": _each(lambda w: w[0] if w.ndim > 2 else w),
        "the largest weight": _each(lambda w: w.max(axis=-1)),
        "which weight is the largest": _each(lambda w: w.argmax(axis=-1)),
        "the order of the weights": _each(lambda w: w.argsort(axis=-1)),
        "whether all is finite": _each(lambda w: np.isfinite(w).all()),
        "whether all is positive": _each(lambda w: (w >= 0).all()),
    },
    "batched_attention": {
        "shapes": SHAPES,
        "sums of the weights": lambda results: [results[1].sum(axis=-1)],
        "the output": lambda results: [results[0]],
        "the weights": lambda results: [results[1]],
        "the first item": _each(lambda x: x[0] if x.ndim > 2 else x),
        "the first of the second axis": _each(lambda x: x[:, 0] if x.ndim > 3 else x),
        "the first query": _each(lambda x: x[..., 0, :]),
        "the first feature": lambda results: [results[0][..., 0], results[1]],
        "the mean of the output": lambda results: [results[0].mean()],
        "whether all is finite": _each(lambda x: np.isfinite(x).all()),
    },
    "masked_heads": {
        "shapes": SHAPES,
        "sums": SUMS,
        "the first sequence": _each(lambda w: w[0]),
        "the first head": _each(lambda w: w[:, 0]),
        "the first row": _each(lambda w: w[..., 0, :]),
        "the last row": _each(lambda w: w[..., -1, :]),
        "whether all is finite": _each(lambda w: np.isfinite(w).all()),
    },
    "multi_head_forward": {
        "shapes": SHAPES,
        "sums of the weights": lambda results: [results[1].sum(axis=-1)],
        "the output": lambda results: [results[0]],
        "the weights": lambda results: [results[1]],
        "the first sequence": _each(lambda x: x[0]),
        "the first head": lambda results: [results[1][:, 0]],
        "the first position": _each(lambda x: x[..., 0, :]),
        "whether all is finite": _each(lambda x: np.isfinite(x).all()),
    },
}


def thorough(name: str) -> Test:
    return Test([args for kind in KINDS[name].values() for args in kind])


def lazy_tests(name: str) -> Iterator[tuple[str, Test]]:
    """Yield all lazy tests of a function, each with its description."""
    every = thorough(name).inputs
    for left_out in KINDS[name]:
        if left_out != "ordinary":
            rest = [a for kind, inputs in KINDS[name].items() if kind != left_out for a in inputs]
            yield f"all but {left_out}", Test(rest)
    for kind, inputs in {**KINDS[name], **FEW[name]}.items():
        if not (name == "multi_head_forward" and kind == "large scores"):
            yield f"only {kind}", Test(inputs)
    for seen, look in LOOKS[name].items():
        yield f"looks at {seen}", Test(every, look)
    if name == "row_softmax":
        yield "a wide tolerance", Test(every, atol=0.02)
    if name == "masked_heads":  # large scores give weights of 0 themselves
        rest = [a for kind, inputs in KINDS[name].items() if "large" not in kind for a in inputs]
        yield "looks at where it is 0", Test(rest, lambda w: [w[0] < 1e-12])
        yield "looks at zeros and sums", Test(rest, lambda w: [w[0] < 1e-12, w[0].sum(axis=-1)])
