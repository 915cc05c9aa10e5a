"""Misconceptions in attention by hand: a step done another way gives other numbers.

The numbers are compared to two decimals at least, with the exact step before or the student's own.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.diagnosis.finding import Finding
from autograder.diagnosis.recipe import Hints
from autograder.text import several
from reference.attention import Array, softmax
from reference.by_hand import (
    PRINTED_IN_S3,
    STANDARD,
    STEPS,
    WITHIN,
    HandPart,
    hand_problem,
)

Change = Callable[[HandPart, Array], Array]

SCORES: Hints = (
    "Which two rows does the entry in row i and column j come from?",
    "Entry [i][j] is the dot product of row i of Q with row j of K: that is Q Kᵀ.",
    "Take row i of Q and row j of K, multiply them number by number, and add up.",
)
SCALED: Hints = (
    "By what does the formula divide the scores?",
    "All scores are divided by one number: the square root of d_k, the length of a key.",
    "Count the columns of K; that is d_k. Divide each score by its square root.",
)
WEIGHTS: Hints = (
    "Which numbers have to add up to 1?",
    "Each row is a softmax of its own: e to the power of each entry, over the sum of its row.",
    "For one row: work out the exponentials, add them, divide each by that sum.",
)
OUTPUT: Hints = (
    "What is mixed by the weights, and in what proportions?",
    "Row i of the output is the sum of the rows of V, each times its weight in row i.",
    "Column c of output row i: weight 1 times V[0][c], plus weight 2 times V[1][c], and so on.",
)
MASKED: Hints = (
    "How much of the blocked position may go into the result?",
    "The blocked position weighs 0, and the three others share the whole: they sum to 1.",
    "Leave the last score out, take the softmax of the other three, and put 0 at the end.",
)


def _q(part: HandPart) -> Array:
    return np.array(part.Q, float)


def _k(part: HandPart) -> Array:
    return np.array(part.K, float)


def _v(part: HandPart) -> Array:
    return np.array(part.V, float)


# For each step: id, what the numbers are, and how they come about from the step before.
WRONG: dict[str, tuple[Hints, list[tuple[str, str, Change]]]] = {
    "scores": (SCORES, [
        ("keys-not-transposed", "those of Q K, with K not transposed", lambda p, _: _q(p) @ _k(p)),
        ("queries-transposed", "those of Qᵀ K, not of Q Kᵀ", lambda p, _: _q(p).T @ _k(p)),
        ("scores-transposed", "those of K Qᵀ: rows and columns are exchanged",
         lambda p, _: _k(p) @ _q(p).T),
        ("queries-with-queries", "those of Q Qᵀ", lambda p, _: _q(p) @ _q(p).T),
        ("keys-with-keys", "those of K Kᵀ", lambda p, _: _k(p) @ _k(p).T),
        ("queries-with-values", "those of Q Vᵀ", lambda p, _: _q(p) @ _v(p).T),
        ("entry-by-entry", "products entry by entry, not of matrices", lambda p, _: _q(p) * _k(p)),
        ("scaled-already", "already divided by √d_k; that is the next step",
         lambda p, _: _q(p) @ _k(p).T / np.sqrt(p.d_k)),
        ("sums-for-products", "sums of the two rows, not their dot products",
         lambda p, _: _q(p).sum(1)[:, None] + _k(p).sum(1)[None]),
    ]),
    "scaled": (SCALED, [
        ("no-scaling", "the scores as they were: they are not divided", lambda p, x: x),
        ("divides-by-d-k", "the scores divided by d_k, without the square root",
         lambda p, x: x / p.d_k),
        ("multiplies-by-root", "the scores multiplied by √d_k", lambda p, x: x * np.sqrt(p.d_k)),
        ("multiplies-by-d-k", "the scores multiplied by d_k", lambda p, x: x * p.d_k),
        ("root-of-length", "the scores divided by the root of the number of tokens",
         lambda p, x: x / np.sqrt(len(x))),
        ("divides-by-length", "the scores divided by the number of tokens",
         lambda p, x: x / len(x)),
        ("d-k-squared", "the scores divided by d_k²", lambda p, x: x / p.d_k**2),
        ("root-of-scores", "the square roots of the scores",
         lambda p, x: np.sqrt(np.maximum(x, 0))),
        ("weights-already", "weights already: the softmax is the next step",
         lambda p, x: softmax(x / np.sqrt(p.d_k))),
    ]),
    "weights": (WEIGHTS, [
        ("softmax-over-columns", "those of a softmax over each column: the columns sum to 1, not "
         "the rows", lambda p, x: softmax(x, 0)),
        ("softmax-over-everything", "those of one softmax over the whole matrix",
         lambda p, x: softmax(x, None)),  # type: ignore[arg-type]
        ("base-2", "those of powers of 2 in place of powers of e",
         lambda p, x: softmax(x * np.log(2))),
        ("no-exponential", "the scaled scores divided by their row's sum, without an exponential",
         lambda p, x: x / x.sum(1, keepdims=True)),
        ("exponentials-only", "the exponentials, not divided by their sum", lambda p, x: np.exp(x)),
        ("scores-not-scaled", "those of the scores before scaling",
         lambda p, x: softmax(x * np.sqrt(p.d_k))),
        ("scaled-again", "those of scores that are divided by √d_k once more",
         lambda p, x: softmax(x / np.sqrt(p.d_k))),
        ("negative-exponent", "those of e to the power of minus the entry",
         lambda p, x: softmax(-x)),
        ("causal", "those of a causal mask, and nothing is masked here",
         lambda p, x: softmax(np.where(np.tril(np.ones(x.shape)), x, -np.inf))),
        ("weights-transposed", "the right ones transposed", lambda p, x: softmax(x).T),
        ("all-or-nothing", "1 for the largest entry of a row and 0 for the others",
         lambda p, x: (x == x.max(1, keepdims=True)).astype(float)),
    ]),
    "output": (OUTPUT, [
        ("weights-transposed", "those of the transposed weights times V",
         lambda p, w: w.T @ _v(p)),
        ("keys-for-values", "those of the weights times K, not V", lambda p, w: w @ _k(p)),
        ("queries-for-values", "those of the weights times Q, not V", lambda p, w: w @ _q(p)),
        ("values-first", "those of V times the weights: the factors have changed places",
         lambda p, w: _v(p) @ w),
        ("entry-by-entry", "products entry by entry, not of matrices", lambda p, w: w * _v(p)),
        ("values-transposed", "those of the weights times V transposed",
         lambda p, w: w @ _v(p).T),
        ("values-unweighted", "the plain mean of the rows of V",
         lambda p, w: np.repeat(_v(p).mean(0, keepdims=True), len(w), 0)),
        ("values-added-up", "the plain sum of the rows of V",
         lambda p, w: np.repeat(_v(p).sum(0, keepdims=True), len(w), 0)),
        ("best-value-only", "the row of V with the largest weight alone",
         lambda p, w: _v(p)[w.argmax(1)]),
        ("output-transposed", "the right ones transposed", lambda p, w: (w @ _v(p)).T),
    ]),
}  # fmt: skip


def _masked_rows(row: Array) -> list[tuple[str, str, Array]]:
    """What mistakes make of the scores of the causal row."""
    return [
    ("not-blocked", "those of all four scores: the last position is not blocked", softmax(row)),
    ("not-renormalised", "those of a softmax over all four with the last one set to 0: the row "
     "no longer sums to 1", softmax(row) * [1, 1, 1, 0]),
    ("blocked-scores-zero", "those of a blocked score of 0, and e⁰ is 1",
     softmax(row * [1, 1, 1, 0])),
    ("first-blocked", "those with the first position blocked, not the last",
     np.array([0, *softmax(row[1:])])),
    ("scaled-again", "those of scores that are divided by √d_k once more",
     np.array([*softmax(row[:3] / 2), 0])),
    ("no-exponential", "the scores divided by their sum, without an exponential",
     np.array([*(row[:3] / row[:3].sum()), 0])),
    ("scores-with-zero", "the scores themselves with a 0 at the end: the softmax is missing",
     row * [1, 1, 1, 0]),
    ("equal-shares", "equal shares of the three positions: the scores take no part",
     np.array([1 / 3, 1 / 3, 1 / 3, 0])),
    ("base-2", "those of powers of 2 in place of powers of e",
     np.array([*softmax(row[:3] * np.log(2)), 0])),
]  # fmt: skip


def explain_value(name: str, read: Callable[[str], Any], variant: str = "") -> Finding | None:
    """Which mistake gives the student's numbers for `name`, if exactly one does."""
    problem = hand_problem(variant)
    if name == "c_masked_row":
        row = _numbers(read, name)
        wrong = _masked_rows(np.array(problem.masked_scores))
        fitting = [(i, words) for i, words, right in wrong if _close(row, right)]
        fitting += [("copied-from-s3", S3)] if not variant and _printed(name, row) else []
        return _named(name, fitting, MASKED)
    letter, step = name.split("_", 1)
    if letter not in problem.parts or step not in WRONG:
        return None
    fitting = _fitting(problem.parts[letter], step, read)
    for other in problem.parts.values():  # where one part leaves it open, another may tell
        if len(fitting) > 1 and other.letter != letter:
            also = {i for i, _ in _fitting(other, step, read)}
            narrowed = [(i, words) for i, words in fitting if i in also]
            fitting = narrowed or fitting
    return _named(name, fitting, WRONG[step][0])


