"""A factor that differs from call to call, named by the sizes of the calls: √d_k, B · L, …"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

Sizes = Mapping[str, int]
CLOSE = 1e-5

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
    if len(factors) < 2 or max(factors) - min(factors) < CLOSE * max(map(abs, factors)):
        return ""
    names = [name for name in calls[0] if all(name in sizes for sizes in calls)]
    expressions = [(w, v) for w, v in _expressions(names, calls) if len(v) == len(factors)]
    for words, values in expressions:
        if all(abs(v - f) <= CLOSE * abs(f) for v, f in zip(values, factors, strict=True)):
            return words
    for words, values in expressions:
        if all(abs(v * f - 1) <= CLOSE for v, f in zip(values, factors, strict=True)):
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
