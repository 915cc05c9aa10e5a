"""Relations between wrong and correct answers: a factor, a constant, or another order."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from autograder.checks.value_structure import Vector
from autograder.course.text import number
from autograder.diagnosis.examination import ENOUGH, Observations
from autograder.diagnosis.finding import stated
from autograder.diagnosis.outcome import Outcome
from autograder.diagnosis.recipe import Fact
from autograder.report.model import Statement

CLOSE = 0.02
SIZE_TOLERANCE = 1e-5
Sizes = Mapping[str, int]


def named_value(fact: Fact, seen: Observations) -> str:
    """Return a fact's number in words, if the number is the same for all wrong answers.

    Return an empty text if the fact is false for an answer, or if the number cannot be expressed.
    Also return an empty text if the number would be shown as 1 but is not 1.
    """
    numbers = []
    for case in seen.values:
        try:
            with np.errstate(all="ignore"):
                numbers.append(float(fact.holds(case.state, case.value)))
        except Exception:
            return ""
    known = [n for n in numbers if not np.isnan(n)]  # NaN: this answer does not show the number
    if len(known) < ENOUGH or not all(np.isfinite(known)):
        return ""
    if max(known) - min(known) < 1e-5 * abs(known[0]):
        return "" if _seems_one(known[0]) else f"{rounded(known[0])}, the same in every call"
    cases = [c for c, value in zip(seen.values, numbers, strict=True) if not np.isnan(value)]
    return named_factor(known, [seen.recipe.axes(case.state) for case in cases])


def relation(seen: Observations) -> Statement | None:
    """Return a statement of the first relation that is true of all wrong answers, or None.

    A relation compares the wrong numbers with the right ones: a factor, a constant difference,
    another order, or closeness. If only one of several results is wrong, only this result is
    compared.
    """
    which = next(iter(seen.wrong_parts)) if len(seen.wrong_parts) == 1 else None

    def numbers(outcome: Outcome) -> Vector:
        return outcome.numbers if which is None else outcome.parts[which].astype(float).ravel()

    pairs, sizes = [], []
    for case in seen.of_right_shape:
        answer, right = numbers(case.answer.outcome), numbers(case.expected)
        if not np.isfinite(answer).all():
            return None
        if np.isfinite(right).all():
            pairs.append((answer, right))
            sizes.append(seen.recipe.axes(case.state))
    if len(pairs) < ENOUGH:
        return None
    code, values = _relation(pairs, sizes)
    result = "" if which is None else seen.recipe.results[which]
    return stated(code, **values, result=result) if code else None


def _relation(
    pairs: Sequence[tuple[Vector, Vector]], sizes: Sequence[Sizes]
) -> tuple[str, dict[str, str]]:
    """Return the code and values of a relation that is true of all pairs, or an empty code."""
    zeros_agree = all(np.array_equal(answer == 0, right == 0) for answer, right in pairs)
    ratios = (answer[right != 0] / right[right != 0] for answer, right in pairs)
    factors = _constants(ratios) if zeros_agree else []
    if factors and not all(map(_seems_one, factors)):
        if max(factors) - min(factors) < 1e-6 * abs(factors[0]):
            return "times_number", {"factor": rounded(factors[0])}
        words = named_factor(factors, sizes)
        return ("times_size", {"factor": words}) if words else ("times_some_number", {})
    offsets = _constants(answer - right for answer, right in pairs)
    if offsets:
        if max(offsets) - min(offsets) < 1e-9:
            return "plus_number", {"offset": rounded(offsets[0])}
        return "plus_some_number", {}
    if all(np.allclose(np.sort(a), np.sort(right), rtol=1e-6, atol=1e-9) for a, right in pairs):
        return "other_order", {}
    if all(
        np.abs(answer - right).max() <= CLOSE * max(1.0, float(np.abs(right).max()))
        for answer, right in pairs
    ):
        return "close", {}
    return "", {}


def _constants(calls: Iterator[Vector]) -> list[float]:
    """Return the constant in each call's array, or an empty list if an array is not constant."""
    constants = []
    for numbers in calls:
        if len(numbers) < ENOUGH or (
            np.ptp(numbers) > 1e-6 * max(1e-3, float(np.abs(numbers).max()))
        ):
            return []
        constants.append(float(numbers.mean()))
    return constants


