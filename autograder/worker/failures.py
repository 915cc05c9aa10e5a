"""Description of an exception in the student's code: message and line."""

import builtins
import difflib
import io
import linecache
import re
import sys
from collections.abc import Collection
from types import TracebackType

from .messages import MAX_BASES, MAX_LINE, MAX_MESSAGE, MAX_NAME, MAX_SHAPES, CodePlace, Problem
from .preparation import KeyboardNeeded
from .serialise import Unsendable

# Python's built-in classes, stored before the student's code can replace them
BUILT_IN = {id(each): each.__name__ for each in vars(builtins).values() if isinstance(each, type)}
OWN_BASES = type.__dict__["__mro__"].__get__  # a metaclass cannot override this
SHOW = sys.__excepthook__
# Errors about names, attributes and types. If a library's code raises such an error, the names in
# the error do not belong to the student's code.
OF_NAMES = (NameError, AttributeError, TypeError)
LIBRARIES = frozenset({"math", "matplotlib", "numpy", "torch"})  # a student may misspell these
Trace = TracebackType | None
MAX_FRAMES = 2000
MAX_LINES = 10_000_000
NO_FILE = re.compile(r"^(cannot import name .*) \([^()]*\)$")  # a path does not help a student
OF_A_CALL = re.compile(r"\(\) (?:takes|missing|got an? )")  # messages with the function's name
NO_CHOICES = re.compile(r", but expected one of:.*", re.DOTALL)  # torch lists all arguments


def explain(error: BaseException, labels: Collection[str]) -> Problem:
    step = innermost(error.__traceback__, labels, isinstance(error, RecursionError))
    place = _syntax_place(error, labels) or (_place(step) if step else None)
    if isinstance(error, Unsendable):
        return Problem("unsendable", _cut(error.type, MAX_NAME), said(error), place)
    if isinstance(error, KeyboardNeeded):
        return Problem("keyboard", message=said(error), place=place)
    if isinstance(error, SystemExit):
        return Problem("exited", message=said(error), place=place)
    # built-in classes are recognised by identity, because another class may have the same name
    bases = [BUILT_IN[id(base)] for base in OWN_BASES(type(error)) if id(base) in BUILT_IN]
    absent = error.name if isinstance(error, ImportError) else None
    others = set(labels) - {place.label} if place else set()
    user = innermost(error.__traceback__, others)
    library = _library(step, error) if step and isinstance(error, OF_NAMES) else ""
    return Problem(
        "raised",
        _cut(type(error).__name__, MAX_NAME),
        said(error, "" if library else _suggestion(error, step, others)),
        place,
        names=[_cut(absent, MAX_NAME)] if isinstance(absent, str) else [],
        shapes=_shapes(step) if step else {},
        bases=bases[:MAX_BASES],
        user=_place(user) if user else None,
        library=library,
    )


def said(error: BaseException, name: str = "") -> str:
    """Return an exception's message. For a misspelled name, add a suggestion."""
    try:
        text = str(error.msg if isinstance(error, SyntaxError) else error)
        text = NO_CHOICES.sub("", NO_FILE.sub(r"\1", text))
        return _cut(f"{text} (Did you mean: '{name}'?)" if name else text, MAX_MESSAGE)
    except BaseException:
        return ""


def _suggestion(error: BaseException, step: TracebackType | None, files: Collection[str]) -> str:
    """Return the existing name that the line may mean. If there is none, return ""."""
    stderr, sys.stderr = sys.stderr, io.StringIO()
    try:
        if isinstance(error, ImportError):
            return _importable(error, files)
        if not isinstance(error, NameError | AttributeError) or step is None:
            return ""
        me = step.tb_frame.f_locals.get("self")
        if isinstance(error, NameError) and error.name and hasattr(me, error.name):
            return f"self.{error.name}"
        SHOW(type(error), error, error.__traceback__)
        found = re.findall(r"\. Did you mean: '(\w+)'\?$", sys.stderr.getvalue(), re.MULTILINE)
        return found[-1] if found else ""
    except BaseException:
        return ""
    finally:
        sys.stderr = stderr


