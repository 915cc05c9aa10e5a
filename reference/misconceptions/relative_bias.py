"""Misconceptions about ALiBi: slopes, distances, positions of queries, and later keys."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.author import Comparison, Family, Mistakes, Recipe, Trait
from reference.biases import (
    alibi_slopes,
    biases,
    block_later,
    distances,
    power_below,
    sequence,
)
from reference.row_constants import without_row_constants

Whole = tuple[int, ...]


def _joined(h: int, more: Any, first: Callable[[int], Any] = sequence) -> Any:
    n = power_below(h)
    return np.concatenate([first(n), more[: h - n]])


def _from_one(n: int) -> Any:
    return 2.0 ** (-8.0 * np.arange(n) / n)


SLOPES = {
    "no-power-of-two": (
        "Your slopes are 2^(−8k/h) for every h. If h is not a power of two, join the slopes of "
        "two powers of two.",
        sequence,
    ),
    "cut-from-next-power": (
        "If h is not a power of two, your slopes are the first slopes for the next larger "
        "power of two.",
        lambda h: sequence(_next_power(h))[:h],
    ),
    "added-slopes-repeat": (
        "The added slopes repeat the slopes of n. They should be the first, third, fifth … "
        "slope of 2n.",
        lambda h: _joined(h, sequence(2 * power_below(h))[1::2]),
    ),
    "added-in-a-row": (
        "The added slopes are the first slopes of 2n. They should be its first, third, fifth … "
        "slope.",
        lambda h: _joined(h, sequence(2 * power_below(h))),
    ),
    "slopes-sorted": (
        "The slopes are sorted. In the published code, the added slopes come last.",
        lambda h: np.sort(alibi_slopes(h))[::-1],
        lambda h: np.sort(alibi_slopes(h)),
    ),
    "slopes-from-one": (
        "The first slope is 1: your powers are counted from 0. They should be counted from 1.",
        lambda h: _joined(h, _from_one(2 * power_below(h))[0::2], _from_one),
        lambda h: _joined(h, sequence(2 * power_below(h))[0::2], _from_one),
        _from_one,
    ),
    "slopes-backwards": (
        "The slopes are in the opposite order.",
        lambda h: alibi_slopes(h)[::-1],
    ),
    "slopes-of-eight-heads": (
        "The slopes are 1/2, 1/4, 1/8, … for every h. These are the slopes of 8 heads.",
        lambda h: 2.0 ** -np.arange(1, h + 1),
    ),
    "slopes-grow": (
        "The slopes are larger than 1: the sign of the exponent is wrong.",
        lambda h: 1 / alibi_slopes(h),
        lambda h: 1 / sequence(h),
    ),
    "slopes-negative": ("The slopes are negative.", lambda h: -alibi_slopes(h)),
    "exponents-returned": (
        "Your function returns the exponents. The slopes are powers of 2.",
        lambda h: np.log2(alibi_slopes(h)),
        lambda h: -np.log2(alibi_slopes(h)),
    ),
    "base-e": (
        "Your slopes are powers of e. They should be powers of 2.",
        lambda h: np.exp(np.log2(alibi_slopes(h))),
        lambda h: np.exp(np.log2(sequence(h))),
    ),
    "slopes-evenly-spaced": (
        "Your slopes have equal differences. Each slope times 2^(−8/h) should be the next slope.",
        lambda h: np.linspace(alibi_slopes(h)[0], 2.0**-8, h),
        lambda h: np.arange(1, h + 1) / h,
        lambda h: np.arange(h, 0, -1) / h,
        lambda h: 2.0 ** (-8 / h) * np.arange(1, h + 1),
    ),
}


def _next_power(h: int) -> int:
    return 1 << (h - 1).bit_length()


def _from_zero(s: Any) -> Any:
    return np.arange(float(s.q_len))[:, None] - np.arange(s.k_len)


LATER = Family(
    "blocked",
    (
        "Which keys may the query at position 0 see?",
        "A key after its query has the bias −∞. A query sees its own position and all earlier "
        "positions.",
        "Look at the condition that decides which biases become −∞.",
    ),
    {
        "later-keys-open": [
            ("Later keys are not blocked.", lambda s: s.bias),
            (
                "Later keys are not blocked: they have the bias of their distance.",
                lambda s: biases(s.slopes, abs(s.distance)),
            ),
            (
                "Later keys have the bias 0, so they are not blocked.",
                lambda s: np.where(s.distance >= 0, s.bias, 0.0),
            ),
        ],
        "earlier-keys-blocked": (
            "Your function blocks the keys before the query. It should block later keys.",
            lambda s: np.where(s.distance <= 0, s.bias, -np.inf),
            lambda s: np.where(s.distance <= 0, biases(s.slopes, abs(s.distance)), -np.inf),
        ),
        "own-key-blocked": (
            "A query's own position is blocked too.",
            lambda s: np.where(s.distance > 0, s.bias, -np.inf),
            lambda s: np.where((s.distance > 0) | (np.arange(s.k_len) == 0), s.bias, -np.inf),
        ),
        "one-later-key-open": (
            "A query sees one key after itself.",
            lambda s: np.where(s.distance >= -1, s.bias, -np.inf),
            lambda s: np.where(s.distance >= -1, biases(s.slopes, abs(s.distance)), -np.inf),
        ),
    },
)
PLACES = Family(
    None,
    (
        "With one query and four keys, at which position is the query?",
        "The queries are the last tokens: query i is at position k_len − q_len + i.",
        "Make an array of the positions of the queries. Its last entry should be k_len − 1.",
    ),
    {
        "queries-from-zero": [
            (
                "{With as many queries as keys, your biases are right. With fewer|With fewer} "
                "queries, your query i is at position i.",
                {"distance": _from_zero},
            ),
            (
                "{As many queries as keys are right. With fewer|With fewer} queries, the right "
                "keys are blocked, but your distances put query i at position i.",
                {"bias": lambda s: biases(s.slopes, abs(_from_zero(s)))},
            ),
        ],
        "square": [
            (
                "With fewer queries than keys, your result has only q_len keys.",
                {"distance": lambda s: distances(s.q_len, s.q_len)},
            ),
            (
                "With fewer queries than keys, your result has k_len queries.",
                {"distance": lambda s: distances(s.k_len, s.k_len)},
            ),
        ],
    },
)


def _right(s: Any) -> Any:
    return biases(s.slopes, s.distance)


BIAS = Family(
    "bias",
    (
        "Which number does head 0 add to the score of the token before the query?",
        "The bias is −slope · distance, and all biases of one head have the same slope.",
        "Look at the shapes of your slopes and distances, and at the sign of the bias.",
    ),
    {
        "bias-positive": (
            "A far key gets a larger bias than a near one: the sign is wrong.",
            lambda s: -_right(s),
        ),
        "slopes-by-position": (
            "The slope belongs to a position instead of a head.",
            lambda s: -alibi_slopes(s.q_len)[None, :, None] * s.distance + 0 * _right(s),
            lambda s: -alibi_slopes(s.k_len)[None, None, :] * s.distance + 0 * _right(s),
            lambda s: -s.slopes[None, :, None] * s.distance + 0 * _right(s),
        ),
        "one-slope": (
            "All heads have the same slope.",
            *(lambda s, k=k: _right(s)[[k] * s.h] for k in (0, -1)),
        ),
        "heads-backwards": (
            "The heads have their slopes in the wrong order.",
            lambda s: _right(s)[::-1],
        ),
        "other-slopes": (
            "The slopes in alibi are 1/2, 1/4, 1/8, … for every h, as if h were 8.",
            lambda s: biases(2.0 ** -np.arange(1.0, s.h + 1), s.distance),
        ),
        "no-slope": (
            "The slopes have no effect: each step farther away changes the bias by 1.",
            lambda s: biases(np.ones(s.h), s.distance),
        ),
        "distance-squared": (
            "The distances are squared.",
            lambda s: biases(s.slopes, s.distance**2),
        ),
        "slope-as-divisor": (
            "The distances are divided by the slopes. They should be multiplied by the slopes.",
            lambda s: biases(1 / s.slopes, s.distance),
        ),
    },
)


def heads_probes(draw: int) -> Sequence[tuple[int]]:
    rng = np.random.default_rng([180, draw])
    drawn = [int(rng.integers(low, 2 * low)) for low in (9, 9, 17, 33)]
    return [(h,) for h in (1, 2, 4, 8, 16, 3, 5, 6, 7, *drawn)]


def sizes_probes(draw: int) -> Sequence[Whole]:
    rng = np.random.default_rng([181, draw])
    more = [(int(h), int(q), int(q + k)) for h, q, k in rng.integers(2, 7, size=(3, 3))]
    few = (3, 2, 2), (2, 3, 3), (4, 4, 4), (8, 3, 3), (2, 1, 4), (4, 2, 5), (4, 4, 6), (5, 3, 3)
    return [*few, *more]


MISTAKES = Mistakes(
    Recipe(
        alibi_slopes,
        heads_probes,
        SLOPES,
        traits=(
            Trait(
                lambda s: s.h == power_below(s.h), "for powers of two", "for other numbers of heads"
            ),
        ),
    ),
    Recipe(
        "alibi",
        sizes_probes,
        (BIAS, LATER, PLACES),
        steps={
            "slopes": lambda s: alibi_slopes(s.h),
            "distance": lambda s: distances(s.q_len, s.k_len),
            "bias": lambda s: biases(s.slopes, s.distance),
            "blocked": lambda s: block_later(s.bias, s.distance),
            "seen": lambda s: without_row_constants(s.blocked),
        },
        parameters=("h", "q_len", "k_len"),
        labels={"slopes": "the slopes", "distance": "the distances", "bias": "the biases"},
        traits=(Trait(lambda s: s.q_len < s.k_len, "with fewer queries than keys", "otherwise"),),
        comparison=Comparison(read=without_row_constants, sample=lambda s: s.blocked),
    ),
)
