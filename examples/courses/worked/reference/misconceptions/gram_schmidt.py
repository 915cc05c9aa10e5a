"""Misconceptions about `gram_schmidt`. Each replaces the step `rest` or the step `unit`."""

import numpy as np

from autograder.author import Family, Mistakes, Recipe, constant
from reference.gram_schmidt import gram_schmidt, rest, unit

REST = {
    "not-orthogonal": ("Your code only divides each column by its length.", lambda a, qs: a),
    "first-only": ("Your code subtracts only the projection on q1.", lambda a, qs: rest(a, qs[:1])),
    "last-only": ("Your code subtracts only the last projection.", lambda a, qs: rest(a, qs[-1:])),
    "added": ("Your code adds the projections.", lambda a, qs: 2 * a - rest(a, qs)),
    "doubled": ("Your code subtracts each projection twice.", lambda a, qs: 2 * rest(a, qs) - a),
    "number-only": ("Your code subtracts q·a, not q (q·a).", lambda a, qs: a - sum(q @ a for q in qs)),
    "sum-of-q": ("Your code subtracts each q itself.", lambda a, qs: a - sum(qs, 0 * a)),
}
UNIT = {
    "not-divided": ("Your code does not divide by the length.", lambda v: v),
    "sum": ("Your code divides by the sum of the sizes |v|.", lambda v: v / np.abs(v).sum()),
    "largest": ("Your code divides by the largest |v|.", lambda v: v / np.abs(v).max()),
    "squared": ("Your code divides by the squared length.", lambda v: v / (v @ v)),
    "positive": ("Your code makes all numbers positive.", lambda v: np.abs(unit(v))),
}
WHOLE = {
    "rows": ("Your code uses the rows of A.", lambda s: gram_schmidt(s.A.T).T),
    "backwards": ("Your code begins with the last column.", lambda s: gram_schmidt(s.A[:, ::-1])[:, ::-1]),
}
STEPS = {
    "rest": constant(rest),
    "unit": constant(unit),
    "Q": lambda s: gram_schmidt(s.A, s.rest, s.unit),
}


def probes(rng):
    return [(rng.normal(size=size),) for size in ((2, 2), (3, 3), (3, 3), (4, 4), (5, 3))]


FAMILIES = [Family("rest", None, REST, constant), Family("unit", None, UNIT, constant)]
FAMILIES += [Family("Q", None, WHOLE)]
MISTAKES = Mistakes(Recipe("gram_schmidt", probes, FAMILIES, STEPS, ("A",)))