def _importable(error: ImportError, files: Collection[str]) -> str:
    absent = re.match(r"cannot import name '(\w+)'", str(error))
    files = {file.removesuffix(".py") for file in files} | (LIBRARIES & sys.modules.keys())
    names = dir(sys.modules.get(error.name or "")) if absent else files
    word = absent[1] if absent else error.name or ""
    return "".join(difflib.get_close_matches(word, sorted(names), n=1, cutoff=0.7))


def _library(step: TracebackType, error: BaseException) -> str:
    inner = step.tb_next
    look_ups = "__getattr__", "__setattr__"  # a look-up belongs to the line itself
    if inner is None or inner.tb_frame.f_code.co_name in look_ups or OF_A_CALL.search(said(error)):
        return ""
    package = str(inner.tb_frame.f_globals.get("__name__", "")).split(".")[0]
    return "" if package == __name__.split(".")[0] else _cut(package, MAX_NAME)


def _cut(text: str, most: int) -> str:
    return text[:most].encode("utf-8", "replace").decode("utf-8")


def _line(number: object) -> int:
    return min(max(number, 0), MAX_LINES) if isinstance(number, int) else 0


def _syntax_place(error: BaseException, labels: Collection[str]) -> CodePlace | None:
    if not isinstance(error, SyntaxError) or error.filename not in labels:
        return None
    raw = str(error.text or "")
    first, last = _line(error.offset) - 1, _line(error.end_offset) - 1
    column, end = _part(raw, first, max(last, first + 1))
    text = _cut(raw.strip(), MAX_LINE)
    return CodePlace(str(error.filename), _line(error.lineno), text, "", column, end)


def innermost(traceback: Trace, labels: Collection[str], again: bool = False) -> Trace:
    """Return the innermost step in the student's code, with `again` in a function that recurs."""
    own, running = None, set()
    for _ in range(MAX_FRAMES):
        if traceback is None:
            break
        code = traceback.tb_frame.f_code
        if code.co_filename in labels and (not again or code in running):
            own = traceback
        running.add(code)
        traceback = traceback.tb_next
    return own


def _place(step: TracebackType) -> CodePlace:
    code = step.tb_frame.f_code
    raw = linecache.getline(code.co_filename, step.tb_lineno)
    function = "" if code.co_name == "<module>" else _cut(code.co_name, MAX_NAME)
    positions = list(code.co_positions())[step.tb_lasti // 2]
    column = end = 0
    if positions[:2] == (step.tb_lineno, step.tb_lineno) and None not in positions:
        first, last = (len(raw.encode()[:byte].decode(errors="replace")) for byte in positions[2:])
        column, end = _part(raw, first, last)
    text = _cut(raw.strip(), MAX_LINE)
    return CodePlace(code.co_filename, _line(step.tb_lineno), text, function, column, end)


def _part(raw: str, first: int, last: int) -> tuple[int, int]:
    text = raw.strip()
    indent = raw.find(text)
    if 0 <= first - indent < last - indent <= len(text):
        return first - indent, last - indent
    return 0, 0


def _shapes(step: TracebackType) -> dict[str, list[int]]:
    local = step.tb_frame.f_locals
    line = linecache.getline(step.tb_frame.f_code.co_filename, step.tb_lineno)
    shapes: dict[str, list[int]] = {}
    for name in re.findall(r"[^\W\d]\w*", line[:1000]):
        if name in local and len(shapes) < MAX_SHAPES:
            try:
                sizes = [int(size) for size in local[name].shape]
            except BaseException:
                continue
            if len(sizes) <= 8 and all(0 <= size < 2**31 for size in sizes):
                shapes[name[:40]] = sizes
    return shapes
