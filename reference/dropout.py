"""Dropout of attention weights, observed in outputs in which each weight occurs twice.

Source: Srivastava et al. (2014). Kept weights are divided by 1 − p ("inverted dropout"), as in
`torch.nn.Dropout`.
"""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from autograder.author import Hints
from reference.attention import Array, scale, scores, softmax
from reference.chance import FALSE_ALARM, are_independent


@dataclass(frozen=True)
class DropoutMistake:
    """Name and sentence of a mistake, and whether it is one of the returned weights."""

    id: str
    finding: str
    is_returned: bool = False


HINTS: dict[tuple[str, ...], Hints] = {
    ("dropout-missing",): (
        "In which calls does your module apply dropout, and where does it use the result?",
        "In training, dropout acts on the weights, with a mask and without one.",
        "Return self.dropout(weights) @ value, weights.",
    ),
    ("dropout-of-whole-keys", "dropout-of-whole-queries", "dropout-shared-by-batch"): (
        "Which shape do the random numbers have that choose the dropped weights?",
        "Each weight is dropped or kept by itself, so each needs its own random number.",
        "Apply nn.Dropout to the whole tensor of the weights.",
    ),
    ("dropout-not-rescaled", "dropout-renormalised"): (
        "By which factor does your code multiply a weight that dropout keeps?",
        "A kept weight is divided by 1 − p. Nothing else changes it.",
        "nn.Dropout sets weights to 0 and divides the others by 1 − p.",
    ),
    ("dropout-rate-ignored", "dropout-rate-inverted", "dropout-default"): (
        "Which probability does your dropout get?",
        "The argument of the module is the probability with which a weight is set to 0.",
        "Write self.dropout = nn.Dropout(dropout) in `__init__`.",
    ),
    ("dropout-always-the-same",): (
        "In which line does your code choose the dropped weights?",
        "Each call in training chooses them again.",
        "Apply nn.Dropout in forward, and set no seed.",
    ),
}

TOGETHER = DropoutMistake(
    "dropout-not-independent",
    "The share of dropped weights is right, but some weights are not dropped independently of "
    "weights in other rows, columns or sequences. Each weight should be dropped or kept by "
    "itself.",
)


def what_dropout_did(
    query: Array,
    key: Array,
    output: Array,
    weights: Array | None,
    rate: float,
    own: Array | None = None,
) -> DropoutMistake | None:
    """Return the mistake in one pass in training, or None.

    `query` has the shape `(B, L_q, d)`, and `key` the shape `(B, L_k, d)`. The values in this pass
    are two identity matrices side by side. So `output`, of shape `(B, L_q, 2·L_k)`, contains the
    used weights twice. The weights `own`, which follow from the student's own step, replace the
    correct weights.
    """
    query, key = query.astype(np.float64), key.astype(np.float64)
    right = softmax(scale(scores(query, key), key.shape[-1])) if own is None else own
    first, second = np.split(output.astype(np.float64), 2, axis=-1)
    returned = right if weights is None else weights.astype(np.float64)
    if not np.allclose(returned, right, atol=1e-5):
        return _returned(returned, right, rate)
    if rate == 0:
        if np.allclose(first, right, atol=1e-5):
            return None
        return DropoutMistake(
            "dropout-rate-ignored", "With dropout=0.0, the output changes. It should not change."
        )
    if np.allclose(first, right, atol=1e-5) and np.allclose(second, right, atol=1e-5):
        return DropoutMistake("dropout-missing", "In training, no weight is set to 0.")
    if not np.isfinite(output).all():
        return DropoutMistake(
            "dropout-wrong",
            "In training, the output has infinite numbers or NaN. Dropout should set weights to 0, "
            "and divide the others by 1 − p.",
        )
    if not np.allclose(first, second, atol=1e-5):
        return _uneven(first, second, right)
    return _applied(first, right, rate)


def dropout_hints(mistake: str) -> Hints:
    """Return hints for one mistake in dropout, or () if the hints of the check fit."""
    return next((hints for ids, hints in HINTS.items() if mistake in ids), ())


def same_draw(first: Array, second: Array) -> bool:
    """Return True if both outputs drop the same weights, at least one."""
    dropped, again = np.abs(first) < 1e-12, np.abs(second) < 1e-12
    return bool(dropped.any() and np.array_equal(dropped, again))


def weights_in(output: Array) -> Array | None:
    """Return the weights that an output shows twice, or None if most of them are 0."""
    first, second = np.split(output.astype(np.float64), 2, axis=-1)
    is_shown = np.allclose(first, second, atol=1e-5) and 4 * np.count_nonzero(first) > first.size
    return first if is_shown else None


