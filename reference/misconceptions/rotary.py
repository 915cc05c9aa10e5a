"""Misconceptions about angles, rotated pairs and the scores that follow."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Mistakes, Probe, Recipe, Step
from reference import rotations
from reference.misconceptions.formulas import formulas
from reference.rotations import interleaved, neighbours, rotate, scores, turned


def exponents(change: Callable[[Any, int], Any]) -> Step:
    """Return frequencies whose exponents follow from the pairs' numbers and d."""
    return lambda s: float(s.base) ** -np.asarray(change(np.arange(s.d // 2), s.d), float)


FREQUENCIES = formulas(
    "frequencies",
    "The exponent of pair j is",
    "−2j/d",
    ("exponent-doubled", "−4j/d", lambda j, d: 4 * j / d),
    ("exponent-halved", "−j/d", lambda j, d: j / d),
    ("exponent-rounded", "0, as after an integer division", lambda j, d: 0 * j),
    ("exponent-rounded", "rounded down to a whole number", lambda j, d: -(-2 * j // d)),
    ("sign-of-exponent", "2j/d", lambda j, d: -2 * j / d),
    ("pairs-from-one", "−2(j + 1)/d", lambda j, d: 2 * (j + 1) / d),
    ("last-pair-at-base", "−j/(d/2 − 1)", lambda j, d: j / max(d // 2 - 1, 1)),
    means=exponents,
)
BASE = formulas(
    "frequencies",
    "The frequencies are powers of",
    "`base`",
    ("base-ignored", "10,000 for every `base`", lambda s: rotations.frequencies(s.d)),
    ("base-e", "e", lambda s: rotations.frequencies(s.d, np.e)),
)


def at(change: Callable[[Any], Any]) -> Step:
    """Return angles of other positions."""
    return lambda s: np.asarray(change(np.asarray(s.positions)))[..., None] * s.frequencies


POSITIONS = formulas(
    "result",
    "The angles belong to",
    "`positions`",
    ("positions-ignored", "0, 1, 2, … for all `positions`", lambda p: np.arange(p.shape[-1])),
    ("positions-from-first", "`positions` minus the first one", lambda p: p - p[..., :1]),
    ("positions-from-first", "`positions` minus the smallest one", lambda p: p - p.min()),
    ("positions-from-one", "`positions` plus 1", lambda p: p + 1),
    means=at,
)
RETURNED = formulas(
    "result",
    "Your function returns",
    "the angles in radians",
    ("turns-for-radians", "2π times the angles", lambda s: 2 * np.pi * s.angles),
    ("cosines-returned", "the cosines of the angles", lambda s: np.cos(s.angles)),
    ("angles-repeated", "each angle twice", lambda s: np.repeat(s.angles, 2, axis=-1)),
    ("angles-repeated", "all angles twice", lambda s: joined(s.angles, s.angles)),
)


def halves(x: Any) -> Any:
    return x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]


def joined(first: Any, second: Any) -> Any:
    return np.concatenate(np.broadcast_arrays(first, second), axis=-1)


def mixed(pairs: Any, layout: Any, back: Any) -> dict[str, Step]:
    """Return steps in which the two features of a pair have different angles."""

    def twice(s: Any) -> Any:
        one, two = pairs(layout(s.by, s.by))
        return turned(*s.pairs, by=one)[0], turned(*s.pairs, by=two)[1]

    return {"pairs": lambda s: pairs(s.x), "turned": twice, "result": lambda s: back(*s.turned)}


def of_pair(change: Callable[..., Any]) -> Step:
    return lambda s: change(*s.pairs, np.cos(s.by), np.sin(s.by))


PAIRS: dict[str, Any] = {
    "halves-for-neighbours": (
        "Feature j is paired with feature j + d/2; it should be feature 2j with feature 2j + 1.",
        {"pairs": lambda s: halves(s.x), "result": lambda s: joined(*s.turned)},
    ),
    "pairings-mixed": [
        (
            "Neighbours are turned, but all first features are put before all second ones.",
            {"result": lambda s: joined(*s.turned)},
        ),
        (
            "Feature j is turned with feature j + d/2, and both are put back as neighbours.",
            {"pairs": lambda s: halves(s.x)},
        ),
        (
            "Neighbours have the same angle, but feature j is combined with feature j + d/2.",
            mixed(halves, interleaved, joined),
        ),
        (
            "Neighbours are combined, but they have different angles: those of two pairs.",
            mixed(neighbours, joined, interleaved),
        ),
    ],
    "new-feature-used": (
        "The second feature is computed from the new first one; it needs the old one.",
        {"turned": of_pair(lambda a, b, c, s: (a * c - b * s, (a * c - b * s) * s + b * c))},
    ),
    "first-angle-only": (
        "All pairs are turned by the angle of pair 0.",
        {"turned": lambda s: turned(*s.pairs, by=s.by[..., :1])},
    ),
    "heads-for-positions": (
        "The angles are used along axis −3; the positions are on axis −2.",
        {"by": lambda s: s.angles[..., :, None, :]},
        {"by": lambda s: s.angles[..., :, None, :] if s.x.ndim > 3 else s.angles},
    ),
}


FORMULA = formulas(
    "turned",
    "With c = cos φ and s = sin φ, the pair [a, b] becomes",
    "[ac − bs, as + bc]",
    ("clockwise", "[ac + bs, bc − as]", lambda a, b, c, s: (a * c + b * s, b * c - a * s)),
    ("wrong-sign", "[ac + bs, as + bc]", lambda a, b, c, s: (a * c + b * s, a * s + b * c)),
    ("wrong-sign", "[ac − bs, bc − as]", lambda a, b, c, s: (a * c - b * s, b * c - a * s)),
    ("wrong-sign", "[ac − bs, as − bc]", lambda a, b, c, s: (a * c - b * s, a * s - b * c)),
    ("exchanged", "[as − bc, ac + bs]", lambda a, b, c, s: (a * s - b * c, a * c + b * s)),
    ("exchanged", "[as + bc, ac − bs]", lambda a, b, c, s: (a * s + b * c, a * c - b * s)),
    ("partner-exchanged", "[ac − as, bs + bc]", lambda a, b, c, s: (a * c - a * s, b * s + b * c)),
    ("cosine-only", "[ac, bc]", lambda a, b, c, s: (a * c, b * c)),
    ("one-feature-only", "[ac − bs, b]", lambda a, b, c, s: (a * c - b * s, b)),
    ("one-feature-only", "[a, as + bc]", lambda a, b, c, s: (a, a * s + b * c)),
    ("not-turned", "[a, b]", lambda a, b, c, s: (a, b)),
    means=of_pair,
)
PLACES = formulas(
    "places",
    "Counted from key 0, query i is at position",
    "offset + i",
    ("offset-missing", "i", lambda s: s.rows),
    ("offset-subtracted", "i − offset", lambda s: s.rows - s.offset),
    ("offset-by-one", "offset + i + 1", lambda s: s.offset + s.rows + 1),
    ("queries-at-the-end", "L_k − L_q + i", lambda s: len(s.columns) - len(s.rows) + s.rows),
)
TURNED = formulas(
    None,
    "Dot products are taken of",
    "turned queries and turned keys",
    ("queries-not-turned", "q itself and turned keys", {"queries": lambda s: s.q}),
    ("keys-not-turned", "turned queries and k itself", {"keys": lambda s: s.k}),
    ("nothing-turned", "q and k", {"queries": lambda s: s.q, "keys": lambda s: s.k}),
)
SCALES = formulas(
    "result",
    "The dot products are divided by",
    "√d",
    ("not-scaled", "1", lambda s: s.scores * np.sqrt(s.q.shape[-1])),
    ("scaled-by-d", "d", lambda s: s.scores / np.sqrt(s.q.shape[-1])),
    ("scaled-by-pairs", "√(d/2)", lambda s: s.scores * np.sqrt(2)),
)


def angle_probes(draw: int) -> list[Probe]:
    rng = np.random.default_rng([170, draw])
    calls = [Probe((list(range(n)), d)) for n, d in ((3, 2), (3, 4), (4, 6), (4, 4))]
    for size, d in (3, 4), (4, 6), (2, 8), ((2, 3), 6):
        positions = rng.integers(1, 20, size)
        calls += [
            Probe((positions, d)),
            Probe((positions, d), {"base": float(rng.integers(5, 200))}),
        ]
    return calls


def pair_probes(draw: int) -> list[Probe]:
    rng = np.random.default_rng([171, draw])
    calls = []
    for size in (1, 2), (3, 2), (3, 6), (4, 8), (2, 3, 4), (2, 4, 4, 6), (1, 3, 3, 4), (3, 3, 6):
        x, by = rng.normal(size=size), rng.uniform(-3, 3, (size[-2], size[-1] // 2))
        calls.append(Probe((x, by)))
    return calls


def score_probes(draw: int) -> list[Probe]:
    rng = np.random.default_rng([172, draw])
    calls = []
    for q, k in ((2, 2), (2, 2)), ((3, 4), (5, 4)), ((4, 6), (4, 6)), ((2, 2, 4), (2, 3, 4)):
        args = rng.normal(size=q), rng.normal(size=k)
        calls += [Probe(args), Probe(args, {"offset": int(rng.integers(5, 15))})]
    return calls


def placed(x: Any, places: Any) -> Any:
    return rotate(x, rotations.angles(places, x.shape[-1]))


MISTAKES = Mistakes(
    Recipe(
        rotations.angles,
        angle_probes,
        (FREQUENCIES, BASE, POSITIONS, RETURNED),
        {
            "frequencies": lambda s: rotations.frequencies(s.d, s.base),
            "angles": lambda s: np.asarray(s.positions)[..., None] * s.frequencies,
            "result": lambda s: s.angles,
        },
    ),
    Recipe(
        "rotate",
        pair_probes,
        (Family(None, (), PAIRS), FORMULA),
        {
            "by": lambda s: s.angles,
            "pairs": lambda s: neighbours(s.x),
            "turned": lambda s: turned(*s.pairs, by=s.by),
            "result": lambda s: interleaved(*s.turned),
        },
        ("x", "angles"),
    ),
    Recipe(
        rotations.rotary_scores,
        score_probes,
        (PLACES, TURNED, SCALES),
        {
            "rows": lambda s: np.arange(s.q.shape[-2]),
            "columns": lambda s: np.arange(s.k.shape[-2]),
            "places": lambda s: s.offset + s.rows,
            "queries": lambda s: placed(s.q, s.places),
            "keys": lambda s: placed(s.k, s.columns),
            "scores": lambda s: scores(s.queries, s.keys),
            "result": lambda s: s.scores,
        },
    ),
)
