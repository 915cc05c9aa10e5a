"""Checks of `attention_patterns`: three measures, and the strongest links."""

from collections import Counter

import numpy as np
import pytest

from autograder.author import (
    Mismatch,
    expect_close,
    expect_independent_calls,
    expect_numbers,
    expect_unchanged_arguments,
    one_line,
    several,
)
from reference.attention import softmax
from reference.patterns import strongest_links

KEYS = ("self_attention", "max_attention", "entropy")
HINTS = {
    "self_attention": (
        "Which entries of the matrix say how much a token looks at itself?",
        "`self_attention` is the mean of the diagonal: entry [i][i] of each row.",
        "np.diag returns the diagonal of a matrix. Take the mean of this diagonal.",
    ),
    "max_attention": (
        "From which weights does `max_attention` take the maximum?",
        "`max_attention` is the single largest weight of the whole matrix.",
        "Take the maximum over all entries, without an axis.",
    ),
    "entropy": (
        "Over which numbers does one entropy run?",
        "Each row has an entropy −Σ p·ln p, in nats. The measure is the mean of these entropies.",
        "First sum along each row. Then take the mean of these sums.",
    ),
}
SENTENCE = ["The", "cat", "sat", "on", "the", "mat"]


def compare(submission, reference, embeddings, keys=KEYS):
    answer = submission.analyze_pattern(embeddings)
    if not isinstance(answer, dict):
        said = "analyze_pattern has to return a dict with the three measures."
        raise Mismatch(said, code="nothing_returned" if answer is None else "other_kind")
    absent = [key for key in KEYS if key not in answer]
    if absent:
        said = f"The dict of analyze_pattern lacks {', '.join(absent)}."
        raise Mismatch(said, code="other_kind")
    right = reference.analyze_pattern(embeddings)
    for key in keys:
        expect_close(answer[key], right[key], f"`{key}`", condition=20.0)


def scenario(name, rng):
    """Return embeddings with an easily described pattern of attention."""
    if name == "uniform":
        return np.ones((4, 3))
    if name == "sequential":
        return np.arange(12.0).reshape(4, 3) / 4
    if name == "similar pairs":
        pair = rng.normal(size=(2, 5))
        return np.repeat(pair, 2, axis=0) + rng.normal(scale=0.01, size=(4, 5))
    twins = rng.normal(size=(6, 8))
    twins[5] = twins[1] + rng.normal(scale=0.05, size=8)
    return twins


@pytest.mark.check(
    "analyze_pattern: two small examples",
    points=2,
    grades=["measures"],
    hints=(
        "How does your code turn the embeddings into weights?",
        "The scores are the dot products of the rows, divided by √d. Each row of scores gets a "
        "softmax.",
        "First make the matrix of weights, as in the lesson's example. Then calculate the three "
        "measures.",
    ),
)
def test_by_hand(submission, reference):
    for embeddings in (np.eye(2), np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0], [2.0, 2.0, 0.0]])):
        compare(submission, reference, embeddings)


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(
            key,
            id=key,
            marks=pytest.mark.check(
                f"analyze_pattern: {key}", points=1, grades=["measures"], hints=HINTS[key]
            ),
        )
        for key in KEYS
    ],
)
def test_measure(submission, reference, rng, key):
    for embeddings in (rng.normal(size=(3, 4)), rng.normal(size=(5, 2))):
        compare(submission, reference, embeddings, [key])


@pytest.mark.check(
    "analyze_pattern: uniform, sequential, pairs, twins, and large scores",
    points=2,
    grades=["measures", "large scores"],
    needs=["test_by_hand"],
    hints=(
        "What should the weights be if all embeddings are equal?",
        "The scores grow with the squared length of the embeddings. If scores are far apart, a "
        "weight can be 0. A weight of 0 adds nothing to the entropy.",
        "Subtract the maximum of each row before the exponential. Take the logarithm only if a "
        "weight is above 0.",
    ),
)
def test_scenarios(submission, reference, rng, grading):
    grading("measures")
    for name in ("uniform", "sequential", "similar pairs", "twins"):
        compare(submission, reference, scenario(name, rng))
    grading("large scores")
    compare(submission, reference, 30.0 * scenario("twins", rng))


def expect_links(answer, weights, tokens, k):
    """Pass if each query's links are its largest, in order. Ties may be in any order."""
    if not isinstance(answer, list) or len(answer) != len(weights):
        said = f"strongest_links has to return a list with {len(weights)} lists."
        raise Mismatch(said, code="nothing_returned" if answer is None else "other_kind")
    right = strongest_links(weights, tokens, k)
    for query, (links, row) in enumerate(zip(answer, weights, strict=True)):
        where = f"the links of query {query} ({tokens[query]})"
        if not isinstance(links, list) or not all(is_pair(link) for link in links):
            said = f"The {where[4:]}: expected a list of pairs (token, weight)."
            raise Mismatch(said, code="other_kind")
        wanted = [weight for _, weight in right[query]]
        found = expect_numbers([link[1] for link in links], f"the weights in {where}")
        if len(links) != len(wanted):
            why = f" Here k is {k}, and there are {len(row)} tokens." if k >= len(row) else ""
            if len(links) > k > 0 and np.allclose(found[k - 1 :], wanted[-1]):
                why = f" k is {k}, also for equal weights."
            if len(links) < len(wanted) and not any(wanted[len(links) :]):
                why += " The missing links have the weight 0."
            said = f"The {where[4:]}: expected {len(wanted)}, found {len(links)}.{why}"
            raise Mismatch(said)
        expect_close(found, wanted, f"the weights in {where}")
        there = Counter((token, round(float(w), 9)) for token, w in zip(tokens, row, strict=True))
        named = Counter((link[0], round(float(link[1]), 9)) for link in links)
        alien = list((named - there).elements())
        if alien and not close_enough(alien, there):
            token, weight = alien[0]
            raise Mismatch(
                f"In {where}, {one_line(token, 20)} has the weight {weight:.4g}. This weight "
                "belongs to another token."
            )
        for token, more in (Counter(link[0] for link in links) - Counter(tokens)).items():
            count = Counter(tokens)[token]
            raise Mismatch(
                f"In {where}, {one_line(token, 20)} is listed {count + more} times, but it occurs "
                f"only {several(count, 'time')}. It stands for another token of equal weight.",
                mistake="token-found-by-weight",
            )


