"""Misconceptions about pictures of attention: the values drawn, and their order.

The checks themselves recognise mistakes in labels, ticks and written numbers.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.author import (
    Comparison,
    Fact,
    Family,
    Hints,
    Mistakes,
    Probe,
    Recipe,
    Step,
    constant,
)
from reference.attention import block, softmax
from reference.figures import image_figure, image_of, panels_shown, tokens_for
from reference.masks import blocked_keep_weight, causal_mask, match_another_mask
from reference.misconceptions.formulas import formulas
from reference.misconceptions.reductions import ratio, shares_along

IMAGE: Hints = (
    "Which row of the matrix is the top row of your picture?",
    "Row i of the image should show row i of the weights. Do not turn, scale or normalise the "
    "weights.",
    "Look at what you pass to imshow (or pcolormesh), and at which end each axis begins.",
)
PANELS: Hints = (
    "What does each of the three pictures show, from left to right?",
    "The first picture should show the mask. The second should show the softmax of the scores. "
    "For the third, make the blocked scores very low, and then take the softmax.",
    "Print the three matrices before you draw them from left to right.",
)
MASKED: Hints = (
    "After your mask has acted, does each row of the third picture still sum to 1?",
    "Apply the mask to the scores, before the softmax. The scores are already scaled.",
    "Put −∞ where the mask is false, and take the softmax along the last axis.",
)


def of_weights(change: Callable[[Any], Any]) -> Step:
    return lambda s: change(np.asarray(s.weights))


PICTURE = (
    formulas(
        "image",
        "The picture shows",
        "the unchanged weights",
        ("inverted-values", "1 − weight", lambda w: 1 - w),
        ("softmax-again", "a softmax of the weights", softmax),
        ("stretched", "all weights divided by the largest weight", lambda w: w / w.max()),
        ("percent", "percentages (0 to 100)", lambda w: 100 * w),
        hints=IMAGE,
        means=of_weights,
    ),
    Family(
        "image",
        IMAGE,
        means=of_weights,
        ways={
            "picture-transposed": (
                "The picture is transposed: its rows are the keys. The rows should be the queries.",
                lambda w: w.T,
            ),
            "upside-down": (
                "The picture is upside down: its first row is the last query.",
                lambda w: w[::-1],
            ),
            "left-to-right": (
                "The picture is mirrored: its first column is the last key.",
                lambda w: w[:, ::-1],
            ),
        },
    ),
)


def _m(s: Any) -> Any:
    return np.asarray(s.mask).astype(float)


def _at_turned(s: Any) -> Any:
    made = np.array(s.scores)
    made[~np.asarray(s.mask)] = -1e9
    return softmax(made)


EFFECT = (
    Family(
        "panels",
        PANELS,
        {
            "with-before-without": (
                "The last two pictures are exchanged: the weights without the mask should come "
                "before the weights with the mask.",
                lambda s: (s.shown, s.masked, s.plain),
            ),
            "mask-last": (
                "The mask is the last picture. It should be the first.",
                lambda s: (s.plain, s.masked, s.shown),
            ),
            "mask-inverted-picture": (
                "The first picture shows the inverted mask. It should be true where a query may "
                "attend.",
                {"shown": lambda s: 1 - _m(s)},
            ),
            "difference": (
                "The third picture shows the weights with the mask minus the weights without the "
                "mask. It should show the weights with the mask.",
                {"masked": lambda s: softmax(block(s.scores, s.mask)) - s.plain},
            ),
            "first-two-only": (
                "The third picture, with the weights under the mask, is missing.",
                lambda s: (s.shown, s.plain),
            ),
        },
    ),
    Family(
        "masked",
        MASKED,
        {
            "no-mask-in-third": (
                "The third picture is the same as the second: the mask has no effect.",
                lambda s: s.plain,
            ),
            "mask-after-softmax": (
                "In the third picture, the mask acts as if after the softmax{: the rows no longer "
                "sum to 1}.",
                lambda s: s.plain * _m(s),
            ),
            "mask-taken-the-other-way": (
                "In the third picture, the mask is inverted: the allowed entries are blocked.",
                lambda s: softmax(np.where(_m(s) > 0, -1e9, s.scores)),
                lambda s: softmax(np.where(_m(s) > 0, -np.inf, s.scores)),
                lambda s: softmax(s.scores - 1e9 * _m(s)),
            ),
            "mask-turned-by-tilde": [
                (
                    "In the third picture, `~` does not exchange the numbers 0 and 1 of the mask. "
                    f"Whole numbers become −1 and −2, which {effect}.",
                    *ways,
                )
                for effect, *ways in (
                    (
                        "count as True, so every key is blocked",
                        lambda s: softmax(np.where(~np.asarray(s.mask), -1e9, s.scores)),
                        lambda s: softmax(np.where(~np.asarray(s.mask), -np.inf, s.scores)),
                    ),
                    ("as an index are the last two rows, so these are blocked", _at_turned),
                )
            ],
            "blocked-scores-zero": (
                "In the third picture, the blocked scores are 0, so they still get weight: exp(0) "
                "is 1.",
                lambda s: softmax(s.scores * _m(s)),
            ),
        },
    ),
    Family(
        "share",
        MASKED,
        means=constant,
        ways={
            "softmax-over-queries": (
                "In both pictures of weights, the softmax runs over each column. It should run "
                "over each row.",
                lambda x: softmax(x, 0),
                lambda x: shares_along(x, 0),
            ),
            "sum-over-queries": (
                "In both pictures of weights, each exponential is divided by the sum of its "
                "column. It should be divided by the sum of its row.",
                lambda x: ratio(np.exp(x - x.max(1, keepdims=True)), 0),
            ),
            "softmax-over-everything": (
                "In both pictures of weights, one softmax runs over the whole array. It should "
                "run over each row.",
                lambda x: softmax(x, None),
                lambda x: shares_along(x, None),
            ),
            "exponentials-only": (
                "In both pictures of weights, the exponentials are not divided by their sum.",
                np.exp,
                lambda x: np.exp(x - x.max(1, keepdims=True)),
            ),
            "scaled-again": (
                "Both pictures of weights match scores divided by the root of the number of keys. "
                "The scores are already scaled.",
                lambda x: softmax(x / np.sqrt(x.shape[-1])),
            ),
        },
    ),
)


THIRD = tuple(
    Fact(name, holds, f"In the third picture, {says}.", name not in {"rows", "another-mask"})
    for name, says, holds in (
        (
            "masked-scores",
            "the allowed cells show the scores. They should show weights, from a softmax",
            lambda s, v: np.allclose(v[2][_m(s) > 0], s.scores[_m(s) > 0]),
        ),
        (
            "blocked-scores-not-low",
            "blocked keys get weight, as in a softmax whose blocked scores are not low enough",
            lambda s, v: blocked_keep_weight(v[2], s.masked, s.blocked),
        ),
        (
            "another-mask",
            "the weights match a softmax with another mask: other keys are blocked",
            lambda s, v: match_another_mask(v[2], s.scores),
        ),
        (
            "softmax-over-queries",
            "each column sums to 1, instead of each row",
            lambda s, v: np.allclose(v[2].sum(0), 1) and not np.allclose(v[2].sum(1), 1),
        ),
        ("rows", "not every row sums to 1", lambda s, v: not np.allclose(v[2].sum(1), 1)),
    )
)


def picture_probes(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([90, draw])
    return [Probe((softmax(rng.normal(scale=1.5, size=(n, n))), tokens_for(n))) for n in (2, 3, 5)]


def effect_probes(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([91, draw])
    other = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]])
    return [
        Probe((rng.normal(size=(n, n)), mask))
        for n, mask in ((3, causal_mask(3)), (4, 1 * causal_mask(4)), (3, other))
    ]


def _attention_figure(s: Any) -> Any:
    figure = image_figure([s.image], ("key", "query"), s.title or "", s.tokens, s.tokens)
    for (i, j), weight in np.ndenumerate(np.asarray(s.weights)):
        figure.axes[0].text(j, i, f"{weight:.2f}", backgroundcolor="white")
    return figure


MISTAKES = Mistakes(
    Recipe(
        "plot_attention",
        picture_probes,
        PICTURE,
        steps={"image": lambda s: np.asarray(s.weights)},
        parameters=("weights", "tokens", "title"),
        defaults={"title": None},
        comparison=Comparison(read=image_of, sample=_attention_figure),
    ),
    Recipe(
        "plot_mask_effect",
        effect_probes,
        EFFECT,
        steps={
            "shown": _m,
            "share": lambda s: softmax,
            "plain": lambda s: s.share(s.scores),
            "blocked": lambda s: block(s.scores, s.mask),
            "masked": lambda s: s.share(s.blocked),
            "panels": lambda s: (s.shown, s.plain, s.masked),
        },
        parameters=("scores", "mask"),
        results=("the mask", "the weights without it", "the weights with it"),
        axes=lambda s: {"L": len(s.scores)},
        facts=THIRD,
        labels={
            "shown": "the mask",
            "plain": "the weights without the mask",
            "blocked": "the masked scores",
            "masked": "the weights with the mask",
        },
        comparison=Comparison(read=panels_shown, sample=lambda s: image_figure(s.panels)),
    ),
)
