"""Pairs of similar submissions for one exercise, and base rates of similarity.

The library copydetect ignores names, blanks and comments. Each run of 25 characters is a
fingerprint. All fingerprints are kept, because a selection would depend on Python's hashes, and
these differ between processes.
"""

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from copydetect import CodeFingerprint

Fingerprints = npt.NDArray[np.int64]  # sorted, without duplicates
Spans = list[tuple[int, int]]  # (start, end) in a text
Similarities = npt.NDArray[np.float64]

RUN = 25  # characters of a fingerprint
LEAST = 50  # with fewer own fingerprints, similarity means nothing
HALF = 0.5
AT_ONCE = 20_000  # fingerprints in one step, which limits the size of the table


def fingerprints_of(text: str) -> Fingerprints:
    """Return the sorted distinct fingerprints of a normalized text, as int64 of shape (n,)."""
    return np.array(sorted(_made(text).hashes), dtype=np.int64)


def common_spans(one: str, other: str, known: Fingerprints) -> tuple[Spans, Spans]:
    """Return the shared spans of both normalized texts, without known fingerprints."""
    from copydetect import compare_files

    taken_out = set(known.tolist())
    both = [_made(text) for text in (one, other)]
    for prints in both:
        prints.hashes -= taken_out
        for number in taken_out & prints.hash_idx.keys():
            del prints.hash_idx[number]
    _, _, slices = compare_files(*both)
    return _joined(slices[0], len(one)), _joined(slices[1], len(other))


def _made(text: str) -> "CodeFingerprint":
    from copydetect import CodeFingerprint

    made = CodeFingerprint("work.py", RUN, 1, fp=io.StringIO(text), language="python")
    if len(made.offsets):  # the offsets begin again after the name of a class
        made.offsets[:, 1] = np.maximum.accumulate(made.offsets[:, 1])
    return made


def _joined(found: npt.NDArray[np.int64], length: int) -> Spans:
    joined: Spans = []
    places = np.clip(found.astype(int), 0, length).T.tolist() if found.size else []
    for start, end in sorted(places):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        elif start < end:
            joined.append((start, end))
    return joined


class SimilarPair(msgspec.Struct, frozen=True):
    """Two students with similar code."""

    students: tuple[str, str]
    part: float  # similarity
    shared: int


class BaseRate(msgspec.Struct, frozen=True):
    """Similarity of several pairs: median, 95th percentile and maximum."""

    pairs: int
    median: float = 0.0
    upper: float = 0.0
    highest: float = 0.0


class ExerciseSimilarity(msgspec.Struct, frozen=True):
    """One exercise: the number of compared students, base rates, and outstanding pairs."""

    exercise: str
    title: str
    compared: int
    too_short: int  # counts students with too little code of their own
    right: BaseRate
    everybody: BaseRate
    limit: float  # pairs with a higher similarity stand out
    pairs: tuple[SimilarPair, ...]
    clusters: tuple[tuple[str, ...], ...]  # students with code similar to another's in the group


def compare_exercise(
    exercise: tuple[str, str],
    work: Mapping[str, Fingerprints],
    right: Sequence[Fingerprints],
    together: frozenset[frozenset[str]] = frozenset(),
) -> ExerciseSimilarity:
    """Return the pairs of this exercise that stand out.

    A pair stands out if its similarity is above one half, above the similarity of any two correct
    solutions, and above the median of all pairs. Pairs who submitted `together` are left out.
    """
    long = {student: prints for student, prints in work.items() if len(prints) >= LEAST}
    students = list(long)
    part, shared = pairwise_similarity(list(long.values()))
    base = _base_rate(pairwise_similarity([answer for answer in right if len(answer) >= LEAST])[0])
    everybody = _base_rate(part)
    limit = max(HALF, base.highest, everybody.median)
    pairs = [
        SimilarPair((students[a], students[b]), float(part[a, b]), int(shared[a, b]))
        for a, b in zip(*np.nonzero(np.triu(part > limit, 1)), strict=True)
        if frozenset((students[a], students[b])) not in together
    ]
    pairs.sort(key=lambda pair: (-pair.part, -pair.shared, pair.students))
    group: dict[str, set[str]] = {}
    for pair in pairs:
        one, other = (group.get(student, {student}) for student in pair.students)
        both = one | other
        group.update(dict.fromkeys(both, both))
    clusters = {tuple(sorted(students)) for students in group.values() if len(students) > 2}
    return ExerciseSimilarity(
        *exercise,
        compared=len(long),
        too_short=len(work) - len(long),
        right=base,
        everybody=everybody,
        limit=limit,
        pairs=tuple(pairs),
        clusters=tuple(sorted(clusters, key=lambda students: (-len(students), students))),
    )


def pairwise_similarity(prints: Sequence[Fingerprints]) -> tuple[Similarities, Similarities]:
    """Return two (n, n) arrays: similarities, and numbers of common fingerprints."""
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
    upper = part[np.triu_indices(len(part), 1)]
    if not len(upper):
        return BaseRate(0)
    median, high = np.quantile(upper, [0.5, 0.95])
    return BaseRate(len(upper), float(median), float(high), float(upper.max()))
