"""Wrong operations in a step of attention by hand.

Each step is a chain of operations. A template changes one or two operations of the chain. The
grader tries these templates only if no mistake of the catalogue fits.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from reference.attention import Array

MOST = 2  # operations of one chain that may be wrong


class Made(NamedTuple):
    """Numbers from a chain of operations, and words for the chain.

    `fitted` counts the factors and sums that were read off the student's numbers, which are no
    evidence.
    """

    wrong: tuple[str, ...]  # names of the wrong operations
    words: str
    numbers: Array
    fitted: int = 0


class Choice(NamedTuple):
    """Operation at a place of a chain: name, words and function."""

    name: str
    words: str
    does: Callable[..., Any]


def _choices(*rows: tuple[str, str, Callable[..., Any]]) -> tuple[Choice, ...]:
    return tuple(Choice(*row) for row in rows)


def _same(x: Any) -> Any:
    return x


def _rounded(digits: int) -> Callable[[Any], Any]:
    return lambda x: np.round(x, digits)


def _apart(a: Array, b: Array) -> Array:
    return np.square(a[:, np.newaxis] - b[np.newaxis]).sum(axis=-1)


def _cosines(a: Array, b: Array) -> Array:
    lengths = [np.linalg.norm(rows, axis=1) for rows in (a, b)]
    return a @ b.T / np.outer(*lengths)


DETAILS = (
    ("", "", _same),
    ("rounded-0", " rounded to whole numbers", _rounded(0)),
    ("rounded-1", " rounded to 1 decimal", _rounded(1)),
    ("rounded-2", " rounded to 2 decimals", _rounded(2)),
)
# the scores: the products, of which rows, with which of their numbers, and what becomes of them
PRODUCTS = _choices(
    ("", "the dot products", lambda a, b: a @ b.T),
    ("cosines", "the cosines (the dot products divided by the rows' lengths)", _cosines),
    ("squared-distances", "the squared distances", _apart),
    ("distances", "the distances", lambda a, b: np.sqrt(_apart(a, b))),
    ("sums", "the sums of all numbers", lambda a, b: a.sum(1)[:, np.newaxis] + b.sum(1)),
    ("means", "the means of the products", lambda a, b: a @ b.T / a.shape[1]),
    ("largest", "the largest products", lambda a, b: (a[:, np.newaxis] * b).max(axis=-1)),
    ("equal-places", "the numbers of equal entries", lambda a, b: (a[:, np.newaxis] == b).sum(-1)),
    ("larger", "the sums of the larger entries", lambda a, b: (
        np.maximum(a[:, np.newaxis], b).sum(axis=-1)
    )),
    ("in-pairs", "the products, entry by entry,", lambda a, b: a * b),
    ("over-query", "the dot products, divided by the query's length,", lambda a, b: (
        a @ b.T / np.linalg.norm(a, axis=1)[:, np.newaxis]
    )),
    ("over-key", "the dot products, divided by the key's length,", lambda a, b: (
        a @ b.T / np.linalg.norm(b, axis=1)
    )),
)  # fmt: skip
FACTORS = _choices(
    ("", "the rows of Q and K", lambda g: (g.Q, g.K)),
    ("keys-as-columns", "the rows of Q and the columns of K", lambda g: (g.Q, g.K.T)),
    ("queries-as-columns", "the columns of Q and the rows of K", lambda g: (g.Q.T, g.K)),
    ("columns", "the columns of Q and K", lambda g: (g.Q.T, g.K.T)),
    ("exchanged", "the rows of K and Q", lambda g: (g.K, g.Q)),
    ("queries-alone", "the rows of Q with each other", lambda g: (g.Q, g.Q)),
    ("keys-alone", "the rows of K with each other", lambda g: (g.K, g.K)),
    ("with-values", "the rows of Q and V", lambda g: (g.Q, g.V)),
    ("keys-with-values", "the rows of K and V", lambda g: (g.K, g.V)),
)
NUMBERS = _choices(
    *DETAILS[:2],
    ("without-last", ", without the last number of each", lambda x: x[:, :-1]),
    ("without-first", ", without the first number of each", lambda x: x[:, 1:]),
)
AFTER_SCORES = _choices(
    ("", "", lambda x, g: x),
    ("over-root", ", divided by √d_k", lambda x, g: x / g.root),
    ("negated", ", with a minus", lambda x, g: -x),
    ("no-diagonal", ", with 0 on the diagonal", lambda x, g: x * (1 - np.eye(*x.shape))),
    ("lower", ", with 0 above the diagonal", lambda x, g: np.tril(x)),
    ("upper", ", with 0 below the diagonal", lambda x, g: np.triu(x)),
    ("squared", ", squared", lambda x, g: x**2),
    ("rounded", ", rounded to whole numbers", lambda x, g: np.round(x)),
)
# the scaled scores
DIVIDED = _choices(
    ("root-of-fraction", "the square roots of the scores divided by d_k: the root belongs to d_k "
     "alone", lambda g: np.sqrt(g.x / g.d_k)),
    ("root-of-scores", "the square roots of the scores, divided by √d_k",
     lambda g: np.sqrt(g.x) / g.root),
    ("less-root", "the scores minus √d_k", lambda g: g.x - g.root),
    ("less-d-k", "the scores minus d_k", lambda g: g.x - g.d_k),
    ("over-scores", "√d_k divided by the scores", lambda g: g.root / g.x),
    ("over-row-sum", "the scores divided by the sum of their row",
     lambda g: g.x / g.x.sum(1, keepdims=True)),
    ("over-sum", "the scores divided by the sum of all scores", lambda g: g.x / g.x.sum()),
    ("over-row-maximum", "the scores divided by the largest score of their row",
     lambda g: g.x / g.x.max(1, keepdims=True)),
    ("over-maximum", "the scores divided by the largest score of all", lambda g: g.x / g.x.max()),
    ("over-row-length", "the scores divided by the length of their row",
     lambda g: g.x / np.sqrt(np.square(g.x).sum(1, keepdims=True))),
    ("squared", "the squares of the scores, divided by √d_k", lambda g: g.x**2 / g.root),
    ("rounded", "the scores rounded to whole numbers, divided by √d_k",
     lambda g: np.round(g.x) / g.root),
)  # fmt: skip
# the weights: of which numbers, which power, and by what it is divided
ENTRIES = _choices(
    ("", "entry", lambda x, root: x),
    ("not-scaled", "score before scaling", lambda x, root: x * root),
    ("scaled-again", "entry divided by √d_k again", lambda x, root: x / root),
    ("less-maximum", "entry minus the largest entry of its row",
     lambda x, root: x - x.max(-1, keepdims=True)),
    ("plus-one", "entry plus 1", lambda x, root: x + 1),
    ("rounded-0", "entry rounded to a whole number", lambda x, root: np.round(x)),
    ("rounded-1", "entry rounded to 1 decimal", lambda x, root: np.round(x, 1)),
    ("rounded-2", "entry rounded to 2 decimals", lambda x, root: np.round(x, 2)),
)  # fmt: skip
POWERS = _choices(
    ("", "e to the power of each {entry}", np.exp),
    ("base-10", "10 to the power of each {entry}", lambda x: 10.0**x),
    ("base-2", "2 to the power of each {entry}", lambda x: 2.0**x),
    ("base-3", "3 to the power of each {entry}", lambda x: 3.0**x),
    ("negative", "e to the power of minus each {entry}", lambda x: np.exp(-x)),
    ("sigmoid", "the sigmoid of each {entry}", lambda x: 1 / (1 + np.exp(-x))),
    ("square", "the square of each {entry}", np.square),
    ("itself", "each {entry} without an exponential", _same),
    ("times-e", "e times each {entry}", lambda x: np.e * x),
    ("to-the-e", "each {entry} to the power of e", lambda x: np.maximum(x, 0) ** np.e),
    ("zero-stays-zero", "e to the power of each {entry}, with 0 for e⁰",
     lambda x: np.where(x == 0, 0, np.exp(x))),
    ("less-one", "e to the power of each {entry}, minus 1,", np.expm1),
    ("exponentials-rounded-0", "e to the power of each {entry}, rounded to a whole number,",
     lambda x: np.round(np.exp(x))),
    ("exponentials-rounded-1", "e to the power of each {entry}, rounded to 1 decimal,",
     lambda x: np.round(np.exp(x), 1)),
    ("exponentials-rounded-2", "e to the power of each {entry}, rounded to 2 decimals,",
     lambda x: np.round(np.exp(x), 2)),
)  # fmt: skip
SUMS = _choices(
    ("", "divided by the sum of the row", lambda e, x: e.sum(-1, keepdims=True)),
    ("not-divided", "and not divided by anything", lambda e, x: np.ones(e.shape)),
    ("by-columns", "divided by the sum of the column",
     lambda e, x: e.sum(-2, keepdims=True) if e.ndim > 1 else np.nan * e),
    ("by-everything", "divided by the sum of all rows", lambda e, x: e.sum() + 0 * e),
    ("by-first-row", "divided by the sum of the first row, whichever row it is",
     lambda e, x: e[0].sum() + 0 * e if e.ndim > 1 else np.nan * e),
    ("by-maximum", "divided by the largest of the row", lambda e, x: e.max(-1, keepdims=True)),
    ("by-length", "divided by the number of entries", lambda e, x: e.shape[-1] + 0 * e),
    ("twice", "divided by the sum of the row twice", lambda e, x: e.sum(-1, keepdims=True) ** 2),
    ("by-others", "divided by the sum of the others in the row",
     lambda e, x: e.sum(-1, keepdims=True) - e),
    ("by-entries", "divided by the sum of the row's entries without the exponential",
     lambda e, x: x.sum(-1, keepdims=True)),
    ("by-power-of-sum", "divided by e to the power of the row's sum",
     lambda e, x: np.exp(x.sum(-1, keepdims=True))),
    ("plus-one", "divided by 1 plus the sum of the row",
     lambda e, x: 1 + e.sum(-1, keepdims=True)),
    ("by-norm", "divided by the root of the sum of squares",
     lambda e, x: np.sqrt(np.square(e).sum(-1, keepdims=True))),
)  # fmt: skip
# the causal row: which positions are blocked, and how
BLOCKED = _choices(
    ("", "", lambda x, w: np.append(w(x[:-1]), 0)),
    ("not-blocked", ", with no position blocked", lambda x, w: w(x)),
    ("afterwards", ", with 0 put in at the end", lambda x, w: np.append(w(x)[:-1], 0)),
    ("first", ", with the first position blocked", lambda x, w: np.append(0, w(x[1:]))),
    ("two", ", with the last two positions blocked", lambda x, w: np.append(w(x[:-2]), [0, 0])),
    *((f"score-{-score}", f", with the blocked score {score:g}".replace("-", "−"),
       lambda x, w, score=score: w(np.append(x[:-1], score))) for score in (0, -1, -2, -10)),
    ("its-negative", ", with minus its score for the blocked position",
     lambda x, w: w(np.append(x[:-1], -x[-1]))),
)  # fmt: skip
# the output: which weights, which rows, of which tokens, and what becomes of them
WEIGHTS = _choices(
    ("", "the weights", lambda g: g.x),
    *((name, f"the weights{words}", lambda g, does=does: does(g.x))
      for name, words, does in DETAILS[1:]),
    ("transposed", "the transposed weights", lambda g: g.x.T),
    ("scaled", "the scaled scores", lambda g: g.scaled),
    ("scores", "the scores", lambda g: g.scores),
    ("equal", "equal weights", lambda g: np.full(g.x.shape, 1 / len(g.x))),
    ("reversed", "the weights in reverse order", lambda g: g.x[:, ::-1]),
)  # fmt: skip
ROWS = _choices(
    ("", "V", lambda g: g.V),
    ("keys", "K", lambda g: g.K),
    ("queries", "Q", lambda g: g.Q),
    ("transposed", "V transposed", lambda g: g.V.T),
)
TOKENS = _choices(
    ("", "", _same),
    ("without-last", ", without the last token", lambda x: x[:-1]),
    ("without-first", ", without the first token", lambda x: x[1:]),
)
MIXED = _choices(
    ("", "{weights} times {rows}", lambda w, v: w @ v),
    ("exchanged", "{rows} times {weights}", lambda w, v: v @ w),
    ("in-pairs", "{weights} times {rows}, entry by entry", lambda w, v: w * v),
    ("row-sums", "{weights}, each times the sum of a row of {rows}", lambda w, v: w * v.sum(1)),
)
AFTER_OUTPUT = _choices(
    ("", "", lambda x, g: x),
    ("plus-values", ", plus V", lambda x, g: x + g.V),
    ("plus-queries", ", plus Q", lambda x, g: x + g.Q),
    ("first-for-all", ", with the first row for all rows", lambda x, g: x[:1] + 0 * x),
    ("softmax", ", and then the softmax of each row",
     lambda x, g: np.exp(x) / np.exp(x).sum(1, keepdims=True)),
)  # fmt: skip


def made(step: str, g: SimpleNamespace, mine: Array) -> Iterator[Made]:
    """Yield the results of wrong operations on the numbers of the previous step.

    Args:
        step: the step's name, or `masked_row`.
        g: Q, K, V, d_k and its root; `x`, the previous step; `right`, the result for `x`; and the
            student's `scores` and `scaled`.
        mine: the student's numbers.
    """
    yield from CHAINS[step](g)
    if step != "masked_row":
        yield from _in_other_places(g.right)
    yield from _times(g.x if step == "scaled" else g.right, mine, step)


def _scores(g: SimpleNamespace) -> Iterator[Made]:
    for names, (op, factors, numbers, after) in _chains(PRODUCTS, FACTORS, NUMBERS, AFTER_SCORES):
        words = f"{op.words} of {factors.words}{numbers.words}{after.words}"
        one, other = (numbers.does(rows) for rows in factors.does(g))
        try:
            yield Made(names, words, after.does(op.does(one, other), g))
        except ValueError:  # the sizes do not fit
            continue


def _scaled(g: SimpleNamespace) -> Iterator[Made]:
    for choice in DIVIDED:
        yield Made((choice.name,), choice.words, choice.does(g))


def _weights(g: SimpleNamespace) -> Iterator[Made]:
    for names, (entry, power, total) in _chains(ENTRIES, POWERS, SUMS):
        x = entry.does(g.x, g.root)
        e = power.does(x)
        yield Made(names, _of_entries(entry, power, total), e / total.does(e, x))


def _masked_row(g: SimpleNamespace) -> Iterator[Made]:
    for names, (entry, power, total, block) in _chains(ENTRIES, POWERS, SUMS, BLOCKED):

        def weights(x: Array, all_of: Any = (entry, power, total)) -> Any:
            entry, power, total = all_of
            x = entry.does(x, g.root)
            e = power.does(x)
            return e / total.does(e, x)

        words = _of_entries(entry, power, total) + block.words
        yield Made(names, words, block.does(g.x, weights))


def _of_entries(entry: Choice, power: Choice, total: Choice) -> str:
    text = power.words.replace("{entry}", entry.words)
    return f"{text}{'' if text.endswith(',') else ','} {total.words}"


def _output(g: SimpleNamespace) -> Iterator[Made]:
    for names, (weights, rows, tokens, mixed, after) in _chains(
        WEIGHTS, ROWS, TOKENS, MIXED, AFTER_OUTPUT
    ):
        words = mixed.words.format(weights=weights.words, rows=rows.words)
        try:
            w, v = tokens.does(weights.does(g).T).T, tokens.does(rows.does(g))
            yield Made(names, words + tokens.words + after.words, after.does(mixed.does(w, v), g))
        except (ValueError, AttributeError):  # sizes that do not fit, or a step that is absent
            continue


CHAINS: dict[str, Callable[[SimpleNamespace], Iterator[Made]]] = {
    "scores": _scores,
    "scaled": _scaled,
    "weights": _weights,
    "output": _output,
    "masked_row": _masked_row,
}


def _chains(*places: Sequence[Choice]) -> Iterator[tuple[tuple[str, ...], tuple[Choice, ...]]]:
    right = [choices[0] for choices in places]
    for count in range(1, MOST + 1):
        for wrong in combinations(range(len(places)), count):
            for picked in product(*(places[n][1:] for n in wrong)):
                chain = list(right)
                for n, choice in zip(wrong, picked, strict=True):
                    chain[n] = choice
                yield tuple(choice.name for choice in picked), tuple(chain)


def _in_other_places(right: Array) -> Iterator[Made]:
    """Yield the right numbers, with rows or columns exchanged."""
    for axis, kind in ((0, "rows"), (1, "columns")):
        size = right.shape[axis]
        for one, other in combinations(range(size), 2):
            order = list(range(size))
            order[one], order[other] = other, one
            words = f"the right numbers with {kind} {one} and {other} exchanged"
            yield Made((f"{kind}-exchanged",), words, np.take(right, order, axis))
        if size > 2:
            for step, moved in (
                (1, "down" if axis == 0 else "right"),
                (-1, "up" if axis == 0 else "left"),
            ):
                words = f"the right numbers with all {kind} moved {moved} by one place"
                yield Made((f"{kind}-moved",), words, np.roll(right, step, axis))
    yield Made(("negated",), "the right numbers with a minus", -right)


def _times(of: Array, mine: Array, step: str) -> Iterator[Made]:
    """Yield the numbers times a factor, or plus a number.

    Both are read off the student's numbers.
    """
    what = "the scores" if step == "scaled" else "the right numbers"
    if mine.shape != of.shape or not np.isfinite(mine).all():
        return
    largest = np.unravel_index(np.abs(of).argmax(), of.shape)
    factor, apart = mine[largest] / of[largest] if of[largest] else 0, np.median(mine - of)
    if abs(factor) > 1e-3 and abs(factor - 1) > 1e-3:
        by = f"divided by {_short(1 / factor)}" if abs(factor) < 1 else f"times {_short(factor)}"
        yield Made(("times-a-number",), f"{what} {by}", of * factor, 1)
    if abs(apart) > 1e-3:
        by = f"plus {_short(apart)}" if apart > 0 else f"less {_short(-apart)}"
        yield Made(("plus-a-number",), f"{what} {by}", of + apart, 1)


def _short(number: float) -> str:
    return f"{number:.3g}".replace("-", "−")
