"""Misconceptions about attention between two texts, a layer of a decoder, and its picture.

Examples in real code: keys and values from the target (keitakurita/Practical_NLP_in_PyTorch#1), a
mask on the axis of the queries (keras-io#1046), the memory as the residual (georgepar/slp#26).
"""

from typing import Any

import numpy as np

from autograder.author import Comparison, Family, Mistakes, Probe, Recipe, Step, Trait, chosen
from reference import decoders
from reference.attention import block
from reference.decoders import cross_attention, per_query, self_attention
from reference.figures import image_figure, image_of, tokens_for
from reference.masks import causal_mask
from reference.matrices import head, layer
from reference.misconceptions.formulas import formulas
from reference.misconceptions.one_head import AFTER_PROJECTION, LABELS, divisors, outputs
from reference.misconceptions.scaled_dot_product_attention import FAMILIES, inside_attention
from reference.misconceptions.scaled_dot_product_attention.mixing import RETURNS

Steps = dict[str, Step]


def made(query: str = "x W_q", key: str = "memory W_k", value: str = "memory W_v") -> Steps:
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
    ("matrices-exchanged", "x W_k, m W_q and m W_v", made("x W_k", "memory W_q")),
)


def by_axis(shaped: Any) -> tuple[Step, ...]:
    """Return steps that block scores by a mask of another shape."""
    return tuple(
        lambda s, low=low: (
            s.scaled
            if s.memory_mask is None
            else np.where(shaped(np.asarray(s.memory_mask)).astype(bool), s.scaled, low)
        )
        for low in (-1e9, -np.inf)
    )


BLOCKS = {
    "mask-by-query": (
        "The mask acts on the rows of the scores. It should act on the columns: they are the "
        "tokens of the memory.",
        *by_axis(lambda m: m[..., np.newaxis]),
    ),
    "mask-without-axis": (
        "The mask has no axis for the queries. {Without batch axes, this is right. }If there are "
        "as many texts as target tokens, the mask of text i acts on target token i of every text.",
        *by_axis(lambda m: m),
    ),
    "causal-on-memory": (
        "Cross-attention is causal: target token i sees only the source tokens 0 to i. It should "
        "see the whole memory.",
        lambda s: block(block(s.scaled, s.mask), np.tri(*s.scaled.shape[-2:], dtype=bool)),
    ),
}
CROSS = {
    "Q": lambda s: s.x @ s.W_q,
    "K": lambda s: s.memory @ s.W_k,
    "V": lambda s: s.memory @ s.W_v,
    "mask": lambda s: per_query(s.memory_mask),
    **AFTER_PROJECTION,
    "results": lambda s: (s.output, s.weights),
}
OWN = (
    SOURCES,
    divisors(),
    Family("blocked", (), BLOCKS),
    outputs(),
    *chosen(RETURNS, "results-swapped output-only scores-returned masked-scores-returned"),
)

INNER = formulas(
    "inner",
    "In the self-attention, the tokens that target token i sees are",
    "0 to i",
    ("not-causal", "all", lambda s: seen(s, lambda n: np.ones((n, n), bool))),
    ("later-only", "i and all later ones", lambda s: seen(s, lambda n: causal_mask(n).T)),
    ("next-token-seen", "0 to i + 1", lambda s: seen(s, lambda n: np.tri(n, k=1, dtype=bool))),
    ("itself-not-seen", "0 to i − 1, or 0 for i = 0", lambda s: seen(s, before)),
)


def seen(s: Any, mask: Any) -> Any:
    return self_attention(s.x, s.self_weights, mask(s.x.shape[-2]))


def before(n: int) -> Any:
    return np.tri(n, k=-1, dtype=bool) | (np.arange(n) + np.arange(n)[:, None] == 0)


def crossed(asks: Any, s: Any, *mask: Any) -> Any:
    return cross_attention(asks, s.memory, *s.cross_weights, *mask)[0]


