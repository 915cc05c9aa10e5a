"""Misconceptions about attention between two texts, a layer of a decoder, and its picture.

Examples in real code: keys and values from the target (keitakurita/Practical_NLP_in_PyTorch#1), a
mask on the axis of the queries (keras-io#1046), the memory as the residual (georgepar/slp#26).
"""

from typing import Any

import numpy as np

from autograder.author import Comparison, Family, Mistakes, Probe, Recipe, Step, Trait
from reference import decoders
from reference.attention import attention, block, combine, scale, scores, softmax
from reference.decoders import cross_attention, per_query, self_attention
from reference.figures import image_of, tokens_for
from reference.masks import causal_mask
from reference.misconceptions.formulas import formulas
from reference.misconceptions.scaled_dot_product_attention import FAMILIES, inside_attention

Steps = dict[str, Step]


def made(query: str = "x W_q", key: str = "memory W_k", value: str = "memory W_v") -> Steps:
    """Return steps that make Q, K and V as formulas such as `x W_q` say."""

    def step(formula: str) -> Step:
        text, matrix = formula.split()
        return lambda s: getattr(s, text) @ getattr(s, matrix)

    return {"Q": step(query), "K": step(key), "V": step(value)}


SOURCES = formulas(
    None,
    "With m for the memory, queries, keys and values are",
    "x W_q, m W_k and m W_v",
    ("keys-from-x", "x W_q, x W_k and m W_v", made(key="x W_k")),
    ("values-from-x", "x W_q, m W_k and x W_v", made(value="x W_v")),
    ("self-attention", "x W_q, x W_k and x W_v", made(key="x W_k", value="x W_v")),
    ("memory-only", "m W_q, m W_k and m W_v", made("memory W_q")),
    ("texts-exchanged", "m W_q, x W_k and x W_v", made("memory W_q", "x W_k", "x W_v")),
    ("texts-exchanged", "m W_q, x W_k and m W_v", made("memory W_q", "x W_k")),
    ("matrices-exchanged", "x W_k, m W_q and m W_v", made("x W_k", "memory W_q")),
    ("matrices-exchanged", "x W_q, m W_v and m W_k", made("x W_q", "memory W_v", "memory W_k")),
    ("matrix-twice", "x W_q, m W_q and m W_v", made(key="memory W_q")),
    ("values-not-projected", "x W_q, m W_k and m", {"V": lambda s: s.memory}),
)
SCALES = formulas(
    "scaled",
    "The divisor of the scores is",
    "the root of the number of columns of W_k",
    ("not-scaled", "1", lambda s: 1.0),
    ("scaled-by-width", "the root of the width of x", lambda s: np.sqrt(s.x.shape[-1])),
    ("scaled-by-width", "the root of the width of memory", lambda s: np.sqrt(s.memory.shape[-1])),
    ("scaled-without-root", "the number of columns of W_k", lambda s: s.W_k.shape[-1]),
    (
        "scaled-by-values",
        "the root of the number of columns of W_v",
        lambda s: s.V.shape[-1] ** 0.5,
    ),
    means=lambda by: lambda s: s.scores / by(s),
)
PADDING = (
    "If you remove the padding from the memory, which of your numbers change?",
    "Padding gets the weight 0, and each row sums to 1. All rows of the scores have the same mask.",
    "Look at the place where the mask acts, and at its shape: it needs an axis for the queries.",
)


def by_axis(shaped: Any) -> tuple[Step, ...]:
    """Return steps that block, with a fill that is low or infinite, by a mask of another shape."""
    return tuple(
        lambda s, low=low: (
            s.scaled
            if s.memory_mask is None
            else np.where(shaped(np.asarray(s.memory_mask)).astype(bool), s.scaled, low)
        )
        for low in (-1e9, -np.inf)
    )


def causal(x: Any, memory: Any) -> Any:
    return np.tri(x.shape[-2], memory.shape[-2], dtype=bool)