S3 = (
    "those that are in print for this very example, and they are wrong there: they do not follow "
    "from its matrices"
)


def _named(name: str, fitting: list[tuple[str, str]], hints: Hints) -> Finding | None:
    """The mistake; where two give the same numbers, both are said."""
    if not 1 <= len(fitting) <= 2:
        return None
    says = f"{name}: your numbers are {fitting[0][1]}."
    if len(fitting) == 2:
        says += f" The same numbers come about as {fitting[1][1]}."
    return Finding("named", says, tuple(mistake for mistake, _ in fitting), hints)


def _fitting(part: HandPart, step: str, read: Callable[[str], Any]) -> list[tuple[str, str]]:
    """The mistakes that give the student's matrix, from the exact step before or their own."""
    name = f"{part.letter}_{step}"
    mine = _numbers(read, name)
    if mine is None or _close(mine, part.exact(step)):
        return []
    before = [None if step == "scores" else part.exact(STEPS[STEPS.index(step) - 1])]
    if step != "scores":
        own = _numbers(read, f"{part.letter}_{STEPS[STEPS.index(step) - 1]}")
        if own is not None and own.shape == before[0].shape:  # type: ignore[union-attr]
            before.append(own)
    found = []
    for mistake, words, change in WRONG[step][1]:
        for previous in before:
            try:
                wrong = change(part, previous if previous is not None else np.zeros(0))
            except ValueError:
                continue
            if _close(mine, wrong) and (mistake, words) not in found:
                found.append((mistake, words))
    for digits in (1, 2):
        if not found and _close(mine, np.round(part.exact(step), digits)):
            words = f"the right ones rounded to {several(digits, 'decimal')}; three are asked for"
            found.append((f"rounded-{digits}", words))
    if part in STANDARD.parts.values() and _printed(name, mine):
        found.append(("copied-from-s3", S3))
    return found


