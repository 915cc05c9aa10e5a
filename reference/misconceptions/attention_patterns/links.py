"""Misconceptions in the strongest links of each query."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Step

LINKS: Hints = (
    "For the first query, which token has the largest weight?",
    "List the k largest weights of each row, largest first. Each link has the token of its column.",
    "Sort the columns of a row by their weight, largest first, and take the first k.",
)


def _chosen(of: Callable[[Any, int, Any], Any]) -> dict[str, Step]:
    """Return a change of the columns that are chosen for query `i` with the weights `row`."""
    return {"chosen": lambda s: [[*of(s, i, row)] for i, row in enumerate(s.matrix)]}


def _arranged(of: Callable[[Any, int, list[Any]], Any]) -> dict[str, Step]:
    """Return a change of the order in which the chosen columns of query `i` are listed."""
    return {"arranged": lambda s: [[*of(s, i, js)] for i, js in enumerate(s.chosen)]}


def _pairs(of: Callable[[Any, int, Any, float], Any]) -> dict[str, Step]:
    """Return a change of the links from query `i`: each has a token and a weight."""
    return {
        "links": lambda s: [
            [of(s, i, s.token(i, int(j)), s.weight(float(s.matrix[i][j]))) for j in columns]
            for i, columns in enumerate(s.arranged)
        ]
    }


def _shown(of: Callable[[Any, Any], Any]) -> dict[str, Step]:
    return {"shown": lambda s: of(s, s.links)}


def _order(row: Any) -> Any:
    return np.argsort(-row, kind="stable")


def _columns_by(s: Any, key: Callable[[int], Any], reverse: bool = True) -> Any:
    return sorted(range(len(s.tokens)), key=key, reverse=reverse)[: s.k]


def _joined(rows: Any) -> list[Any]:
    return [link for row in rows for link in row]


def _by_token(of: Callable[[list[float]], float]) -> dict[str, Step]:
    def links(s: Any) -> Any:
        found = []
        for row in s.matrix:
            known: dict[str, list[float]] = {}
            for token, weight in zip(s.tokens, map(float, row), strict=True):
                known.setdefault(token, []).append(weight)
            each = [(token, of(weights)) for token, weights in known.items()]
            found.append(sorted(each, key=lambda link: -link[1])[: s.k])
        return found

    return {"links": links}


def _of_first(s: Any) -> Any:
    return np.asarray(s.weights)[:, [s.tokens.index(token) for token in s.tokens]]


FORMS = ("{:.4f}", "{:.0f}", "{:.1f}", "{:.2f}", "{}")
STEPS: dict[str, Step] = {
    "matrix": lambda s: np.asarray(s.weights),
    "token": lambda s: lambda i, j: s.tokens[j],
    "weight": lambda s: lambda weight: weight,
    **_chosen(lambda s, i, row: _order(row)[: s.k]),
    **_arranged(lambda s, i, js: js),
    **_pairs(lambda s, i, token, weight: (token, weight)),
    **_shown(lambda s, links: links),
}
LINK_MISTAKES = (
    Family(
        None,
        LINKS,
        {
            "columns": (
                "Your links are those of the columns. A column shows which queries look at a "
                "token. A row shows which tokens a query looks at.",
                {"matrix": lambda s: np.asarray(s.weights).T},
            ),
            "one-more": (
                "In your result, each query has one link too many.",
                {"k": lambda s: s.k + 1},
            ),
            "one-fewer": (
                "In your result, each query has one link too few.",
                {"k": lambda s: max(s.k - 1, 0)},
            ),
            "always-two": (
                "Your result always has two links for each query{, whatever k is}.",
                {"k": lambda s: 2},
            ),
            "all-of-them": (
                "Your result always has all links of each query{, whatever k is}.",
                {"k": lambda s: 99},
            ),
            "smallest-links": (
                "The links have the smallest weights of each query. They should have the largest "
                "weights.",
                _chosen(lambda s, i, row: np.argsort(row, kind="stable")[: s.k]),
            ),
            "without-itself": (
                "The links of a query leave out the query's own position. List this link too.",
                _chosen(lambda s, i, row: [j for j in _order(row) if j != i][: s.k]),
            ),
            "largest-left-out": (
                "Your code leaves out the largest link of each query.",
                _chosen(lambda s, i, row: _order(row)[1 : s.k + 1]),
            ),
            "first-columns": (
                "Your links are those to the first k tokens. They should be the k largest links.",
                _chosen(lambda s, i, row: range(len(row))[: s.k]),
            ),
            "sorted-as-text": (
                "Your links match an order of the weights as text. As text, “9” is larger than "
                "“40”.",
                *(
                    _chosen(
                        lambda s, i, row, form=form: _columns_by(
                            s, lambda j: form.format(100 * row[j])
                        )
                    )
                    for form in FORMS
                ),
            ),
            "sorted-by-token": [
                (
                    "{The links are right, but they|The links} are in alphabetical order of "
                    "the tokens. The largest link should come first.",
                    _arranged(
                        lambda s, i, js: sorted(js, key=lambda j: (s.tokens[j], s.matrix[i][j]))
                    ),
                ),
                (
                    "Your links match the first k of all links in alphabetical order of the "
                    "tokens, or the last k. They should be the k largest links.",
                    *(
                        _chosen(
                            lambda s, i, row, last=last: _columns_by(
                                s, lambda j: (s.tokens[j], row[j]), last
                            )
                        )
                        for last in (True, False)
                    ),
                ),
            ],
            "smallest-first": (
                "{The links are right, but the|The} smallest link comes first. The largest should "
                "come first.",
                _arranged(lambda s, i, js: js[::-1]),
            ),
            "in-order-of-tokens": (
                "{The links are right, but they|The links} are in the order of the tokens. "
                "The largest link should come first.",
                _arranged(lambda s, i, js: sorted(js)),
            ),
            "places-for-tokens": (
                "The pairs contain the number of a column. They should contain the token of that "
                "column.",
                {"token": lambda s: lambda i, j: j},
            ),
            "query-for-key": (
                "The pairs contain the token of the query. They should contain the token that the "
                "query looks at.",
                {"token": lambda s: lambda i, j: s.tokens[i]},
            ),
            "weights-rounded": [
                (
                    f"The weights in the links are rounded to {digits} decimals.",
                    {"weight": lambda s, digits=digits: lambda weight: round(weight, digits)},
                )
                for digits in (1, 2, 3, 4)
            ],
            "weights-in-percent": (
                "The weights in the links are percentages. They should be the weights themselves.",
                {"weight": lambda s: lambda weight: 100 * weight},
            ),
            "tokens-only": (
                "Your links have no weights. A link is a pair of a token and a weight.",
                _pairs(lambda s, i, token, weight: token),
            ),
            "weights-only": (
                "Your links have no tokens. A link is a pair of a token and a weight.",
                _pairs(lambda s, i, token, weight: weight),
            ),
            "weight-first": (
                "The pairs are (weight, token). The token should come first.",
                _pairs(lambda s, i, token, weight: (weight, token)),
            ),
            "with-the-query": (
                "A link has three parts, because it also contains the token of the query. A link "
                "should be a pair: the token that the query looks at, and the weight.",
                _pairs(lambda s, i, token, weight: (s.tokens[i], token, weight)),
            ),
            "first-of-a-repeated-token": (
                "If a token repeats, every link of this token has the weight of the first "
                "occurrence.",
                {"matrix": _of_first},
                {
                    "links": lambda s: [
                        [(s.tokens[j], float(row[j])) for j in js]
                        for row, js in zip(_of_first(s), s.arranged, strict=True)
                    ]
                },
            ),
            "repeated-token-once": [
                (
                    "If a token repeats, only its last link is in the result. Each occurrence "
                    "should have its own link.",
                    _by_token(lambda weights: weights[-1]),
                ),
                (
                    "If several of a query's k largest links have the same token, only one of "
                    "them is in the result, as in a dict. Each occurrence should have its own "
                    "link.",
                    _shown(lambda s, links: [[*dict(row).items()] for row in links]),
                    _shown(lambda s, links: [[*dict(row + row[::-1]).items()] for row in links]),
                ),
            ],
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
            "a-dict": (
                "Each query has a dict. It should have a list of pairs, because a token may "
                "repeat.",
                _shown(lambda s, links: [dict(row) for row in links]),
            ),
            "by-token": (
                "The result is a dict by token. It should be a list in the order of the queries, "
                "because a token may repeat.",
                _shown(lambda s, links: dict(zip(s.tokens, links, strict=True))),
            ),
            "first-query-only": (
                "The result has only the links of the first query.",
                _shown(lambda s, links: links[0]),
            ),
            "one-list": (
                "All links are in one list. Each query should have its own list.",
                _shown(lambda s, links: _joined(links)),
            ),
            "one-list-for-all": (
                "Every query has the same list, with the links of all queries. Each query should "
                "have its own list.",
                _shown(lambda s, links: [_joined(links)] * len(links)),
            ),
            "links-so-far": (
                "The list of a query also has the links of all queries before it. Each query "
                "should have its own list.",
                _shown(lambda s, links: [_joined(links[: n + 1]) for n in range(len(links))]),
            ),
        },
    ),
)
