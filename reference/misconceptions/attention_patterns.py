"""Misconceptions about what a matrix of attention weights shows."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.diagnosis import (
    Fact,
    Family,
    Hints,
    Mistakes,
    Probe,
    Recipe,
    Step,
    Trait,
)
from reference.attention import softmax
from reference.patterns import strongest_links
from reference.scaling import entropy

WEIGHTS: Hints = (
    "How do the embeddings become weights, before anything is measured?",
    "The weights are the softmax, over each row, of the dot products divided by √d.",
    "Work the lesson's example through by hand, and compare your matrix of weights.",
)
SELF: Hints = (
    "Which entries of the matrix say how much a position looks at itself?",
    "It is the mean of the diagonal: entry [i][i] of each row.",
    "Look at the line that makes self_attention, and at what its mean runs over.",
)
LARGEST: Hints = (
    "How many numbers does max_attention sum up into one?",
    "It is the single largest weight of the whole matrix.",
    "Look at the line that makes max_attention: one maximum, without an axis and without a mean.",
)
SPREAD: Hints = (
    "Whose entropy is taken, and what is done with several of them?",
    "Each row has an entropy −Σ p·ln p, in nats; the measure is the mean over the rows.",
    "Look at the logarithm, the minus sign, and over what is added up and averaged.",
)
LINKS: Hints = (
    "For the first query, which weight is the largest, and which token does it belong to?",
    "For each row: the k largest entries, from large to small, each with the token of its column.",
    "Sort the columns of a row by their weight, largest first, and take the first k.",
)


def of_weights(change: Callable[[Any], Any]) -> Step:
    """A measure of the weights, as a step."""
    return lambda s: change(s.weights)


MEASURES = (
    Family(
        None,
        WEIGHTS,
        {
            "no-scaling": ("The scores are not divided by √d.", {"scaled": lambda s: s.scores}),
            "divides-by-d": (
                "The scores are divided by d, without the square root.",
                {"scaled": lambda s: s.scores / s.e.shape[1]},
            ),
            "root-of-length": (
                "The scores are divided by the root of the number of positions, not by √d.",
                {"scaled": lambda s: s.scores / np.sqrt(len(s.e))},
            ),
            "multiplies-by-root": (
                "The scores are multiplied by √d; they have to be divided.",
                {"scaled": lambda s: s.scores * np.sqrt(s.e.shape[1])},
            ),
            "cosines": (
                "The scores are cosine similarities: the embeddings were brought to length 1.",
                {
                    "scaled": lambda s: (
                        s.scores
                        / np.linalg.norm(s.e, axis=1)[:, None]
                        / np.linalg.norm(s.e, axis=1)[None]
                    )
                },
            ),
            "softmax-over-everything": (
                "One softmax runs over the whole matrix, not one over each row.",
                {"weights": lambda s: softmax(s.scaled, None)},
            ),
            "softmax-not-stable": (
                "Right for small embeddings; large ones overflow, as in a softmax that "
                "exponentiates its scores as they are.",
                {"weights": lambda s: np.exp(s.scaled) / np.exp(s.scaled).sum(-1, keepdims=True)},
            ),
            "no-softmax": (
                "The scaled scores are measured: there is no softmax.",
                {"weights": lambda s: s.scaled},
            ),
            "exponentials-only": (
                "The exponentials are measured; they are not divided by their sum.",
                {"weights": lambda s: np.exp(s.scaled)},
            ),
            "causal": (
                "A causal mask acts, and none is asked for.",
                {"weights": lambda s: softmax(np.where(np.tri(len(s.e)), s.scaled, -np.inf))},
            ),
        },
    ),
    Family(
        "self_attention",
        SELF,
        means=of_weights,
        ways={
            "diagonal-sum": (
                "self_attention is the sum of the diagonal; its mean is asked for.",
                np.trace,
            ),
            "mean-of-everything": (
                "self_attention is the mean of all weights; only the diagonal counts.",
                np.mean,
            ),
            "largest-of-diagonal": (
                "self_attention is the largest entry of the diagonal; its mean is asked for.",
                lambda w: np.diag(w).max(),
            ),
            "first-of-diagonal": (
                "self_attention is that of the first position alone; the mean is asked for.",
                lambda w: w[0, 0],
            ),
            "beside-the-diagonal": (
                "self_attention is what goes to the others: 1 minus what is asked for.",
                lambda w: (1 - np.diag(w)).mean(),
            ),
            "diagonal-returned": (
                "self_attention is the whole diagonal; its mean is asked for.",
                np.diag,
            ),
        },
    ),
    Family(
        "max_attention",
        LARGEST,
        means=of_weights,
        ways={
            "mean-of-rows-largest": (
                "max_attention is the mean of the rows' largest weights; the largest of all is "
                "asked for.",
                lambda w: w.max(-1).mean(),
            ),
            "rows-largest": (
                "max_attention has one value for each row; the largest of all is asked for.",
                lambda w: w.max(-1),
            ),
            "place-of-the-largest": (
                "max_attention is the place of the largest weight; the weight itself is asked for.",
                np.argmax,
            ),
            "largest-beside-the-diagonal": (
                "max_attention leaves the diagonal out; a position's own weight counts too.",
                lambda w: (w - np.diag(np.diag(w))).max(),
            ),
            "smallest": ("max_attention is the smallest weight.", np.min),
        },
    ),
    Family(
        "entropy",
        SPREAD,
        means=of_weights,
        ways={
            "entropy-in-bits": (
                "The entropy is in bits (base 2); nats are asked for.",
                lambda w: entropy(w).mean() / np.log(2),
            ),
            "entropy-in-base-10": (
                "The entropy is that of a logarithm with base 10; nats are asked for.",
                lambda w: entropy(w).mean() / np.log(10),
            ),
            "sum-of-entropies": (
                "The entropies of the rows are added up; their mean is asked for.",
                lambda w: entropy(w).sum(),
            ),
            "entropies-returned": (
                "entropy has one value for each row; their mean is asked for.",
                entropy,
            ),
            "mean-of-terms": (
                "The terms −p·ln p are averaged over all entries; each row's are added up first.",
                lambda w: entropy(w).mean() / w.shape[-1],
            ),
            "no-minus": ("The minus sign of −Σ p·ln p is missing.", lambda w: -entropy(w).mean()),
            "relative-entropy": (
                "The entropy is divided by ln L; plain nats are asked for.",
                lambda w: entropy(w).mean() / np.log(w.shape[-1]),
            ),
            "nan-for-zero": (
                "A weight of 0 gives NaN: 0 · ln 0 is not a number for NumPy, and counts as 0 "
                "here.",
                lambda w: -(w * np.log(w)).sum(-1).mean(),
            ),
        },
    ),
)


def _sorted(s: Any, key: Callable[[Any], Any], count: Callable[[Any], int] = lambda s: s.k) -> Any:
    w = np.asarray(s.weights)
    rows = [np.argsort(key(row), kind="stable")[: count(s)] for row in w]
    return [
        [(s.tokens[j], float(row[j])) for j in chosen] for row, chosen in zip(w, rows, strict=True)
    ]


def _others(s: Any) -> Any:
    w = np.asarray(s.weights)
    return strongest_links(np.where(np.eye(len(w)) > 0, -1, w), s.tokens, min(s.k, len(w) - 1))


LINK_MISTAKES = (
    Family(
        "links",
        LINKS,
        {
            "smallest-links": (
                "The smallest weights of each query are listed; the largest are asked for.",
                lambda s: _sorted(s, lambda row: row),
            ),
            "smallest-first": (
                "The right links are listed, but the smallest of them stands first.",
                lambda s: [
                    row[::-1] for row in strongest_links(np.asarray(s.weights), s.tokens, s.k)
                ],
            ),
            "in-order-of-tokens": (
                "The right links are listed in the order of the tokens; the largest stands first.",
                lambda s: [
                    [(s.tokens[j], float(row[j])) for j in sorted(np.argsort(-row)[: s.k])]
                    for row in np.asarray(s.weights)
                ],
            ),
            "columns": (
                "The links are those of the columns: who looks at each token, not whom it looks "
                "at.",
                lambda s: strongest_links(np.asarray(s.weights).T, s.tokens, s.k),
            ),
            "without-itself": ("A query's own position is left out; it counts as well.", _others),
            "one-more": (
                "There is one link too many for each query.",
                lambda s: strongest_links(np.asarray(s.weights), s.tokens, s.k + 1),
            ),
            "one-fewer": (
                "There is one link too few for each query.",
                lambda s: strongest_links(np.asarray(s.weights), s.tokens, max(s.k - 1, 0)),
            ),
            "always-two": (
                "Two links are listed, whatever k is.",
                lambda s: strongest_links(np.asarray(s.weights), s.tokens, 2),
            ),
            "all-of-them": (
                "All links are listed, whatever k is.",
                lambda s: strongest_links(np.asarray(s.weights), s.tokens, 99),
            ),
            "tokens-only": (
                "The weights are missing: a link is a pair of token and weight.",
                lambda s: [
                    [t for t, _ in row]
                    for row in strongest_links(np.asarray(s.weights), s.tokens, s.k)
                ],
            ),
            "weights-only": (
                "The tokens are missing: a link is a pair of token and weight.",
                lambda s: [
                    [w for _, w in row]
                    for row in strongest_links(np.asarray(s.weights), s.tokens, s.k)
                ],
            ),
            "weight-first": (
                "The pairs are (weight, token); the token stands first.",
                lambda s: [
                    [(w, t) for t, w in row]
                    for row in strongest_links(np.asarray(s.weights), s.tokens, s.k)
                ],
            ),
            "places-for-tokens": (
                "The pairs hold the number of the column; its token is asked for.",
                lambda s: [
                    [(int(j), float(row[j])) for j in np.argsort(-row)[: s.k]]
                    for row in np.asarray(s.weights)
                ],
            ),
            "query-for-key": (
                "The pairs hold the token that looks; the one that is looked at is asked for.",
                lambda s: [
                    [(s.tokens[i], w) for _, w in row]
                    for i, row in enumerate(strongest_links(np.asarray(s.weights), s.tokens, s.k))
                ],
            ),
            "a-dict": (
                "Each query has a dict; a list of pairs is asked for, since tokens may repeat.",
                lambda s: [
                    dict(row) for row in strongest_links(np.asarray(s.weights), s.tokens, s.k)
                ],
            ),
            "by-token": (
                "The result is a dict by token; a list in the order of the queries is asked for, "
                "since tokens may repeat.",
                lambda s: dict(
                    zip(
                        s.tokens, strongest_links(np.asarray(s.weights), s.tokens, s.k), strict=True
                    )
                ),
            ),
            "first-query-only": (
                "Only the first query's links are there.",
                lambda s: strongest_links(np.asarray(s.weights), s.tokens, s.k)[0],
            ),
            "one-list": (
                "All links stand in one list; a list for each query is asked for.",
                lambda s: [
                    link
                    for row in strongest_links(np.asarray(s.weights), s.tokens, s.k)
                    for link in row
                ],
            ),
            "first-of-a-repeated-token": (
                "For a token that repeats, the weight is that of its first occurrence.",
                lambda s: [
                    [
                        (s.tokens[j], float(row[s.tokens.index(s.tokens[j])]))
                        for j in np.argsort(-row)[: s.k]
                    ]
                    for row in np.asarray(s.weights)
                ],
            ),
        },
    ),
)


def embeddings(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([80, draw])
    return [
        Probe((np.eye(2) + draw,)),
        Probe((np.array([[1.0, 0.0, 2.0], [0.0, 1.0 + draw, 1.0], [2.0, 2.0, 0.0]]),)),
        Probe((rng.normal(size=(3, 4)),)),
        Probe((rng.normal(size=(4, 4)),)),
        Probe((rng.normal(size=(6, 3)),)),
        Probe((rng.normal(size=(5, 9)),)),
        Probe((60.0 * rng.normal(size=(4, 5)),), condition=1e5),
        Probe((90.0 * rng.normal(size=(3, 2)),), condition=1e5),
    ]


def weights(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([81, draw])

    def drawn(length: int) -> Any:
        return softmax(rng.normal(size=(length, length)))

    twice = ["the", "cat", "the", "mat"]
    return [
        Probe(
            (
                np.array([[0.5, 0.2, 0.3], [0.1, 0.7, 0.2], [0.3, 0.6, 0.1]])[rng.permutation(3)],
                ["a", "b", "c"],
            )
        ),
        Probe((drawn(4), ["w", "x", "y", "z"])),
        Probe((drawn(6), ["The", "cat", "sat", "on", "the", "mat"], 3)),
        Probe((drawn(4), twice, 1)),
        Probe((drawn(4), twice, 3)),
        Probe((drawn(4), twice, 4)),
        Probe((drawn(3), ["p", "q", "r"], 7)),
        Probe((drawn(5), list("abcde"), 9)),
        Probe((drawn(4), twice, 2)),
    ]


MISTAKES = Mistakes(
    Recipe(
        "analyze_pattern",
        embeddings,
        MEASURES,
        steps={
            "e": lambda s: np.asarray(s.embeddings, dtype=np.float64),
            "scores": lambda s: s.e @ s.e.T,
            "scaled": lambda s: s.scores / np.sqrt(s.e.shape[1]),
            "weights": lambda s: softmax(s.scaled),
            "self_attention": lambda s: np.diag(s.weights).mean(),
            "max_attention": lambda s: s.weights.max(),
            "entropy": lambda s: entropy(s.weights).mean(),
            "results": lambda s: {
                "self_attention": s.self_attention,
                "max_attention": s.max_attention,
                "entropy": s.entropy,
            },
        },
        parameters=("embeddings",),
        traits=(
            Trait(
                lambda s: bool(np.abs(s.scaled).max() > 100),
                "for large embeddings",
                "for small ones",
            ),
        ),
        facts=(
            Fact(
                "nan",
                lambda s, v: bool(np.isnan(np.concatenate([np.ravel(part) for part in v])).any()),
                "There are NaN in the result.",
            ),
        ),
    ),
    Recipe(
        "strongest_links",
        weights,
        LINK_MISTAKES,
        steps={"links": lambda s: strongest_links(np.asarray(s.weights), s.tokens, s.k)},
        parameters=("weights", "tokens", "k"),
        defaults={"k": 2},
        traits=(
            Trait(
                lambda s: s.k > len(s.tokens),
                "where k is larger than the number of tokens",
                "where there are at least k tokens",
            ),
            Trait(
                lambda s: len(set(s.tokens)) < len(s.tokens),
                "where a token repeats",
                "where every token is different",
            ),
            Trait(lambda s: "k" in s.given, "where k is given", "where k is left out"),
        ),
    ),
)
