"""Misconceptions about masks."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints
from reference.attention import block, softmax
from reference.misconceptions.reductions import shares_along
from reference.misconceptions.scaled_dot_product_attention.products import transposed

BLOCKING: Hints = (
    "Just before your softmax, which scores does your code change, and to which values?",
    "Broadcast the given mask to the shape of the scores. Where the mask is False, the weight "
    "should be 0. Each row should still sum to 1. A call such as np.where makes a new array.",
    "Before the softmax, put −∞ (or −1e9) instead of the scaled score where the mask is False. Do "
    "not change the other scores.",
)


def masked(state: Any, with_mask: Callable[[Any], Any], without: Any = None) -> Any:
    """Return the scaled scores. If there is a 0/1 mask, `with_mask` changes them."""
    if state.mask is None:
        return state.scaled if without is None else without(state)
    return with_mask(np.asarray(state.mask).astype(float))


def rows_as_padding(mask: Any, scores: Any, axes: range = range(3, 9)) -> Any:
    m = np.asarray(mask)
    fits = m.ndim == 2 and scores.ndim in axes and len(m) == len(scores)
    return m.reshape(len(m), *(1,) * (scores.ndim - 2), -1) if fits else m


def heads_as_batch(mask: Any, scores: Any) -> Any:
    """Return a mask `(B, L, L)` as `(B, 1, L, L)` if the scores have an axis for heads."""
    m = np.asarray(mask)
    return m[:, np.newaxis] if m.ndim == 3 and scores.ndim == 4 else m


def _grown(state: Any, mask: Any, place: int) -> Any:
    missing = range(state.scaled.ndim - mask.ndim)
    return functools.reduce(lambda m, _: np.expand_dims(m, place), missing, mask)


def without_decimals(mask: Any) -> Any:
    """Return a mask. If it has decimals, return whole numbers, which `~` accepts."""
    return mask.astype(int) if mask.dtype.kind == "f" else mask


def fill(value: float) -> dict[str, Any]:
    return {"blocked": lambda s: masked(s, lambda m: np.where(m, s.scaled, value))}


LOW_FILLS = (  # correct ways to block with a finite number
    fill(-1e9),
    {"blocked": lambda s: masked(s, lambda m: s.scaled + (1 - m) * -1e9)},
)


def _after(change: Callable[[Any, Any], Any], shares: Any = softmax) -> dict[str, Any]:
    return {
        "blocked": lambda s: s.scaled,
        "weights": lambda s: (
            shares(s.scaled, -1)
            if s.mask is None
            else change(shares(s.scaled, -1), np.asarray(s.mask).astype(float))
        ),
    }


def with_low(change: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
    """Return a change for each usual number of blocked scores, which is its last argument."""
    return tuple(lambda *args, low=low: change(*args, low) for low in (-np.inf, -1e9))


# by how much blocked scores are below the smallest score
BELOW = ((0, "replaced by the"), *((n, f"only {n} below the") for n in (1, 2, 5, 10)))


def smallest(scores: Any, axis: int | None) -> Any:
    return scores.min(axis, keepdims=True)


def _causal(state: Any) -> Any:
    return np.tril(np.ones(state.scaled.shape[-2:], bool))


def _indexed(state: Any, turned: Callable[[Any], Any]) -> Any:
    made = np.array(state.scaled, float)
    if state.mask is not None:
        made[turned(np.asarray(state.mask))] = -np.inf
    return made


MASKING = (
    Family(
        "blocked",
        BLOCKING,
        {
            "mask-ignored": (
                "Blocked keys get weight: {your|the} numbers match code without the mask.",
                lambda s: s.scaled,
            ),
            # rasbt/LLMs-from-scratch#1061; torch.nn.MultiheadAttention has the opposite convention
            "mask-inverted": (
                "Your code blocks a key where the mask is True. In this exercise, True means “may "
                "attend”.",
                *with_low(lambda s, low: masked(s, lambda m: np.where(m, low, s.scaled))),
                lambda s: masked(s, lambda m: s.scaled - 1e9 * m),
            ),
            "mask-transposed": (
                "The mask acts as if transposed: its rows should be queries, and its columns keys.",
                *with_low(
                    lambda s, low: masked(s, lambda m: np.where(transposed(m), s.scaled, low))
                ),
            ),
            "mask-after-softmax": (
                "The mask acts as if after the softmax: blocked weights are 0{, but the rest of "
                "the row no longer sums to 1}.",
                *(_after(lambda w, m: w * m, way) for way in (softmax, shares_along)),
            ),
            "mask-after-softmax-renormalised": [
                (
                    "Where the allowed scores are far below a blocked score, the exponentials of "
                    "all allowed scores become 0 or nearly 0{, and the row does not sum to 1}. "
                    "So the mask acts after the maximum is taken.",
                    _after(lambda w, m: w * m / ((w * m).sum(-1, keepdims=True) + 1e-9)),
                ),
                (
                    "Where the allowed scores are far below a blocked score, the exponentials of "
                    "all allowed scores become 0, so {some results are|the result has} NaN (not a "
                    "number), from 0 / 0. So the mask acts after the maximum is taken.",
                    _after(lambda w, m: w * m / (w * m).sum(-1, keepdims=True)),
                ),
            ],
            "mask-inverted-after-softmax": (
                "The mask acts inverted, as if after the softmax: allowed weights are 0.",
                _after(lambda w, m: w * (1 - m)),
            ),
            "low-number-in-weights": (
                "The mask acts after the softmax, so blocked weights are −∞ or −1e9 instead of 0.",
                *map(_after, with_low(lambda w, m, low: np.where(m, w, low))),
            ),
            "mask-on-output-only": (
                "The returned weights are not masked. Only the output is made with masked weights.",
                {
                    "blocked": lambda s: s.scaled,
                    "output": lambda s: softmax(block(s.scaled, s.mask)) @ s.V,
                },
                {
                    "blocked": lambda s: s.scaled,
                    "output": lambda s: (
                        (softmax(s.scaled) * (1 if s.mask is None else np.asarray(s.mask))) @ s.V
                    ),
                },
            ),
            "mask-on-weights-only": (
                "The returned weights are masked, but the output is made with weights that are "
                "not masked.",
                {"output": lambda s: softmax(s.scaled) @ s.V},
            ),
            "blocked-scores-zero": (
                "Blocked scores are 0 or nearly 0{, so blocked keys still get weight: exp(0) is "
                "1}.",
                fill(0.0),
            ),
            "blocked-scores-not-low": [
                (
                    f"Blocked scores are −{low:g}. This number is not low enough: blocked keys "
                    "still get weight.",
                    fill(-low),
                )
                for low in (0.5, 1, 2, 3, 5, 10)
            ],
            "blocked-scores-lowered": [
                (
                    f"The mask lowers blocked scores by only {low:g}, so blocked keys still get "
                    "weight.",
                    lambda s, low=low: masked(s, lambda m: s.scaled - low * (1 - m)),
                )
                for low in (2, 3, 5, 10)
            ],
            "blocked-scores-not-below-all": [
                (
                    "Blocked scores are lower than most scores, but not lower than all. Where "
                    "the allowed scores of a row are as low, a blocked key still gets weight.",
                    *(fill(-low) for low in (20, 50, 100, 500, 1000)),
                ),
                (
                    "The mask lowers blocked scores by a number that is too small for some "
                    "scores. Where a blocked score is much higher than the allowed scores of "
                    "its row, the blocked key still gets weight.",
                    *(
                        lambda s, low=low: masked(s, lambda m: s.scaled - low * (1 - m))
                        for low in (20, 50, 100, 500, 1000)
                    ),
                ),
            ],
            "blocked-scores-smallest": [
                (
                    f"Blocked scores are {words} smallest score, so blocked keys still get weight.",
                    *(
                        lambda s, less=less, axis=axis: masked(
                            s, lambda m: np.where(m, s.scaled, smallest(s.scaled, axis) - less)
                        )
                        for axis in (-1, None)
                    ),
                )
                for less, words in BELOW
            ],
            "mask-turned-by-tilde": (
                "{Masks of True and False are right. }In a mask of 0 and 1, `~` does not "
                "exchange the two numbers. It turns whole numbers into other numbers, which count "
                "as True.",
                *(
                    lambda s, low=low, kind=kind: (
                        s.scaled if s.mask is None else np.where(~kind(s.mask), low, s.scaled)
                    )
                    for low in (-np.inf, -1e9)
                    for kind in (np.asarray, without_decimals)
                ),
                lambda s: (  # with float64, the scores keep enough digits
                    s.scaled
                    if s.mask is None
                    else np.float32(s.scaled) + np.float32(~s.mask * -1e9)
                ),
            ),
            "blocked-scores-large": (
                "Blocked keys get all the weight, in equal shares, as if the blocked scores were "
                "far above the other scores.",
                fill(1e9),
            ),
            "nan-from-mask": (
                "Where the mask acts, the result has NaN (not a number), which spreads over the "
                "row. NaN comes from 0 / 0, 0 · ∞, ∞ − ∞ or ∞ / ∞, or from a NaN in your code.",
                fill(np.inf),
                fill(np.nan),
                lambda s: masked(s, lambda m: s.scaled + (1 - m) * -np.inf),
            ),
            "mask-added": (
                "The mask of 0 and 1 is added to the scores or subtracted from the scores. This "
                "changes scores by 1, and blocks no key.",
                lambda s: masked(s, lambda m: s.scaled + m),
            ),
            "own-causal-mask": (
                "Your numbers match a causal mask{, whatever mask is given}.",
                lambda s: masked(s, lambda m: np.where(_causal(s), s.scaled, -np.inf)),
            ),
            "causal-without-mask": (
                "Without a mask, your numbers match a causal mask. Without a mask, nothing "
                "should be blocked.",
                lambda s: block(s.scaled, _causal(s) if s.mask is None else s.mask),
            ),
            "always-causal": [
                (
                    "Your numbers match a causal mask, even if another mask or no mask is given.",
                    lambda s: np.where(_causal(s), s.scaled, -np.inf),
                ),
                (
                    "Your numbers match a causal mask, even if no mask is given. If a mask "
                    "is given, your code uses both masks.",
                    *with_low(
                        lambda s, low: np.where(
                            _causal(s) & (s.mask is None or np.asarray(s.mask) != 0), s.scaled, low
                        )
                    ),
                ),
            ],
            "causal-and-mask": (
                "If a mask is given, your code uses it together with a causal mask.",
                lambda s: masked(s, lambda m: np.where((m > 0) & _causal(s), s.scaled, -np.inf)),
            ),
            "mask-not-stretched": [
                (
                    "The mask acts like an index of the scores. An index does not broadcast, so a "
                    "mask with fewer axes raises an error, or selects other scores.",
                    lambda s: _indexed(s, lambda m: m == 0),
                ),
                (
                    "`~mask` acts like an index of the scores. An index does not broadcast, so a "
                    "mask of True and False needs the shape of the scores. `~` exchanges True and "
                    "False, but not the numbers 0 and 1.",
                    lambda s: _indexed(s, lambda m: ~m),
                ),
            ],
            "mask-rows-meet-batch": (
                "{A mask of two axes is right, with one exception. }If the mask has as many rows "
                "as there are sequences, row i of the mask acts on all queries of sequence i. Row "
                "i should act on query i of every sequence.",
                *(
                    lambda s, axes=axes: block(
                        s.scaled,
                        None if s.mask is None else rows_as_padding(s.mask, s.scaled, axes),
                    )
                    for axes in (range(3, 9), range(3, 4))
                ),
            ),
            "mask-axes-not-in-front": [
                (
                    f"The mask gets its missing axes {words}. They belong in front: broadcasting "
                    "matches the last axes.",
                    lambda s, place=place: masked(
                        s, lambda m: block(s.scaled, _grown(s, m, place))
                    ),
                )
                for place, words in ((1, "after its first axis"), (-1, "at its end"))
            ],
            "mask-heads-meet-batch": (
                "The mask has three axes and the scores have four. Your code matches the first "
                "axes of both. Broadcasting matches the last axes.",
                lambda s: block(
                    s.scaled, None if s.mask is None else heads_as_batch(s.mask, s.scaled)
                ),
            ),
            "diagonal-allowed": (
                "The diagonal is never blocked, even where the mask is False.",
                lambda s: masked(
                    s,
                    lambda m: np.where(
                        (m > 0) | (np.eye(*s.scaled.shape[-2:]) > 0), s.scaled, -np.inf
                    ),
                ),
            ),
        },
    ),
)