CAUSAL = (
    "Cross-attention is causal: target token i sees only the source tokens 0 to i. It should see "
    "the whole memory."
)
BLOCKS = {
    "mask-by-query": (
        "The mask acts on the rows of the scores. It should act on the columns: they are the "
        "tokens of the memory.",
        *by_axis(lambda m: m[..., np.newaxis]),
    ),
    "mask-without-axis": (
        "The mask has no axis for the queries. {Without batch axes, this is right. With|With} as "
        "many texts as target tokens, row i of the mask acts on target token i.",
        *by_axis(lambda m: m),
    ),
    "causal-on-memory": (
        CAUSAL,
        lambda s: block(block(s.scaled, s.mask), causal(s.x, s.memory)),
    ),
}
OUTPUTS = formulas(
    "output",
    "With w for the weights and V for the values, the output is",
    "w V W_o",
    ("W_o-missing", "w V", lambda s: s.weights @ s.V),
    ("W_o-transposed", "w V W_oᵀ", lambda s: s.weights @ s.V @ s.W_o.T),
    ("residual-added", "x + w V W_o", lambda s: s.x + s.weights @ s.V @ s.W_o),
    ("memory-added", "m + w V W_o", lambda s: s.memory + s.weights @ s.V @ s.W_o),
)
RETURNS = {
    "results-swapped": (
        "The weights come first, then the output.",
        lambda s: (s.weights, s.output),
    ),
    "output-only": ("Only the output is returned. The weights are missing.", lambda s: s.output),
    "scores-returned": (
        "{The output is right, but the|The} scaled scores are returned instead of the weights.",
        lambda s: (s.output, s.blocked),
        lambda s: (s.output, s.scaled),
    ),
}
CROSS = {
    "Q": lambda s: s.x @ s.W_q,
    "K": lambda s: s.memory @ s.W_k,
    "V": lambda s: s.memory @ s.W_v,
    "mask": lambda s: per_query(s.memory_mask),
    "scores": lambda s: scores(s.Q, s.K),
    "scaled": lambda s: scale(s.scores, s.W_k.shape[-1]),
    "blocked": lambda s: block(s.scaled, s.mask),
    "weights": lambda s: softmax(s.blocked),
    "output": lambda s: combine(s.weights, s.V) @ s.W_o,
    "results": lambda s: (s.output, s.weights),
}
OWN = (
    SOURCES,
    SCALES,
    Family("blocked", PADDING, BLOCKS),
    OUTPUTS,
    Family("results", (), RETURNS),
)

INNER = formulas(
    "inner",
    "In the self-attention, target token i sees",
    "0 to i",
    ("not-causal", "all target tokens", lambda s: seen(s, lambda n: np.ones((n, n), bool))),
    ("later-only", "i and later target tokens", lambda s: seen(s, lambda n: causal_mask(n).T)),
    ("next-token-seen", "0 to i + 1", lambda s: seen(s, lambda n: np.tri(n, k=1, dtype=bool))),
)


def seen(s: Any, mask: Any) -> Any:
    return self_attention(s.x, s.self_weights, mask(s.x.shape[-2]))


def unscaled(s: Any) -> Any:
    """Return self-attention whose scores are not divided."""
    W_q, *rest = s.self_weights
    return self_attention(s.x, (W_q * np.sqrt(W_q.shape[-1]), *rest))


def crossed(asks: Any, s: Any, matrices: Any = None, seen: Any = True) -> Any:
    """Return cross-attention with other queries or matrices, or with a further mask."""
    W_q, W_k, W_v, W_o = matrices or s.cross_weights
    given = True if s.memory_mask is None else np.asarray(per_query(s.memory_mask)) > 0
    answers = s.memory @ W_k, s.memory @ W_v
    return attention(asks @ W_q, *answers, np.atleast_2d(given & seen))[0] @ W_o


LAYER = formulas(
    None,
    "With y = x + self(x), the result is",
    "y + cross(y)",
    ("first-sum-missing", "self(x) + cross(self(x))", {"y": lambda s: s.inner}),
    ("first-sum-missing", "self(x) + cross(y)", {"result": lambda s: s.inner + s.cross}),
    ("second-sum-missing", "cross(y)", {"result": lambda s: s.cross}),
    ("x-asks", "y + cross(x)", {"cross": lambda s: crossed(s.x, s)}),
    ("self-asks", "y + cross(self(x))", {"cross": lambda s: crossed(s.inner, s)}),
    ("x-added", "x + cross(y)", {"result": lambda s: s.x + s.cross}),
    ("x-added", "x + y + cross(y)", {"result": lambda s: s.x + s.y + s.cross}),
    ("memory-added", "memory + cross(y)", {"result": lambda s: s.memory + s.cross}),
    ("cross-missing", "y", {"result": lambda s: s.y}),
)
MIXED: dict[str, Any] = {
    "parts-exchanged": (
        "Cross-attention comes first, and self-attention second.",
        {
            "y": lambda s: s.x + crossed(s.x, s),
            "result": lambda s: s.y + self_attention(s.y, s.self_weights),
        },
    ),
    "mask-not-passed": (
        "Padding gets weight: memory_mask has no effect in decoder_layer.",
        {"cross": lambda s: cross_attention(s.y, s.memory, *s.cross_weights)[0]},
    ),
    "causal-on-memory": (
        CAUSAL,
        {"cross": lambda s: crossed(s.y, s, seen=causal(s.y, s.memory))},
    ),
    "matrices-of-the-other": (
        "Cross-attention uses self_weights. It should use cross_weights.",
        {"cross": lambda s: crossed(s.y, s, s.self_weights)},
    ),
    "self-not-scaled": (
        "The scores of the self-attention are not divided by the root of the width of the keys.",
        {"inner": unscaled},
    ),
}
PICTURE = Family(
    "image",
    (),
    {
        "picture-transposed": (
            "The picture is transposed: its rows are the source tokens.",
            lambda s: s.weights.T,
        ),
        "upside-down": (
            "The first row of the picture, by its labels, is the last target token.",
            lambda s: s.weights[::-1],
        ),
        "rows-stretched": (
            "Each row is divided by its largest weight. Draw the unchanged weights.",
            lambda s: s.weights / s.weights.max(1, keepdims=True),
        ),
    },
)


