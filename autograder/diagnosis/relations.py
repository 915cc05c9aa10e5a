"""What wrong answers have to do with the right ones: a factor, a constant, the order, the place."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.checks.signature import Vector
from autograder.course.text import number
from autograder.diagnosis.observations import ENOUGH, Cells, Observations, WrongAndRight
from autograder.diagnosis.outcome import NOTHING, Outcome
from autograder.diagnosis.recipe import Fact

# A factor that differs from call to call, named by the sizes of the calls: √d_k, B · L, …


Sizes = Mapping[str, int]
SIZE_TOLERANCE = 1e-5

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
    """Words for a factor of each call, if one expression in the sizes gives them all.

    A constant is not named here. At least two different values have to agree.
    """
    if len(factors) < 2 or max(factors) - min(factors) < SIZE_TOLERANCE * max(map(abs, factors)):
        return ""
    names = [name for name in calls[0] if all(name in sizes for sizes in calls)]
    expressions = [(w, v) for w, v in _expressions(names, calls) if len(v) == len(factors)]
    for words, values in expressions:
        if all(abs(v - f) <= SIZE_TOLERANCE * abs(f) for v, f in zip(values, factors, strict=True)):
            return words
    for words, values in expressions:
        if all(abs(v * f - 1) <= SIZE_TOLERANCE for v, f in zip(values, factors, strict=True)):
            return f"1 / {words}"
    return ""


def _expressions(names: Sequence[str], calls: Sequence[Sizes]) -> Iterator[tuple[str, list[float]]]:
    for words, of_one in _OF_ONE:
        for name in names:
            values = _tried(lambda sizes, n=name, f=of_one: f(sizes[n]), calls)  # type: ignore[misc]
            yield words.format(name, name), values
    for words, of_two in _OF_TWO:
        for a, b in [*combinations(names, 2), *((b, a) for a, b in combinations(names, 2))]:
            values = _tried(
                lambda sizes, a=a, b=b, f=of_two: f(sizes[a], sizes[b]),  # type: ignore[misc]
                calls,
            )
            yield words.format(a, b), values


def _tried(value: Callable[[Sizes], float], calls: Sequence[Sizes]) -> list[float]:
    """The expression's value for each call; nothing if it has none for some of them."""
    try:
        return [value(sizes) for sizes in calls]
    except (ValueError, ZeroDivisionError):
        return []


CLOSE = 0.02


def measured(seen: Observations) -> tuple[Fact, str] | None:
    """A fact with a value, and its sentence, if that is the same in every wrong answer."""
    if len(seen.values) < ENOUGH or seen.of_other_kind:
        return None
    for fact in seen.recipe.facts:
        words = _worded(fact, seen) if fact.has_value else ""
        if words:
            return fact, fact.says.format(words)
    return None


def _worded(fact: Fact, seen: Observations) -> str:
    """The value of a fact in words; empty where it is false of a wrong answer, or has no value."""
    numbers = []
    for case in seen.values:
        try:
            with np.errstate(all="ignore"):
                numbers.append(float(fact.holds(case.state, case.value)))
        except Exception:
            return ""
    known = [n for n in numbers if not np.isnan(n)]  # NaN: it cannot be seen in this answer
    if len(known) < ENOUGH or not all(np.isfinite(known)):
        return ""
    if max(known) - min(known) < 1e-5 * abs(known[0]):
        return f"{rounded(known[0])}, the same in every call"
    shown = [c for c, each in zip(seen.values, numbers, strict=True) if not np.isnan(each)]
    return named_factor(known, [seen.recipe.axes(case.state) for case in shown])


@dataclass(frozen=True)
class _Compared:
    """The finite answers beside the right ones, and the sizes of their calls."""

    pairs: Sequence[tuple[Vector, Vector]]
    sizes: Sequence[Sizes]
    of: str


def _relation(seen: Observations) -> Iterator[str]:
    """The first of a factor, a constant, the order, closeness that holds of all answers.

    Where one of several results alone is wrong, it is that one that is looked at.
    """
    compared = _compared(seen)
    if compared is not None:
        said = (relation(compared) for relation in (_factor, _offset, _order, _closeness))
        yield next((text for text in said if text), "")


def _compared(seen: Observations) -> _Compared | None:
    of, pairs = "", seen.pairs
    if len(seen.wrong_parts) == 1:
        (which,) = seen.wrong_parts
        of = f" of {seen.recipe.results[which]}"
        pairs = [
            WrongAndRight(_only(p.mine, which), _only(p.right, which), p.condition) for p in pairs
        ]
    if any(not np.isfinite(pair.mine.numbers).all() for pair in pairs):
        return None
    finite = [
        ((pair.mine.numbers, pair.right.numbers), seen.recipe.axes(case.state))
        for pair, case in zip(pairs, seen.values, strict=False)
        if np.isfinite(pair.right.numbers).all()
    ]
    if len(finite) < ENOUGH:
        return None
    return _Compared([pair for pair, _ in finite], [sizes for _, sizes in finite], of)


