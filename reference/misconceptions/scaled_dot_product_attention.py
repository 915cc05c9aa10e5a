"""Misconceptions about scaled dot-product attention.

Examples in real code: scale by the model's size (karpathy/ng-video-lecture#6), the softmax on a
wrong axis (fastNLP#254), the polarity of the mask (rasbt/LLMs-from-scratch#1061).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.diagnosis.recipe import Fact, Hints, Misconception, Probe, Recipe, Trait
from reference.attention import block, combine, scale, scores, softmax

STEPS = {
    "scores": lambda s: scores(s.Q, s.K),
    "scaled": lambda s: scale(s.scores, s.Q.shape[-1]),
    "blocked": lambda s: block(s.scaled, s.mask),
    "weights": lambda s: softmax(s.blocked),
    "output": lambda s: combine(s.weights, s.V),
    "results": lambda s: (s.output, s.weights),
}

SCALE: Hints = (
    "By what do you divide the scores, and how does it change when the keys get longer?",
    "The scores are divided by √d_k, where d_k is the number of columns of Q and of K.",
    "Look at the line that makes the scores smaller: take d_k from the last axis of K, and its "
    "square root.",
)
PRODUCT: Hints = (
    "Which row of Q and which row of K does the score in row i and column j come from?",
    "Score [i][j] is the dot product of query i with key j: Q times K with its last two axes "
    "exchanged.",
    "Look at the product of Q and K: only the last two axes of K change places (np.swapaxes); "
    "those in front are a batch.",
)
ROWS: Hints = (
    "Which numbers of your weights add up to 1: those of a row or those of a column?",
    "Each query shares out a whole among the keys: every row of the weights sums to 1.",
    "Look at the axis of the maximum and of the sum in your softmax: the keys are on the last "
    "axis, and keepdims=True keeps rows apart.",
)
SOFTMAX: Hints = (
    "How do scores become weights that are positive and sum to 1?",
    "The weights are exp(score), divided by the sum of these along the row.",
    "Look at the lines between the scaled scores and the product with V.",
)
BLOCKING: Hints = (
    "Here True means “may attend”. What becomes of a score whose mask entry is False?",
    "Blocked weights are 0 and each row still sums to 1. So the mask acts on the scores, before "
    "the softmax.",
    "Where the mask is False put −∞ (or −1e9) in place of the scaled score; leave the others as "
    "they are.",
)
MIXING: Hints = (
    "What is mixed, and in what proportions?",
    "Row i of the output is the sum of the rows of V, each times its weight in row i.",
    "Look at the last product: the weights stand on the left, V on the right, neither transposed.",
)
RESULTS: Hints = (
    "What does the function promise to return, and in which order?",
    "Two results: first the output, then the weights that were used for it.",
    "Look at the return line.",
)


def _t(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def _scale(
    id: str, by: Callable[[Any], Any], finding: str, hints: Hints = SCALE, source: str = ""
) -> Misconception:
    return Misconception(id, finding, hints, {"scaled": lambda s: s.scores / by(s)}, source)


SCALING = (
    _scale("no-scaling", lambda s: 1.0, "Your numbers are those of scores that are not scaled: "
           "there is no division by √d_k."),
    _scale("divides-by-d-k", lambda s: s.Q.shape[-1],
           "Your numbers are those of scores divided by d_k, without the square root."),
    _scale("multiplies-by-root", lambda s: 1 / np.sqrt(s.Q.shape[-1]),
           "Your numbers are those of scores multiplied by √d_k; they have to be divided."),
    _scale("multiplies-by-d-k", lambda s: 1 / s.Q.shape[-1],
           "Your numbers are those of scores multiplied by d_k; they have to be divided by √d_k."),
    _scale("root-of-d-v", lambda s: np.sqrt(s.V.shape[-1]),
           "Your numbers are those of scores divided by √d_v, the width of the values, not √d_k."),
    _scale("divides-by-d-v", lambda s: s.V.shape[-1],
           "Your numbers are those of scores divided by d_v, the width of the values, not √d_k."),
    _scale("root-of-l-k", lambda s: np.sqrt(s.K.shape[-2]),
           "Your numbers are those of scores divided by √L_k, the root of the number of keys, "
           "not √d_k."),
    _scale("divides-by-l-k", lambda s: s.K.shape[-2],
           "Your numbers are those of scores divided by the number of keys, not √d_k."),
    _scale("root-of-l-q", lambda s: np.sqrt(s.Q.shape[-2]),
           "Your numbers are those of scores divided by √L_q, the root of the number of queries, "
           "not √d_k."),
    _scale("root-of-axis-1", lambda s: np.sqrt(s.Q.shape[1]),
           "The size for the scaling is taken from axis 1 of Q: that is d_k without a batch axis, "
           "and L_q with one."),
    _scale("root-of-axis-1-of-k", lambda s: np.sqrt(s.K.shape[1]),
           "The size for the scaling is taken from axis 1 of K: that is d_k without a batch axis, "
           "and L_k with one."),
    _scale("root-of-axis-0", lambda s: np.sqrt(s.Q.shape[0]),
           "The size for the scaling is taken from axis 0 of Q, which is not d_k."),
    _scale("root-of-axis-0-of-k", lambda s: np.sqrt(s.K.shape[0]),
           "The size for the scaling is taken from axis 0 of K, which is not d_k."),
    _scale("root-of-size", lambda s: np.sqrt(s.Q.size),
           "Your numbers are those of scores divided by the root of the number of all entries of "
           "Q, not √d_k."),
    _scale("d-k-squared", lambda s: s.Q.shape[-1] ** 2,
           "Your numbers are those of scores divided by d_k², not √d_k."),
    _scale("fourth-root", lambda s: s.Q.shape[-1] ** 0.25,
           "Your numbers are those of scores divided by the fourth root of d_k."),
    _scale("half-of-d-k", lambda s: s.Q.shape[-1] / 2,
           "Your numbers are those of scores divided by d_k / 2; the root of d_k is meant."),
    _scale("logarithm-of-d-k", lambda s: np.log(s.Q.shape[-1]),
           "Your numbers are those of scores divided by ln d_k, not √d_k."),
    _scale("root-rounded-down", lambda s: np.floor(np.sqrt(s.Q.shape[-1])),
           "Your numbers are those of scores divided by √d_k rounded to a whole number."),
    _scale("divides-by-norms",
           lambda s: np.linalg.norm(s.Q, axis=-1)[..., None]
           * np.linalg.norm(s.K, axis=-1)[..., None, :],
           "Your numbers are those of cosine similarities: the scores are divided by the lengths "
           "of the vectors, not by √d_k."),
    _scale("divides-by-spread", lambda s: s.scores.std(),
           "Your numbers are those of scores divided by their own standard deviation, not √d_k."),
    *(
        _scale(f"constant-{name}", lambda s, c=value: c,
               f"Your numbers are those of scores divided by {words}, whatever d_k is.")
        for name, value, words in (
            ("root-2", np.sqrt(2), "√2"), ("root-3", np.sqrt(3), "√3"), ("2", 2.0, "2"),
            ("3", 3.0, "3"), ("4", 4.0, "4"), ("5", 5.0, "5"), ("8", 8.0, "8 (√64)"),
            ("10", 10.0, "10"), ("16", 16.0, "16"), ("64", 64.0, "64"),
            ("root-512", np.sqrt(512), "√512"),
        )
    ),
    Misconception(
        "rounded-scores", "Your numbers are those of scaled scores cut to whole numbers (`//`).",
        SCALE, {"scaled": lambda s: s.scores // np.sqrt(s.Q.shape[-1])},
    ),
    Misconception(
        "scaled-after-softmax",
        "Your numbers are those of weights divided by √d_k after the softmax: a row no longer "
        "sums to 1.",
        SCALE,
        {
            "scaled": lambda s: s.scores,
            "weights": lambda s: softmax(s.blocked) / np.sqrt(s.Q.shape[-1]),
        },
    ),
    Misconception(
        "scaled-before-and-after",
        "The weights are divided by √d_k once more after the softmax: a row no longer sums to 1.",
        SCALE,
        {"weights": lambda s: softmax(s.blocked) / np.sqrt(s.Q.shape[-1])},
    ),
    Misconception(
        "output-scaled",
        "The output is divided by √d_k in place of the scores.",
        SCALE,
        {
            "scaled": lambda s: s.scores,
            "output": lambda s: s.weights @ s.V / np.sqrt(s.Q.shape[-1]),
        },
    ),
    Misconception(
        "output-scaled-too",
        "The weights are right; the output is divided by √d_k once more.",
        MIXING,
        {"output": lambda s: s.weights @ s.V / np.sqrt(s.Q.shape[-1])},
    ),
)  # fmt: skip

SCORES = (
    Misconception(
        "keys-not-transposed",
        "Your numbers are those of Q times K without K transposed.",
        PRODUCT, {"scores": lambda s: s.Q @ s.K},
    ),
    Misconception(
        "all-axes-transposed",
        "Right without a batch; with one, K is transposed over all its axes (`K.T`), the batch "
        "too.",
        PRODUCT, {"scores": lambda s: s.Q @ s.K.T},
        "S3 of the course's sources",
    ),
    Misconception(
        "scores-transposed",
        "Your numbers are those of K Qᵀ: queries and keys have changed places.",
        PRODUCT, {"scores": lambda s: s.K @ _t(s.Q)},
    ),
    Misconception(
        "queries-transposed",
        "Your numbers are those of Qᵀ K: the product runs over the positions, not the features.",
        PRODUCT, {"scores": lambda s: _t(s.Q) @ s.K},
    ),
    Misconception(
        "first-two-axes-swapped",
        "The first two axes of K are exchanged, not the last two: right without a batch alone.",
        PRODUCT, {"scores": lambda s: s.Q @ np.swapaxes(s.K, 0, 1)},
    ),
    Misconception(
        "keys-reshaped",
        "Your numbers are those of K reshaped to (…, d_k, L_k): a reshape does not transpose.",
        PRODUCT,
        {"scores": lambda s: s.Q @ s.K.reshape(*s.K.shape[:-2], s.K.shape[-1], s.K.shape[-2])},
    ),
    Misconception(
        "queries-with-queries",
        "Your numbers are those of Q Qᵀ: the keys take no part in the scores.",
        PRODUCT, {"scores": lambda s: s.Q @ _t(s.Q)},
    ),
    Misconception(
        "keys-with-keys",
        "Your numbers are those of K Kᵀ: the queries take no part in the scores.",
        PRODUCT, {"scores": lambda s: s.K @ _t(s.K)},
    ),
    Misconception(
        "queries-with-values",
        "Your numbers are those of Q Vᵀ: the values stand where the keys should.",
        PRODUCT, {"scores": lambda s: s.Q @ _t(s.V)},
    ),
    Misconception(
        "absolute-scores", "Your numbers are those of scores without their signs.",
        PRODUCT, {"scores": lambda s: np.abs(s.Q @ _t(s.K))},
    ),
    Misconception(
        "squared-scores", "Your numbers are those of squared scores.",
        PRODUCT, {"scores": lambda s: (s.Q @ _t(s.K)) ** 2},
    ),
    Misconception(
        "negative-scores",
        "Your numbers are those of scores with their sign turned round: the key that fits best "
        "gets the smallest weight.",
        PRODUCT, {"scores": lambda s: -(s.Q @ _t(s.K))},
    ),
    Misconception(
        "distances",
        "Your numbers are those of negative squared distances of queries and keys in place of dot "
        "products.",
        PRODUCT,
        {
            "scores": lambda s: -((s.Q[..., :, None, :] - s.K[..., None, :, :]) ** 2).sum(-1),
        },
    ),
    Misconception(
        "cosines",
        "Your numbers are those of cosine similarities, divided by √d_k: queries and keys were "
        "brought to length 1.",
        PRODUCT,
        {
            "scores": lambda s: (s.Q / np.linalg.norm(s.Q, axis=-1, keepdims=True))
            @ _t(s.K / np.linalg.norm(s.K, axis=-1, keepdims=True)),
        },
    ),
    Misconception(
        "queries-normalised",
        "The queries were brought to length 1 before the product.",
        PRODUCT,
        {"scores": lambda s: (s.Q / np.linalg.norm(s.Q, axis=-1, keepdims=True)) @ _t(s.K)},
    ),
    Misconception(
        "keys-normalised",
        "The keys were brought to length 1 before the product.",
        PRODUCT,
        {"scores": lambda s: s.Q @ _t(s.K / np.linalg.norm(s.K, axis=-1, keepdims=True))},
    ),
    Misconception(
        "sums-for-products",
        "Your numbers are those of sums of queries and keys in place of their products.",
        PRODUCT,
        {"scores": lambda s: (s.Q[..., :, None, :] + s.K[..., None, :, :]).sum(-1)},
    ),
    Misconception(
        "first-query-only",
        "Every row of your weights is that of the first query.",
        PRODUCT,
        {"scores": lambda s: np.repeat(scores(s.Q, s.K)[..., :1, :], s.Q.shape[-2], axis=-2)},
    ),
    Misconception(
        "first-batch-only",
        "The first item of the batch stands for all of them.",
        PRODUCT,
        {"scores": lambda s: scores(s.Q, s.K) if s.Q.ndim == 2
         else np.broadcast_to(scores(s.Q, s.K)[:1], scores(s.Q, s.K).shape)},
    ),
)  # fmt: skip


def _over(axis: Any) -> dict[str, Any]:
    return {"weights": lambda s: softmax(s.blocked, axis)}


def _stack(s: Any) -> Any:
    return s.blocked - s.blocked.max(axis=-1, keepdims=True)


WEIGHTS = (
    Misconception(
        "softmax-over-queries",
        "The softmax runs over the queries (axis −2): the columns of your weights sum to 1, not "
        "the rows.",
        ROWS, _over(-2), "fastNLP#254",
    ),
    Misconception(
        "softmax-over-axis-0",
        "The softmax runs along axis 0: over the queries without a batch, over the batch with one.",
        ROWS, _over(0),
    ),
    Misconception(
        "softmax-over-axis-1",
        "The softmax runs along axis 1: over the keys without a batch, over the queries with one.",
        ROWS, _over(1),
    ),
    Misconception(
        "softmax-over-everything",
        "One softmax runs over the whole array: all weights together sum to 1, and no row does.",
        ROWS, _over(None), "S1 of the course's sources",
    ),
    Misconception(
        "softmax-over-matrix",
        "One softmax runs over each matrix: its weights together sum to 1, and no row does.",
        ROWS, _over((-2, -1)),
    ),
    Misconception(
        "mean-subtracted",
        "Large scores that lie far apart overflow: their mean is subtracted, not their maximum.",
        ROWS,
        {
            "weights": lambda s: np.exp(s.blocked - s.scaled.mean())
            / np.exp(s.blocked - s.scaled.mean()).sum(-1, keepdims=True),
        },
    ),
    Misconception(
        "mean-subtracted",
        "Large scores that lie far apart overflow: their mean is subtracted, not their maximum.",
        ROWS,
        {
            "weights": lambda s: np.exp(s.blocked - s.scaled.mean(-1, keepdims=True))
            / np.exp(s.blocked - s.scaled.mean(-1, keepdims=True)).sum(-1, keepdims=True),
        },
    ),
    Misconception(
        "softmax-not-stable",
        "Right for small scores; large ones overflow, as in a softmax that exponentiates its "
        "scores as they are, with the NaN replaced by numbers afterwards.",
        ROWS,
        {
            "weights": lambda s: np.nan_to_num(
                np.exp(s.blocked) / np.exp(s.blocked).sum(-1, keepdims=True)
            ),
        },
    ),
    Misconception(
        "softmax-not-stable",
        "Right for small scores; large ones overflow, as in a softmax that exponentiates its "
        "scores as they are.",
        (
            "What is np.exp(1000)? And what is infinity divided by infinity?",
            "The softmax stays the same when one number is taken from a whole row. With the "
            "largest taken away, no exponential is above 1.",
            "Before you exponentiate, subtract the maximum of each row, with keepdims=True.",
        ),
        {"weights": lambda s: np.exp(s.blocked) / np.exp(s.blocked).sum(-1, keepdims=True)},
        "Blanchard, Higham & Higham 2021",
    ),
    Misconception(
        "largest-of-all",
        "Right as long as the rows are of like size: the maximum of the whole array is "
        "subtracted, and rows far below it vanish.",
        ROWS,
        {
            "weights": lambda s: np.exp(s.blocked - s.blocked.max())
            / np.exp(s.blocked - s.blocked.max()).sum(-1, keepdims=True),
        },
    ),
    Misconception(
        "sum-without-keepdims",
        "The exponentials are divided by sums that have lost their axis, so that each sum divides "
        "the wrong entries.",
        ROWS, {"weights": lambda s: np.exp(_stack(s)) / np.exp(_stack(s)).sum(-1)},
    ),
    Misconception(
        "maximum-without-keepdims",
        "The maxima that are subtracted have lost their axis, so that each is subtracted from the "
        "wrong entries.",
        ROWS,
        {
            "weights": lambda s: np.exp(s.blocked - s.blocked.max(-1))
            / np.exp(s.blocked - s.blocked.max(-1)).sum(-1, keepdims=True),
        },
    ),
    Misconception(
        "sum-over-everything",
        "The exponentials are divided by the sum over the whole array, not by that of their row.",
        ROWS, {"weights": lambda s: np.exp(_stack(s)) / np.exp(_stack(s)).sum()},
    ),
    Misconception(
        "no-softmax", "The weights are the scaled scores themselves: there is no softmax.",
        SOFTMAX, {"weights": lambda s: s.blocked},
    ),
    Misconception(
        "exponentials-only",
        "The weights are exponentials that are not divided by their sum: no row sums to 1.",
        SOFTMAX, {"weights": lambda s: np.exp(s.blocked)},
    ),
    Misconception(
        "shifted-exponentials-only",
        "The largest weight of each row is 1: the weights are exponentials of the scores less their "
        "maximum, not divided by their sum.",
        SOFTMAX, {"weights": lambda s: np.exp(_stack(s))},
    ),
    Misconception(
        "no-exponential",
        "The scores are divided by their row's sum without an exponential.",
        SOFTMAX, {"weights": lambda s: s.blocked / s.blocked.sum(-1, keepdims=True)},
    ),
    Misconception(
        "base-2", "Your weights are those of powers of 2 in place of powers of e.",
        SOFTMAX, {"weights": lambda s: softmax(s.blocked * np.log(2))},
    ),
    Misconception(
        "sigmoid",
        "Your weights are those of a sigmoid of each score: no row sums to 1.",
        SOFTMAX, {"weights": lambda s: 1 / (1 + np.exp(-s.blocked))},
    ),
    Misconception(
        "one-too-many-below", "Your weights are the exponentials divided by 1 + their sum.",
        SOFTMAX,
        {"weights": lambda s: np.exp(s.blocked) / (1 + np.exp(s.blocked).sum(-1, keepdims=True))},
    ),
    Misconception(
        "divided-by-mean",
        "Your weights are the exponentials divided by their mean: a row sums to its length.",
        SOFTMAX, {"weights": lambda s: softmax(s.blocked) * s.K.shape[-2]},
    ),
    Misconception(
        "divided-by-length",
        "The squares of each row of your weights sum to 1, not the weights.",
        SOFTMAX,
        {"weights": lambda s: np.exp(_stack(s))
         / np.sqrt((np.exp(_stack(s)) ** 2).sum(-1, keepdims=True))},
    ),
    Misconception(
        "all-or-nothing", "Each query takes only the key that fits best: its weight is 1.",
        SOFTMAX, {"weights": lambda s: (_stack(s) == 0).astype(float)},
    ),
    Misconception(
        "logarithm", "Your weights are the logarithms of the right ones.",
        SOFTMAX, {"weights": lambda s: _stack(s) - np.log(np.exp(_stack(s)).sum(-1)[..., None])},
    ),
    Misconception(
        "logarithm", "Your weights are the logarithms of the right ones.",
        SOFTMAX, {"weights": lambda s: np.log(softmax(s.blocked) + 1e-12)},
    ),
    Misconception(
        "softmax-twice", "Your weights are a softmax of a softmax.",
        SOFTMAX, {"weights": lambda s: softmax(softmax(s.blocked))},
    ),
    Misconception(
        "equal-weights", "All weights are equal: the scores take no part in them.",
        SOFTMAX, {"weights": lambda s: softmax(block(0 * s.scaled, s.mask))},
    ),
)  # fmt: skip


def _masked(state: Any, with_mask: Callable[[Any], Any], without: Any = None) -> Any:
    """The scaled scores where there is no mask, else what `with_mask` makes of the 0/1 mask."""
    if state.mask is None:
        return state.scaled if without is None else without(state)
    return with_mask(np.asarray(state.mask).astype(float))


def _fill(value: float) -> dict[str, Any]:
    return {"blocked": lambda s: _masked(s, lambda m: np.where(m, s.scaled, value))}


def _after(change: Callable[[Any, Any], Any]) -> dict[str, Any]:
    """The mask acting on the weights, after the softmax."""
    return {
        "blocked": lambda s: s.scaled,
        "weights": lambda s: softmax(s.scaled) if s.mask is None
        else change(softmax(s.scaled), np.asarray(s.mask).astype(float)),
    }  # fmt: skip


def _causal(state: Any) -> Any:
    return np.tril(np.ones(state.scaled.shape[-2:], bool))


MASKING = (
    Misconception(
        "mask-ignored", "The mask has no effect: your numbers are those without it.",
        BLOCKING, {"blocked": lambda s: s.scaled},
    ),
    Misconception(
        "mask-inverted",
        "The mask is taken the other way round: True blocks in your code, and here it means “may "
        "attend”.",
        BLOCKING, {"blocked": lambda s: _masked(s, lambda m: np.where(m, -np.inf, s.scaled))},
        "rasbt/LLMs-from-scratch#1061; torch.nn.MultiheadAttention has the opposite convention",
    ),
    Misconception(
        "mask-inverted",
        "The mask is taken the other way round: True blocks in your code, and here it means “may "
        "attend”.",
        BLOCKING, {"blocked": lambda s: _masked(s, lambda m: s.scaled - 1e9 * m)},
    ),
    Misconception(
        "mask-inverted",
        "The mask is taken the other way round: True blocks in your code, and here it means “may "
        "attend”.",
        BLOCKING, {"blocked": lambda s: _masked(s, lambda m: np.where(m, -1e9, s.scaled))},
    ),
    Misconception(
        "mask-transposed",
        "The mask is transposed: queries and keys have changed places in it.",
        BLOCKING, {"blocked": lambda s: _masked(s, lambda m: np.where(_t(m), s.scaled, -np.inf))},
    ),
    Misconception(
        "mask-after-softmax",
        "The mask acts after the softmax: blocked weights are 0, but the rest of the row no longer "
        "sums to 1.",
        BLOCKING, _after(lambda w, m: w * m),
    ),
    Misconception(
        "mask-inverted-after-softmax",
        "The mask acts after the softmax, and the other way round: allowed weights are 0.",
        BLOCKING, _after(lambda w, m: w * (1 - m)),
    ),
    Misconception(
        "minus-infinity-in-weights",
        "The mask acts after the softmax: blocked weights are −∞ in place of 0.",
        BLOCKING, _after(lambda w, m: np.where(m, w, -np.inf)),
    ),
    Misconception(
        "minus-billion-in-weights",
        "The mask acts after the softmax: blocked weights are −1e9 in place of 0.",
        BLOCKING, _after(lambda w, m: np.where(m, w, -1e9)),
    ),
    Misconception(
        "mask-on-output-only",
        "The weights are those without the mask; only the output is made with masked weights.",
        BLOCKING,
        {
            "blocked": lambda s: s.scaled,
            "output": lambda s: softmax(block(s.scaled, s.mask)) @ s.V,
        },
    ),
    Misconception(
        "mask-on-weights-only",
        "The weights that you return are masked, but the output is made with weights that are not.",
        BLOCKING,
        {"output": lambda s: softmax(s.scaled) @ s.V},
    ),
    Misconception(
        "blocked-scores-zero",
        "Blocked scores are 0 (or as good as 0), and exp(0) is 1: a blocked key still gets weight.",
        BLOCKING, _fill(0.0),
    ),
    *(
        Misconception(
            "blocked-scores-not-low",
            f"Blocked scores are −{low:g}, which is not low enough: a blocked key still gets "
            f"weight.",
            BLOCKING,
            _fill(-low),
        )
        for low in (0.5, 1, 2, 3, 5, 10)
    ),
    *(
        Misconception(
            "blocked-scores-lowered",
            f"Blocked scores are lowered by {low:g} only: a blocked key still gets weight.",
            BLOCKING,
            {"blocked": lambda s, low=low: _masked(s, lambda m: s.scaled - low * (1 - m))},
        )
        for low in (2, 3, 5, 10)
    ),
    *(
        Misconception(
            "blocked-scores-not-below-all",
            "Blocked scores are a number that is low for most scores and not below every one: next "
            "to scores such as −900 a blocked key still gets weight.",
            BLOCKING,
            _fill(-low),
        )
        for low in (20, 50, 100, 500)
    ),
    *(
        Misconception(
            "blocked-scores-not-below-all",
            "Blocked scores are lowered by a number that is too small for some scores: next to "
            "scores such as −900 a blocked key still gets weight.",
            BLOCKING,
            {"blocked": lambda s, low=low: _masked(s, lambda m: s.scaled - low * (1 - m))},
        )
        for low in (20, 50, 100, 500)
    ),
    *(
        Misconception(
            "mask-turned-by-tilde",
            "Masks of True and False are right; `~` turns a 0 or 1 into −1 or −2, and both count "
            "as true.",
            BLOCKING,
            {"blocked": lambda s, low=low: s.scaled if s.mask is None
             else np.where(~s.mask, low, s.scaled)},
        )
        for low in (-np.inf, -1e9)
    ),
    Misconception(
        "blocked-scores-large",
        "Blocked scores are set to a large positive number: blocked keys get all the weight.",
        BLOCKING, _fill(1e9),
    ),
    Misconception(
        "nan-from-mask",
        "NaN (not a number) comes into the scores with the mask, from +∞, from 0 · ∞ or by itself, "
        "and spreads over the row.",
        BLOCKING, _fill(np.inf),
    ),
    Misconception(
        "nan-from-mask",
        "NaN (not a number) comes into the scores with the mask, from +∞, from 0 · ∞ or by itself, "
        "and spreads over the row.",
        BLOCKING, _fill(np.nan),
    ),
    Misconception(
        "nan-from-mask",
        "NaN (not a number) comes into the scores with the mask, from +∞, from 0 · ∞ or by itself, "
        "and spreads over the row.",
        BLOCKING, {"blocked": lambda s: _masked(s, lambda m: s.scaled + (1 - m) * -np.inf)},
    ),
    Misconception(
        "mask-added",
        "The mask of 0 and 1 is added to the scores (or taken from them): that moves them by 1 and "
        "blocks none.",
        BLOCKING, {"blocked": lambda s: _masked(s, lambda m: s.scaled + m)},
    ),
    Misconception(
        "scores-times-minus-billion",
        "Blocked scores are multiplied by −1e9: those that were negative become huge.",
        BLOCKING, {"blocked": lambda s: _masked(s, lambda m: np.where(m, s.scaled,
                                                                     s.scaled * -1e9))},
    ),
    Misconception(
        "own-causal-mask",
        "Whatever mask is given, your numbers are those of a causal one.",
        BLOCKING,
        {"blocked": lambda s: _masked(s, lambda m: np.where(_causal(s), s.scaled, -np.inf))},
    ),
    Misconception(
        "causal-without-mask",
        "Without a mask, your numbers are those of a causal one: nothing should be blocked then.",
        BLOCKING,
        {"blocked": lambda s: block(s.scaled, _causal(s) if s.mask is None else s.mask)},
    ),
    Misconception(
        "always-causal",
        "Your numbers are those of a causal mask, whether a mask is given or not.",
        BLOCKING, {"blocked": lambda s: np.where(_causal(s), s.scaled, -np.inf)},
    ),
    Misconception(
        "causal-and-mask",
        "A causal mask acts beside the one that is given.",
        BLOCKING,
        {"blocked": lambda s: _masked(s, lambda m: np.where((m > 0) & _causal(s), s.scaled,
                                                            -np.inf))},
    ),
    Misconception(
        "boolean-masks-only",
        "A mask of True and False is right; one of 0 and 1 has no effect.",
        BLOCKING,
        {"blocked": lambda s: s.scaled if s.mask is None or s.mask.dtype != bool
         else block(s.scaled, s.mask)},
    ),
    Misconception(
        "diagonal-allowed",
        "The diagonal is never blocked in your numbers, even where the mask is False.",
        BLOCKING,
        {"blocked": lambda s: _masked(s, lambda m: np.where(
            (m > 0) | np.eye(*s.scaled.shape[-2:], dtype=bool), s.scaled, -np.inf))},
    ),
)  # fmt: skip

OUTPUT = (
    Misconception(
        "weights-transposed",
        "The weights are right; the output is the transposed weights times V.",
        MIXING, {"output": lambda s: _t(s.weights) @ s.V},
    ),
    Misconception(
        "keys-for-values", "The weights are right; the output mixes the keys, not the values.",
        MIXING, {"output": lambda s: s.weights @ s.K},
    ),
    Misconception(
        "queries-for-values", "The weights are right; the output mixes the queries, not the "
        "values.",
        MIXING, {"output": lambda s: s.weights @ s.Q},
    ),
    Misconception(
        "scores-times-values",
        "The weights are right; the output is the scaled scores times V, not the weights times V.",
        MIXING, {"output": lambda s: s.scaled @ s.V},
    ),
    Misconception(
        "raw-scores-times-values",
        "The weights are right; the output is the scores times V, not the weights times V.",
        MIXING, {"output": lambda s: s.scores @ s.V},
    ),
    Misconception(
        "values-unweighted", "The weights are right; the output is the plain mean of all values.",
        MIXING,
        {"output": lambda s: np.broadcast_to(s.V.mean(-2, keepdims=True), s.output_shape)
         if hasattr(s, "output_shape")
         else np.repeat(s.V.mean(-2, keepdims=True), s.Q.shape[-2], axis=-2)},
    ),
    Misconception(
        "values-added-up", "The weights are right; the output is the plain sum of all values.",
        MIXING, {"output": lambda s: np.repeat(s.V.sum(-2, keepdims=True), s.Q.shape[-2], -2)},
    ),
    Misconception(
        "entry-by-entry",
        "The weights are right; the output is weights and V multiplied entry by entry, not as "
        "matrices.",
        MIXING, {"output": lambda s: s.weights * s.V},
    ),
    Misconception(
        "best-value-only",
        "The weights are right; the output is the value of the heaviest key alone.",
        MIXING,
        {"output": lambda s: (s.weights == s.weights.max(-1, keepdims=True)).astype(float) @ s.V},
    ),
    Misconception(
        "queries-added", "The weights are right; the queries are added to the output.",
        MIXING, {"output": lambda s: s.weights @ s.V + s.Q},
    ),
    Misconception(
        "values-added", "The weights are right; the values are added to the output.",
        MIXING, {"output": lambda s: s.weights @ s.V + s.V},
    ),
    Misconception(
        "values-normalised", "The weights are right; a softmax was taken of the output.",
        MIXING, {"output": lambda s: softmax(s.weights @ s.V)},
    ),
    Misconception(
        "values-transposed",
        "The weights are right; the output is the weights times V transposed.",
        MIXING, {"output": lambda s: s.weights @ _t(s.V)},
    ),
    Misconception(
        "values-first",
        "The weights are right; the output is V times the weights: the factors have changed "
        "places.",
        MIXING, {"output": lambda s: s.V @ s.weights},
    ),
    Misconception(
        "output-averaged",
        "The weights are right; the output is divided by the number of keys.",
        MIXING, {"output": lambda s: s.weights @ s.V / s.K.shape[-2]},
    ),
    Misconception(
        "output-summed-over-queries",
        "The weights are right; the output has been added up over the queries.",
        MIXING, {"output": lambda s: (s.weights @ s.V).sum(-2)},
    ),
)  # fmt: skip

ARGUMENTS = (
    Misconception(
        "keys-and-values-swapped",
        "Your numbers are those with K and V exchanged.",
        PRODUCT, {"K": lambda s: s.V, "V": lambda s: s.K},
    ),
)  # fmt: skip

RETURNS = (
    Misconception(
        "results-swapped",
        "Both results are right, but in the wrong order: (weights, output).",
        RESULTS, {"results": lambda s: (s.weights, s.output)},
    ),
    Misconception(
        "output-only", "Only the output is returned; the weights are missing.",
        RESULTS, {"results": lambda s: s.output},
    ),
    Misconception(
        "weights-only", "Only the weights are returned; the output is missing.",
        RESULTS, {"results": lambda s: s.weights},
    ),
    Misconception(
        "scores-returned",
        "The output is right; in place of the weights the scaled scores are returned.",
        RESULTS, {"results": lambda s: (s.output, s.scaled)},
    ),
    Misconception(
        "raw-scores-returned",
        "The output is right; in place of the weights the scores Q Kᵀ are returned.",
        RESULTS, {"results": lambda s: (s.output, s.scores)},
    ),
    Misconception(
        "masked-scores-returned",
        "The output is right; in place of the weights the masked scores are returned.",
        RESULTS, {"results": lambda s: (s.output, s.blocked)},
    ),
    *(
        Misconception(
            "logarithms-returned",
            "The output is right; the weights are returned as logarithms.",
            RESULTS, {"results": lambda s, e=e: (s.output, np.log(s.weights + e))},
        )
        for e in (0.0, 1e-9, 1e-12)
    ),
    Misconception(
        "weights-returned-transposed",
        "The output is right; the weights are returned transposed.",
        RESULTS, {"results": lambda s: (s.output, _t(s.weights))},
    ),
    Misconception(
        "output-twice", "The output is returned twice; the weights are missing.",
        RESULTS, {"results": lambda s: (s.output, s.output)},
    ),
    Misconception(
        "exponentials-returned",
        "The output is right; the weights that are returned are exponentials, not divided by "
        "their sum.",
        RESULTS, {"results": lambda s: (s.output, np.exp(_stack(s)))},
    ),
)  # fmt: skip


def probes(draw: int) -> Sequence[Probe]:
    """All sizes different where the sizes are to tell, all equal where the values are."""
    rng = np.random.default_rng([30, draw])

    def qkv(batch: tuple[int, ...], l_q: int, l_k: int, d_k: int, d_v: int) -> list[Any]:
        sizes = ((*batch, l_q, d_k), (*batch, l_k, d_k), (*batch, l_k, d_v))
        return [rng.normal(size=size) for size in sizes]

    def whole(*sizes: int) -> Any:
        return rng.permutation(int(np.prod(sizes))).reshape(sizes) % 4 - 1.0

    causal = np.tril(np.ones((4, 4), bool))
    rows = np.array([[1, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]])
    square = np.array([[True, False, True], [True, True, False], [False, True, True]])
    each = np.stack([rows, rows[::-1]])
    large = qkv((2,), 3, 5, 4, 2)
    huge = [np.array([[100.0, 1.0], [0.1, 0.0]]), np.array([[100.0, 0], [90, 3], [0, 1.0]]),
            rng.normal(size=(3, 4))]  # fmt: skip
    low = [np.array([[30.0, 0.0], [40.0, 1.0]]), np.array([[-40.0, 0.0], [-40.0, 1.0], [0, 2.0]])]
    first = np.array([[True, True, False], [True, False, False]])
    return [
        Probe((whole(2, 4), whole(3, 4), whole(3, 5))),
        Probe((whole(3, 3), whole(3, 3), whole(3, 3))),
        Probe(tuple(qkv((), 2, 3, 9, 4))),
        Probe(tuple(qkv((), 4, 4, 4, 4))),
        Probe(tuple(qkv((2,), 3, 4, 5, 1))),
        Probe(tuple(qkv((3,), 3, 3, 3, 3))),
        Probe(tuple(qkv((2, 3), 4, 5, 1, 6))),
        Probe(tuple(qkv((2, 2), 2, 2, 2, 2))),
        Probe(tuple(qkv((), 5, 2, 64, 3))),
        Probe((*qkv((), 3, 3, 2, 4), square)),
        Probe((*qkv((), 3, 4, 5, 2), rows.astype(bool))),
        Probe((*qkv((2,), 4, 4, 3, 2), causal)),
        Probe((*qkv((2,), 3, 4, 5, 2), rows)),
        Probe((*qkv((2,), 3, 4, 5, 2), rows[:1].astype(bool))),
        Probe((*qkv((2,), 3, 4, 5, 2), each.astype(float))),
        Probe((*qkv((3, 2), 3, 3, 3, 3), square)),
        Probe((large[0] * 60, large[1] * 60, large[2]), condition=1e5),
        Probe(tuple(huge), condition=1e5),
        Probe((*low, rng.normal(size=(3, 4)), first), condition=1e4),
        Probe((*low, rng.normal(size=(3, 3)), first.astype(int)), condition=1e4),
    ]


TRAITS = (
    Trait(lambda s: s.mask is not None, "with a mask", "without a mask"),
    Trait(lambda s: s.Q.ndim > 2, "with batch axes", "without a batch axis"),
    Trait(lambda s: s.Q.ndim == 3, "with one batch axis", "with two batch axes or none"),
    Trait(lambda s: s.Q.ndim > 3, "with two batch axes", "with at most one batch axis"),
    Trait(
        lambda s: bool(np.abs(s.scaled).max() > 100), "for large scores", "for scores of usual size"
    ),
    Trait(
        lambda s: s.Q.shape[-2] != s.K.shape[-2],
        "where there are more or fewer keys than queries",
        "where there are as many keys as queries",
    ),
    Trait(
        lambda s: s.V.shape[-1] != s.K.shape[-1],
        "where the values are wider or narrower than the keys",
        "where the values are as wide as the keys",
    ),
    Trait(
        lambda s: s.mask is not None and s.mask.dtype != bool,
        "with a mask of 0 and 1",
        "with a mask of True and False, or none",
    ),
    Trait(
        lambda s: s.mask is not None and s.mask.shape != s.scaled.shape,
        "with a mask that has to be stretched to the scores",
        "with a mask of the scores' own shape, or none",
    ),
)


def _two(value: Any) -> tuple[Any, Any]:
    output, weights = value
    return output, weights


def _close(a: Any, b: Any) -> bool:
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-5, atol=1e-6))


def _divisor(s: Any, v: Any) -> float:
    """By what the scores were divided; NaN where it cannot be seen.

    The logarithms of a row of weights are the scores over that divisor, plus a constant. Only
    allowed keys with a weight that is not lost to rounding say anything.
    """
    weights = _two(v)[1]
    scores = np.broadcast_to(s.scores, weights.shape)
    if np.abs(scores).max() > 100:
        return float("nan")
    if _close(weights, s.weights):
        raise ValueError("the weights are right")
    seen = np.isfinite(s.blocked) & (weights > 1e-250)
    if (np.isfinite(s.blocked) & ~seen).any() or (weights[~np.isfinite(s.blocked)] > 1e-6).any():
        raise ValueError("not a softmax of the scores over a divisor")
    mine = np.where(seen, np.log(np.where(seen, weights, 1)), np.nan)
    right = np.where(seen, scores, np.nan)
    mine = mine - np.nanmean(mine, axis=-1, keepdims=True)
    right = right - np.nanmean(right, axis=-1, keepdims=True)
    spread = np.nansum(right * right)
    if spread < 1e-12:
        return float("nan")
    factor = float(np.nansum(mine * right) / spread)
    rest = np.abs(mine - factor * right)
    if np.nanmax(rest) > 1e-6 or not np.allclose(weights.sum(-1), 1, atol=1e-6):
        raise ValueError("not a softmax of the scores over a divisor")
    return 1 / factor


FACTS = (
    Fact(
        "nan",
        lambda s, v: any(bool(np.isnan(part).any()) for part in _two(v)),
        "There are NaN (not a number) in the result, as ∞ / ∞ and ∞ − ∞ give.",
    ),
    Fact(
        "weights-right",
        lambda s, v: _close(_two(v)[1], s.weights) and not _close(_two(v)[0], s.output),
        "The weights are right; the output is not the weights times V.",
    ),
    Fact(
        "output-right",
        lambda s, v: _close(_two(v)[0], s.output) and not _close(_two(v)[1], s.weights),
        "The output is right; the weights that are returned are not those that made it.",
    ),
    Fact(
        "blocked-get-weight",
        lambda s, v: (
            s.mask is not None and bool((np.abs(_two(v)[1][np.isneginf(s.blocked)]) > 1e-6).any())
        ),
        "Keys that the mask blocks still get weight.",
    ),
    Fact(
        "columns",
        lambda s, v: _close(_two(v)[1].sum(-2), np.ones(_two(v)[1].sum(-2).shape)),
        "The columns of your weights sum to 1, and the rows should.",
    ),
    Fact(
        "rows",
        lambda s, v: not np.allclose(_two(v)[1].sum(-1), 1.0, atol=1e-5),
        "The rows of your weights do not sum to 1.",
    ),
    Fact(
        "follows",
        lambda s, v: _close(_two(v)[0], _two(v)[1] @ s.V) and not _close(_two(v)[1], s.weights),
        "The output does follow from your weights, so the mistake is in the weights.",
    ),
)


def axes(state: Any) -> dict[str, int]:
    """The sizes by name."""
    sizes = {f"B{i or ''}": size for i, size in enumerate(state.Q.shape[:-2])}
    return sizes | {
        "L_q": state.Q.shape[-2],
        "L_k": state.K.shape[-2],
        "d_k": state.Q.shape[-1],
        "d_v": state.V.shape[-1],
    }


RECIPES = {
    "scaled_dot_product_attention": Recipe(
        "scaled_dot_product_attention",
        ("Q", "K", "V", "mask"),
        STEPS,
        probes,
        misconceptions=(*SCALING, *SCORES, *WEIGHTS, *MASKING, *OUTPUT, *ARGUMENTS, *RETURNS),
        styles=(
            _fill(-1e9),
            {"blocked": lambda s: _masked(s, lambda m: s.scaled + (1 - m) * -1e9)},
        ),
        defaults={"mask": None},
        traits=TRAITS,
        facts=FACTS,
        results=("the output", "the attention weights"),
        axes=axes,
        measure=_divisor,
        measured="Your numbers are those of scores divided by {}; they have to be divided by √d_k.",
    )
}
