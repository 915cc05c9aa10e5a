"""First difference between two values of any type, in words."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograder.checks.tolerance import allowed_error
from autograder.course.text import capital, few, ordinal, several
from autograder.report.numbers import index, shape
from autograder.report.values import as_text
from autograder.worker.codec import Figure, Tensor
from autograder.worker.values import Record, items_of, kind_of

SHORT = 60
MOST_NAMED = 5
NUMBERS = {int, float, complex}
NAMES: dict[type, str] = {
    bool: "a truth value",
    int: "a whole number",
    float: "a number",
    complex: "a complex number",
    str: "a text",
    bytes: "bytes",
    np.ndarray: "an array",
    Figure: "a figure",
}


class Difference(NamedTuple):
    """First difference of two values.

    `places` describes the place from the inside to the outside, such as "the field kind" and "the
    3rd item".
    """

    says: str  # end of a sentence on the difference
    places: tuple[str, ...] = ()

    def about(self, what: str) -> str:
        """Return a sentence such as `The result: the field kind of the 3rd item is …`."""
        if not self.places:
            return f"{capital(what)} {self.says}."
        return f"{capital(what)}: {' of '.join(self.places)} {self.says}."


def text_difference(yours: str, right: str) -> Difference | None:
    """Return the first difference of two texts. If they are equal, return None."""
    if yours == right:
        return None
    if not yours:
        return Difference(f"is empty; expected {_short(right)}")
    if yours.strip() == right.strip():
        return Difference(_at_the_ends(yours, right))
    if "\n" in right:
        lines = yours.split("\n"), right.split("\n")
        places = (f"line {number}" for number in range(1, len(lines[0]) + 1))
        return _in_parts(zip(places, *lines, strict=False)) or Difference(
            _other_length("line", *lines, "it lacks", "it has too many")
        )
    both = f"is {_short(yours)}; expected {_short(right)}{_detail(yours, right)}"
    if yours.casefold() == right.casefold():
        return Difference(f"{both}: only small and capital letters differ")
    if yours.split() == right.split():
        where = _character(yours, right)
        return Difference(f"has other white space between its words: {where}")
    if len(right.split()) > 1:
        return Difference(_in_words(yours.split(), right.split()))
    return Difference(both)


def _at_the_ends(yours: str, right: str) -> str:
    start = [text[: len(text) - len(text.lstrip())] for text in (yours, right)]
    end = [text[len(text.rstrip()) :] for text in (yours, right)]
    does, blanks = ("begins", start) if start[0] != start[1] else ("ends", end)
    answer, expected = (_short(text) if text else "no white space" for text in blanks)
    return f"{does} with {answer}; expected {expected} there"


def _in_words(yours: Sequence[str], right: Sequence[str]) -> str:
    for number, (one, other) in enumerate(zip(yours, right, strict=False), 1):
        if one != other:
            which = f"differs in the {ordinal(number)} word"
            return f"{which}: yours {_short(one)}, expected {_short(other)}{_detail(one, other)}"
    if len(yours) < len(right):
        after = f"ends after the {ordinal(len(yours))} word" if yours else "has no word"
        return f"{after}; expected {_short(right[len(yours)])} next"
    return f"goes on after the {ordinal(len(right))} word, with {_short(yours[len(right)])}"


def _detail(yours: str, right: str) -> str:
    too_long = max(len(yours), len(right)) > SHORT // 2
    return f" ({_character(yours, right)})" if too_long else ""


def _character(yours: str, right: str) -> str:
    shorter = min(len(yours), len(right))
    place = next((n for n in range(shorter) if yours[n] != right[n]), shorter)
    answer = _short(yours[place]) if place < len(yours) else "missing"
    expected = _short(right[place]) if place < len(right) else "none"
    return f"the {ordinal(place + 1)} character is {answer}; expected {expected}"


def describe_kind(value: object) -> str:
    """Return a value's kind in words, such as `a list`, `None`, `True` or `a Token`."""
    if value is None or isinstance(value, bool | np.bool_):
        return str(value)
    if isinstance(value, Record):
        return f"a {as_text(value.type, SHORT)[1:-1]}"
    if isinstance(value, Tensor) and value.ndim:
        return "a tensor"
    kind = kind_of(value)
    return NAMES.get(kind, f"a {kind.__name__}")


def difference(yours: Any, right: Any, condition: float = 1.0) -> Difference | None:
    """Return the first difference of two values from a worker. If they are equal, return None.

    Values of different types differ, but an integer may equal a float. Integers must be equal.
    Other numbers may differ by `allowed_error`. NaN equals NaN.
    """
    kind = kind_of(right)
    if kind_of(yours) is not kind and not {kind_of(yours), kind} <= NUMBERS:
        return Difference(f"is {describe_kind(yours)}; expected {describe_kind(right)}")
    if kind in NUMBERS:
        return None if _close(yours, right, condition) else _values(_plain(yours), _plain(right))
    if kind is np.ndarray:
        return _array_difference(np.asarray(yours), np.asarray(right), condition)
    if kind in {list, tuple}:
        return _in_items(items_of(yours), items_of(right), condition)
    if kind in {set, frozenset}:
        return _members("item", yours, right)
    if kind is dict:
        values = ((f"the value for {_short(key)}", yours[key], right[key]) for key in right)
        return _members("key", yours, right) or _in_parts(values, condition)
    if kind is Record:
        return _in_fields(yours, right, condition)
    if kind is str:
        return text_difference(yours, right)
    return None if _plain(yours) == _plain(right) else _values(yours, right)


