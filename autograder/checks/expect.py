"""Strict comparisons of exceptions and of arrays. Arrays: first shape, then NaN, then values."""

import builtins
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.checks.differences import describe_kind, difference
from autograder.checks.proxy import Call, Function
from autograder.checks.tolerance import allowed_error
from autograder.course.text import are, capital, is_plural, one_line, several
from autograder.report.model import CauseCode, Curve
from autograder.report.numbers import index, shape
from autograder.report.values import as_text
from autograder.sandbox.problems import NotWritten, Raised, StudentProblem
from autograder.worker.codec import Figure
from autograder.worker.serialise import serialised
from autograder.worker.values import Record

Numbers = npt.NDArray[Any]
Layout = Callable[[Numbers], tuple[Numbers, npt.NDArray[np.int64], tuple[str, ...]]]
NEAR, TINY = 0.01, 1e-4  # a result with smaller errors is right, apart from its precision
NEARLY = (
    "Which line changes numbers only a little, by a rounding, another dtype or an inexact number?",
    "The grader compares more than three digits, and float16 keeps three. The default is float64.",
    "Print a result in full after each line, and remove the rounding, dtype or constant.",
)
WHOLE_NUMBERS = (
    "Which line of your code turns decimals into whole numbers?",
    "An array of whole numbers keeps no decimals: 0.7 stored in it becomes 0.",
    "Make an array of floats. Do not use int(…), astype(int) or `//`.",
)


@dataclass(eq=False, repr=False)
class Mismatch(AssertionError):
    """Exception: a result is wrong.

        raise Mismatch("The labels were exchanged.", mistake="labels-exchanged")

    Args:
        finding: the sentence that the student reads.
        what: the name of the value, such as "the weights". The report shows it as a title below the
            finding.
        yours: the student's value, an array or a text.
        expected: the correct value.
        wrong: a mask of the same shape as the value. It is true for the entries that the report
            marks as wrong.
        layout: a function that arranges the value for the picture. It gets the value, and returns a
            matrix, the group of each cell, and the names of the rows.
        groups: the word for a group of cells in the picture, such as "head".
        curves: curves to draw.
        mistake: the name of the misconception, if the check recognises one. Give two names if two
            misconceptions give the same values.
        separate: true if no mistake in a function's values can cause this failure. Then no such
            mistake explains it.
        told: the sentence that the student reads if the check is hidden. It contains no value.
        code: the error code of the failure. It decides which hints the report shows.
        sides: the titles of the two values in the report, if the second value is not the correct
            one.
        hints: hints for this failure. They replace the check's hints.
        requirement: the requirement that the result does not meet, if the check grades another one.
    """

    finding: str
    what: str = ""
    yours: Numbers | str | None = None
    expected: Numbers | str | None = None
    wrong: npt.NDArray[np.bool_] | None = None
    layout: Layout | None = None
    groups: str = ""
    curves: tuple[Curve, ...] = ()
    mistake: str | tuple[str, ...] = ""
    separate: bool = False
    told: str = ""
    code: CauseCode = "mismatch"
    sides: tuple[str, str] = ("yours", "expected")
    hints: tuple[str, ...] = ()
    requirement: str = ""

    def __post_init__(self) -> None:
        super().__init__(self.finding)
        self.call = Call.newest  # the report shows this call, even after later calls
        self.refused = ""  # for authors: why the answer does not follow from the student's step


