"""Whether words were drawn from the probabilities that they should be drawn from."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from reference.attention import Array, softmax

FALSE_ALARM = 1e-9
LEAST = 5.0  # a cell that should have fewer counts than that is put together with others


@dataclass(frozen=True)
class SamplingMistake:
    """A mistake by name, and the sentence about it."""

    id: str
    finding: str


def what_was_drawn(
    words: npt.NDArray[np.int64], logits: Array, temperature: float
) -> SamplingMistake | None:
    """The mistake in a chain of words, or None.

    `logits` `(V, V)`: row w has those of the word after w, which depends on w alone.
    """
    if fits(words, softmax(logits / temperature)):
        return None
    fitting = [other for other in _others(logits, temperature) if fits(words, other[2])]
    if fitting:
        id, finding, _ = max(fitting, key=lambda other: _likelihood(words, other[2]))
        return SamplingMistake(id, finding)
    return SamplingMistake(
        "drawn-otherwise",
        "The words are not drawn with the probabilities softmax(logits / temperature).",
    )


def _others(logits: Array, temperature: float) -> list[tuple[str, str, Array]]:
    scaled = softmax(logits / temperature)
    best = (logits == logits.max(-1, keepdims=True)).astype(float)
    count = logits.shape[-1]
    return [
        ("temperature-ignored", "The words are drawn from softmax(logits): the temperature has no "
         "effect.", softmax(logits)),
        ("temperature-multiplied", "The words are drawn from softmax(logits · temperature); the "
         "logits should be divided by it.", softmax(logits * temperature)),
        ("always-greedy", "The likeliest word is taken at every temperature; above 0 it should be "
         "drawn.", best),
        ("drawn-evenly", "Every word is drawn with the same probability, whatever the logits.",
         np.full_like(logits, 1 / count)),
        ("temperature-after-softmax", "The probabilities are divided by the temperature, which "
         "changes nothing; the logits should be.", softmax(softmax(logits) / temperature)),
        ("softmax-twice", "The words are drawn from a softmax of probabilities: a softmax is taken "
         "twice.", softmax(scaled)),
    ]  # fmt: skip


def _likelihood(words: npt.NDArray[np.int64], probabilities: Array) -> float:
    """The logarithm of the probability of a chain's steps."""
    chances = probabilities[words[:-1], words[1:]]
    return float(np.log(np.maximum(chances, 1e-300)).sum())


def fits(words: npt.NDArray[np.int64], probabilities: Array) -> bool:
    """Pearson's χ² test of a Markov chain's steps, with a false alarm once in 10⁹."""
    count = len(probabilities)
    seen = np.zeros((count, count))
    np.add.at(seen, (words[:-1], words[1:]), 1)
    if (seen[probabilities < 1e-9] > 0).any():
        return False
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
    return statistic <= _limit(freedom)


def _limit(freedom: int) -> float:
    """The quantile of χ², by Wilson & Hilferty (1931)."""
    if not freedom:
        return 0.0
    spread = 2 / (9 * freedom)
    normal = NormalDist().inv_cdf(1 - FALSE_ALARM)
    return float(freedom * (1 - spread + normal * spread**0.5) ** 3)
