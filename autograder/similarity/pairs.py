"""Pairs of similar submissions for one exercise, and the similarity of unrelated submissions."""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from autograder.similarity.fingerprints import Fingerprints

LEAST = 50  # with fewer own fingerprints, similarity means nothing
HALF = 0.5
AT_ONCE = 20_000  # fingerprints in one step, which limits the size of the table

Similarities = npt.NDArray[np.float64]


class SimilarPair(msgspec.Struct, frozen=True):
    """Two students with similar code. `part` is the share of the shorter code that is common."""

    students: tuple[str, str]
    part: float
    shared: int


class BaseRate(msgspec.Struct, frozen=True):
    """Similarity of several pairs: the median, the 95th percentile, and the highest value."""

    pairs: int
    median: float = 0.0
    upper: float = 0.0
    highest: float = 0.0


class ExerciseSimilarity(msgspec.Struct, frozen=True):
    """One exercise: the number of compared students, base rates, and the pairs that stand out.

    A pair stands out if its similarity is above `limit`. `too_short` is the number of students with
    too little code of their own.
    """

    exercise: str
    title: str
    compared: int
    too_short: int
    right: BaseRate
    everybody: BaseRate
    limit: float
    pairs: tuple[SimilarPair, ...]
    clusters: tuple[tuple[str, ...], ...]


def compare_exercise(
    exercise: tuple[str, str],
    work: Mapping[str, Fingerprints],
    right: Sequence[Fingerprints],
    together: frozenset[frozenset[str]] = frozenset(),
) -> ExerciseSimilarity:
    """Return the pairs that stand out in an exercise, which is given by name and title.

    A pair stands out if it shares more than half of the students' own fingerprints, more than any
    two of the right answers, and more than the median pair of the class. Students who submitted
    `together` are left out.
    """
    long = {student: prints for student, prints in work.items() if len(prints) >= LEAST}
    students = list(long)
    part, shared = pairwise_similarity(list(long.values()))
    base = _base_rate(pairwise_similarity([each for each in right if len(each) >= LEAST])[0])
    everybody = _base_rate(part)
    limit = max(HALF, base.highest, everybody.median)
    found = [
        SimilarPair((students[a], students[b]), float(part[a, b]), int(shared[a, b]))
        for a, b in zip(*np.nonzero(np.triu(part > limit, 1)), strict=True)
        if frozenset((students[a], students[b])) not in together
    ]
    return ExerciseSimilarity(
        *exercise,
        compared=len(long),
        too_short=len(work) - len(long),
        right=base,
        everybody=everybody,
        limit=limit,
        pairs=tuple(sorted(found, key=lambda pair: (-pair.part, -pair.shared, pair.students))),
        clusters=tuple(_clusters(found)),
    )


def pairwise_similarity(prints: Sequence[Fingerprints]) -> tuple[Similarities, Similarities]:
    """Return (n, n) arrays: shared part of the shorter text, and number of shared fingerprints."""
    count = len(prints)
    shared = np.zeros((count, count))
    if count < 2:
        return shared, shared
    sizes = np.array([len(each) for each in prints])
    owner = np.repeat(np.arange(count), sizes)
    values, number = np.unique(np.concatenate(prints), return_inverse=True)
    order = np.argsort(number, kind="stable")
    owner, number = owner[order], number[order]
    for start in range(0, len(values), AT_ONCE):
        first, last = np.searchsorted(number, [start, start + AT_ONCE])
        has = np.zeros((count, AT_ONCE), dtype=np.float32)
        has[owner[first:last], number[first:last] - start] = 1
        shared += has @ has.T
    return shared / np.minimum(sizes[:, None], sizes[None, :]), shared


def _base_rate(part: Similarities) -> BaseRate:
    found = part[np.triu_indices(len(part), 1)]
    if not len(found):
        return BaseRate(0)
    median, upper = np.quantile(found, [0.5, 0.95])
    return BaseRate(len(found), float(median), float(upper), float(found.max()))


def _clusters(pairs: Sequence[SimilarPair]) -> list[tuple[str, ...]]:
    """Return groups of three or more students, each similar to another. Largest group first."""
    group: dict[str, set[str]] = {}
    for pair in pairs:
        one, other = (group.get(student, {student}) for student in pair.students)
        both = one | other
        group.update(dict.fromkeys(both, both))
    found = {tuple(sorted(each)) for each in group.values() if len(each) > 2}
    return sorted(found, key=lambda students: (-len(students), students))
