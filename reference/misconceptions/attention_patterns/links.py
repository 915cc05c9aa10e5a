"""Misconceptions in the strongest links of each query."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Step
from reference.patterns import strongest_links

LINKS: Hints = (
    "For the first query, which weight is the largest, and which token does it belong to?",
    "List the k largest weights of each row, largest first, each with the token of its column.",
    "Sort the columns of a row by their weight, largest first, and take the first k.",
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


def _by_token(of: Callable[[list[float]], float]) -> Step:
    """Return a step in which each token occurs once, with one number from all its weights."""

    def links(s: Any) -> Any:
        found = []
        for row in np.asarray(s.weights):
            known: dict[str, list[float]] = {}
            for token, weight in zip(s.tokens, map(float, row), strict=True):
                known.setdefault(token, []).append(weight)
            each = [(token, of(weights)) for token, weights in known.items()]
            found.append(sorted(each, key=lambda link: -link[1])[: s.k])
        return found

    return links


def _with_weights(s: Any, change: Callable[[float], float]) -> Any:
    links = strongest_links(np.asarray(s.weights), s.tokens, s.k)
    return [[(token, change(weight)) for token, weight in row] for row in links]


FORMS = ("{:.4f}", "{:.0f}", "{:.1f}", "{:.2f}", "{}")


def _sorted_by(key: Callable[[float], Any]) -> Step:
    """Return a step with links in falling order of a key of their weights."""

    def links(s: Any) -> Any:
        rows = (list(zip(s.tokens, map(float, row), strict=True)) for row in np.asarray(s.weights))
        return [sorted(row, key=lambda link: key(link[1]), reverse=True)[: s.k] for row in rows]

    return links


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
                "The right links are listed, but the smallest comes first.",
                lambda s: [
                    row[::-1] for row in strongest_links(np.asarray(s.weights), s.tokens, s.k)
                ],
            ),
            "in-order-of-tokens": (
                "The right links are listed in the order of the tokens; the largest comes first.",
                lambda s: [
                    [(s.tokens[j], float(row[j])) for j in sorted(np.argsort(-row)[: s.k])]
                    for row in np.asarray(s.weights)
                ],
            ),
            "columns": (
                "The links are those of the columns: they say who looks at a token, not whom it "
                "looks at.",
                lambda s: strongest_links(np.asarray(s.weights).T, s.tokens, s.k),
            ),
            "without-itself": ("A query's own position is left out; list it as well.", _others),
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
                "The pairs are (weight, token); the token should come first.",
                lambda s: [
                    [(w, t) for t, w in row]
                    for row in strongest_links(np.asarray(s.weights), s.tokens, s.k)
                ],
            ),
            "places-for-tokens": (
                "The pairs contain the number of the column; the column's token is asked for.",
                lambda s: [
                    [(int(j), float(row[j])) for j in np.argsort(-row)[: s.k]]
                    for row in np.asarray(s.weights)
                ],
            ),
            "query-for-key": (
                "The pairs contain the token that looks; the token that is looked at is asked for.",
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
            "repeated-token-once": (
                "The links of a query are collected by token: if a token repeats, only its last "
                "link is there.",
                lambda s: [
                    sorted(
                        dict(zip(s.tokens, map(float, row), strict=True)).items(),
                        key=lambda link: -link[1],
                    )[: s.k]
                    for row in np.asarray(s.weights)
                ],
            ),
            "largest-of-a-repeated-token": (
                "The links of a query are collected by token: if a token repeats, only its "
                "largest link is there.",
                _by_token(max),
            ),
            "repeated-tokens-added": (
                "The weights of a token that repeats are added up; each occurrence should have "
                "its own link.",
                _by_token(sum),
            ),
            "largest-left-out": (
                "The largest link of each query is left out.",
                lambda s: [
                    row[1:] for row in strongest_links(np.asarray(s.weights), s.tokens, s.k + 1)
                ],
            ),
            "sorted-by-token": (
                "The right links are listed in the order of their tokens; the largest comes first.",
                lambda s: [
                    sorted(row) for row in strongest_links(np.asarray(s.weights), s.tokens, s.k)
                ],
            ),
            "weights-rounded": [
                (
                    f"The weights in the links are rounded to {digits} decimals.",
                    lambda s, digits=digits: _with_weights(s, lambda w: round(w, digits)),
                )
                for digits in (1, 2, 3, 4)
            ],
            "weights-in-percent": (
                "The weights in the links are percentages; the weights themselves are asked for.",
                lambda s: _with_weights(s, lambda w: 100 * w),
            ),
            "with-the-query": (
                "A link has three parts, also the token that looks. It should be a pair: the "
                "token that is looked at, and its weight.",
                lambda s: [
                    [(s.tokens[i], *link) for link in row]
                    for i, row in enumerate(strongest_links(np.asarray(s.weights), s.tokens, s.k))
                ],
            ),
            "sorted-as-text": (
                "The weights are compared as texts: as a text, “9” is larger than “40”.",
                *(_sorted_by(lambda w, form=form: form.format(100 * w)) for form in FORMS),
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