def expect_close(
    actual: Any,
    expected: npt.ArrayLike,
    what: str = "the result",
    *,
    condition: float = 1.0,
    within: float | None = None,
    finding: str = "",
    layout: Layout | None = None,
    groups: str = "",
    among: npt.NDArray[np.bool_] | bool = True,
) -> Numbers:
    """Pass if a result has the right shape, and each entry is finite and within the tolerance.

        expect_close(submission.softmax(x), softmax(x), "the weights", condition=np.abs(x).max())

    Args:
        actual: the student's result, of any type.
        expected: the correct values, finite and real, of any shape. They are compared as float64.
        what: the name of the value in the report's sentences, such as "the weights".
        condition: the factor by which the problem magnifies rounding errors; see `allowed_error`.
        within: an absolute tolerance, which replaces the usual tolerance.
        finding: a sentence that the report shows before "3 of 9 values differ".
        layout, groups: the layout of the values in a picture; see `Mismatch`.
        among: true for the entries to compare. The others are ignored, and do not count.

    Returns:
        The student's result as an array. Its dtype is unchanged.

    Raises:
        Mismatch: the result is wrong. The finding says in which way.
    """
    right = np.asarray(expected, dtype=np.float64)
    answer = expect_shape(actual, right.shape, what, expected=right)
    numbers, right = (np.where(among, each, 0.0) for each in (answer.astype(np.float64), right))
    allowed = allowed_error(answer.dtype, right, condition) if within is None else within
    wrong = ~(np.abs(numbers - right) <= allowed)
    if (bad := ~np.isfinite(numbers)).any():
        place = tuple(np.argwhere(bad)[0].tolist())
        kind = "NaN (not a number)" if np.isnan(numbers[place]) else "an infinite value"
        at = f" at {index(place)}" if place else ""
        text = f"{capital(what)} {_has(what)} {kind}{at}."
        if numbers.ndim:  # mark every wrong entry of the matrix that the report shows
            bad[place[:-2]] = wrong[place[:-2]]
        raise Mismatch(text, what, numbers, right, bad)
    if wrong.any():
        text = f"{finding} {_first_that_differs(what, numbers, right, wrong, among)}".lstrip()
        hints: tuple[str, ...] = ()
        is_cut = any(np.array_equal(numbers, cut(right)) for cut in (np.trunc, np.floor))
        if answer.dtype == np.float16 or _is_half_precision(numbers, right):
            text += " Half precision (float16) keeps three digits. Use float32 or float64."
            hints = NEARLY
        elif is_cut and np.count_nonzero(numbers) > 1:
            text += " All your values are whole numbers: their decimals are cut off."
            hints = WHOLE_NUMBERS
        elif np.allclose(numbers, right, rtol=NEAR, atol=TINY * np.abs(right).max()):
            hints = NEARLY
        raise Mismatch(text, what, numbers, right, wrong, layout, groups, hints=hints)
    return answer


def _is_half_precision(numbers: Numbers, right: Numbers) -> bool:
    """Return True if all numbers are float16 numbers, which are only nearly the right numbers."""
    with np.errstate(over="ignore"):
        is_exact = np.array_equal(numbers, numbers.astype(np.float16))
    fine = np.count_nonzero(numbers * 64 % 1)  # others may be rounded in another way
    return bool(is_exact and fine > 2 and np.allclose(numbers, right, rtol=0.01, atol=0.01))


def expect_shape(
    actual: Any,
    sizes: tuple[int, ...],
    what: str = "the result",
    *,
    expected: Numbers | None = None,
) -> Numbers:
    """Return `actual` if it is an array of real numbers of exactly this shape.

    Otherwise, raise `Mismatch`. The report then shows the correct values `expected` next to the
    wrong result.
    """
    answer = expect_numbers(actual, what)
    if answer.shape != tuple(sizes):
        is_cut = expected is not None and _is_beginning(answer, expected)
        cut = " The first entries are right, and the others are missing." * is_cut
        raise Mismatch(
            f"{capital(what)} {_has(what)} the shape {shape(answer.shape)}; "
            f"expected {shape(tuple(sizes))}.{cut}",
            what,
            answer,
            expected,
            mistake="cut-short" * is_cut,
            code="other_shape",
        )
    return answer


def _is_beginning(answer: Numbers, right: Numbers) -> bool:
    if answer.ndim == right.ndim:
        right = right[tuple(map(slice, answer.shape))]
    return answer.size > 1 and right.shape == answer.shape and np.allclose(answer, right)


def expect_numbers(actual: Any, what: str = "the result") -> Numbers:
    """Return the numbers of `actual` as an array if all of them are real.

    Otherwise, raise `Mismatch`. The numbers may be in an array, or in lists of equal length.
    """
    if actual is None:
        raise Mismatch(f"{capital(what)} {are(what)} None.", what, code="nothing_returned")
    if isinstance(actual, str | bytes | dict | set | frozenset | Record | Figure):
        order = " A set has no order." * isinstance(actual, set | frozenset)
        wrong = f"{are(what)} {describe_value(actual)}; expected numbers.{order}"
    else:
        try:
            answer = np.asarray(actual)
        except (ValueError, TypeError, OverflowError):
            wrong = "cannot be read as an array: its rows differ in length."
        else:
            if answer.dtype.kind in "biuf":
                return answer
            kinds = {"c": "complex numbers", "U": "text in quotes", "S": "text in quotes"}
            kind = kinds.get(answer.dtype.kind, "something other than numbers")
            wrong = f"{_has(what)} {kind} in it; expected real numbers."
    raise Mismatch(f"{capital(what)} {wrong}", what, code="other_kind")