def arguments(rng: Any, *batch: int, lengths: Any, widths: Any, inside: Any = (3, 2)) -> list[Any]:
    """Return random x, memory, W_q, W_k, W_v and W_o."""
    (d, wide), (d_k, d_v) = widths, inside
    sizes = (*batch, lengths[0], d), (*batch, lengths[1], wide)
    shapes = *sizes, (d, d_k), (wide, d_k), (wide, d_v), (d_v, d)
    return [rng.normal(size=shape) for shape in shapes]


def real(rng: Any, *shape: int) -> Any:
    """Return a mask in which the first token is padding and the second is real."""
    mask = rng.random(shape) < 0.5
    mask[..., :2] = [False, True]
    return mask


def cross_probes(draw: int) -> list[Probe]:
    rng = np.random.default_rng([200, draw])
    alike = {"lengths": (3, 3), "widths": (3, 3), "inside": (3, 3)}
    plain = [
        arguments(rng, lengths=(2, 3), widths=(2, 2), inside=(2, 2)),
        arguments(rng, **alike),
        arguments(rng, lengths=(3, 5), widths=(4, 2)),
        arguments(rng, 2, lengths=(4, 3), widths=(2, 5), inside=(4, 3)),
        arguments(rng, lengths=(4, 4), widths=(3, 3), inside=(2, 3)),
    ]
    both = [
        (arguments(rng, **alike), real(rng, 3)),
        (arguments(rng, 3, lengths=(3, 4), widths=(3, 2)), real(rng, 3, 4)),
        (arguments(rng, 3, **alike), real(rng, 3, 3)),
        (arguments(rng, 2, lengths=(4, 4), widths=(2, 3)), real(rng, 2, 4).astype(int)),
        (arguments(rng, 2, 3, lengths=(3, 5), widths=(2, 3)), real(rng, 2, 3, 5)),
    ]
    return [
        *(Probe(tuple(each)) for each in plain),
        *(Probe((*each, mask)) for each, mask in both),
    ]


def layer_probes(draw: int) -> list[Probe]:
    rng = np.random.default_rng([201, draw])
    calls = []
    for batch, lengths, widths, with_mask in (
        ((), (1, 3), (2, 2), False),
        ((), (3, 3), (3, 3), False),
        ((), (4, 4), (3, 3), False),
        ((), (3, 5), (4, 2), False),
        ((), (3, 3), (3, 3), True),
        ((2,), (3, 4), (3, 3), True),
        ((2,), (4, 3), (2, 5), True),
    ):
        x, memory, *cross = arguments(rng, *batch, lengths=lengths, widths=widths)
        d = widths[0]
        inside = arguments(rng, lengths=(1, 1), widths=(d, d))[2:]
        mask = [real(rng, *batch, lengths[1])] if with_mask else []
        calls.append(Probe((x, memory, tuple(inside), tuple(cross), *mask), condition=50.0))
    return calls


def picture_probes(draw: int) -> list[Probe]:
    rng = np.random.default_rng([202, draw])
    return [
        Probe((rng.dirichlet(np.ones(m), n), tokens_for(m), tokens_for(n)))
        for n, m in ((2, 3), (3, 3), (4, 2))
    ]


def _figure(s: Any) -> Any:
    """Return a figure with one image, as a student's function should make the figure."""
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.add_subplot()
    figure.colorbar(axes.imshow(s.image))
    axes.set(xlabel="source", ylabel="target", title="Alignment")
    axes.set_xticks(range(len(s.source)), s.source)
    axes.set_yticks(range(len(s.target)), s.target)
    return figure


WITH_MASK = Trait(lambda s: s.memory_mask is not None, "with a mask", "without a mask")
MISTAKES = Mistakes(
    Recipe(
        decoders.cross_attention,
        cross_probes,
        OWN,
        CROSS,
        results=("the output", "the weights"),
        traits=(WITH_MASK,),
        labels={"scaled": "the scaled scores", "weights": "the weights", "output": "the output"},
        fallbacks=tuple(inside_attention(OWN, FAMILIES)),
    ),
    Recipe(
        decoders.decoder_layer,
        layer_probes,
        (INNER, LAYER, Family(None, (), MIXED)),
        {
            "inner": lambda s: self_attention(s.x, s.self_weights),
            "y": lambda s: s.x + s.inner,
            "cross": lambda s: crossed(s.y, s),
            "result": lambda s: s.y + s.cross,
        },
        traits=(WITH_MASK,),
        labels={"inner": "the self-attention", "y": "y", "cross": "the cross-attention"},
    ),
    Recipe(
        "plot_alignment",
        picture_probes,
        (PICTURE,),
        {"image": lambda s: s.weights},
        ("weights", "source", "target"),
        comparison=Comparison(read=image_of, sample=_figure),
    ),
)
