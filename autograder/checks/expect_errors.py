"""Checks of calls that have to raise an exception."""

import builtins
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.checks.differences import text_difference
from autograder.checks.expect import Mismatch, describe_value
from autograder.course.text import one_line
from autograder.report.values import as_text
from autograder.sandbox.problems import NotWritten, Raised
from autograder.worker.messages import MAX_MESSAGE

ASSERTED = "assert-in-its-place"


def expect_error(
    function: Callable[..., Any],
    *args: Any,
    type: str,
    naming: tuple[object, ...] = (),
    message: str | None = None,
    name: str = "",
) -> None:
    """Pass if a call raises an exception of the given type, with the right message.

        expect_error(submission.split_heads, x, 3, type="ValueError", naming=(4, 3))
        expect_error(lambda: model.forward(x), type="ValueError", name="forward")

    Args:
        function: the student's function, or a function of the check that asks the student's code;
            `args` are its arguments.
        type: the name of a built-in exception, from which the student's may be derived; or the
            name of an exception class that the exercise defines.
        naming: numbers and words that the message must contain.
        message: the whole message, of at most 499 characters.
        name: what the function is called in a finding, if not by its own name.

    Raises:
        Mismatch: nothing is raised, or something else.
        ValueError: `message` is longer than 499 characters.
    """
    __tracebackhide__ = True
    name = name or function.__name__
    if message is not None and len(message) >= MAX_MESSAGE:
        raise ValueError(f"a message of {len(message)} characters cannot be compared")
    try:
        value = function(*args)
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
    """Return whether a number or word stands in the message by itself: 4 does not stand in 40."""
    return re.search(rf"(?<![\d.]){re.escape(part)}(?!\d)", message) is not None
