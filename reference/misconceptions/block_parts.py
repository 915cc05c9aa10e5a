"""Misconceptions about normalisations, the gate and the residual of a block."""

from typing import Any

import numpy as np

from autograder.author import Family, LibraryObject, Mistakes, Probe, Recipe, constant
from reference import blocks
from reference.blocks import deviations, mean_square, root, sigmoid, silu
from reference.misconceptions.formulas import formulas


def unbiased(s: Any) -> Any:
    return s.square * s.x.shape[-1] / (s.x.shape[-1] - 1)


ROOT = formulas(
    "divisor",
    "The divisor is",
    "√(v + eps), where v is the mean of the squares",
    ("eps-outside-root", "√v + eps", lambda s: np.sqrt(s.square) + s.eps),
    ("eps-missing", "√v", lambda s: np.sqrt(s.square)),
    ("eps-fixed", "√(v + 0.00001) for every eps", lambda s: root(s.square, 1e-5)),
    ("larger-of-two", "the larger of √v and eps", lambda s: root(s.square, 0).clip(s.eps)),
    ("root-missing", "v + eps", lambda s: s.square + s.eps),
    ("root-twice", "√(√v + eps)", lambda s: np.sqrt(np.sqrt(s.square) + s.eps)),
    ("square-for-root", "(v + eps)²", lambda s: (s.square + s.eps) ** 2),
    ("not-divided", "1", lambda s: 1.0),
    ("divided-by-d-minus-1", "√(v·d / (d − 1) + eps)", lambda s: root(unbiased(s), s.eps)),
    ("d-minus-1-and-eps-outside", "√(v·d / (d − 1)) + eps", lambda s: unbiased(s) ** 0.5 + s.eps),
    ("sum-for-mean", "√(v·d + eps)", lambda s: root(s.square * s.x.shape[-1], s.eps)),
    (
        "absolute-values",
        "a mean absolute value",
        lambda s: abs(s.centred).mean(-1)[..., None] + s.eps,
    ),
)


def over(axis: Any, less: int = 0) -> dict[str, Any]:
    """Return steps that take the mean and the variance along another axis."""
    return {
        "centred": lambda s: s.x - s.x.mean(axis, keepdims=True),
        "square": lambda s: s.x.var(axis, keepdims=True, ddof=less),
    }


