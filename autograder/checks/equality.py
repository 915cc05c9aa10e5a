"""Comparisons of results of any type: texts, truth values, lists, sets, records."""

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograder.checks.differences import difference
from autograder.checks.expect import Mismatch, expect_close, expect_error
from autograder.checks.proxy import Function
from autograder.course.text import are, capital
from autograder.report.model import CauseCode
from autograder.report.values import as_text, describe_call
from autograder.sandbox.problems import NotWritten, Raised
from autograder.worker.serialise import serialised
from autograder.worker.values import Record, items_of, kind_of


def expect_equal(
    actual: Any,
    expected: Any,
    what: str = "the result",
    *,
    condition: float = 1.0,
    any_row: bool = False,
    finding: str = "",
) -> Any:
    """Pass if a result equals the expected value, which may be any plain data.

        expect_equal(submission.words("on the way"), ["on", "the", "way"], "the words")

    A list does not equal a tuple, and True does not equal 1, but 3 equals 3.0. Integers, texts and
    bytes are compared exactly. Other numbers may differ by rounding errors. The order of sets and
    dicts does not matter. Two dataclass objects are equal if their class names and their
    fields are equal.

    Args:
        actual: the student's result, of any type.
        expected: the correct value, as the reference returns it.
        what: the name of the value in the report's sentences, such as "the words".
        condition: the factor for rounding errors, as in `expect_close`.
        any_row: true if a list and a tuple with the same items are equal.
        finding: a sentence that the report shows before the difference.

    Returns:
        The student's result.

    Raises:
        Mismatch: the result differs. The finding shows the first difference.
        Unsendable: the expected value has a type that cannot be compared.
    """
    right = serialised(expected)
    pair = (_as_lists(actual), _as_lists(right)) if any_row else (actual, right)
    first = difference(*pair, condition)
    if first is None:
        return actual
    text = f"{capital(what)} {are(what)} None." if actual is None else first.about(what)
    raise Mismatch(
        f"{finding} {text}".strip(), what, as_text(actual), as_text(right), code=_code(actual)
    )


def _code(actual: Any) -> CauseCode:
    return "nothing_returned" if actual is None else "mismatch"


def expect_same(
    asked: Callable[..., Any],
    right: Callable[..., Any],
    *inputs: Any,
    what: str = "the result",
    condition: float = 1.0,
    any_row: bool = False,
) -> None:
    """Pass if the student's function and the correct function agree for each input.

        expect_same(submission.area, area, (1.0, 2.0), (3.0, 0.5))

    Floats and arrays are compared as in `expect_close`, everything else as in `expect_equal`.

    Args:
        asked: the student's function, `submission.area`.
        right: the correct function, of the solution or the reference.
        inputs: one input for each call: a tuple of arguments, or a single argument. Put small
            inputs first. An argument that is a tuple is written `((1, 2),)`.
        what: the name of the value in the report's sentences, such as "the words".
        condition: the factor for rounding errors, as in `expect_close`.
        any_row: true if a list and a tuple with the same items are equal.

    Raises:
        Mismatch: a result differs. The finding shows the first difference.
    """
    if not inputs:
        raise ValueError("`expect_same` needs at least one input")
    for given in inputs:
        args = given if isinstance(given, tuple) else (given,)
        expected = right(*copy.deepcopy(args))
        answer = asked(*args)
        if isinstance(expected, float | np.ndarray | np.floating):
            expect_close(answer, expected, what, condition=condition)
        else:
            expect_equal(answer, expected, what, condition=condition, any_row=any_row)


Script = Sequence[tuple[Any, ...]]
"""Type of method calls on a new object, such as `[("push", "a", 2), ("pop",), ("__len__",)]`.

A script may begin with the arguments of the constructor: `("__init__", 10)`.
"""


def script_results(new: Callable[..., Any], script: Script) -> list[Any]:
    """Create an object of a class, call the script's methods on it, and return their results.

    If a call raises an exception, its result is a dict such as `{"raises": "IndexError"}`.
    """
    results: list[Any] = []
    for method, args in _methods(new, script):
        try:
            results.append(method(*copy.deepcopy(args)))
        except NotWritten:
            raise
        except Raised as error:
            error.was_expected = True
            results.append({"raises": error.type})
        except Exception as error:
            if isinstance(method, Function):
                raise
            results.append({"raises": type(error).__name__})
    return results


def expect_script(
    new: Function, right: Callable[[Script], list[Any]], *scripts: Script, **details: Any
) -> None:
    """Pass if an object of a student's class gives the correct result for each call of the scripts.

        expect_script(submission.Queue, queue_results, [("push", 3), ("pop",), ("pop",)])

    Args:
        new: the student's class.
        right: a function of the reference that returns the `script_results` of the correct class.
        scripts: the method calls. Put short scripts first.
        details: `what`, `condition` and `any_row`, as for `expect_equal`.

    Raises:
        Mismatch: a result differs, or one of the two classes raises no exception.
    """
    for script in scripts:
        calls = [
            describe_call(name, tuple(args), {}) for name, *args in script if name != "__init__"
        ]
        answers = zip(_methods(new, script), right(script), strict=True)
        for number, ((method, args), expected) in enumerate(answers):
            if isinstance(expected, dict) and expected.keys() == {"raises"}:
                expect_error(method, *args, type=expected["raises"])
            else:
                before = f"After {', '.join(calls[:number])}:" if number else ""
                expect_equal(method(*args), expected, finding=before, **details)


def _methods(new: Any, script: Script) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    has_first = bool(script) and script[0][0] == "__init__"
    given = script[0][1:] if has_first else ()
    is_student = isinstance(new, Function)
    made = new.kept(*given) if is_student else new(*given)
    for name, *args in script[has_first:]:
        yield made.method(name) if is_student else getattr(made, name), tuple(args)


def _as_lists(value: Any) -> Any:
    if kind_of(value) in {tuple, list}:
        return [_as_lists(each) for each in items_of(value)]
    if isinstance(value, dict):
        return {key: _as_lists(each) for key, each in value.items()}
    if isinstance(value, Record):
        return Record(value.type, {name: _as_lists(each) for name, each in value.fields.items()})
    return value