def expect_results(actual: Any, names: tuple[str, ...], function: str) -> tuple[Any, ...]:
    """Return the function's results if their number is the number of `names`.

    Otherwise, raise `Mismatch`. An array counts as a single result.
    """
    if isinstance(actual, list) and len(actual) == len(names):
        return tuple(actual)
    text = f"expected {len(names)} results ({', '.join(names)})."
    if actual is None:
        raise Mismatch(f"{function} returned None; {text}", code="nothing_returned")
    if isinstance(actual, list | np.ndarray):
        if isinstance(actual, list):
            returned = several(len(actual), "result")
        else:
            returned = f"one array of shape {shape(actual.shape)}"
        raise Mismatch(
            f"{function} returned {returned}; {text}",
            mistake="number-of-results",
            code="other_results",
            told="The number of results is not the number that the text asks for.",
        )
    raise Mismatch(
        f"{function} returned {describe_value(actual)}; {text}",
        mistake="kind-of-result",
        code="other_results",
        told="The type of the result is not the type that the text asks for.",
    )


def expect_unchanged(before: npt.ArrayLike | dict[Any, Any], after: Any, name: str) -> None:
    """Pass if the call did not change an argument. Otherwise, raise `Mismatch`.

    The argument is an array, or a list or dict of plain values or arrays.

    value, (x_after,) = submission.softmax.with_arguments(x)
    expect_unchanged(x, x_after, "x")
    """
    if isinstance(before, list | dict):
        if difference(after, serialised(before)) is None:
            return
        change = f"is now {as_text(after)}" if isinstance(after, list) else "now has other entries"
        raise Mismatch(
            f"The call changed the argument {name}: the caller's own {type(before).__name__} "
            f"{change}.",
            mistake="changes-its-argument",
            code="argument_changed",
            told="The call changes an argument.",
            hints=(
                "Does a line change a parameter itself, such as `x.sort()`, `x.pop(…)` or "
                "`x[…] = …`?",
                "Work with a copy: `sorted(x)`, `list(x)` or `dict(x)`.",
            ),
        )
    was = np.asarray(before)
    now = np.asarray(after) if isinstance(after, np.ndarray) else None
    if now is None or not np.array_equal(was, now, equal_nan=True):
        other = "other numbers" if now is None or now.shape == was.shape else "another shape"
        raise Mismatch(
            f"The call changed the argument {name}: the caller's own array now has {other}.",
            f"{name} after the call",
            now,
            was,
            None if now is None or now.shape != was.shape else ~(was == now),
            mistake="changes-its-argument",
            code="argument_changed",
            told="The call changes an argument.",
            sides=(f"{name} after the call", "before it"),
        )


def expect_unchanged_arguments(
    function: Function, names: Sequence[str], *args: Any, **named: Any
) -> Any:
    """Return the result of a call that leaves its arrays, lists and dicts unchanged.

        value = expect_unchanged_arguments(submission.softmax, ["x"], x, axis=0)

    Args:
        function: the student's function.
        names: the name of each argument in `args`, for the finding.
        args, named: the arguments of the call.

    Raises:
        Mismatch: the call changed an argument. The finding names the argument.
        StudentProblem: the call gives no result. The exception says why.
    """
    value, after = function.with_arguments(*args, **named)
    for name, was, now in zip([*names, *named], [*args, *named.values()], after, strict=True):
        if isinstance(was, np.ndarray | list | dict):
            expect_unchanged(was, now, name)
    return value


@contextmanager
def graded_elsewhere(*problems: type[Exception]) -> Iterator[None]:
    """Context manager that suppresses these exceptions, because another check reports them.

        with graded_elsewhere(Raised):
            submission.attention(x, mask)  # test_mask grades masks

    The check continues after the `with` block. It does not report a suppressed exception, even if a
    student kit has no correct result for the rest of the check.
    """
    try:
        yield
    except problems as problem:
        if isinstance(problem, Raised):
            problem.was_expected = True


