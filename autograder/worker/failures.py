"""An exception of the student's code, as data: what it says, and which line of theirs it hit."""

import linecache
from collections.abc import Collection
from types import TracebackType

from .messages import Place, Problem
from .output import KeyboardNeeded
from .plain import Unsendable

MAX_MESSAGE = 500
MAX_FRAMES = 2000


def explain(error: BaseException, labels: Collection[str]) -> Problem:
    """Describe `error`; `labels` are the names under which the student's source was compiled."""
    place = _syntax_place(error, labels) or _place(error.__traceback__, labels)
    if isinstance(error, Unsendable):
        return Problem("unsendable", message=str(error), place=place)
    if isinstance(error, KeyboardNeeded):
        return Problem("keyboard", place=place)
    if isinstance(error, SystemExit):
        return Problem("exited", message=_message(error), place=place)
    return Problem("raised", type(error).__name__, _message(error), place)


def _message(error: BaseException) -> str:
    try:
        if isinstance(error, SyntaxError):
            return str(error.msg)[:MAX_MESSAGE]
        return str(error)[:MAX_MESSAGE]
    except BaseException:
        return ""


def _syntax_place(error: BaseException, labels: Collection[str]) -> Place | None:
    if isinstance(error, SyntaxError) and error.filename in labels:
        text = (error.text or "").strip()
        return Place(str(error.filename), error.lineno or 0, text[:200])
    return None


def _place(traceback: TracebackType | None, labels: Collection[str]) -> Place | None:
    """The innermost line that is the student's own."""
    found = None
    for _ in range(MAX_FRAMES):
        if traceback is None:
            break
        code = traceback.tb_frame.f_code
        if code.co_filename in labels:
            found = (code.co_filename, traceback.tb_lineno, code.co_name)
        traceback = traceback.tb_next
    if found is None:
        return None
    label, line, function = found
    text = linecache.getline(label, line).strip()[:200]
    return Place(label, line, text, "" if function == "<module>" else function)
