"""Misconceptions in the strongest links of each query."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Step
from reference.patterns import strongest_links

LINKS: Hints = (
    "For the first query, which token has the largest weight?",
    "List the k largest weights of each row, largest first. Each link has the token of its column.",
    "Sort the columns of a row by their weight, largest first, and take the first k.",
)


def _links(s: Any, k: int | None = None) -> Any:
    return strongest_links(np.asarray(s.weights), s.tokens, s.k if k is None else k)


def _joined(rows: Any) -> list[Any]:
    return [link for row in rows for link in row]


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
    return [[(token, change(weight)) for token, weight in row] for row in _links(s)]


FORMS = ("{:.4f}", "{:.0f}", "{:.1f}", "{:.2f}", "{}")


def _sorted_by(key: Callable[[float], Any]) -> Step:
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
                "The links have the smallest weights of each query. They should have the largest "
                "weights.",
                lambda s: _sorted(s, lambda row: row),
            ),
            "smallest-first": (
                "{The links are right, but the|The} smallest link comes first. The largest should "
                "come first.",
                lambda s: [row[::-1] for row in _links(s)],
            ),
            "in-order-of-tokens": (
                "{The links are right, but they|The links} are in the order of the tokens. "
                "The largest link should come first.",
                lambda s: [
                    [(s.tokens[j], float(row[j])) for j in sorted(np.argsort(-row)[: s.k])]
                    for row in np.asarray(s.weights)
                ],
            ),
            "columns": (
                "Your links are those of the columns. A column shows which queries look at a "
                "token. A row shows which tokens a query looks at.",
                lambda s: strongest_links(np.asarray(s.weights).T, s.tokens, s.k),
            ),
            "without-itself": (
                "The links of a query leave out the query's own position. List this link too.",
                _others,
            ),
            "one-more": (
                "In your result, each query has one link too many.",
                lambda s: _links(s, s.k + 1),
            ),
            "one-fewer": (
                "In your result, each query has one link too few.",
                lambda s: _links(s, max(s.k - 1, 0)),
            ),
            "always-two": (
                "Your result always has two links for each query{, whatever k is}.",
                lambda s: _links(s, 2),
            ),
            "all-of-them": (
                "Your result always has all links of each query{, whatever k is}.",
                lambda s: _links(s, 99),
            ),
            "tokens-only": (
                "Your links have no weights. A link is a pair of a token and a weight.",
                lambda s: [[t for t, _ in row] for row in _links(s)],
            ),
            "weights-only": (
                "Your links have no tokens. A link is a pair of a token and a weight.",
                lambda s: [[w for _, w in row] for row in _links(s)],
            ),
            "weight-first": (
                "The pairs are (weight, token). The token should come first.",
                lambda s: [[(w, t) for t, w in row] for row in _links(s)],
            ),
            "places-for-tokens": (
                "The pairs contain the number of a column. They should contain the token of that "
                "column.",
                lambda s: [
                    [(int(j), float(row[j])) for j in np.argsort(-row)[: s.k]]
                    for row in np.asarray(s.weights)
                ],
            ),
            "query-for-key": (
                "The pairs contain the token of the query. They should contain the token that the "
                "query looks at.",
                lambda s: [[(s.tokens[i], w) for _, w in row] for i, row in enumerate(_links(s))],
            ),
            "a-dict": (
                "Each query has a dict. It should have a list of pairs, because a token may "
                "repeat.",
                lambda s: [dict(row) for row in _links(s)],
            ),
            "by-token": (
                "The result is a dict by token. It should be a list in the order of the queries, "
                "because a token may repeat.",
                lambda s: dict(zip(s.tokens, _links(s), strict=True)),
            ),
            "first-query-only": (
                "The result has only the links of the first query.",
                lambda s: _links(s)[0],
            ),
            "one-list": (
                "All links are in one list. Each query should have its own list.",
                lambda s: _joined(_links(s)),
            ),
            "one-list-for-all": (
                "Every query has the same list, with the links of all queries. Each query should "
                "have its own list.",
                lambda s: [_joined(_links(s))] * len(_links(s)),
            ),
            "links-so-far": (
                "The list of a query also has the links of all queries before it. Each query "
                "should have its own list.",
                lambda s: [_joined(_links(s)[:end]) for end in range(1, 1 + len(_links(s)))],
            ),
            "repeated-token-once": (
                "If a token repeats, only its last link is in the result. Each occurrence should "
                "have its own link.",
                lambda s: [
                    sorted(
                        dict(zip(s.tokens, map(float, row), strict=True)).items(),
                        key=lambda link: -link[1],
                    )[: s.k]
                    for row in np.asarray(s.weights)
                ],
            ),
            "largest-of-a-repeated-token": (
                "If a token repeats, only its largest link is in the result. Each occurrence "
                "should have its own link.",
                _by_token(max),
            ),
            "repeated-tokens-added": (
                "The weights of a token that repeats are added up. Each occurrence should have "
                "its own link.",
                _by_token(sum),
            ),
            "largest-left-out": (
                "Your code leaves out the largest link of each query.",
                lambda s: [row[1:] for row in _links(s, s.k + 1)],
            ),
            "sorted-by-token": (
                "{The links are right, but they|The links} are in alphabetical order of "
                "the tokens. The largest link should come first.",
                lambda s: [sorted(row) for row in _links(s)],
            ),
            "weights-rounded": [
                (
                    f"The weights in the links are rounded to {digits} decimals.",
                    lambda s, digits=digits: _with_weights(s, lambda w: round(w, digits)),
                )
                for digits in (1, 2, 3, 4)
            ],
            "weights-in-percent": (
                "The weights in the links are percentages. They should be the weights themselves.",
                lambda s: _with_weights(s, lambda w: 100 * w),
            ),
            "with-the-query": (
                "A link has three parts, because it also contains the token of the query. A link "
                "should be a pair: the token that the query looks at, and the weight.",
                lambda s: [
                    [(s.tokens[i], *link) for link in row] for i, row in enumerate(_links(s))
                ],
            ),
            "sorted-as-text": (
                "Your links match an order of the weights as text. As text, “9” is larger than "
                "“40”.",
                *(_sorted_by(lambda w, form=form: form.format(100 * w)) for form in FORMS),
            ),
            "first-of-a-repeated-token": (
                "If a token repeats, every link of this token has the weight of the first "
                "occurrence.",
                lambda s: [
                    sorted(
                        ((t, float(row[s.tokens.index(t)])) for t in s.tokens),
                        key=lambda link: -link[1],
                    )[: s.k]
                    for row in np.asarray(s.weights)
                ],
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
