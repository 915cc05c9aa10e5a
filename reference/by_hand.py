"""The problems of `hand_computation`: each step starts from the previous step."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reference.attention import Array, combine, scale, scores, softmax

STEPS = ("scores", "scaled", "weights", "output")


WITHIN = 0.002  # allowed error of an entry
CLEAR = 10 * WITHIN  # numbers in a row that differ by less count as equal


@dataclass(frozen=True)
class HandPart:
    """Part of the problem: Q, K, V, the steps, and wrong entries that a well-known text has."""

    letter: str
    Q: tuple[tuple[float, ...], ...]
    K: tuple[tuple[float, ...], ...]
    V: tuple[tuple[float, ...], ...]

    @property
    def d_k(self) -> int:
        return len(self.Q[0])

    def shape(self, step: str) -> tuple[int, int]:
        return len(self.Q), len(self.V[0]) if step == "output" else len(self.K)

    def exact(self, step: str) -> Array:
        previous: npt.ArrayLike | None = None
        for name in STEPS:
            previous = self.following(name, previous)
            if name == step:
                return previous
        raise ValueError(step)

    def following(self, step: str, previous: npt.ArrayLike | None) -> Array:
        if step == "scores" or previous is None:
            return scores(np.array(self.Q, float), np.array(self.K, float))
        given = np.asarray(previous, float)
        if step == "scaled":
            return scale(given, self.d_k)
        if step == "weights":
            return softmax(given)
        return combine(given, np.array(self.V, float))

    def follows(self, step: str, answer: Array, own: Array) -> npt.NDArray[np.bool_]:
        """Return a mask of the entries that are right for the student's own previous step."""
        if own.shape != self.shape(step_before(step)) or not np.isfinite(own).all():
            return np.zeros(answer.shape, bool)
        return np.abs(answer - self.following(step, own)) <= WITHIN

    def earned(self, step: str, answer: Array, own: Array) -> npt.NDArray[np.bool_]:
        """Return a mask of the entries that follow, outside rows that need no calculation.

        An entry follows if it is right for the student's own previous step.
        """
        follows = self.follows(step, answer, own)
        if follows.any():
            follows[[trivial.row for trivial in self.trivial_rows(step, answer, own)]] = False
        return follows

    def trivial_rows(self, step: str, answer: Array, own: Array) -> list["TrivialRow"]:
        before = step_before(step)
        found = list(_trivial(before, own, self.exact(before)))
        return found + list(_trivial(step, answer, self.exact(step)) if step == "weights" else ())


@dataclass(frozen=True)
class TrivialRow:
    step: str
    row: int
    words: str


def step_before(step: str) -> str:
    return STEPS[STEPS.index(step) - 1]


def _trivial(step: str, rows: Array, right: Array) -> Iterator[TrivialRow]:
    kinds: dict[str, Callable[[Array], bool]] = {
        "constant": lambda x: bool(np.ptp(x) <= CLEAR),
        "a single 1 among zeros": lambda x: bool(
            np.abs(np.sort(x) - np.eye(x.size)[-1]).max() <= CLEAR
        ),
    }
    for row, (own, exact) in enumerate(zip(rows, right, strict=True)):
        for words, holds in kinds.items():
            if holds(own) and not holds(exact):
                yield TrivialRow(step, row, words)


@dataclass(frozen=True)
class HandProblem:
    """All parts, and the scores of a row whose last position is blocked."""

    parts: dict[str, HandPart]
    masked_scores: tuple[float, ...]

    @property
    def masked_row(self) -> tuple[float, ...]:
        return tuple(float(w) for w in [*softmax(np.array(self.masked_scores[:3])), 0.0])


_CAT_SAT_MAT = ((1.0, 0.5, 0.2, 0.8), (0.3, 0.9, 0.1, 0.4), (0.6, 0.2, 0.7, 0.3))

_HAND_PARTS = {
    "a": HandPart("a", ((1, 0), (0, 1)), ((1, 1), (1, 0)), ((2, 1), (1, 2))),
    "b": HandPart(
        "b",
        ((1, 0, 1, 0), (0, 1, 0, 1), (1, 1, 0, 0)),
        ((1, 0, 0, 1), (0, 1, 1, 0), (1, 0, 1, 1)),
        ((2, 0, 1, 0), (0, 2, 0, 1), (1, 1, 2, 2)),
    ),
    "c": HandPart("c", _CAT_SAT_MAT, _CAT_SAT_MAT, _CAT_SAT_MAT),
}