def expect_error(
    function: Callable[..., Any],
    *args: Any,
    type: str,
    naming: tuple[object, ...] = (),
    name: str = "",
) -> None:
    """Pass if a call raises an exception of the given type, with a message that names `naming`.

        expect_error(submission.split_heads, x, 3, type="ValueError", naming=(4, 3))
        expect_error(lambda: model.forward(x), type="ValueError", name="forward")

    Args:
        function: the student's function, or a function in the check that calls the student's code.
        args: the arguments of the call.
        type: the name of a built-in exception, or of an exception class of the exercise. For a
            built-in exception, derived classes pass too.
        naming: numbers and words that the message must contain.
        name: the name of the function for the finding. The default is the name in its definition.

    Raises:
        Mismatch: the call raises no exception, or its exception has a wrong type or message.
    """
    name = name or function.__name__
    try:
        value = function(*args)
    except Raised as error:
        if isinstance(error, NotWritten) and type != error.type:
            raise
        if type not in error.bases and (hasattr(builtins, type) or type != error.type):
            namesake = (f" Your {type} is another class than Python's {type}.") * (
                error.type == type
            )
            raise Mismatch(
                f"{error.finding} Expected a {type} here.{namesake}",
                mistake=(
                    "assert-in-its-place" if error.type == "AssertionError" else "another-error"
                ),
                told="The error does not have the type that the text asks for.",
            ) from None
        error.was_expected = True
        _expect_message(error, name, type, naming)
        return
    plain = value is None or isinstance(value, (str, int, float, list, dict, np.ndarray))
    did = f"returned {describe_value(value)}" if plain else "raised nothing"
    raise Mismatch(
        f"{name} {did}; expected it to raise {type} here.",
        mistake="not-refused",
        told="The text asks for an error, but the call raises none.",
    )


def _expect_message(error: Raised, name: str, type: str, naming: tuple[object, ...]) -> None:
    """Raise `Mismatch` if an exception of the right type has a wrong message."""
    # only whole numbers and words count: the message "40" does not contain the number 4
    absent = [
        word
        for word in map(str, naming)
        if not re.search(rf"(?<![\d.]){re.escape(word)}(?!\d)", error.message)
    ]
    if "cannot reshape" in error.message or "invalid for input of size" in error.message:
        raise Mismatch(
            f"{name} stopped with an error of the library, from the reshape "
            f"({one_line(error.message, 80)}). The function itself did not refuse these sizes.",
            mistake="not-checked",
            told=(
                "The error comes from the library. The function itself did not refuse these sizes."
            ),
        )
    is_own = error.place is None or "raise" in error.place.text
    if "values to unpack" in error.message or (absent and not is_own):
        raise Mismatch(
            f"{error.finding} Your code did not raise this {type} itself.",
            mistake="another-error",
            told="The text asks for an error that the function raises itself.",
        )
    if absent:
        braces = re.search(r"\{\w+\}", error.message)
        f_missing = " The names in braces are not replaced: is an f missing before the quotes?"
        raise Mismatch(
            f"{name} raised {type}, as it should, but its message does not name "
            f"{' and '.join(absent)}: {one_line(error.message, 120)!r}."
            f"{f_missing if braces else ''}",
            mistake="message-says-too-little",
            told="The error is right, but its message does not name everything that it should.",
        )


def _first_that_differs(
    what: str, answer: Numbers, right: Numbers, wrong: Numbers, among: Numbers | bool
) -> str:
    count, size = int(wrong.sum()), int(np.broadcast_to(among, wrong.shape).sum())
    place = tuple(np.argwhere(wrong)[0].tolist())
    if not place:
        return f"{capital(what)} {are(what)} {_short(answer)}; expected {_short(right)}."
    is_exact = np.isclose(answer, right, rtol=1e-8, atol=1e-8, equal_nan=True)
    too_much = "" if (is_exact | wrong).all() else " too much"
    values = f"{count} of {size} values differ{too_much}"
    if size == 1:
        values = "it differs"
    elif count == size:
        values = f"all {count} values differ"
    return (
        f"{capital(what)}: {values}. At {index(place)}: yours {_short(answer[place])}, "
        f"expected {_short(right[place])}."
    )


def _short(value: Any) -> str:
    return f"{float(value):.6g}".replace("-", "−")


def describe_value(value: Any) -> str:
    """Return a description of a value, such as "a list of 3 items"."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {shape(value.shape)}"
    if isinstance(value, list):
        return f"a list of {several(len(value), 'item')}"
    if value is None or type(value) in {str, dict, int, float, set, frozenset}:
        return describe_kind(value)
    name = one_line(value.type, 80) if isinstance(value, Record) else type(value).__name__
    return f"an object of type {name}"


def _has(what: str) -> str:
    return "have" if is_plural(what) else "has"


class NotStarted(StudentProblem):
    """Exception: the student has not changed a value or an answer in words.

    If a check raises `NotStarted("a_scores")`, the report says that this value is not written yet.
    The engine itself recognises unchanged functions.
    """

    kind = "not written"

    def __init__(self, what: str) -> None:
        super().__init__("not_written", what)
