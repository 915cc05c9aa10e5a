"""Simulation of the experiment: the distribution of its results with a wrong step."""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any

import numpy as np

from autograder.author import Fact, LibraryObject, Probe
from reference.attention import scores, softmax
from reference.scaling import MEASURES, entropy, measured_as_drawn

REPLAYS = 240


class _At:
    """Values of the steps for a single dimension."""

    def __init__(self, state: Any, d: int) -> None:
        self._state = state
        self.d = d

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._state, name)
        return value[self.d] if isinstance(value, _PerDimension) else value


class _PerDimension(dict[int, Any]):
    """Values of a step, one for each dimension."""


def each_dimension(step: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda s: _PerDimension((d, step(_At(s, d))) for d in s.dimensions)


@lru_cache(maxsize=64)
def drawn(d: int, seq_len: int, which: int) -> Any:
    """Return standard normal numbers for Q (0) or K (1), the same for every misconception."""
    return np.random.default_rng([60, d, seq_len, which]).standard_normal((REPLAYS, seq_len, d))


@lru_cache(maxsize=64)
def _scores(d: int, seq_len: int) -> Any:
    return scores(drawn(d, seq_len, 0), drawn(d, seq_len, 1))


def product(s: Any) -> Any:
    """Return the scores of Q and K. If no step is wrong, use the cached scores."""
    usual = s.Q is drawn(s.d, s.seq_len, 0) and s.K is drawn(s.d, s.seq_len, 1)
    return _scores(s.d, s.seq_len) if usual else scores(s.Q, s.K)


def described(s: Any, kind: str) -> Any:
    values = getattr(s, kind)
    weights = getattr(s, f"weights_{kind}")
    return {
        f"scores_std_{kind}": s.std(values, weights),
        f"entropy_{kind}": s.entropy(weights),
        f"max_weight_{kind}": s.largest(weights),
    }


# Many trials at once: Q and K are (trials, L, d), and every measure has one value per trial.
ONE_DIMENSION: dict[str, Callable[[Any], Any]] = {
    "generator": lambda s: np.random.default_rng([60, s.d, s.seq_len]),
    "Q": lambda s: drawn(s.d, s.seq_len, 0),
    "K": lambda s: drawn(s.d, s.seq_len, 1),
    "unscaled": product,
    "scaled": lambda s: s.unscaled / np.sqrt(s.d),
    "weights_unscaled": lambda s: softmax(s.unscaled),
    "weights_scaled": lambda s: softmax(s.scaled),
    "std": lambda s: lambda values, weights: values.std((-1, -2)),
    "entropy": lambda s: lambda weights: entropy(weights).mean(-1),
    "largest": lambda s: lambda weights: weights.max(-1).mean(-1),
    "averaged": lambda s: lambda trials: trials,
    "row": lambda s: described(s, "unscaled") | described(s, "scaled"),
}


def results(s: Any) -> dict[int, dict[str, Any]]:
    """Return the values of each measure in all trials, by dimension."""
    return {d: {name: s.averaged[d](s.row[d][name]) for name in MEASURES} for d in s.dimensions}


def summary(s: Any) -> tuple[Any, Any]:
    """Return the mean of each measure, and the allowed distance from the student's mean.

    The allowed distance is six standard errors. Both means contribute to the standard error.
    """
    middle, allowed = {}, {}
    for d, row in s.result.items():
        middle[d] = {name: float(values.mean()) for name, values in row.items()}
        allowed[d] = {
            name: 6 * float(values.std()) * np.sqrt(1 / s.trials + 1 / len(values))
            + 1e-9
            + (0.008 * float(values.mean()) if name.startswith("scores_std") else 0.0)
            for name, values in row.items()
        }
    return middle, allowed


def sample(s: Any) -> Any:
    """Return the means over `trials` random trials."""
    drawn = s.rng.integers(
        min(len(next(iter(row.values()))) for row in s.result.values()), size=s.trials
    )
    return {
        d: {name: float(values[drawn].mean()) for name, values in row.items()}
        for d, row in s.result.items()
    }


def measure_probes(draw: int) -> Sequence[Probe]:
    make = partial(np.random.default_rng)
    return [
        Probe(
            (
                dims,
                length,
                60,
                LibraryObject("numpy.random.default_rng", (seed + 100 * draw,), make),
            )
        )
        for dims, length, seed in (
            ([4, 64], 8, 1),
            ([16, 256], 8, 2),
            ([9, 49], 5, 3),
            ([4, 36], 12, 4),
        )
    ]


def _named_answers(s: Any, v: Any) -> Iterator[tuple[Any, str, float]]:
    answers = iter(v)
    for d in sorted(s.dimensions, key=repr):
        for name in sorted(MEASURES, key=repr):
            yield d, name, float(next(answers))


def _exchanged(part: str) -> Callable[[Any, Any], bool]:
    def test(s: Any, v: Any) -> bool:
        middle, allowed = summary(s)
        other = {f"{part}_scaled": f"{part}_unscaled", f"{part}_unscaled": f"{part}_scaled"}
        return all(
            abs(answer - middle[d][other.get(name, name)]) <= allowed[d][other.get(name, name)]
            for d, name, answer in _named_answers(s, v)
        )

    return test


def _part(part: str) -> Callable[[Any, Any], bool]:
    def test(s: Any, v: Any) -> bool:
        middle, allowed = summary(s)
        wrong = {
            name
            for d, name, answer in _named_answers(s, v)
            if not abs(answer - middle[d][name]) <= allowed[d][name]
        }
        return wrong == {name for name in MEASURES if part in name}

    return test


def _scatters(s: Any, v: Any) -> bool:
    middle, allowed = summary(s)
    signs = set()
    for d, name, answer in _named_answers(s, v):
        trials = s.result[d][name]
        if abs(answer - trials.mean()) > 5 * trials.std():
            return False
        if abs(answer - middle[d][name]) > 0.65 * allowed[d][name]:  # in one of 1,000 fair means
            signs.add(np.sign(answer - middle[d][name]))
    return len(signs) == 2


def _as_drawn(
    average: Callable[[Any], Any], axes: Any = (-1, -2), of: str = ""
) -> Callable[[Any, Any], bool]:
    """Return a test of the measures whose names begin with `of`."""

    def test(s: Any, v: Any) -> bool:
        measured = measured_as_drawn(deepcopy(s.rng), s.dimensions, s.seq_len, s.trials, axes)
        named = (each for each in _named_answers(s, v) if each[1].startswith(of))
        return all(np.isclose(answer, average(measured[d][name])) for d, name, answer in named)

    return test


AS_DRAWN = (
    *(
        Fact(
            f"{which}-trial",
            _as_drawn(itemgetter(index)),
            f"Your numbers are those of the {which} trial. Return the mean over all trials.",
            is_named=True,
        )
        for which, index in (("last", -1), ("first", 0))
    ),
    *(
        Fact(
            f"std-of-{which}s",
            _as_drawn(np.mean, axis, "scores_std"),
            f"scores_std is the mean of each {which}'s standard deviation. It should be the "
            "standard deviation of all scores of a trial.",
            is_named=True,
        )
        for which, axis in (("row", -1), ("column", -2))
    ),
)
ONE_TRIAL = Fact(
    "one-trial",
    _scatters,
    "The numbers vary like those of one trial or very few trials. A mean over all `trials` varies "
    "less.",
    is_named=True,
)


MEASURE_FACTS = (
    *AS_DRAWN,
    ONE_TRIAL,
    *(
        Fact(
            f"{part}-exchanged",
            _exchanged(part),
            f"The {words} without scaling and with scaling are exchanged.",
            is_named=True,
        )
        for part, words in (
            ("scores_std", "standard deviations"),
            ("entropy", "entropies"),
            ("max_weight", "largest weights"),
        )
    ),
    *(
        Fact(f"only-{part}", _part(part), f"All measures are right but {words}.")
        for part, words in (
            ("scores_std_scaled", "the standard deviation of the scaled scores"),
            ("scores_std_unscaled", "the standard deviation of the unscaled scores"),
            ("entropy_scaled", "the entropy of the scaled weights"),
            ("entropy_unscaled", "the entropy of the unscaled weights"),
            ("max_weight_scaled", "the largest weight of the scaled weights"),
            ("max_weight_unscaled", "the largest weight of the unscaled weights"),
            ("scores_std", "the standard deviation of the scores, scaled and unscaled"),
            ("entropy", "the entropies, scaled and unscaled"),
            ("max_weight", "the largest weights, scaled and unscaled"),
            ("_scaled", "those of the scaled scores"),
            ("_unscaled", "those of the unscaled scores"),
        )
    ),
)