# The worked example as the course's source S3 prints it. It does not follow from its own matrices:
# `[1][2]` of the scores is 0.3·0.6 + 0.9·0.2 + 0.1·0.7 + 0.4·0.3 = 0.55.
PRINTED_IN_S3: dict[str, dict[tuple[int, ...], float]] = {
    "c_scores": {(1, 2): 0.65, (2, 1): 0.65},
    "c_scaled": {(1, 2): 0.325, (2, 1): 0.325},
    "c_weights": {
        (1, 0): 0.384, (1, 1): 0.377, (1, 2): 0.239,
        (2, 0): 0.389, (2, 1): 0.269, (2, 2): 0.342,
    },
    "c_output": {
        (1, 0): 0.644, (1, 1): 0.529, (1, 2): 0.279, (1, 3): 0.538,
        (2, 0): 0.666, (2, 1): 0.477, (2, 2): 0.330, (2, 3): 0.543,
    },
    "c_masked_row": {(0,): 0.28, (1,): 0.41, (2,): 0.31},
}  # fmt: skip

STANDARD = HandProblem(_HAND_PARTS, (0.5, 0.8, 0.3, 0.9))


def hand_shape(letter: str, step: str) -> tuple[int, int]:
    """Return the shape of a step's matrix. All variants have the same shapes."""
    return STANDARD.parts[letter].shape(step)


@functools.lru_cache(maxsize=256)
def hand_problem(variant: str = "") -> HandProblem:
    """Return the problem of a variant, such as `3f`.

    The problem in the course's text has the variant "".

    The numbers are integers and tenths. They are sampled again until a mix-up of axes would change
    the results. Part C is self-attention with Q = K, so only the scores of part C are symmetric.
    """
    if not variant:
        return STANDARD
    rng = np.random.default_rng(int(variant, 16))
    parts = {
        "a": _drawn("a", lambda: tuple(_rows(rng.integers(0, 4, (2, 2))) for _ in "QKV")),
        "b": _drawn("b", lambda: tuple(_rows(rng.integers(0, 3, (3, 4))) for _ in "QKV")),
        "c": _drawn("c", lambda: (_rows(rng.integers(1, 11, (3, 4)) / 10),) * 3),
    }
    row = rng.permutation(np.arange(1, 11))[:4] / 10
    return HandProblem(parts, tuple(float(x) for x in row))


Matrix = tuple[tuple[float, ...], ...]


def _rows(values: npt.NDArray[Any]) -> Matrix:
    return tuple(tuple(row) for row in values.tolist())


def _drawn(letter: str, draw: Callable[[], Any]) -> HandPart:
    while True:
        part = HandPart(letter, *draw())
        if _tells(part):
            return part


def _tells(part: HandPart) -> bool:
    """Return True if mixed-up axes and skipped steps change all results, and no row has a tie."""
    Q, K, V = (np.array(matrix, float) for matrix in (part.Q, part.K, part.V))
    scores_, scaled, weights, output = (part.exact(step) for step in STEPS)
    if any(len(set(row)) < len(row) for row in scores_.tolist()):
        return False
    if any(len(set(row)) == 1 for matrix in (part.Q, part.K, part.V) for row in matrix):
        return False
    symmetric = part.letter == "c"
    mixed: list[tuple[Array, Array]] = [
        (scaled, scores_),
        (weights, softmax(scaled, 0)),
        (output, weights.T @ V),
    ]
    if not symmetric:
        mixed += [(scores_, scores_.T), (weights, weights.T)]
        mixed += [(output, weights @ K), (output, weights @ Q)]
    if not symmetric and Q.shape == K.T.shape:
        mixed += [(scores_, Q @ K), (scores_, Q.T @ K), (output, V @ weights)]
    return all(np.abs(right - wrong).max() > 10 * WITHIN for right, wrong in mixed)


def hand_givens(variant: str = "") -> dict[str, dict[str, Matrix] | tuple[float, ...]]:
    """Return the numbers in a variant's text: Q, K and V of each part, and the masked scores."""
    problem = hand_problem(variant)
    matrices = {
        letter: {"Q": part.Q, "K": part.K, "V": part.V} for letter, part in problem.parts.items()
    }
    return {**matrices, "masked_scores": problem.masked_scores}
