"""Gram–Schmidt, in named steps."""

import numpy as np


def rest(a, earlier):
    return a - sum(q * (q @ a) for q in earlier)


def unit(v):
    return v / np.sqrt(v @ v)


def gram_schmidt(A, rest=rest, unit=unit):
    columns = []
    for a in A.T:
        columns.append(unit(rest(a, columns)))
    return np.array(columns).T
