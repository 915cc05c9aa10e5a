"""Misconceptions about angles, rotated pairs, and scores of rotated vectors."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Mistakes, Probe, Recipe, Step
from reference import rotations
from reference.misconceptions.formulas import formulas
from reference.rotations import interleaved, neighbours, rotate, scores, turned

EXPONENTS = formulas(
    "exponents",
    "The exponent of pair j is",
    "−2j/d",
    ("exponent-doubled", "−4j/d", lambda s: -4 * s.pairs / s.d),
    ("exponent-halved", "−j/d", lambda s: -s.pairs / s.d),
    ("exponent-rounded", "0, as after an integer division", lambda s: 0 * s.pairs),
    ("exponent-rounded", "rounded down to a whole number", lambda s: -2 * s.pairs // s.d),
    ("sign-of-exponent", "2j/d", lambda s: 2 * s.pairs / s.d),
    ("pairs-from-one", "−2(j + 1)/d", lambda s: -2 * (s.pairs + 1) / s.d),
    ("last-pair-at-base", "−j/(d/2 − 1)", lambda s: -s.pairs / max(s.d // 2 - 1, 1)),
)
BASE = formulas(
    None,
    "The base of the frequencies is",
    "`base`",
    ("base-ignored", "always 10,000", {"base": lambda s: 10000.0}),
    ("base-e", "e", {"base": lambda s: np.e}),
)
POSITIONS = formulas(
    "places",
    "The position of row i is",
    "positions[i]",
    ("positions-ignored", "i for all `positions`", lambda s: np.arange(s.rows.shape[-1])),
    ("positions-from-first", "positions[i] − positions[0]", lambda s: s.rows - s.rows[..., :1]),
    ("positions-from-one", "positions[i] + 1", lambda s: s.rows + 1),
)
RETURNED = formulas(
    "result",
    "The result is",
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
    def twice(s: Any) -> Any:
        one, two = pairs(layout(s.by, s.by))
        return turned(*s.pairs, by=one)[0], turned(*s.pairs, by=two)[1]

    return {"pairs": lambda s: pairs(s.x), "turned": twice, "result": lambda s: back(*s.turned)}


def of_pair(change: Callable[..., Any]) -> Step:
    return lambda s: change(*s.pairs, np.cos(s.by), np.sin(s.by))


PAIRS = formulas(
    None,
    "The features of pair j are",
    "2j and 2j + 1",
    ("halves-for-neighbours", "j and j + d/2", mixed(halves, joined, joined)),
    (
        "pairings-mixed",
        "2j, 2j + 1 before and j, j + d/2 after",
        mixed(neighbours, interleaved, joined),
    ),
    (
        "pairings-mixed",
        "j, j + d/2 before and 2j, 2j + 1 after",
        mixed(halves, joined, interleaved),
    ),
    ("pairings-mixed", "j, j + d/2 with angles of neighbours", mixed(halves, interleaved, joined)),
)
OLD = "The second feature is computed from the new first feature. Use the old first feature."
TWO = "Your angles are equal for features j and j + d/2. They should be for 2j and 2j + 1."
OTHER_AXIS = "The angles are used along axis −3. The positions are on axis −2."
MORE: dict[str, Any] = {
    "pairings-mixed": (TWO, mixed(neighbours, joined, interleaved)),
    "new-feature-used": (
        OLD,
        {"turned": of_pair(lambda a, b, c, s: (a * c - b * s, (a * c - b * s) * s + b * c))},
    ),
    "heads-for-positions": (
        OTHER_AXIS,
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


def placed(x: Any, places: Any) -> Any:
    return rotate(x, rotations.angles(places, x.shape[-1]))


def along(axis: int, name: str) -> Step:
    """Return queries or keys, turned by positions along `axis` instead of axis −2."""

    def result(s: Any) -> Any:
        x, first = getattr(s, name), s.offset if name == "q" else 0
        place = axis if x.ndim > 2 else -2
        by = np.moveaxis(x, place, -2)
        return np.moveaxis(placed(by, first + np.arange(by.shape[-2])), -2, place)

    return result


AXES = {
    "heads-for-positions": (
        "Your code counts positions along a wrong axis. They are along axis −2.",
        *({"queries": along(axis, "q"), "keys": along(axis, "k")} for axis in (0, -3)),
    )
}
TURNED = formulas(
    None,
    "A score is a product of",
    "one of a turned q and a turned k",
    ("queries-not-turned", "q and a turned k", {"queries": lambda s: s.q}),
    ("keys-not-turned", "a turned q and k", {"keys": lambda s: s.k}),
    ("nothing-turned", "q and k", {"queries": lambda s: s.q, "keys": lambda s: s.k}),
)
SCALES = formulas(
    "result",
    "The divisor of the scores is",
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
        other = {"base": float(rng.integers(5, 200))}
        calls += [Probe((positions, d)), Probe((positions, d), other)]
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
    for *front, n, m, d in (2, 2, 2), (3, 5, 4), (4, 4, 6), (2, 2, 3, 4), (2, 3, 4, 5, 6):
        args = rng.normal(size=(*front, n, d)), rng.normal(size=(*front, m, d))
        calls += [Probe(args), Probe(args, {"offset": int(rng.integers(5, 15))})]
    return calls


MISTAKES = Mistakes(
    Recipe(
        rotations.angles,
        angle_probes,
        (EXPONENTS, BASE, POSITIONS, RETURNED),
        {
            "pairs": lambda s: np.arange(s.d // 2),
            "exponents": lambda s: -2 * s.pairs / s.d,
            "rows": lambda s: np.asarray(s.positions),
            "places": lambda s: s.rows,
            "angles": lambda s: s.places[..., None] * float(s.base) ** s.exponents,
            "result": lambda s: s.angles,
        },
    ),
    Recipe(
        "rotate",
        pair_probes,
        (PAIRS, Family(None, (), MORE), FORMULA),
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
        (PLACES, Family(None, (), AXES), TURNED, SCALES),
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