TOKENS = "The mean is taken over the tokens. Each token should have a mean of its own."
ALL = "All tokens have one common mean. Each token should have a mean of its own."
NO_MEAN = "The mean is not subtracted: x itself is divided by the standard deviation."
RMS_OF_X = "The divisor is the root mean square of x. Subtract the mean of x first."
AS_RMS = "No mean is subtracted: your numbers match an RMS norm, plus b."
AS_LAYER = "The mean is subtracted, as in a layer norm. RMS norm subtracts no mean."
AFTER = "x minus its mean is divided by the root mean square of x. Subtract no mean."
BY_DEVIATION = "The divisor is the standard deviation. It should be the root mean square."
STATISTICS: dict[str, Any] = {
    "statistics-over-tokens": (TOKENS, over(-2), over(0), over(-2, 1), over(0, 1)),
    "statistics-of-all": (ALL, over(None), over(None, 1)),
    "mean-not-subtracted": [
        (NO_MEAN, {"centred": lambda s: s.x, "square": lambda s: mean_square(deviations(s.x))}),
        (AS_RMS, {"centred": lambda s: s.x}),
    ],
    "square-before-mean": (RMS_OF_X, {"square": lambda s: mean_square(s.x)}),
}
RMS: dict[str, Any] = {
    "mean-subtracted": [
        (AS_LAYER, {"centred": lambda s: deviations(s.x)}),
        (AFTER, {"centred": lambda s: deviations(s.x), "square": lambda s: mean_square(s.x)}),
        (BY_DEVIATION, {"square": lambda s: mean_square(deviations(s.x))}),
    ],
    "statistics-over-tokens": (
        TOKENS,
        {"square": lambda s: (s.x**2).mean(-2, keepdims=True)},
        {"square": lambda s: (s.x**2).mean(0)},
    ),
    "statistics-of-all": (ALL, {"square": lambda s: (s.x**2).mean()}),
}
NORMED = "With n for the normalised token, your result is"
GAINS = formulas(
    "result",
    NORMED,
    "g·n + b",
    ("gain-and-shift-exchanged", "b·n + g", lambda s: s.b * s.normed + s.g),
    ("gain-missing", "n + b", lambda s: s.normed + s.b),
    ("shift-missing", "g·n", lambda s: s.g * s.normed),
    ("shift-before-gain", "g·(n + b)", lambda s: s.g * (s.normed + s.b)),
    ("gain-divided", "n / g + b", lambda s: s.normed / s.g + s.b),
    ("one-plus-gain", "(1 + g)·n + b", lambda s: (1 + s.g) * s.normed + s.b),
)
RMS_GAINS = formulas(
    "result",
    NORMED,
    "g·n",
    ("gain-missing", "n", lambda s: s.normed),
    ("gain-added", "n + g", lambda s: s.normed + s.g),
    ("gain-divided", "n / g", lambda s: s.normed / s.g),
    ("one-plus-gain", "(1 + g)·n", lambda s: (1 + s.g) * s.normed),
    ("gain-first", "g·x / √v(g·x)", lambda s: blocks.rms_norm(s.x * s.g, s.g / s.g, s.eps)),
)
ACTIVATION = formulas(
    "activation",
    "With z for x W, the gate is",
    "z·σ(z)",
    ("sigmoid-for-silu", "σ(z)", sigmoid),
    ("relu-for-silu", "max(0, z)", lambda z: z.clip(0)),
    ("gelu-for-silu", "a GELU", lambda z: z / 2 * (1 + np.tanh(0.7979 * z + 0.035677 * z**3))),
    ("tanh-for-silu", "tanh(z)", np.tanh),
    ("tanh-for-silu", "z·tanh(z)", lambda z: z * np.tanh(z)),
    ("no-activation", "z", lambda z: z),
    ("sign-of-exponent", "z·σ(−z)", lambda z: z * sigmoid(-z)),
    ("overflow", "z·e^z / (1 + e^z), NaN for large z", lambda z: z * np.exp(z) / (1 + np.exp(z))),
    means=constant,
)
HIDDEN = formulas(
    "hidden",
    "The hidden vector is",
    "silu(x W) ∘ x V",
    ("matrices-exchanged", "x W ∘ silu(x V)", lambda s: s.z * s.activation(s.value)),
    ("activation-of-product", "silu(x W ∘ x V)", lambda s: s.activation(s.z * s.value)),
    ("both-activated", "silu(x W) ∘ silu(x V)", lambda s: s.gate * s.activation(s.value)),
    ("added-for-multiplied", "silu(x W) + x V", lambda s: s.gate + s.value),
    ("one-matrix-only", "silu(x W)", lambda s: s.gate),
    ("one-matrix-only", "x V", lambda s: s.value),
    ("one-matrix-only", "silu(x W) ∘ x W", lambda s: s.gate * s.z),
    ("one-matrix-only", "silu(x V) ∘ x V", lambda s: s.activation(s.value) * s.value),
    ("silu-before-matrix", "silu(x) W ∘ x V", lambda s: silu(s.x) @ s.W * s.value),
)
MATRICES = formulas(
    "result",
    "With h for the hidden vector, your result is",
    "h W2",
    ("W2-missing", "h", lambda s: s.hidden),
    ("silu-at-the-end", "silu((x W ∘ x V) W2)", lambda s: s.activation((s.z * s.value) @ s.W2)),
    ("matrix-transposed", "h W2ᵀ", lambda s: s.hidden @ s.W2.T),
    ("residual-added", "x + h W2", lambda s: s.x + s.hidden @ s.W2),
)
TRANSPOSED = formulas(
    None,
    "Your hidden vector is computed from",
    "x W and x V",
    ("matrix-transposed", "x Wᵀ and x V", {"z": lambda s: s.x @ s.W.T}),
    ("matrix-transposed", "x W and x Vᵀ", {"value": lambda s: s.x @ s.V.T}),
)
RESIDUAL = formulas(
    blocks.pre_norm,
    "Your result is",
    "x + f(norm(x))",
    ("post-norm", "norm(x + f(x))", lambda x, f, norm: norm(x + f(x))),
    ("residual-normalised", "norm(x) + f(norm(x))", lambda x, f, norm: norm(x) + f(norm(x))),
    ("residual-missing", "f(norm(x))", lambda x, f, norm: f(norm(x))),
    ("norm-missing", "x + f(x)", lambda x, f, norm: x + f(x)),
    ("f-missing", "x + norm(x)", lambda x, f, norm: x + norm(x)),
    ("norm-after-f", "x + norm(f(x))", lambda x, f, norm: x + norm(f(x))),
    ("norm-twice", "norm(x + f(norm(x)))", lambda x, f, norm: norm(x + f(norm(x)))),
    ("norm-twice", "x + norm(f(norm(x)))", lambda x, f, norm: x + norm(f(norm(x)))),
    ("sum-before-f", "f(x + norm(x))", lambda x, f, norm: f(x + norm(x))),
    ("f-of-x", "norm(x) + f(x)", lambda x, f, norm: norm(x) + f(x)),
    ("subtracted", "x − f(norm(x))", lambda x, f, norm: x - f(norm(x))),
    ("multiplied", "x ∘ f(norm(x))", lambda x, f, norm: x * f(norm(x))),
)