def _seems_one(factor: float) -> bool:
    """Return True if a factor would be shown as 1 but is not 1."""
    return rounded(factor) == "1" and abs(factor - 1) > 1e-5


def rounded(value: float) -> str:
    """Return a number as text for a sentence: with four digits, or two decimals if it is large."""
    text = f"{value:.4g}" if abs(value) < 1000 else number(value)
    return text.replace("-", "−")


_OF_ONE: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("{}", lambda a: a),
    ("√{}", math.sqrt),
    ("{}²", lambda a: a * a),
    ("{}·√{}", lambda a: a * math.sqrt(a)),
    ("{} / 2", lambda a: a / 2),
    ("√{} / 2", lambda a: math.sqrt(a) / 2),
    ("2·√{}", lambda a: 2 * math.sqrt(a)),
    ("√({} / 2)", lambda a: math.sqrt(a / 2)),
    ("(√{} + 1)", lambda a: math.sqrt(a) + 1),
    ("√({} + 1)", lambda a: math.sqrt(a + 1)),
    ("√({} − 1)", lambda a: math.sqrt(a - 1)),
    ("({} + 1)", lambda a: a + 1),
    ("({} − 1)", lambda a: a - 1),
    ("∛{}", lambda a: a ** (1 / 3)),
    ("the fourth root of {}", lambda a: a**0.25),
    ("ln {}", math.log),
    ("log₂ {}", math.log2),
)
_OF_TWO: tuple[tuple[str, Callable[[float, float], float]], ...] = (
    ("{}·{}", lambda a, b: a * b),
    ("√({}·{})", lambda a, b: math.sqrt(a * b)),
    ("({} + {})", lambda a, b: a + b),
    ("√({} + {})", lambda a, b: math.sqrt(a + b)),
    ("√{} + √{}", lambda a, b: math.sqrt(a) + math.sqrt(b)),
    ("{} / {}", lambda a, b: a / b),
    ("√({} / {})", lambda a, b: math.sqrt(a / b)),
)


def named_factor(factors: Sequence[float], calls: Sequence[Sizes]) -> str:
    """Return an expression in the sizes of the calls, such as √d_k, that equals each factor.

    Return an empty text if no expression fits, or if all factors are the same number.
    """
    if len(factors) < 2 or max(factors) - min(factors) < SIZE_TOLERANCE * max(map(abs, factors)):
        return ""
    inverse = ""
    for words, values in _expressions(calls):
        pairs = list(zip(values, factors, strict=True))
        if all(abs(v - f) <= SIZE_TOLERANCE * abs(f) for v, f in pairs):
            return words
        if not inverse and all(abs(v * f - 1) <= SIZE_TOLERANCE for v, f in pairs):
            inverse = f"1 / {words}"
    return inverse


def _expressions(calls: Sequence[Sizes]) -> Iterator[tuple[str, list[float]]]:
    """Yield each expression that can be computed for every call, with its values in order."""
    names = [name for name in calls[0] if all(name in sizes for sizes in calls)]
    ordered = list(combinations(names, 2))
    tables: tuple[tuple[Any, list[tuple[str, ...]]], ...] = (
        (_OF_ONE, [(name,) for name in names]),
        (_OF_TWO, [*ordered, *((b, a) for a, b in ordered)]),
    )
    for table, operands in tables:
        for words, function in table:
            for used in operands:
                try:
                    values = [function(*(sizes[name] for name in used)) for sizes in calls]
                except (ValueError, ZeroDivisionError):
                    continue
                yield words.format(*used, *used), values