def is_pair(link):
    return isinstance(link, list | tuple) and len(link) == 2 and isinstance(link[0], str)


def close_enough(pairs, there):
    """Return True if each pair is in `there`, apart from rounding."""
    return all(
        any(token == other and abs(weight - right) < 1e-5 for other, right in there)
        for token, weight in pairs
    )


def weights_of(rng, length):
    return softmax(rng.normal(size=(length, length)))


@pytest.mark.check(
    "strongest_links: the two largest of each query, the largest first",
    points=3,
    grades=["strongest links"],
    hints=(
        "For the first query, which token has the largest weight?",
        "List the k largest weights of each row, largest first. Each link has the token of its "
        "column.",
        "Sort the columns of a row by their weight, largest first. The first k columns are the "
        "links.",
    ),
)
def test_links(submission, rng):
    small = np.array([[0.5, 0.2, 0.3], [0.1, 0.7, 0.2], [0.3, 0.6, 0.1]])
    expect_links(submission.strongest_links(small, ["a", "b", "c"]), small, ["a", "b", "c"], 2)
    weights = weights_of(rng, 6)
    expect_links(submission.strongest_links(weights, SENTENCE), weights, SENTENCE, 2)


@pytest.mark.check(
    "strongest_links: other k, too large k, and tokens that repeat",
    points=1,
    grades=["sizes", "equal weights and tokens"],
    needs=["test_links"],
    hints=(
        "How many links does each query have if k is 10 and there are 4 tokens?",
        "If there are fewer than k tokens, list all links. Two equal tokens need two links.",
        "Sort the column numbers, and replace each column number by its token at the end.",
    ),
)
def test_other_k(submission, rng, grading):
    repeated = ["the", "cat", "the", "mat"]
    weights = weights_of(rng, 4)
    grading("sizes")
    for k in (1, 3, 4, 10):
        links = submission.strongest_links(weights, repeated, k=k)
        expect_links(links, weights, repeated, k)
    grading("equal weights and tokens")
    near = np.array([[0.249, 0.252, 0.251, 0.248]] * 4)
    causal = np.array([[1, 0, 0, 0], [0.6, 0.4, 0, 0], [0.2, 0.5, 0.3, 0], [0.1, 0.2, 0.3, 0.4]])
    for weights in (near, causal):  # a weight of 0 is also a link
        links = submission.strongest_links(weights, repeated, k=4)
        expect_links(links, weights, repeated, 4)
    ties = np.array([[0.25, 0.25, 0.25, 0.25]] * 3 + [[0.4, 0.1, 0.4, 0.1]])
    expect_links(submission.strongest_links(ties, repeated, k=2), ties, repeated, 2)


@pytest.mark.check(
    "Other sizes, and unchanged arguments",
    points=1,
    grades=["sizes", "no side effects"],
    needs=["test_links"],
    hints=(
        "Which lines of your code change an argument or contain a fixed size?",
        "`weights[...] = …` and `x /= …` change the caller's own array. Take all sizes from the "
        "arguments.",
        "Use .shape and len(…) for the sizes. Work on a copy: weights.copy().",
    ),
)
def test_other_sizes(submission, reference, rng, grading):
    grading("no side effects")
    embeddings, weights = rng.normal(size=(3, 4)), weights_of(rng, 5)
    other, tokens = rng.normal(size=(3, 4)), list("abcde")
    expect_unchanged_arguments(submission.analyze_pattern, ["embeddings"], embeddings)
    names = ["weights", "tokens"]
    answer = expect_unchanged_arguments(submission.strongest_links, names, weights, tokens, k=3)
    expect_links(answer, weights, tokens, 3)
    grading("sizes")
    compare(submission, reference, rng.normal(size=(1, 3)))
    compare(submission, reference, rng.normal(size=(9, 16)))
    compare(submission, reference, rng.normal(size=rng.integers(7, 16, size=2)))
    for length in rng.choice(np.arange(7, 16), size=2, replace=False):
        words, drawn = [f"word{n}" for n in range(length)], weights_of(rng, length)
        k = int(rng.integers(3, length))
        links = submission.strongest_links(drawn, words, k=k)
        expect_links(links, drawn, words, k)
    grading("no side effects")
    calls = [
        ("analyze_pattern", lambda s: s.analyze_pattern(embeddings)),
        ("strongest_links", lambda s: s.strongest_links(weights, tokens, k=3)),
    ]
    between = [
        lambda s: s.analyze_pattern(other),
        lambda s: s.strongest_links(weights.T.copy(), tokens[::-1]),
    ]
    expect_independent_calls(submission.fresh(), calls, between)