def norm_probes(draw: int, vectors: int) -> list[Probe]:
    rng = np.random.default_rng([190, draw])
    sizes = (1, 2), (2, 2), (3, 4), (4, 4), (3,), (2, 3, 4), (3, 3, 3)
    drawn = [rng.normal(size=size) for size in sizes]
    calls = [(x, *rng.normal(size=(vectors, x.shape[-1]))) for x in drawn]
    plain = [(x, *np.eye(vectors)[0][:, None].repeat(x.shape[-1], 1)) for x in drawn[:3]]
    tiny = [(1e-4 * x, *rest) for x, *rest in calls[:4]]
    other = [Probe(args, {"eps": float(rng.uniform(0.5, 3))}) for args in (calls[0], *calls[2:5])]
    equal = np.full((2, 3), 2.0), *rng.normal(size=(vectors, 3))  # shows only the shift
    return [*(Probe(args) for args in (*plain, *calls, *tiny, equal)), *other]


def gate_probes(draw: int) -> list[Probe]:
    rng = np.random.default_rng([191, draw])
    calls = []
    for *size, d, hidden in (1, 2, 1), (3, 2, 4), (4, 3, 3), (3, 3, 3), (3, 2), (2, 3, 4, 5):
        shapes = (*size, d), (d, hidden), (d, hidden), (hidden, d)
        calls.append(Probe(tuple(rng.normal(size=each) for each in shapes)))
    for same in (True, False):  # for large z, silu(z) is z; for V = W, no exchange shows
        x, W, V, W2 = calls[1].args
        calls.append(Probe((x, W, W, W2) if same else (60 + abs(x), 1 + abs(W), V, W2)))
    for top in (-900.0 - 50 * draw, 900.0 + 50 * draw, 800.0 + 50 * draw):
        x = np.array([[top, 1.0], [1.0, 0.5]])
        calls.append(Probe((x, np.eye(2), *rng.normal(size=(2, 2, 2)) / 1000)))
    return calls


def residual_probes(draw: int) -> list[Probe]:
    rng = np.random.default_rng([192, draw])
    calls = []
    for size in (1, 2), (3,), (2, 3), (3, 3):
        drawn = (np.round(rng.uniform(0.5, 2, n), 2).tolist() for n in (3, 2))
        f, norm = (LibraryObject("numpy.poly1d", (each,), np.poly1d) for each in drawn)
        calls.append(Probe((rng.normal(size=size), f, norm)))
    return calls


def norm_recipe(of: Any, *families: Family) -> Recipe:
    is_layer = of is blocks.layer_norm
    steps = {
        "centred": lambda s: deviations(s.x) if is_layer else s.x,
        "square": lambda s: mean_square(s.centred),
        "divisor": lambda s: root(s.square, s.eps),
        "normed": lambda s: s.centred / s.divisor,
        "result": lambda s: s.g * s.normed + (s.b if is_layer else 0.0),
    }
    return Recipe(of, lambda draw: norm_probes(draw, 1 + is_layer), (ROOT, *families), steps)


GATE = {
    "activation": lambda s: silu,
    "z": lambda s: s.x @ s.W,
    "gate": lambda s: s.activation(s.z),
    "value": lambda s: s.x @ s.V,
    "hidden": lambda s: s.gate * s.value,
    "result": lambda s: s.hidden @ s.W2,
}
MISTAKES = Mistakes(
    norm_recipe(blocks.layer_norm, Family(None, (), STATISTICS), GAINS),
    norm_recipe(blocks.rms_norm, Family(None, (), RMS), RMS_GAINS),
    Recipe(blocks.swiglu, gate_probes, (ACTIVATION, HIDDEN, MATRICES, TRANSPOSED), GATE),
    Recipe(blocks.pre_norm, residual_probes, (RESIDUAL,)),
)