LAYER = formulas(
    None,
    "With y = x + self(x), the result is",
    "y + cross(y)",
    ("first-sum-missing", "self(x) + cross(self(x))", {"y": lambda s: s.inner}),
    ("first-sum-missing", "self(x) + cross(y)", {"result": lambda s: s.inner + s.cross}),
    ("second-sum-missing", "cross(y)", {"result": lambda s: s.cross}),
    ("x-asks", "y + cross(x)", {"cross": lambda s: crossed(s.x, s, s.memory_mask)}),
    ("x-added", "x + cross(y)", {"result": lambda s: s.x + s.cross}),
    ("memory-added", "memory + cross(y)", {"result": lambda s: s.memory + s.cross}),
    ("cross-missing", "y", {"result": lambda s: s.y}),
    ("mask-not-passed", "y + cross(y) without memory_mask", {"cross": lambda s: crossed(s.y, s)}),
)
TRANSPOSED = "The picture is transposed: its rows are the source tokens."
PICTURE = Family("image", (), {"picture-transposed": (TRANSPOSED, lambda s: s.weights.T)})


def real(rng: Any, *shape: int) -> Any:
    mask = rng.random(shape) < 0.5
    mask[..., :2] = [False, True]
    return mask


def cross_probes(draw: int) -> list[Probe]:
    rng = np.random.default_rng([200, draw])
    alike = {"lengths": (3, 3), "widths": (3, 3), "inside": (3, 3)}
    calls = [
        head(rng, lengths=(2, 3), widths=(2, 2), inside=(2, 2)),
        head(rng, **alike),
        head(rng, lengths=(3, 5), widths=(4, 2)),
        head(rng, 2, lengths=(4, 3), widths=(2, 5), inside=(4, 3)),
        head(rng, lengths=(4, 4), widths=(3, 3), inside=(2, 3)),
        (*head(rng, **alike), real(rng, 3)),
        (*head(rng, 3, lengths=(3, 4), widths=(3, 2)), real(rng, 3, 4)),
        (*head(rng, 3, **alike), real(rng, 3, 3)),
        (*head(rng, 2, lengths=(4, 4), widths=(2, 3)), real(rng, 2, 4).astype(int)),
        (*head(rng, 2, 3, lengths=(3, 5), widths=(2, 3)), real(rng, 2, 3, 5)),
    ]
    return [Probe(each) for each in calls]


def layer_probes(draw: int) -> list[Probe]:
    rng = np.random.default_rng([201, draw])
    calls = [
        layer(rng, lengths=(1, 3), widths=(2, 2)),
        layer(rng, lengths=(3, 3), widths=(3, 3)),
        layer(rng, lengths=(4, 4), widths=(3, 3)),
        layer(rng, lengths=(3, 5)),
        layer(rng, lengths=(3, 3), widths=(3, 3), mask=real(rng, 3)),
        layer(rng, 2, lengths=(3, 4), widths=(3, 3), mask=real(rng, 2, 4)),
        layer(rng, 2, lengths=(4, 3), widths=(2, 5), mask=real(rng, 2, 3)),
    ]
    return [Probe(each, condition=50.0) for each in calls]


def picture_probes(draw: int) -> list[Probe]:
    rng = np.random.default_rng([202, draw])
    return [
        Probe((rng.dirichlet(np.ones(m), n), tokens_for(m), tokens_for(n)))
        for n, m in ((2, 3), (3, 3), (4, 2))
    ]


WITH_MASK = Trait(lambda s: s.memory_mask is not None, "with a mask", "without a mask")
MISTAKES = Mistakes(
    Recipe(
        decoders.cross_attention,
        cross_probes,
        OWN,
        CROSS,
        results=("the output", "the weights"),
        traits=(WITH_MASK,),
        labels=LABELS,
        fallbacks=tuple(inside_attention(OWN, FAMILIES)),
    ),
    Recipe(
        decoders.decoder_layer,
        layer_probes,
        (INNER, LAYER),
        {
            "inner": lambda s: self_attention(s.x, s.self_weights),
            "y": lambda s: s.x + s.inner,
            "cross": lambda s: crossed(s.y, s, s.memory_mask),
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
        comparison=Comparison(
            read=image_of,
            sample=lambda s: image_figure(
                [s.image], ("source", "target"), "Alignment", s.source, s.target
            ),
        ),
    ),
)