def _printed(name: str, mine: Array | None) -> bool:
    """Whether the wrong numbers of S3 stand where it prints them."""
    printed = PRINTED_IN_S3.get(name, {})
    if mine is None or not printed or any(len(place) != mine.ndim for place in printed):
        return False
    inside = [
        place for place in printed if all(i < n for i, n in zip(place, mine.shape, strict=True))
    ]
    return len(inside) == len(printed) and all(
        abs(float(mine[place]) - printed[place]) <= WITHIN for place in inside
    )


def _close(mine: Array | None, wrong: Array) -> bool:
    if mine is None or mine.shape != wrong.shape:
        return False
    return bool((np.abs(mine - wrong) <= WITHIN).all())


def _numbers(read: Callable[[str], Any], name: str) -> Array | None:
    try:
        values: npt.NDArray[np.float64] = np.asarray(read(name), dtype=float)
    except Exception:
        return None
    return values


def simulated_values() -> Iterator[tuple[str, str, dict[str, object]]]:
    """For `autograder verify`: a value's name, a mistake, and the values as it makes them."""
    for part in STANDARD.parts.values():
        for step, (_, wrong) in WRONG.items():
            name = f"{part.letter}_{step}"
            before = None if step == "scores" else part.exact(STEPS[STEPS.index(step) - 1])
            for mistake, _, change in wrong:
                try:
                    values = change(part, before if before is not None else np.zeros(0))
                except ValueError:
                    continue
                if not _close(values, part.exact(step)):
                    yield name, mistake, {name: np.round(values, 3).tolist()}
    for mistake, _, row in _masked_rows(np.array(STANDARD.masked_scores)):
        yield "c_masked_row", mistake, {"c_masked_row": np.round(row, 3).tolist()}
