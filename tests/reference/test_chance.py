"""What is drawn passes, with any seed; what only looks as if it were drawn does not."""

import numpy as np
import pytest

from reference.attention import softmax
from reference.chance import are_independent
from reference.sampling import what_was_drawn

SEEDS = range(100)


def halves(hits, axis):
    """Of each two neighbours along an axis, the first in both places."""
    return np.repeat(hits.take(range(0, hits.shape[axis], 2), axis), 2, axis)


def copied_rows(hits, rng):
    rows = hits.reshape(-1, hits.shape[-1]).copy()
    order = rng.permutation(len(rows))
    rows[order[len(rows) // 2 :]] = rows[order[: len(rows) // 2]]
    return rows.reshape(hits.shape)


def last_as_first(hits, axis):
    changed = np.moveaxis(hits.copy(), axis, 0)
    changed[-1] = changed[0]
    return np.moveaxis(changed, 0, axis)


def even_rows(hits, rng):
    rows = np.arange(hits.shape[-1]) < round(hits.mean() * hits.shape[-1])
    return rng.permuted(np.broadcast_to(rows, hits.shape), axis=-1)


PATTERNS = {
    "sequences and queries in pairs": lambda hits, _: halves(halves(hits, 0), 1),
    "sequences in pairs": lambda hits, _: halves(hits, 0),
    "queries in pairs": lambda hits, _: halves(hits, 1),
    "keys in pairs": lambda hits, _: halves(hits, 2),
    "two sequences alike": lambda hits, _: last_as_first(hits, 0),
    "two queries alike": lambda hits, _: last_as_first(hits, 1),
    "two keys alike": lambda hits, _: last_as_first(hits, 2),
    "rows again in any order": copied_rows,
    "the same share of each row": even_rows,
    "one pattern, moved on": lambda hits, _: np.stack(
        [np.roll(hits[0], n, axis=-1) for n in range(len(hits))]
    ),
}


@pytest.mark.parametrize("rate", [0.5, 0.2, 0.8])
@pytest.mark.parametrize("sizes", [(8, 32, 16), (32, 16)])
def test_independent_hits_pass_with_any_seed(sizes, rate):
    for seed in SEEDS:
        assert are_independent(np.random.default_rng(seed).random(sizes) < rate, rate), seed


@pytest.mark.parametrize("rate", [0.5, 0.2, 0.8])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_hits_that_tell_of_one_another_are_seen(pattern, rate):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        hits = PATTERNS[pattern](rng.random((8, 32, 16)) < rate, rng)
        assert not are_independent(hits, rate), seed


def drawn(rng, chances, count):
    bounds, words = chances.cumsum(-1), [0]
    for number in rng.random(count):
        words.append(min(int(np.searchsorted(bounds[words[-1]], number)), len(chances) - 1))
    return np.array(words)


def by_quota(rng, chances, count):
    """The word that is most behind its share."""
    words, seen = [0], rng.random(chances.shape)
    for _ in range(count):
        counts, share = seen[words[-1]], chances[words[-1]]
        word = int((share * (counts.sum() + 1) - counts).argmax())
        counts[word] += 1
        words.append(word)
    return np.array(words)


def again_and_again(rng, chances, count):
    return np.tile(drawn(rng, chances, 299), count // 300 + 1)[: count + 1]


def often_as_the_last_time(rng, chances, count):
    last = {}
    words = [0]
    for number in rng.random(count):
        word = words[-1]
        if word not in last or number < 0.6:
            last[word] = int(rng.choice(len(chances), p=chances[word]))
        words.append(last[word])
    return np.array(words)


@pytest.mark.thorough
def test_words_that_are_drawn_pass_with_any_seed():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        logits = rng.normal(size=(5, 3)) @ rng.normal(size=(3, 5))
        words = drawn(rng, softmax(logits), 1500)
        assert what_was_drawn(words, logits, 1.0) is None, seed


@pytest.mark.parametrize("way", [by_quota, again_and_again, often_as_the_last_time])
def test_words_that_are_not_drawn_are_seen(way):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        logits = 0.5 * rng.normal(size=(5, 3)) @ rng.normal(size=(3, 5))
        words = [way(rng, softmax(logits / t), 1500) for t in (0.6, 1.0, 2.0)]
        found = [what_was_drawn(w, logits, t) for w, t in zip(words, (0.6, 1.0, 2.0), strict=True)]
        assert any(each is not None for each in found), seed