def _returned(returned: Array, right: Array, rate: float) -> DropoutMistake:
    dropped = (returned == 0) & (right != 0)
    if dropped.any() and np.allclose(returned[~dropped] * (1 - rate), right[~dropped], atol=1e-5):
        return DropoutMistake(
            "dropped-weights-returned",
            "In training, your code returns the weights after dropout: rows have zeros and do not "
            "sum to 1. Return the weights before dropout.",
            is_returned=True,
        )
    if dropped.any() and np.allclose(returned.sum(-1)[~dropped.all(-1)], 1, atol=1e-4):
        return DropoutMistake(
            "dropped-weights-returned",
            "In training, your code returns the weights after dropout, normalised to a sum of 1: "
            "rows have zeros. Return the weights before dropout.",
            is_returned=True,
        )
    if np.allclose(returned.sum(-1), 1, atol=1e-4):
        return DropoutMistake(
            "dropout-before-softmax",
            "In training, the weights differ from those in evaluation, but dropout sets none to 0. "
            "So it acts on the scores, the query or the key. It should act on the weights.",
        )
    return DropoutMistake(
        "dropout-wrong",
        "In training, not every row of the returned weights sums to 1. Return the weights of the "
        "softmax over the keys, before dropout.",
        is_returned=True,
    )


def _uneven(first: Array, second: Array, right: Array) -> DropoutMistake:
    """Return the mistake if two equal columns of the values give different columns of the output.

    Dropout sets numbers to 0 and multiplies all others by the same factor.
    """
    both, expected = np.stack([first, second]), np.stack([right, right])
    seen = (np.abs(both) > 1e-12) & (expected > 1e-6)
    factors = both[seen] / expected[seen]
    if factors.size and factors.size < both.size and np.ptp(factors) < 1e-2 * abs(factors[0]):
        return DropoutMistake(
            "dropout-on-output",
            "Dropout acts on the output or on the values. It should act only on the weights.",
        )
    return DropoutMistake(
        "dropout-wrong",
        "In training, two equal columns of the values give different columns of the output. Only "
        "the weights should change in training.",
    )


def _applied(used: Array, right: Array, rate: float) -> DropoutMistake | None:
    seen = right != 0
    dropped, kept = (seen & each for each in (np.abs(used) < 1e-12, np.abs(used) >= 1e-12))
    size = int(seen.sum())
    count, least, most = int(dropped.sum()), *_fair(size, rate)
    if count and (dropped == dropped[..., :1, :]).all():
        return DropoutMistake(
            "dropout-of-whole-keys",
            "Whole keys are dropped: a dropped key is dropped for every query. Each weight "
            "should be dropped or kept by itself.",
        )
    if count and (dropped == dropped[..., :1]).all():
        return DropoutMistake(
            "dropout-of-whole-queries",
            "Whole rows are dropped: a query loses all of its keys, or none. Each weight should be "
            "dropped or kept by itself.",
        )
    if count and len(dropped) > 1 and (dropped == dropped[:1]).all():
        return DropoutMistake(
            "dropout-shared-by-batch",
            "The same weights are dropped in every item of the batch. Each weight should be "
            "dropped or kept by itself.",
        )
    if np.allclose(used[kept], right[kept], atol=1e-5) and count:
        return DropoutMistake(
            "dropout-not-rescaled",
            "The weights that dropout keeps are unchanged. They should be divided by 1 − p.",
        )
    if least <= count <= most and np.allclose(used[kept] * (1 - rate), right[kept], atol=1e-5):
        return None if not seen.all() or are_independent(dropped, rate) else TOGETHER
    other = 1 - rate
    few, many = _fair(size, other)
    if few <= count <= many and np.allclose(used[kept] * (1 - other), right[kept], atol=1e-5):
        return DropoutMistake(
            "dropout-rate-inverted",
            "Dropout keeps each weight with probability p. It should keep each weight with "
            "probability 1 − p.",
        )
    share = count / size
    is_unfair = not least <= count <= most
    by_rate = np.allclose(used[kept] * (1 - rate), right[kept], atol=1e-5)
    by_share = np.allclose(used[kept] * (1 - share), right[kept], atol=0.05)
    if count and is_unfair and (by_rate or by_share):
        return DropoutMistake(
            "dropout-rate-ignored",
            f"{share:.0%} of the weights were set to 0. With dropout={rate:g}, it should be "
            f"{rate:.0%}.",
        )
    if np.allclose(used.sum(-1), 1, atol=1e-4):
        return DropoutMistake(
            "dropout-renormalised",
            "After dropout, each row of the weights sums to 1 again, as after a division by its "
            "sum. Instead, each weight that is kept should be divided by 1 − p.",
        )
    return DropoutMistake(
        "dropout-wrong",
        "In training, the output shows wrong weights. They should be the weights of the softmax, "
        "with some set to 0 and the others divided by 1 − p.",
    )


def _fair(count: int, rate: float) -> tuple[float, float]:
    fair = NormalDist(count * rate, (count * rate * (1 - rate)) ** 0.5)
    return fair.inv_cdf(FALSE_ALARM / 2), fair.inv_cdf(1 - FALSE_ALARM / 2)
