"""Outcomes of calls, in a form for comparisons with a known precision."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.checks.projection_hash import Vector, kinds_in, signature_of
from autograder.checks.tolerance import allowed_error
from autograder.course.text import digest

NOTHING = np.zeros(0)
DOUBLE: np.dtype[Any] = np.dtype(np.float64)
RAISES = "raises"
FAR = 1e-4  # a relative difference far above `allowed_error`
MOST_NUMBERS = 100_000  # correct answers to probes have far fewer numbers


@dataclass(frozen=True, eq=False)
class Outcome:
    """Outcome of a call: a text on the value's structure (`signature`), and all numbers in one row.

    Outcomes with different signatures differ. A list of equally long rows has the signature of an
    array. All exceptions share one signature, because the same mistake raises different exceptions
    in different versions of a library. If the value contains no numbers, `whole` is the value.
    """

    signature: str
    numbers: Vector = field(default_factory=lambda: NOTHING)
    precision: np.dtype[Any] = DOUBLE
    allowed: Vector | None = None
    parts: tuple[npt.NDArray[Any], ...] = ()
    whole: Any = None

    def in_parts(self, count: int) -> "Outcome":
        """Return the outcome in `count` parts if its value is an array of this length."""
        if count > 1 and self.signature.startswith("{"):
            return replace(self, parts=())  # a dict's values have no order
        if count < 2 or len(self.parts) != 1 or self.parts[0].shape[:1] != (count,):
            return self
        return replace(self, parts=tuple(self.parts[0]))

    def in_precision(self, precision: np.dtype[Any]) -> "Outcome":
        """Return the outcome with its numbers rounded to a dtype. Large numbers become ∞."""
        if precision == DOUBLE:
            return self
        with np.errstate(over="ignore"):
            numbers = self.numbers.astype(precision).astype(np.float64)
        return replace(self, numbers=numbers, precision=precision)

    @property
    def raised(self) -> bool:
        return self.signature == RAISES


def outcome_of(value: Any, by_kind: bool = False) -> Outcome:
    """Return the outcome of a call that returned `value`, of any type.

    With `by_kind`, lists, tuples and arrays differ, and truth values and numbers differ.
    """
    leaves: list[npt.NDArray[Any]] = []
    signature = signature_of(value, leaves)
    if by_kind:
        signature += f" as {kinds_in(value)}"
    if sum(leaf.size for leaf in leaves) > MOST_NUMBERS:
        text = signature.encode("utf-8", "surrogatepass")
        content = b"".join([text, *(leaf.tobytes() for leaf in leaves)])
        return Outcome(f"too many numbers: {hashlib.sha256(content).hexdigest()}")
    kinds = [leaf.dtype for leaf in leaves if leaf.dtype.kind == "f"]
    coarsest = max(kinds, key=lambda kind: np.finfo(kind).eps, default=DOUBLE)
    numbers = np.concatenate([NOTHING, *(leaf.ravel() for leaf in leaves)], dtype=np.float64)
    whole = None if leaves else value
    return Outcome(signature, numbers, coarsest, parts=tuple(leaves), whole=whole)


def agree(
    answers: Vector, expected: Vector, precision: np.dtype[Any], condition: float
) -> npt.NDArray[np.bool_]:
    """Return True for each number that is equal apart from rounding errors. NaN equals NaN."""
    with np.errstate(invalid="ignore", over="ignore"):
        allowed = allowed_error(precision, np.where(np.isfinite(expected), expected, 0), condition)
        close = np.abs(answers - expected) <= allowed
    return np.asarray(close | (answers == expected) | (np.isnan(answers) & np.isnan(expected)))


def all_agree(
    answers: Vector, expected: Vector, precision: np.dtype[Any], condition: float
) -> bool:
    """Return True if all numbers are equal apart from rounding errors."""
    far = FAR * max(1.0, condition)
    for place in (0, answers.size // 2, -1) if answers.size else ():  # most wrong ones differ here
        number, its = answers.item(place), expected.item(place)
        if abs(number - its) > far * max(1.0, abs(its)):
            return False
    equal = np.array_equal(answers, expected)
    return equal or bool(agree(answers, expected, precision, condition).all())


def alike(answer: Outcome, expected: Outcome, condition: float) -> npt.NDArray[np.bool_]:
    if expected.allowed is not None:
        return np.asarray(np.abs(answer.numbers - expected.numbers) <= expected.allowed)
    return agree(answer.numbers, expected.numbers, answer.precision, condition)


def only_nan(outcomes: Sequence[Outcome]) -> bool:
    return all(
        not outcome.raised and len(outcome.numbers) > 0 and bool(np.isnan(outcome.numbers).all())
        for outcome in outcomes
    )


def same(answer: Outcome, expected: Outcome, condition: float) -> bool:
    """Return True if `answer` equals the expected outcome apart from rounding errors."""
    if answer.signature != expected.signature:
        return False
    if expected.allowed is not None:
        return bool(alike(answer, expected, condition).all())
    return all_agree(answer.numbers, expected.numbers, answer.precision, condition)


def group_id(outcomes: Sequence[Outcome]) -> str:
    """Return an id of the results, rounded to three digits, or "" if all calls raised errors."""
    if all(outcome.raised for outcome in outcomes):
        return ""
    lines = []
    for outcome in outcomes:
        numbers = np.round(outcome.numbers, 6) + 0.0  # turns −0 into 0
        lines.append(f"{outcome.signature} {' '.join(f'{number:.3g}' for number in numbers)}")
    return digest("\n".join(lines), 10)


@dataclass(frozen=True)
class Comparison:
    """Comparison of a function's results that ignores rounding errors.

    Attributes:
        precision: the dtype of students' computations. It limits how exact the comparison is.
        by_kind: true if a list does not equal a tuple or an array, and True does not equal 1.
        read: a function that returns the part of a student's result to compare, such as the images
            of a figure.
        sample: a function that makes a result like the student's from the state of a replay. It is
            for results that the recipe itself does not compute, such as a figure or a mean over
            random trials.
        spread: a function that computes the expected numbers of a random result and their largest
            allowed errors from the state of a replay, or None for exact results.
    """

    precision: Any = np.float64
    by_kind: bool = False
    read: Callable[[Any], Any] = lambda value: value
    sample: Callable[[Any], Any] | None = None
    spread: Callable[[Any], tuple[Any, Any]] | None = None

    @property
    def is_exact(self) -> bool:
        """True if repeated calls always give equal results."""
        return self.spread is None

    def of_student(self, value: Any) -> Outcome:
        """Return the outcome of a call in which the student's function returned `value`."""
        read = self.read(value)
        if read is None and value is not None:
            return Outcome("has nothing to compare")
        return outcome_of(read, self.by_kind)

    def of_replay(self, state: Any) -> Outcome:
        """Return the expected outcome of a call with this state."""
        if self.spread is None:
            return outcome_of(state.result, self.by_kind).in_precision(np.dtype(self.precision))
        middle, allowed = map(outcome_of, self.spread(state))
        return replace(middle, precision=DOUBLE, allowed=allowed.numbers, whole=None)


EXACT = Comparison()
