"""What a check says of a call that has to raise an exception."""

import builtins
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.checks.differences import text_difference
from autograder.checks.expect import Mismatch, describe_value
from autograder.checks.proxy import Function
from autograder.course.text import one_line
from autograder.report.values import as_text
from autograder.sandbox.problems import NotWritten, Raised
from autograder.worker.messages import MAX_MESSAGE

ASSERTED = "assert-in-its-place"


def expect_error(
    function: Function,
    *args: Any,
    type: str,
    naming: tuple[object, ...] = (),
    message: str | None = None,
) -> None:
    """Pass if the call raises an exception of that type, and says what it should.

    Args:
        function: the student's function, and `args` what it is called with.
        type: the name of a class of Python's own, from which the exception's may be derived; or of
            a class that the exercise defines.
        naming: numbers and words that the exception's text has to hold.
        message: the whole of its text, of at most 499 characters.

    Raises:
        Mismatch: nothing is raised, or something else.
        ValueError: `message` is longer.
    """
    __tracebackhide__ = True
    expect_refusal(lambda: function(*args), function._name, type, naming, message)


def expect_refusal(
    run: Callable[[], Any],
    name: str,
    type: str,
    naming: tuple[object, ...] = (),
    message: str | None = None,
) -> None:
    """Pass if `run`, which asks for `name`, raises an exception; all else is as `expect_error`."""
    __tracebackhide__ = True
    if message is not None and len(message) >= MAX_MESSAGE:
        raise ValueError(f"a message of {len(message)} characters cannot be compared")
    try:
        value = run()
    except Raised as error:
        if isinstance(error, NotWritten) and type != error.type:
            raise
        if type not in error.bases and (hasattr(builtins, type) or type != error.type):
            namesake = f" That {type} is a class of its own, not Python's." * (error.type == type)
            raise Mismatch(
                f"{error.finding} Expected a {type} here.{namesake}",
                mistake=ASSERTED if error.type == "AssertionError" else "another-error",
                told="An error of another type is raised than the text asks for.",
            ) from None
        _expect_message(error, name, type, naming, message)
        return
    did = f"returned {describe_value(value)}" if _is_plain(value) else "raised nothing"
    raise Mismatch(
        f"{name} {did}; expected it to raise {type} here.",
        mistake="not-refused",
        told="No error is raised where the text asks for one.",
    )


def _expect_message(
    error: Raised, name: str, type: str, naming: tuple[object, ...], message: str | None
) -> None:
    """Pass if an exception of the right type says what it should."""
    __tracebackhide__ = True
    absent = [str(part) for part in naming if not _named(str(part), error.message)]
    if "cannot reshape" in error.message or "invalid for input of size" in error.message:
        raise Mismatch(
            f"{name} stopped with the library's own error, from the reshape "
            f"({one_line(error.message, 80)}): the function itself let these sizes "
            f"through.",
            mistake="not-checked",
            told="The library's own error comes out: the function itself let these sizes through.",
        )
    if absent:
        raise Mismatch(
            f"{name} raised {type}, as it should, but its message does not name "
            f"{' and '.join(absent)}: {one_line(error.message, 120)!r}.",
            mistake="message-says-too-little",
            told="The right error is raised, but its message does not name what it should.",
        )
    differs = text_difference(error.said, message) if message is not None else None
    if differs is not None:
        raise Mismatch(
            f"{name} raised {type}, as it should. {differs.about('its message')}",
            "the message",
            as_text(error.said),
            as_text(message),
            mistake="another-message",
            told="The right error is raised, with another message than the text asks for.",
        )


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, list, dict, np.ndarray))


def _named(part: str, message: str) -> bool:
    """Whether a number or word stands in the message by itself: 4 does not stand in 40."""
    return re.search(rf"(?<![\d.]){re.escape(part)}(?!\d)", message) is not None