def _in_items(yours: Any, right: Any, condition: float) -> Difference | None:
    places = (f"the {ordinal(number)} item" for number in range(1, len(yours) + 1))
    first = _in_parts(zip(places, yours, right, strict=False), condition)
    if first is not None or len(yours) == len(right):
        return first
    return Difference(_other_length("item", yours, right, "is missing", "is too many"))


def _in_fields(yours: Record, right: Record, condition: float) -> Difference | None:
    if yours.type != right.type:
        return Difference(f"is {describe_kind(yours)}; expected {describe_kind(right)}")
    one, other = yours.fields, right.fields
    fields = ((f"the field {name}", one[name], other[name]) for name in other)
    return _members("field", one, other) or _in_parts(fields, condition)


def _in_parts(parts: Iterable[tuple[str, Any, Any]], condition: float = 1.0) -> Difference | None:
    for place, one, other in parts:
        first = difference(one, other, condition)
        if first is not None:
            return Difference(first.says, (*first.places, place))
    return None


def _other_length(
    noun: str, yours: Sequence[Any], right: Sequence[Any], lacks: str, has_more: str
) -> str:
    longer, what = (right, lacks) if len(yours) < len(right) else (yours, has_more)
    first = _short(longer[min(len(yours), len(right))])
    count = several(len(yours), noun)
    return f"has {count}; expected {len(right)}. The first that {what} is {first}"


def _close(yours: Any, right: Any, condition: float) -> bool:
    one, other = _plain(yours), _plain(right)
    if one == other or {type(one), type(other)} == {int}:
        return bool(one == other)
    if isinstance(one, complex) or isinstance(other, complex):
        one, other = complex(one), complex(other)
        return _close(one.real, other.real, condition) and _close(one.imag, other.imag, condition)
    try:
        answer, expected = float(one), float(other)
    except OverflowError:
        return False
    if math.isnan(answer) or math.isnan(expected) or math.isinf(expected):
        return math.isnan(answer) and math.isnan(expected)
    dtype = getattr(yours, "dtype", np.dtype(float))
    return abs(answer - expected) <= float(allowed_error(dtype, np.asarray(expected), condition))


def _array_difference(yours: Any, right: Any, condition: float) -> Difference | None:
    if yours.shape != right.shape:
        return Difference(f"has the shape {shape(yours.shape)}; expected {shape(right.shape)}")
    if (yours.dtype.kind == "b") is not (right.dtype.kind == "b"):
        answer, expected = (describe_kind(each.dtype.type()) for each in (yours, right))
        return Difference(f"is an array of values such as {answer}; expected {expected}")
    same = (yours == right) | ((yours != yours) & (right != right))  # noqa: PLR0124  NaN
    if not {yours.dtype.kind, right.dtype.kind} <= set("biu"):
        sizes = np.where(np.isfinite(right), np.abs(right), 0).astype(np.float64)
        allowed = allowed_error(yours.dtype, sizes, condition)
        with np.errstate(all="ignore"):
            same = same | (np.abs(yours - right) <= allowed)
    if same.all():
        return None
    first = tuple(np.argwhere(~same)[0].tolist())
    answer, expected = (_short(_plain(each[first])) for each in (yours, right))
    says = f"differs in {int((~same).sum())} of {several(right.size, 'value')}"
    return Difference(f"{says}. At {index(first)}: yours {answer}, expected {expected}")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.ndarray | np.generic) else value


def _short(value: Any) -> str:
    return as_text(value, SHORT)


def _values(yours: Any, right: Any) -> Difference:
    answer, expected = _short(yours), _short(right)
    if answer == expected:
        return Difference(f"is not {expected}, though it begins like that")
    return Difference(f"is {answer}; expected {expected}")


def _members(noun: str, yours: Iterable[Any], right: Iterable[Any]) -> Difference | None:
    answer, expected = (
        {(kind_of(key) is bool, key): key for key in each} for each in (yours, right)
    )
    absent = [key for known, key in expected.items() if known not in answer]
    extra = [key for known, key in answer.items() if known not in expected]
    parts = [f"lacks {_named(noun, absent)}"] if absent else []
    parts += [f"has {_named(noun, extra)} too many"] if extra else []
    return Difference(" and ".join(parts)) if parts else None


def _named(noun: str, keys: Sequence[Any]) -> str:
    texts = sorted(_short(key) for key in keys)
    return f"the {noun}{'s' * (len(keys) > 1)} {few(texts, MOST_NAMED)}"
