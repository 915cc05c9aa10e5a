"""The problems of `hand_computation`, and each of their steps from the one before."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reference.attention import Array, combine, scale, scores, softmax

STEPS = ("scores", "scaled", "weights", "output")


@dataclass(frozen=True)
class HandPart:
    """One worked problem: Q, K, V, and what a well-known text prints for it where that is wrong."""

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
        """The step's matrix, worked out from the beginning."""
        previous: npt.ArrayLike | None = None
        for name in STEPS:
            previous = self.following(name, previous)
            if name == step:
                return previous
        raise ValueError(step)

    def following(self, step: str, previous: npt.ArrayLike | None) -> Array:
        """The step's matrix, from the matrix of the step before it."""
        if step == "scores" or previous is None:
            return scores(np.array(self.Q, float), np.array(self.K, float))
        given = np.asarray(previous, float)
        if step == "scaled":
            return scale(given, self.d_k)
        if step == "weights":
            return softmax(given)
        return combine(given, np.array(self.V, float))


_CAT_SAT_MAT = ((1.0, 0.5, 0.2, 0.8), (0.3, 0.9, 0.1, 0.4), (0.6, 0.2, 0.7, 0.3))

HAND_PARTS = {
    "a": HandPart("a", ((1, 0), (0, 1)), ((1, 1), (1, 0)), ((2, 1), (1, 2))),
    "b": HandPart(
        "b",
        ((1, 0, 1, 0), (0, 1, 0, 1), (1, 1, 0, 0)),
        ((1, 0, 0, 1), (0, 1, 1, 0), (1, 0, 1, 1)),
        ((2, 0, 1, 0), (0, 2, 0, 1), (1, 1, 2, 2)),
    ),
    "c": HandPart("c", _CAT_SAT_MAT, _CAT_SAT_MAT, _CAT_SAT_MAT),
}

MASKED_SCORES = (0.5, 0.8, 0.3, 0.9)
MASKED_ROW = tuple(float(w) for w in [*softmax(np.array(MASKED_SCORES[:3])), 0.0])

# What the course's source S3 prints in its worked example. It does not follow from its own
# matrices: `[1][2]` of the scores is 0.3·0.6 + 0.9·0.2 + 0.1·0.7 + 0.4·0.3 = 0.55.
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
