"""What came of a call, as numbers that can be compared with what came of another."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.checking.tolerance import allowed_error
from autograder.text import one_line

Vector = npt.NDArray[np.float64]
NOTHING = np.zeros(0)
DOUBLE: np.dtype[Any] = np.dtype(np.float64)
RAISES = "raises"
MOST_NUMBERS = 100_000  # no right answer to a probe has nearly as many


@dataclass(frozen=True)
class Outcome:
    """A value's structure and its numbers, one after the other.

    Two outcomes with different signatures differ; a list of equally long rows has the signature
    of the array that it stands for. Whatever is raised has the same signature, since another
    version of a library raises something else.
    """

    signature: str
    numbers: Vector = field(default_factory=lambda: NOTHING)
    precision: np.dtype[Any] = DOUBLE
    allowed: Vector | None = None
    parts: tuple[npt.NDArray[Any], ...] = ()

    def in_parts(self, count: int) -> "Outcome":
        """The same with `count` parts, where two results of one shape were read as one array."""
        if count < 2 or len(self.parts) != 1 or self.parts[0].shape[:1] != (count,):
            return self
        return replace(self, parts=tuple(self.parts[0]))

    def in_precision(self, precision: np.dtype[Any]) -> "Outcome":
        """The same as it is for code that computes in a coarser dtype: what is too large is ∞."""
        if precision == DOUBLE:
            return self
        with np.errstate(over="ignore"):
            numbers = self.numbers.astype(precision).astype(np.float64)
        return replace(self, numbers=numbers, precision=precision)

    @property
    def raised(self) -> bool:
        return self.signature == RAISES


def outcome_of(value: Any) -> Outcome:
    """The outcome of a call that returned `value`, which may be anything."""
    leaves: list[npt.NDArray[Any]] = []
    signature = _signature(value, leaves, 0)
    if sum(leaf.size for leaf in leaves) > MOST_NUMBERS:
        return Outcome("too many numbers")
    numbers = [leaf.astype(np.float64).ravel() for leaf in leaves]
    kinds = [leaf.dtype for leaf in leaves if leaf.dtype.kind == "f"]
    coarsest = max(kinds, key=lambda kind: np.finfo(kind).eps, default=DOUBLE)
    joined = np.concatenate(numbers) if numbers else NOTHING
    return Outcome(signature, joined, coarsest, parts=tuple(leaves))


def _signature(value: Any, leaves: list[npt.NDArray[Any]], depth: int) -> str:
    if value is None:
        return "None"
    if isinstance(value, str):
        return repr(one_line(value, 40))
    if isinstance(value, dict):
        keys = sorted(value, key=repr)
        inner = (f"{key!r}: {_signature(value[key], leaves, depth + 1)}" for key in keys[:64])
        return "{" + ", ".join(inner) + "}"
    if isinstance(value, list | tuple | np.ndarray | np.generic | int | float):
        array = _array(value)
        if array is not None:
            leaves.append(array)
            return str(array.shape)
        if isinstance(value, list | tuple) and depth < 8:
            parts = [_signature(item, leaves, depth + 1) for item in value[:64]]
            return f"[{len(value)}: {'; '.join(parts)}]"
    return type(value).__name__


def _array(value: Any) -> npt.NDArray[Any] | None:
    """The array of real numbers that a value is or stands for."""
    if isinstance(value, list | tuple) and any(
        item is None or isinstance(item, str | dict) for item in value
    ):
        return None
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return array if array.dtype.kind in "biuf" else None


def agree(
    answers: Vector, expected: Vector, precision: np.dtype[Any], condition: float
) -> npt.NDArray[np.bool_]:
    """Which numbers are the same, as far as rounding lets one tell; NaN is the same as NaN."""
    with np.errstate(invalid="ignore", over="ignore"):
        allowed = allowed_error(precision, np.where(np.isfinite(expected), expected, 0), condition)
        close = np.abs(answers - expected) <= allowed
    same = (answers == expected) | (np.isnan(answers) & np.isnan(expected))
    return np.asarray(close | same)


def same(answer: Outcome, expected: Outcome, condition: float) -> bool:
    """Whether the student's outcome is the expected one."""
    if answer.signature != expected.signature:
        return False
    if expected.allowed is not None:
        return bool((np.abs(answer.numbers - expected.numbers) <= expected.allowed).all())
    return bool(agree(answer.numbers, expected.numbers, answer.precision, condition).all())
