"""Misconceptions about attention in several heads.

Examples in real code: heads that are declared and never split (S1 of the course's sources), a mask
whose batch axis meets the heads (S4), scaling by the model's width (karpathy/ng-video-lecture#6).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.diagnosis import (
    Comparison,
    Family,
    Mistakes,
    Probe,
    Recipe,
    Step,
    Trait,
)
from autograder.diagnosis.blueprint import Blueprint, single
from reference.attention import block, combine, scale, scores, softmax
from reference.heads import merge_heads, split_heads
from reference.misconceptions.multi_head_reshape import BACK, BLOCKS
from reference.misconceptions.scaled_dot_product_attention.masking import (
    BLOCKING,
    MASKING,
    fill,
    masked,
)
from reference.misconceptions.scaled_dot_product_attention.products import SCORES
from reference.misconceptions.scaled_dot_product_attention.scaling import SCALE, SCALING, divided
from reference.misconceptions.scaled_dot_product_attention.weights import ROWS, WEIGHTS
from reference.misconceptions.self_attention.whole import ORDER, OUT, WHICH
from reference.misconceptions.torch_words import chosen
from reference.parts import WORDS

MATRICES = ("W_q", "W_k", "W_v", "W_o")
STEPS = {
    "queries": lambda s: s.x @ s.W_q.T,
    "keys": lambda s: s.x @ s.W_k.T,
    "values": lambda s: s.x @ s.W_v.T,
    "split": lambda s: lambda t: split_heads(t, s.num_heads),
    "Q": lambda s: s.split(s.queries),
    "K": lambda s: s.split(s.keys),
    "V": lambda s: s.split(s.values),
    "mask": lambda s: with_head_axis(s.allowed),
    "scores": lambda s: scores(s.Q, s.K),
    "scaled": lambda s: scale(s.scores, s.Q.shape[-1]),
    "blocked": lambda s: block(s.scaled, s.mask),
    "weights": lambda s: softmax(s.blocked),
    "output": lambda s: combine(s.weights, s.V),
    "merged": lambda s: merge_heads(s.output),
    "projected": lambda s: s.merged @ s.W_o.T,
    "results": lambda s: (s.projected, s.weights),
}


def with_head_axis(mask: Any) -> Any:
    """A mask `(B, L, L)` as `(B, 1, L, L)`; others as they are."""
    return mask[:, None] if mask is not None and mask.ndim == 3 else mask


def of_each(change: Callable[[Any, int], Any]) -> Step:
    """The same change in the split of queries, keys and values."""
    return lambda s: lambda t: change(t, s.num_heads)


def _parts(x: Any, h: int) -> Any:
    """(B, L, H, E/H)."""
    return x.reshape(*x.shape[:2], h, x.shape[2] // h)


def _whole(s: Any) -> Any:
    """Scores of a single head that has all features, scaled as if it were one of H."""
    return scores(s.queries, s.keys) / np.sqrt(s.d_model // s.num_heads)


def _never_split(by: Step) -> dict[str, Step]:
    def weights(s: Any) -> Any:
        mask = None if s.allowed is None else s.allowed.reshape(-1, *s.allowed.shape[-2:])
        return softmax(block(scores(s.queries, s.keys) / by(s), mask))

    return {"weights": weights, "merged": lambda s: s.weights @ s.values, "output": lambda s: s.V}


MISCONCEPTIONS = (
    Family(
        None,
        BLOCKS,
        {
            # S1 of the course's sources
            "never-split": (
                "The heads are never split: your numbers are those of a single head with all "
                "features, scaled by the size of a head.",
                _never_split(lambda s: np.sqrt(s.d_model // s.num_heads)),
            ),
            "one-head-only": (
                "The heads are never split: your numbers are those of a single head with all "
                "features.",
                _never_split(lambda s: np.sqrt(s.d_model)),
            ),
        },
    ),
    Family(
        "split",
        BLOCKS,
        means=of_each,
        ways={
            "reshape-only": (
                "The features are cut straight into (B, H, L, d), without a transpose: the words "
                "are mixed.",
                lambda x, h: x.reshape(x.shape[0], h, x.shape[1], -1),
            ),
            "interleaved": (
                "The features are dealt out to the heads in turn (0, H, 2H, … to head 0); each "
                "head should get a block of neighbours.",
                lambda x, h: x.reshape(*x.shape[:2], -1, h).transpose(0, 3, 1, 2),
            ),
            "heads-reversed": (
                "The heads are in reverse order: head 0 has the last features.",
                lambda x, h: split_heads(x, h)[:, ::-1],
            ),
            "first-block-for-all": (
                "Every head gets the first block of features.",
                lambda x, h: np.repeat(split_heads(x, h)[:, :1], h, axis=1),
            ),
        },
    ),
    Family(
        "merged",
        BACK,
        {
            "merged-without-moving": (
                "The heads are merged without moving them back behind the positions: the words are "
                "mixed.",
                lambda s: s.output.reshape(s.x.shape),
            ),
            "merged-interleaved": (
                "The heads are merged with their features in turn; each head's features should "
                "stand together.",
                lambda s: s.output.transpose(0, 2, 3, 1).reshape(s.x.shape),
            ),
            "merged-in-reverse": (
                "The heads are merged in reverse order.",
                lambda s: merge_heads(s.output[:, ::-1]),
            ),
            "heads-averaged": (
                "The heads' outputs are averaged, and the mean stands in each head's place; they "
                "should stand side by side.",
                lambda s: np.tile(s.output.mean(1), s.num_heads),
            ),
            "heads-added": (
                "The heads' outputs are added up, and the sum stands in each head's place; they "
                "should stand side by side.",
                lambda s: np.tile(s.output.sum(1), s.num_heads),
            ),
            "first-head-for-all": (
                "The output of head 0 stands in every head's place.",
                lambda s: np.tile(s.output[:, 0], s.num_heads),
            ),
        },
    ),
    Family(
        "scaled",
        SCALE,
        means=divided,
        ways={
            "root-of-d-model": (
                "Your numbers are those of scores divided by √d_model; each head has keys of "
                "d_model / num_heads features only.",
                lambda s: np.sqrt(s.d_model),
            ),
            "divides-by-d-model": (
                "Your numbers are those of scores divided by d_model.",
                lambda s: s.d_model,
            ),
            "root-of-num-heads": (
                "Your numbers are those of scores divided by √num_heads, not by the root of a "
                "head's size.",
                lambda s: np.sqrt(s.num_heads),
            ),
            "divides-by-num-heads": (
                "Your numbers are those of scores divided by num_heads.",
                lambda s: s.num_heads,
            ),
        },
    ),
    Family(
        "weights",
        ROWS,
        {
            "softmax-over-heads": (
                "The softmax runs over the heads: the weights of the heads sum to 1, not those of "
                "a row.",
                lambda s: softmax(s.blocked, axis=1),
            ),
        },
    ),
    Family(
        "mask",
        BLOCKING,
        {
            # S4 of the course's sources
            "mask-batch-meets-heads": (
                "A mask of three axes is right for (L, L) and (B, 1, L, L) only: the batch axis of "
                "(B, L, L) meets the heads.",
                lambda s: s.allowed,
            ),
            "mask-for-first-head": (
                "The mask acts on head 0 alone.",
                {
                    "blocked": lambda s: np.concatenate(
                        [block(s.scaled, s.mask)[:, :1], s.scaled[:, 1:]], axis=1
                    )
                },
            ),
            "mask-of-first-item": (
                "The mask of the first sequence stands for all of the batch.",
                lambda s: (
                    s.allowed
                    if s.allowed is None or s.allowed.ndim == 2
                    else with_head_axis(s.allowed)[:1]
                ),
            ),
        },
    ),
    Family(
        None,
        WHICH,
        {
            "keys-by-query-matrix": (
                "The keys are made with W_q, the matrix of the queries.",
                {"keys": lambda s: s.x @ s.W_q.T},
            ),
            "queries-by-key-matrix": (
                "The queries are made with W_k, the matrix of the keys.",
                {"queries": lambda s: s.x @ s.W_k.T},
            ),
            "values-by-key-matrix": (
                "The values are made with W_k, the matrix of the keys.",
                {"values": lambda s: s.x @ s.W_k.T},
            ),
            "values-by-query-matrix": (
                "The values are made with W_q, the matrix of the queries.",
                {"values": lambda s: s.x @ s.W_q.T},
            ),
            "all-by-query-matrix": (
                "Queries, keys and values are all made with W_q.",
                {"keys": lambda s: s.x @ s.W_q.T, "values": lambda s: s.x @ s.W_q.T},
            ),
            "queries-and-keys-swapped": (
                "Queries and keys have changed places: your numbers are "
                "those with W_q and W_k exchanged.",
                {"queries": lambda s: s.x @ s.W_k.T, "keys": lambda s: s.x @ s.W_q.T},
            ),
            "keys-and-values-swapped": (
                "Keys and values have changed places: your numbers are "
                "those with W_k and W_v exchanged.",
                {"keys": lambda s: s.x @ s.W_v.T, "values": lambda s: s.x @ s.W_k.T},
            ),
            "values-not-projected": (
                "The values are x itself: W_v takes no part.",
                {"values": lambda s: s.x},
            ),
            "keys-not-projected": (
                "The keys are x itself: W_k takes no part.",
                {"keys": lambda s: s.x},
            ),
            "queries-not-projected": (
                "The queries are x itself: W_q takes no part.",
                {"queries": lambda s: s.x},
            ),
            "scores-from-x": (
                "The scores are computed from x itself: W_q and W_k take no part.",
                {"queries": lambda s: s.x, "keys": lambda s: s.x},
            ),
            "weights-not-transposed": (
                "Your projections are x times the weight; nn.Linear computes "
                "x times the weight transposed.",
                {
                    "queries": lambda s: s.x @ s.W_q,
                    "keys": lambda s: s.x @ s.W_k,
                    "values": lambda s: s.x @ s.W_v,
                },
            ),
        },
    ),
    Family(
        "projected",
        OUT,
        {
            "output-not-projected": (
                "W_o takes no part: the merged heads are returned as they are.",
                lambda s: s.merged,
            ),
            "output-projected-twice": (
                "The output goes through W_o twice.",
                lambda s: s.merged @ s.W_o.T @ s.W_o.T,
            ),
            "output-by-value-matrix": (
                "The output goes through W_v, not through W_o.",
                lambda s: s.merged @ s.W_v.T,
            ),
            "output-matrix-not-transposed": (
                "The output is multiplied by W_o's weight; nn.Linear "
                "multiplies by the weight transposed.",
                lambda s: s.merged @ s.W_o,
            ),
            "input-added": (
                "x is added to the output: a residual connection, which is not asked for here.",
                lambda s: s.merged @ s.W_o.T + s.x,
            ),
        },
    ),
    Family(
        "results",
        ORDER,
        {
            "results-swapped": (
                "Both results are right, but in the wrong order: (weights, output).",
                lambda s: (s.weights, s.projected),
            ),
            "output-only": (
                "Only the output is returned; the weights are missing.",
                lambda s: s.projected,
            ),
            "weights-only": (
                "Only the weights are returned; the output is missing.",
                lambda s: s.weights,
            ),
            "weights-averaged": (
                "The weights are the mean over the heads, as "
                "nn.MultiheadAttention gives them by default; each head's own are asked for.",
                lambda s: (s.projected, s.weights.mean(1)),
            ),
            "weights-of-first-head": (
                "Only the weights of head 0 are returned.",
                lambda s: (s.projected, s.weights[:, 0]),
            ),
            "scores-returned": (
                "The output is right; in place of the weights the scaled scores are returned.",
                lambda s: (s.projected, s.scaled),
            ),
        },
    ),
    *chosen(
        SCALING,
        "no-scaling divides-by-d-k multiplies-by-root root-of-l-k root-of-axis-0 d-k-squared "
        "fourth-root constant-8",
    ),
    *chosen(SCORES, "keys-not-transposed negative-scores first-query-only"),
    *chosen(
        WEIGHTS,
        "softmax-over-queries softmax-over-axis-0 softmax-over-everything no-softmax "
        "exponentials-only base-2 sigmoid softmax-twice equal-weights",
    ),
    *chosen(
        MASKING,
        "mask-ignored mask-inverted mask-transposed mask-after-softmax blocked-scores-zero "
        "blocked-scores-not-low blocked-scores-large nan-from-mask mask-added own-causal-mask "
        "causal-without-mask always-causal mask-turned-by-tilde",
    ),
)


def probes(draw: int) -> Sequence[Probe]:
    """All sizes different where the sizes are to tell, all equal where the values are."""
    rng = np.random.default_rng([32, draw])

    def case(batch: int, length: int, d_model: int, heads: int, mask: Any = None) -> Probe:
        weights = [rng.normal(size=(d_model, d_model)) / np.sqrt(d_model) * 1.5 for _ in MATRICES]
        x = rng.normal(size=(batch, length, d_model))
        return single(Probe((d_model, heads, x, mask, *weights)))

    causal = np.tril(np.ones((4, 4), bool))
    odd = np.array(
        [
            [True, False, True, True],
            [True, True, False, False],
            [False, True, True, True],
            [True, False, False, True],
        ]
    )
    each = np.stack([causal, odd])
    return [
        case(1, 3, 4, 1),
        case(2, 3, 4, 2),
        case(2, 4, 6, 3),
        case(3, 5, 8, 2),
        case(2, 2, 4, 2),
        case(2, 3, 9, 3),
        case(4, 4, 16, 4),
        case(1, 5, 12, 6),
        case(2, 4, 6, 2, causal),
        case(3, 4, 6, 3, odd),
        case(2, 4, 8, 4, odd.astype(int)),
        case(3, 4, 8, 2, causal.astype(float)),
        case(2, 4, 4, 2, each),
        case(2, 4, 6, 3, each),
        case(2, 4, 6, 2, each[::-1].astype(int)),
        case(2, 4, 6, 3, each[:, None]),
        case(2, 4, 8, 2, each[::-1, None].astype(int)),
    ]


MISTAKES = Mistakes(
    Recipe(
        "MultiHeadAttention",
        probes,
        MISCONCEPTIONS,
        steps=STEPS,
        parameters=("d_model", "num_heads", "x", "allowed", *MATRICES),
        styles=(
            fill(-1e9),
            {"blocked": lambda s: masked(s, lambda m: s.scaled + (1 - m) * -1e9)},
        ),
        defaults={"allowed": None},
        traits=(
            Trait(lambda s: s.num_heads > 1, "with several heads", "with a single head"),
            Trait(lambda s: s.allowed is not None, "with a mask", "without a mask"),
            Trait(
                lambda s: s.allowed is not None and s.allowed.ndim == 3,
                "with a mask of (B, L, L)",
                "without one of (B, L, L)",
            ),
            Trait(
                lambda s: s.allowed is not None and s.allowed.ndim == 4,
                "with a mask of (B, 1, L, L)",
                "without one of (B, 1, L, L)",
            ),
            Trait(
                lambda s: s.allowed is not None and s.allowed.dtype != bool,
                "with a mask of 0 and 1",
                "with a mask of True and False, or none",
            ),
            Trait(lambda s: len(s.x) > 1, "for a batch of several", "for a batch of one"),
        ),
        results=("the output", "the attention weights"),
        axes=lambda s: {
            "B": s.x.shape[0],
            "L": s.x.shape[1],
            "E": s.d_model,
            "H": s.num_heads,
            "E/H": s.d_model // s.num_heads,
        },
        call=Blueprint(
            ("d_model", "num_heads"),
            ("x", "allowed"),
            {f"{name}.weight": name for name in MATRICES},
            WORDS,
        ),
        comparison=Comparison(precision=np.float32),
    ),
)
