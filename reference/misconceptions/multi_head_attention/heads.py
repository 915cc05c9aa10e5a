"""Misconceptions in the heads, their scores and their masks."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Step
from reference.attention import block, scores, softmax
from reference.heads import merge_heads, split_heads
from reference.misconceptions.formulas import formulas
from reference.misconceptions.multi_head_reshape.merge import BACK
from reference.misconceptions.multi_head_reshape.split import BLOCKS
from reference.misconceptions.scaled_dot_product_attention.masking import BLOCKING
from reference.misconceptions.scaled_dot_product_attention.scaling import SCALE, divided
from reference.misconceptions.scaled_dot_product_attention.weights import ROWS


def with_head_axis(mask: Any) -> Any:
    return mask[:, None] if mask is not None and mask.ndim == 3 else mask


def of_each(change: Callable[[Any, int], Any]) -> Step:
    return lambda s: lambda t: change(t, s.num_heads)


def _interleaved(x: Any, h: int) -> Any:
    return x.reshape(*x.shape[:2], -1, h).transpose(0, 3, 1, 2)


def _alternating(s: Any) -> Any:
    return s.output.transpose(0, 2, 3, 1).reshape(s.x.shape)


def _never_split(by: Step) -> dict[str, Step]:
    def weights(s: Any) -> Any:
        mask = None if s.allowed is None else s.allowed.reshape(-1, *s.allowed.shape[-2:])
        return softmax(block(scores(s.queries, s.keys) / by(s), mask))

    return {"weights": weights, "merged": lambda s: s.weights @ s.values, "output": lambda s: s.V}


def _in_other_order(s: Any, repeats_all: bool) -> Any:
    mask, batch, heads = with_head_axis(s.allowed), len(s.x), s.num_heads
    if mask is None or mask.ndim == 2:
        return mask
    if repeats_all:
        return np.tile(mask[:, 0], (heads, 1, 1)).reshape(batch, heads, *mask.shape[2:])
    return mask[:, 0].repeat(heads, 0).reshape(heads, batch, *mask.shape[2:]).swapaxes(0, 1)


HEADS = (
    Family(
        None,
        BLOCKS,
        {
            # S1 of the course's sources
            "never-split": (
                "The heads act as a single head with all features, scaled by the size of a head. "
                "Each head should get its own features.",
                _never_split(lambda s: np.sqrt(s.d_model // s.num_heads)),
            ),
            "one-head-only": (
                "The heads act as a single head with all features. Each head should get its own "
                "features.",
                _never_split(lambda s: np.sqrt(s.d_model)),
            ),
            "always-2-heads": (
                "The number of heads is always 2. It should be num_heads.",
                {"num_heads": lambda s: 2},
            ),
        },
    ),
    Family(
        "split",
        BLOCKS,
        means=of_each,
        ways={
            "reshape-only": (
                "Your numbers match a reshape straight to (B, H, L, d), without a transpose, so "
                "features of different tokens are mixed.",
                lambda x, h: x.reshape(x.shape[0], h, x.shape[1], -1),
            ),
            "interleaved": (
                "Head 0 gets the features 0, H, 2H and so on. Each head should get a block of "
                "neighbouring features.",
                _interleaved,
            ),
            "heads-reversed": (
                "Your heads are in reverse order: head 0 has the last features.",
                lambda x, h: split_heads(x, h)[:, ::-1],
            ),
            "first-block-for-all": (
                "Every head acts on the first block of features.",
                lambda x, h: np.repeat(split_heads(x, h)[:, :1], h, axis=1),
            ),
        },
    ),
    Family(
        None,
        BLOCKS,
        {
            "interleaved": (
                "Head 0 gets the features 0, H, 2H and so on, and the heads are merged in the same "
                "order. Each head should get a block of neighbouring features.",
                {"split": of_each(_interleaved), "merged": _alternating},
            ),
        },
    ),
    Family(
        "merged",
        BACK,
        {
            "merged-without-moving": (
                "The merged heads mix features of different tokens, as with a reshape that does "
                "not move the heads back behind the positions.",
                lambda s: s.output.reshape(s.x.shape),
            ),
            "merged-interleaved": (
                "In the merged result, the features of different heads alternate. The features of "
                "each head should stay together.",
                _alternating,
            ),
            "merged-in-reverse": (
                "The heads are merged in reverse order.",
                lambda s: merge_heads(s.output[:, ::-1]),
            ),
            **{
                name: (
                    f"The merged result repeats the {words}. It should have the heads side by "
                    "side.",
                    lambda s, of=of: np.tile(of(s.output), s.num_heads),
                )
                for name, words, of in (
                    ("heads-averaged", "mean of the heads", lambda heads: heads.mean(1)),
                    ("heads-added", "sum of the heads", lambda heads: heads.sum(1)),
                    ("first-head-for-all", "output of head 0", lambda heads: heads[:, 0]),
                )
            },
        },
    ),
    formulas(
        "scaled",
        "Your numbers match scores divided by",
        "the root of d_model / num_heads, the size of a head",
        ("root-of-d-model", "√d_model", lambda s: np.sqrt(s.d_model)),
        ("divides-by-d-model", "d_model", lambda s: s.d_model),
        ("root-of-num-heads", "√num_heads", lambda s: np.sqrt(s.num_heads)),
        ("divides-by-num-heads", "num_heads", lambda s: s.num_heads),
        means=divided,
        hints=SCALE,
    ),
    Family(
        "weights",
        ROWS,
        {
            "softmax-over-heads": (
                "The softmax runs over the heads{, so the weights of the heads sum to 1. Each row "
                "should sum to 1}.",
                lambda s: softmax(s.blocked, axis=1),
                lambda s: (
                    softmax(s.blocked, axis=1) * (1 if s.mask is None else np.asarray(s.mask))
                ),
            ),
        },
    ),
    Family(
        "mask",
        BLOCKING,
        {
            # S4 of the course's sources
            "mask-batch-meets-heads": (
                "{Masks of (L, L) and (B, 1, L, L) are right. }The batch axis of a mask of (B, L, "
                "L) is taken for the axis of the heads.",
                lambda s: s.allowed,
            ),
            "mask-per-head-if-it-fits": (
                "If B equals num_heads, your numbers match a mask of (B, L, L) with one mask for "
                "each head. It has one mask for each sequence.",
                lambda s: (
                    s.allowed
                    if np.shape(s.allowed)[:-2] == (s.num_heads,)
                    else with_head_axis(s.allowed)
                ),
            ),
            "mask-repeated-in-wrong-order": (
                "Some heads get the mask of another sequence. Your numbers match masks and heads "
                "in different orders: one repeats all sequences for each head, and the other "
                "all heads for each sequence.",
                lambda s: _in_other_order(s, repeats_all=True),
                lambda s: _in_other_order(s, repeats_all=False),
            ),
            "mask-for-first-head": (
                "The mask has an effect only in head 0.",
                {
                    "blocked": lambda s: np.concatenate(
                        [block(s.scaled, s.mask)[:, :1], s.scaled[:, 1:]], axis=1
                    )
                },
            ),
            "mask-of-first-item": (
                "The mask of the first sequence acts on all sequences of the batch.",
                lambda s: (
                    s.allowed
                    if s.allowed is None or s.allowed.ndim == 2
                    else with_head_axis(s.allowed)[:1]
                ),
                lambda s: s.allowed[0] if np.ndim(s.allowed) == 3 else s.allowed,
            ),
        },
    ),
)
