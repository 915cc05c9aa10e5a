"""Misconceptions about temperature, top-k, top-p and the choice of a token."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.author import Mistakes, Recipe, Trait
from reference import choosing
from reference.attention import softmax
from reference.choosing import by_likelihood, first_above, kept_only, most_likely
from reference.misconceptions.formulas import formulas

SCALED = formulas(
    "scaled",
    "For t > 0, the softmax gets",
    "logits / t",
    ("temperature-multiplied", "logits · t", lambda s: s.logits * s.t),
    ("temperature-ignored", "the logits, and t has no effect", lambda s: s.logits),
    ("temperature-on-probabilities", "softmax(logits) / t", lambda s: s.plain / (s.t or 1)),
)
WARM = formulas(
    "warm",
    "For t > 0, your result is",
    "softmax(logits / t)",
    ("softmax-missing", "logits / t", lambda s: s.scaled),
    ("temperature-on-probabilities", "softmax(logits) / t", lambda s: s.plain / (s.t or 1)),
    ("not-normalised", "e^(logits / t)", lambda s: np.exp(s.scaled)),
    ("overflow", "NaN for large logits / t", lambda s: np.exp(s.scaled) / np.exp(s.scaled).sum()),
)
COLD = formulas(
    "cold",
    "For t = 0, your result is",
    "1 for the first largest logit and 0 for the others",
    ("divided-by-zero", "NaN", lambda s: softmax(s.logits / 0)),
    ("zero-is-one", "the softmax of the logits", lambda s: s.plain),
    ("all-largest", "1 for each of the largest logits", lambda s: 1.0 * s.is_largest),
    ("largest-share", "equal for all largest logits", lambda s: s.is_largest / s.is_largest.sum()),
)


def at_least(s: Any) -> Any:
    return np.flatnonzero(s.logits >= s.logits[s.kept_right[-1]])


RESULT = formulas(
    "result",
    "Your result is",
    "a row with the logits that stay, each at its place, and −∞",
    ("sorted-order", "sorted", lambda s: s.row[by_likelihood(s.logits)]),
    ("sorted-order", "sorted", lambda s: np.sort(s.row)),
    ("zero-for-infinity", "0 where a token goes", lambda s: np.where(s.stays, s.logits, 0)),
    ("large-for-infinity", "−10⁹ where a token goes", lambda s: np.where(s.stays, s.logits, -1e9)),
    ("probabilities-returned", "a row of probabilities", lambda s: softmax(s.row)),
    ("probabilities-returned", "a row of probabilities", lambda s: softmax(s.logits) * s.stays),
)
FIRST = "the first ones of the vocabulary, whatever their logits are"
HIGHER = "those with the higher indices, of equal logits at the border"
KEPT = formulas(
    "kept",
    "The logits that stay are",
    "the k largest, and of equal ones the first",
    ("one-too-many", "k + 1 of them", lambda s: s.order[: s.k + 1]),
    ("smallest-kept", "the k smallest", lambda s: by_likelihood(-s.logits)[: s.k]),
    ("all-ties-kept", "all that equal the k-th largest, and the larger ones", at_least),
    ("border-removed", "those above the k-th largest", lambda s: s.above(s.kept_right[-1])),
    ("last-tie-kept", HIGHER, lambda s: s.higher[: s.k]),
    ("places-of-sorted", FIRST, lambda s: np.arange(len(s.logits))[: s.k]),
)
BEFORE = "those before the token that crosses p"
ENOUGH = formulas(
    None,
    "The tokens that stay are",
    "the fewest, from the likeliest on, whose probability reaches p",
    ("crossing-dropped", BEFORE, {"count": lambda s: max(1, s.right - 1) if s.p < 1 else s.right}),
    ("crossing-dropped", BEFORE, {"count": lambda s: s.right - (s.p < 1)}),
    ("one-too-many", "one more, after the one that crosses p", {"count": lambda s: s.right + 1}),
    ("none-at-zero", "none for p = 0", {"count": lambda s: s.right * (s.p > 0)}),
    ("threshold", "those with a probability of at least p", {"kept": lambda s: s.where(s.p)}),
    ("all-ties-kept", "all that equal the last one, and the larger ones", {"kept": at_least}),
    ("places-of-sorted", FIRST, {"kept": lambda s: np.arange(s.count)}),
    ("smallest-kept", "the least likely", {"order": lambda s: by_likelihood(-s.logits)}),
    ("not-sorted", "those at the front", {"order": lambda s: np.arange(len(s.logits))}),
    ("last-tie-kept", HIGHER, {"order": lambda s: s.higher}),
    ("logits-summed", "those for sums of logits", {"chances": lambda s: s.logits}),
)
FOUND = formulas(
    "found",
    "Your index is",
    "that of the first sum, in the order of the vocabulary, that is larger than u",
    ("at-least", "that of a sum which equals u", lambda s: first_above(s.sums, s.u - 1e-12)),
    ("one-before", "one too small", lambda s: s.right - 1),
    ("one-before", "one too small, but never below 0", lambda s: max(s.right - 1, 0)),
)
FALLBACK = formulas(
    "last",
    "If no sum is larger than u, your result is",
    "the last index with a probability above 0",
    ("last-may-be-impossible", "the last index", lambda s: len(s.sums) - 1),
    ("index-beyond-end", "the number of tokens, which is no index", lambda s: len(s.sums)),
    ("nothing-at-end", "None", lambda s: None),
)
SORTED = {
    "higher": lambda s: np.argsort(s.logits, kind="stable")[::-1],
    "order": lambda s: by_likelihood(s.logits),
    "above": lambda s: lambda i: np.flatnonzero(s.logits > s.logits[i]),
}
ROW = {
    "kept": lambda s: s.kept_right,
    "row": lambda s: kept_only(s.logits, s.kept),
    "stays": lambda s: np.isfinite(s.row),
    "result": lambda s: s.row,
}


def temperature_probes(draw: int) -> Sequence[tuple[Any, float]]:
    rng = np.random.default_rng([250, draw])
    drawn = [rng.normal(size=n) for n in (2, 3, 4, 5)]
    ties = np.array([1.0, 2, 2, 0]) + rng.integers(1, 9)
    calls = [(row, float(t)) for row in drawn for t in (rng.uniform(0.3, 3), 0)]
    large = [(np.array([900.0, top - draw, 0.0]), 0.5) for top in (899.0, 900.0)]
    return [*calls, (ties, 0), (ties[::-1], 0), *large]


def rows(draw: int) -> list[Any]:
    rng = np.random.default_rng([251, draw])
    ties = np.array([1.0, 3, 2, 3, 2, 2]) + rng.integers(1, 5)
    return [*(rng.permutation(n) / 2 + rng.uniform(-4, 2) for n in (3, 4, 6)), ties, ties[::-1]]


def k_probes(draw: int) -> Sequence[tuple[Any, int]]:
    return [*((row, k) for row in rows(draw) for k in (1, 2, 3)), (rows(draw)[0], 9)]


def p_probes(draw: int) -> Sequence[tuple[Any, float]]:
    found: list[tuple[Any, float]] = []
    for row in rows(draw):
        sums = np.concatenate([[0.0], np.cumsum(np.sort(softmax(row))[::-1])])
        found += [(row, float(sums[n] + sums[n + 1]) / 2) for n in (0, 1, 2)]
    flat = np.random.default_rng([253, draw]).permutation(12) / 4
    found += [(flat, 0.7), (flat, 0.9)]  # other temperatures keep two or three tokens fewer
    return [*found, *((row, p) for row in rows(draw)[:3] for p in (0.0, 1.0, 1.5))]


def draw_probes(draw: int) -> Sequence[tuple[Any, float]]:
    rng = np.random.default_rng([252, draw])
    drawn = [rng.dirichlet(np.ones(n)) for n in (2, 3, 4, 5)]
    calls = [(row, float(u)) for row in drawn for u in rng.uniform(0.02, 0.98, size=3)]
    exact = np.array([0.25, 0.5, 0.25]), np.array([0.0, 0.25, 0.0, 0.75])
    low_sums = [(np.append(row * 0.9, np.zeros(len(row) % 3)), 0.95) for row in drawn]
    return [*calls, *((row, u) for row in exact for u in (0.0, 0.25, 0.75)), *low_sums]


MISTAKES = Mistakes(
    Recipe(
        choosing.temperature,
        temperature_probes,
        (SCALED, WARM, COLD),
        steps={
            "plain": lambda s: softmax(s.logits),
            "is_largest": lambda s: s.logits == max(s.logits),
            "scaled": lambda s: s.logits / (s.t or 1),
            "warm": lambda s: softmax(s.scaled),
            "cold": lambda s: most_likely(s.logits),
            "result": lambda s: s.warm if s.t else s.cold,
        },
        traits=(Trait(lambda s: s.t == 0, "for t = 0", "for t > 0"),),
    ),
    Recipe(
        choosing.top_k,
        k_probes,
        (KEPT, RESULT),
        steps={**SORTED, "kept_right": lambda s: s.order[: s.k], **ROW},
    ),
    Recipe(
        choosing.top_p,
        p_probes,
        (ENOUGH, RESULT),
        steps={
            "chances": lambda s: softmax(s.logits),
            "where": lambda s: lambda least: np.flatnonzero(s.chances >= least),
            **SORTED,
            "sums": lambda s: np.cumsum(s.chances[s.order]),
            "right": lambda s: choosing.count_for(s.sums, s.p),
            "count": lambda s: s.right,
            "kept_right": lambda s: s.order[: s.count],
            **ROW,
        },
        traits=(Trait(lambda s: 0 < s.p < 1, "for p between 0 and 1", "for p = 0 and p ≥ 1"),),
    ),
    Recipe(
        choosing.draw,
        draw_probes,
        (FOUND, FALLBACK),
        steps={
            "sums": lambda s: np.cumsum(s.probabilities),
            "right": lambda s: first_above(s.sums, s.u),
            "found": lambda s: s.right,
            "last": lambda s: choosing.last_possible(s.probabilities),
            "result": lambda s: s.last if s.found is None else s.found,
        },
    ),
)
