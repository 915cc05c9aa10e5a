"""Statistical tests of sampled tokens."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reference.attention import Array, softmax
from reference.chance import FALSE_ALARM, FAR, chi_square

LEAST = 5.0  # cells with a smaller expected count are merged with others
LAGS = 8  # number of earlier tokens that may predict the next
ENOUGH = 50.0  # number of equal steps, and of different ones, that make a sum roughly normal


@dataclass(frozen=True)
class SamplingMistake:
    id: str
    finding: str


PLANNED = SamplingMistake(
    "not-drawn",
    "Each token is as frequent as it should be, but the tokens are not sampled: they are spread "
    "too evenly, or repeat in the same order. The generator should sample each token "
    "independently.",
)


def what_was_drawn(
    words: npt.NDArray[np.int64], logits: Array, temperature: float
) -> SamplingMistake | None:
    """Return the mistake in a chain of tokens. If there is none, return None.

    `logits` has the shape `(V, V)`. Row w has the logits of the token after w.
    """
    chances = softmax(logits / temperature)
    if fits(words, chances):
        return None if is_random(words, chances) else PLANNED
    fitting = [other for other in _others(logits, temperature) if fits(words, other[2])]
    if fitting:
        id, finding, _ = max(fitting, key=lambda other: _likelihood(words, other[2]))
        return SamplingMistake(id, finding)
    return SamplingMistake(
        "drawn-otherwise",
        "The tokens are not sampled with the probabilities softmax(logits / temperature).",
    )


def _others(logits: Array, temperature: float) -> list[tuple[str, str, Array]]:
    scaled = softmax(logits / temperature)
    best = (logits == logits.max(-1, keepdims=True)).astype(float)
    count = logits.shape[-1]
    return [
        ("temperature-ignored", "The tokens are sampled from softmax(logits), as at "
         "temperature 1.", softmax(logits)),
        ("temperature-multiplied",
         "The tokens are sampled from softmax(logits · temperature). The logits should be "
         "divided by the temperature.", softmax(logits * temperature)),
        ("always-greedy",
         "The likeliest token is always taken. Above temperature 0, tokens should be sampled.",
         best),
        ("drawn-evenly",
         "Every token is sampled with the same probability.",
         np.full_like(logits, 1 / count)),
        ("temperature-after-softmax",
         "The tokens are sampled from a softmax of probabilities divided by the temperature. The "
         "logits should be divided by the temperature.", softmax(softmax(logits) / temperature)),
        ("softmax-twice",
         "The tokens are sampled from a softmax of probabilities: there are two softmaxes.",
         softmax(scaled)),
    ]  # fmt: skip


def least_likely_are_missing(
    words: npt.NDArray[np.int64], probabilities: Array, count: int
) -> bool:
    """Return True if a long chain lacks the `count` least likely words, and this is not chance."""
    before, after = words[:-1], words[1:]
    ranks = probabilities.argsort(-1).argsort(-1)
    chances = np.sort(probabilities)[:, :count].sum(-1)[before]
    missing = float(np.log1p(-chances).sum())
    return missing < np.log(FALSE_ALARM) and bool((ranks[before, after] >= count).all())


def _likelihood(words: npt.NDArray[np.int64], probabilities: Array) -> float:
    chances = probabilities[words[:-1], words[1:]]
    return float(np.log(np.maximum(chances, 1e-300)).sum())


def fits(words: npt.NDArray[np.int64], probabilities: Array) -> bool:
    """Return True if a Markov chain passes Pearson's χ² test, with one false alarm in 10⁹."""
    statistic, freedom = _chi_square_of(words, probabilities)
    return statistic <= chi_square(freedom, 1 - FALSE_ALARM)


def _chi_square_of(words: npt.NDArray[np.int64], probabilities: Array) -> tuple[float, int]:
    count = len(probabilities)
    seen = np.zeros((count, count))
    np.add.at(seen, (words[:-1], words[1:]), 1)
    if (seen[probabilities < 1e-9] > 0).any():
        return np.inf, 0
    statistic, freedom = 0.0, 0
    for row, chances in zip(seen, probabilities, strict=True):
        expected = row.sum() * chances
        large = expected >= LEAST
        observed = np.append(row[large], row[~large].sum())
        expected = np.append(expected[large], expected[~large].sum())
        used = expected >= LEAST
        if used.sum() > 1:
            statistic += float((((observed - expected) ** 2)[used] / expected[used]).sum())
            freedom += int(used.sum()) - 1
    return statistic, freedom


def is_random(words: npt.NDArray[np.int64], probabilities: Array) -> bool:
    """Return True if a chain varies as a sampled chain does. A planned chain is too even."""
    return not (
        _is_too_even(words, probabilities)
        or _comes_again(words, probabilities)
        or _tells_the_next(words, probabilities)
    )


def _is_too_even(words: npt.NDArray[np.int64], probabilities: Array) -> bool:
    statistic, freedom = _chi_square_of(words, probabilities)
    return statistic < chi_square(freedom, FALSE_ALARM)


def _comes_again(words: npt.NDArray[np.int64], probabilities: Array) -> bool:
    """Return True if the chain repeats a stretch that is unlikely to repeat by chance.

    The probability of a repetition is the product of the probabilities of its steps. Stretches
    shorter than `shortest` may repeat by chance.
    """
    steps = np.log(np.maximum(probabilities[words[:-1], words[1:]], 1e-300))
    limit = np.log(FALSE_ALARM / len(words) ** 2)
    shortest = int(limit / min(steps.min(initial=0.0), -1e-9))
    for distance in _distances(words, max(2, shortest)):
        same = words[distance:] == words[:-distance]
        costs = np.where(same[:-1] & same[1:], steps[distance:], 0.0)
        total = np.cumsum(costs)
        before = np.maximum.accumulate(np.where(costs == 0.0, -total, -np.inf))
        if (total + np.where(np.isfinite(before), before, 0.0)).min(initial=0.0) < limit:
            return True
    return False


def _distances(words: npt.NDArray[np.int64], length: int) -> list[int]:
    """Return the distances between places where the same `length` tokens begin."""
    if length > len(words):
        return []
    stretches = np.lib.stride_tricks.sliding_window_view(words, length)
    kinds = np.unique(stretches, axis=0, return_inverse=True)[1].ravel()
    places = np.argsort(kinds, kind="stable")
    found: set[int] = set()
    for ahead in range(1, len(places)):
        same = kinds[places[ahead:]] == kinds[places[:-ahead]]
        if not same.any():
            break
        found.update((places[ahead:] - places[:-ahead])[same].tolist())
    return sorted(found)


def _tells_the_next(words: npt.NDArray[np.int64], probabilities: Array) -> bool:
    """Return True if earlier choices after a token determine the next choice after this token."""
    for lag in range(1, LAGS + 1):
        found = expected = variance = rest = 0.0
        for word, chances in enumerate(probabilities):
            after = words[1:][words[:-1] == word]
            count = len(after) - lag
            if count < 1:
                continue
            two, three = float((chances**2).sum()), float((chances**3).sum())
            found += float((after[lag:] == after[:-lag]).sum())
            expected += count * two
            rest += count * (1 - two)
            variance += count * (two - two**2) + 2 * max(0, count - lag) * (three - two**2)
        if min(expected, rest) >= ENOUGH and abs(found - expected) > FAR * variance**0.5:
            return True
    return False
