"""Misconceptions about the gradients of attention, and about central differences."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.author import Family, LibraryObject, Mistakes, Probe, Recipe, Trait
from reference import gradients
from reference.attention import block, scores, softmax
from reference.gradients import differences, softmax_backward, transposed
from reference.matrices import qkv
from reference.misconceptions.formulas import formulas


def total(s: Any, axis: Any) -> Any:
    return (s.p * s.dp).sum(axis, keepdims=True)


def softmax_family(target: str) -> Family:
    """Return the mistakes in a softmax's backward pass, for weights p and their gradient dp."""
    return formulas(
        target,
        "With m for Σ p·dp of a row, the gradient of its scores is",
        "p·(dp − m)",
        ("gradient-copied", "dp", lambda s: s.dp),
        ("diagonal-only", "p·(1 − p)·dp", lambda s: s.p * (1 - s.p) * s.dp),
        ("mean-missing", "p·dp", lambda s: s.p * s.dp),
        ("plain-mean", "p·(dp − mean of dp)", lambda s: s.p * (s.dp - s.dp.mean(-1)[..., None])),
        ("weights-missing", "dp − m", lambda s: s.dp - total(s, -1)),
        ("sum-over-columns", "p·(dp − Σ p·dp of a column)", lambda s: s.p * (s.dp - total(s, -2))),
        ("sum-over-columns", "p·(dp − Σ p·dp of axis 0)", lambda s: s.p * (s.dp - total(s, 0))),
        ("sum-over-all", "p·(dp − Σ p·dp of all rows)", lambda s: s.p * (s.dp - total(s, None))),
    )


def by_root(array: Any, s: Any) -> Any:
    return array / s.root


SCORES = formulas(
    "scores",
    "The scores are",
    "Q Kᵀ / √d",
    ("scores-not-scaled", "Q Kᵀ", lambda s: scores(s.q, s.k)),
)
ROOTS = formulas(
    "root",
    "The divisor of the scores, of dq and of dk is",
    "√d",
    ("scale-missing", "1", lambda s: 1.0),
    ("length-for-width", "the root of the number of keys", lambda s: np.sqrt(s.k.shape[-2])),
)
WEIGHTS = formulas(
    "p",
    "The weights are",
    "the softmax of each row of the masked scores",
    ("mask-ignored", "those without the mask", lambda s: softmax(s.scores)),
    ("mask-inverted", "those of the blocked keys", lambda s: softmax(block(s.scores, ~s.allowed))),
    ("mask-after-softmax", "no softmax after the mask", lambda s: softmax(s.scores) * s.allowed),
    ("softmax-over-queries", "a softmax of columns", lambda s: softmax(s.masked, axis=-2)),
    ("overflow", "NaN for large scores", lambda s: s.large / s.large.sum(-1, keepdims=True)),
)
DQ = formulas("dq", "dq is", "dS K / √d", ("scale-missing", "dS K", lambda s: s.ds @ s.k))
DK = formulas("dk", "dk is", "dSᵀ Q / √d", ("scale-missing", "dSᵀ Q", lambda s: s.unscaled_dk))


def change(one: float, other: float) -> Any:
    """Return a step with the differences f(x + one·h) − f(x + other·h) for each entry of x."""
    return lambda s: differences(
        s.f, s.x, s.h, lambda f, x, step: float(f(x + one * step) - f(x + other * step))
    )


ONE = {"divisor": lambda s: s.h}
QUOTIENTS = formulas(
    None,
    "An entry of the gradient is",
    "(f(x + h) − f(x − h)) / (2h)",
    ("forward-differences", "(f(x + h) − f(x)) / h", {"differences": change(1, 0), **ONE}),
    ("forward-differences", "(f(x + h) − f(x)) / (2h)", {"differences": change(1, 0)}),
    ("divided-by-h", "(f(x + h) − f(x − h)) / h", ONE),
    ("rounded", "rounded for integers", {"result": lambda s: s.quotients.astype(s.x.dtype)}),
)


def softmax_probes(draw: int) -> Sequence[tuple[Any, Any]]:
    rng = np.random.default_rng([240, draw])
    sizes = (1, 2), (2, 3), (3, 3), (3,), (2, 2, 4), (3, 3, 3)
    return [
        (rng.dirichlet(np.ones(n), size=lead), rng.normal(size=(*lead, n))) for *lead, n in sizes
    ]


def attention_probes(draw: int) -> list[Probe]:
    rng = np.random.default_rng([241, draw])
    calls = []
    for masked in (False, True):
        for *batch, L_q, L_k, d, d_v in (1, 2, 3, 1), (2, 3, 4, 5), (4, 4, 4, 4), (2, 3, 3, 3, 3):
            q, k, v = qkv(rng, L_q, L_k, d, d_v, batch)
            mask = np.tri(L_q, L_k) > 0 if masked else None
            calls.append(Probe((q, k, v, mask, rng.normal(size=(*batch, L_q, d_v)))))
    large = [Probe((600 * q, 3 * k, *rest)) for q, k, *rest in (calls[n].args for n in (0, 1))]
    return [*calls, *large]


def numeric_probes(draw: int) -> list[Probe]:
    rng = np.random.default_rng([242, draw])
    std = LibraryObject("operator.methodcaller", ("std",), operator.methodcaller)
    cubic = LibraryObject("numpy.poly1d", ([1.0, 0.5, 0.0, 2.0],), np.poly1d)
    calls = [(cubic, np.array(float(rng.uniform(1, 2))))]
    calls += [(std, x) for x in (rng.normal(size=(2, 3)), rng.permutation(4), rng.permutation(6))]
    return [Probe((f, x, float(rng.uniform(0.2, 0.6)))) for f, x in calls]


MISTAKES = Mistakes(
    Recipe(
        softmax_backward,
        softmax_probes,
        (softmax_family("result"),),
        steps={"result": lambda s: softmax_backward(s.p, s.dp)},
    ),
    Recipe(
        gradients.attention_backward,
        attention_probes,
        (ROOTS, SCORES, WEIGHTS, softmax_family("ds"), DQ, DK),
        steps={
            "root": lambda s: np.sqrt(s.k.shape[-1]),
            "scores": lambda s: by_root(scores(s.q, s.k), s),
            "allowed": lambda s: np.ones_like(s.scores) > 0 if s.mask is None else s.mask,
            "masked": lambda s: block(s.scores, s.allowed),
            "large": lambda s: np.exp(s.masked),
            "p": lambda s: softmax(s.masked),
            "dp": lambda s: s.do @ transposed(s.v),
            "ds": lambda s: softmax_backward(s.p, s.dp),
            "dq": lambda s: by_root(s.ds @ s.k, s),
            "unscaled_dk": lambda s: transposed(s.ds) @ s.q,
            "dk": lambda s: by_root(s.unscaled_dk, s),
            "dv": lambda s: transposed(s.p) @ s.do,
            "result": lambda s: [s.dq, s.dk, s.dv],
        },
        results=("dq", "dk", "dv"),
        traits=(Trait(lambda s: s.mask is not None, "with a mask", "without a mask"),),
    ),
    Recipe(
        gradients.numeric_gradient,
        numeric_probes,
        (QUOTIENTS,),
        steps={
            "differences": change(1, -1),
            "divisor": lambda s: 2 * s.h,
            "quotients": lambda s: s.differences / s.divisor,
            "result": lambda s: s.quotients,
        },
    ),
)