def _only(outcome: Outcome, place: int) -> Outcome:
    part = outcome.parts[place]
    numbers = part.astype(np.float64).ravel()
    return Outcome(str(part.shape), numbers, outcome.precision, parts=(part,))


def _factor(compared: _Compared) -> str:
    factors = [_constant(_ratio(mine, right)) for mine, right in compared.pairs]
    known = [factor for factor in factors if factor is not None]
    if len(known) < len(factors):
        return ""
    if max(known) - min(known) < 1e-6 * abs(known[0]):
        return f"Every number{compared.of} is {rounded(known[0])} times the right one."
    words = named_factor(known, compared.sizes)
    if words:
        return f"Every number{compared.of} is the right one times {words}."
    return (
        f"In each call, every number{compared.of} is the right one times one and the same factor."
    )


def _offset(compared: _Compared) -> str:
    offsets = [_constant(mine - right) for mine, right in compared.pairs]
    known = [offset for offset in offsets if offset is not None]
    if len(known) < len(offsets):
        return ""
    if max(known) - min(known) < 1e-9:
        return f"Every number{compared.of} is the right one plus {rounded(known[0])}."
    return f"In each call, every number{compared.of} is the right one plus one and the same number."


def _order(compared: _Compared) -> str:
    alike = (
        np.allclose(np.sort(mine), np.sort(right), rtol=1e-6, atol=1e-9)
        for mine, right in compared.pairs
    )
    if not all(alike):
        return ""
    return f"All the right numbers{compared.of} are there, but not in their places."


def _closeness(compared: _Compared) -> str:
    off = (
        np.abs(mine - right).max() <= CLOSE * max(1.0, float(np.abs(right).max()))
        for mine, right in compared.pairs
    )
    if not all(off):
        return ""
    return f"The numbers{compared.of} are close, but not precise."


def _ratio(mine: Vector, right: Vector) -> Vector:
    if not np.array_equal(mine == 0, right == 0):
        return NOTHING
    return np.asarray(mine[right != 0] / right[right != 0])


def _constant(numbers: npt.NDArray[Any]) -> float | None:
    if len(numbers) < ENOUGH or np.ptp(numbers) > 1e-6 * max(1e-3, float(np.abs(numbers).max())):
        return None
    return float(numbers.mean())


REGIONS: dict[str, Callable[[Cells], Cells]] = {
    "on the diagonal": lambda w: _index(w, -1) == _index(w, -2),
    "in the first row": lambda w: _index(w, -2) == 0,
    "in the last row": lambda w: _index(w, -2) == w.shape[-2] - 1,
    "in the first column": lambda w: _index(w, -1) == 0,
    "in the last column": lambda w: _index(w, -1) == w.shape[-1] - 1,
    "above the diagonal": lambda w: _index(w, -1) > _index(w, -2),
    "below the diagonal": lambda w: _index(w, -1) < _index(w, -2),
    "after the first item of the batch": lambda w: _index(w, 0) > 0,
}


def _index(cells: Cells, axis: int) -> npt.NDArray[np.int64]:
    """For each cell, its index along an axis.

    Raises:
        ValueError: there is no such axis.
    """
    if cells.ndim < 2 or (axis == 0 and cells.ndim < 3):
        raise ValueError("no such axis")
    sizes = [1] * cells.ndim
    sizes[axis] = cells.shape[axis]
    return np.broadcast_to(np.arange(cells.shape[axis]).reshape(sizes), cells.shape)


def _region(seen: Observations) -> Iterator[str]:
    """The part of the result that all wrong cells lie in."""
    if any(len(pair.mine.parts) != 1 for pair in seen.pairs):
        return
    cells = [~pair.same_cells() for pair in seen.pairs]
    for words, region in REGIONS.items():
        try:
            inside = [bool((w <= region(w)).all() and not w.all()) for w in cells]
        except ValueError:
            continue
        if len(inside) >= ENOUGH and all(inside):
            yield f"Wrong values stand only {words}."
            return


RELATIONS = (_relation, _region)


def rounded(value: float) -> str:
    """A number as a sentence has it."""
    text = f"{value:.4g}" if abs(value) < 0.01 else number(round(value, 3))
    return text.replace("-", "−")
