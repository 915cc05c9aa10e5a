"""Misconceptions about vectors of positions: frequencies, layout, similarity and the picture."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.author import Comparison, Family, Mistakes, Probe, Recipe, Step, Trait, constant
from reference.figures import image_by_place, image_figure
from reference.sinusoids import angles, frequencies, products, sines_and_cosines, sinusoid


def exponents(change: Callable[[Any, int], Any]) -> Step:
    """Return a step with other exponents in the frequencies."""
    return lambda s: float(s.base) ** -np.asarray(change(np.arange(s.d), s.d), float)


FREQUENCIES = Family(
    "frequencies",
    (),
    means=exponents,
    ways={
        "exponent-doubled": [
            (
                "The exponent of pair j is −4j/d: twice as large as in the formula.",
                lambda c, d: 4 * (c // 2) / d,
            ),
            (
                "The exponent of column c is −2c/d. It should be −2j/d in both columns of pair j.",
                lambda c, d: 2 * c / d,
            ),
        ],
        "pair-with-two-frequencies": [
            (
                "The exponent of column c is −c/d in your code, so a cosine has another frequency "
                "than its sine.",
                lambda c, d: c / d,
            ),
            (
                "Each cosine has the frequency of the next pair. It should have the frequency "
                "of its own pair.",
                lambda c, d: 2 * ((c + 1) // 2) / d,
            ),
        ],
        "exponent-halved": (
            "The exponent of pair j is −j/d: half as large as in the formula.",
            lambda c, d: (c // 2) / d,
        ),
        "exponent-rounded": (
            "All frequencies are 1: every exponent is 0, as after an integer division.",
            lambda c, d: 0 * c,
        ),
        "sign-of-exponent": (
            "The frequencies grow from pair to pair: the exponent has the wrong sign.",
            lambda c, d: -2 * (c // 2) / d,
        ),
        "pairs-from-one": (
            "The first pair has the exponent −2/d: your pairs are counted from 1.",
            lambda c, d: 2 * (c // 2 + 1) / d,
        ),
        "last-pair-at-base": (
            "The exponent of the last pair is −1. In the formula, no exponent reaches −1.",
            lambda c, d: (c // 2) / max(d // 2 - 1, 1),
            lambda c, d: (c // 2) / max((d + 1) // 2 - 1, 1),
        ),
        "half-rounded": (
            "For odd d, your exponents use a rounded half of d. They should use d itself.",
            lambda c, d: (c // 2) / max(d // 2, 1),
            lambda c, d: (c // 2) / ((d + 1) // 2),
        ),
    },
)
BASES = Family(
    "base",
    (),
    means=constant,
    ways={
        "base-ignored": ("Your frequencies are powers of 10,000 for every `base`.", 10000.0),
        "base-e": ("Your frequencies are powers of e.", np.e),
    },
)
ANGLES = Family(
    "angles",
    (),
    {
        "positions-from-one": (
            "Your first row belongs to position 1. Positions are counted from 0.",
            lambda s: angles(s.n + 1, s.frequencies)[1:],
        ),
        "positions-as-fractions": [
            ("The positions are divided by n.", lambda s: angles(s.n, s.frequencies) / s.n),
            (
                "The positions are divided by the last position.",
                lambda s: angles(s.n, s.frequencies) / max(s.n - 1, 1),
            ),
        ],
        "turns-for-radians": (
            "The angles are 2π times too large: a frequency is in radians per position here.",
            lambda s: angles(s.n, s.frequencies) * 2 * np.pi,
        ),
    },
)


def _last_is(function: Callable[[Any], Any], a: Any) -> Any:
    made = sines_and_cosines(a)
    if made.shape[1] % 2:
        made[:, -1] = function(a[:, -1])
    return made


LAYOUT = Family(
    "vectors",
    (),
    means=lambda change: lambda s: change(s.angles),
    ways={
        "halves": (
            "All sines come first, and then all cosines. They should alternate.",
            lambda a: np.concatenate([np.sin(a[:, 0::2]), np.cos(a[:, 1::2])], axis=1),
        ),
        "cosine-first": (
            "Sines and cosines have changed places: column 0 is a cosine.",
            lambda a: np.where(np.arange(a.shape[1]) % 2 == 1, np.sin(a), np.cos(a)),
        ),
        "one-function": [
            ("Every column is a sine.", np.sin),
            ("Every column is a cosine.", np.cos),
        ],
        "alternating-by-row": (
            "Even rows are sines and odd rows are cosines. The columns should alternate.",
            lambda a: np.where(np.arange(len(a))[:, None] % 2 == 0, np.sin(a), np.cos(a)),
        ),
        "angles-returned": ("Your function returns the angles themselves.", lambda a: a),
        "last-column": [
            (
                "For odd d, the last column is 0. It should be a sine.",
                lambda a: _last_is(np.zeros_like, a),
            ),
            (
                "For odd d, the last column is a cosine. It should be a sine.",
                lambda a: _last_is(np.cos, a),
            ),
        ],
    },
)


def _lengths(pe: Any) -> Any:
    return np.linalg.norm(pe, axis=1, keepdims=True)


DIVISION = Family(
    "similarity",
    (),
    means=lambda by: lambda s: s.products / by(s.pe),
    ways={
        "not-divided": ("The dot products are not divided by d.", lambda pe: 1.0),
        "divided-by-root": (
            "The dot products are divided by √d. They should be divided by d.",
            lambda pe: np.sqrt(pe.shape[1]),
        ),
        "divided-by-rows": ("The dot products are divided by the number of rows.", len),
        "cosine-similarity": (
            "The dot products are divided by the lengths of both rows. The divisor should be d.",
            lambda pe: _lengths(pe) * _lengths(pe).T,
        ),
    },
)
ROWS = {
    "columns-compared": (
        "Your function compares the columns of pe. It should compare the rows.",
        {"products": lambda s: s.pe.T @ s.pe},
        {"similarity": lambda s: s.pe.T @ s.pe / len(s.pe)},
    )
}
PICTURE = Family(
    "image",
    (),
    {
        "picture-transposed": (
            "The picture is transposed: its rows are the columns of pe.",
            lambda s: s.pe.T,
        ),
        "upside-down": (
            "The numbers on the y axis of your picture say that the last row of pe is row 0.",
            lambda s: s.pe[::-1],
        ),
        "left-to-right": (
            "The numbers on the x axis of your picture say that the last column of pe is column 0.",
            lambda s: s.pe[:, ::-1],
        ),
        "similarity-drawn": (
            "The picture shows the similarities. It should show pe itself.",
            lambda s: products(s.pe) / s.pe.shape[1],
        ),
    },
)


def vector_probes(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([160, draw])
    sizes = (1, 4), (3, 2), (3, 4), (4, 6), (2, 3), (5, 5), (6, 6), (4, 7), (9, 8)
    based = zip(rng.integers(3, 9, 4), range(10, 14), rng.integers(20, 200, 4), strict=True)
    calls = [Probe((int(n), d), {"base": float(base)}) for n, d, base in based]
    return [*(Probe(size) for size in sizes), *calls]


def matrix_probes(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([161, draw])
    sizes = (2, 4), (4, 2), (3, 3), (5, 6), (1, 3)
    return [Probe((sinusoid(4, 6),)), *(Probe((rng.normal(size=size),)) for size in sizes)]


def picture_probes(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([162, draw])
    return [Probe((rng.normal(size=size),)) for size in ((2, 3), (4, 3), (3, 3), (5, 4))]


MISTAKES = Mistakes(
    Recipe(
        sinusoid,
        vector_probes,
        (BASES, FREQUENCIES, ANGLES, LAYOUT),
        steps={
            "frequencies": lambda s: frequencies(s.d, s.base),
            "angles": lambda s: angles(s.n, s.frequencies),
            "vectors": lambda s: sines_and_cosines(s.angles),
        },
        labels={"frequencies": "the frequencies", "angles": "the angles"},
        traits=(
            Trait(lambda s: s.d % 2 == 1, "for odd d", "for even d"),
            Trait(lambda s: "base" in s.given, "with a base", "without a base"),
        ),
        axes=lambda s: {"n": s.n, "d": s.d},
    ),
    Recipe(
        "similarity",
        matrix_probes,
        (DIVISION, Family(None, (), ROWS)),
        steps={
            "products": lambda s: products(s.pe),
            "similarity": lambda s: s.products / s.pe.shape[1],
        },
        parameters=("pe",),
        labels={"products": "the dot products", "similarity": "the similarities"},
    ),
    Recipe(
        "plot_positions",
        picture_probes,
        (PICTURE,),
        steps={"image": lambda s: s.pe},
        parameters=("pe",),
        comparison=Comparison(
            read=image_by_place,
            sample=lambda s: image_figure([s.image], ("column", "position"), "Positions"),
        ),
    ),
)
