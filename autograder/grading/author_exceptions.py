"""Exceptions of a course's own code as authoring errors: where, and which word was meant."""

import builtins
import contextlib
import importlib.util
import inspect
import pkgutil
import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder.course.authoring_errors import AuthoringError
from autograder.course.text import nearest, one_line
from autograder.diagnosis.recipe import State

_NOT_IN_MODULE = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")
_ARGUMENT = re.compile(r"([\w.]+)\(\) got an unexpected keyword argument '(\w+)'")
MAX_SAID = 300


def as_authoring_error(
    error: BaseException, folders: Sequence[Path], path: Path, doing: str, line: int = 1
) -> AuthoringError:
    """Return the error for an exception, at its innermost line in one of the course's folders.

    `doing` is the start of the sentence, "the checks cannot be loaded". Where no line of the
    course had a part in it, `path` and `line` stand in.
    """
    if isinstance(error, SyntaxError) and error.filename and _within(error.filename, folders):
        return AuthoringError(
            Path(error.filename), error.lineno or 1, f"{doing}: {explained(error)}"
        )
    found = innermost(error, folders)
    return AuthoringError(*(found or (path, line)), f"{doing}: {explained(error)}")


def innermost(error: BaseException, folders: Sequence[Path]) -> tuple[Path, int] | None:
    """Return file and line of the innermost step in one of these folders."""
    found = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if _within(frame.f_code.co_filename, folders):
            found = Path(frame.f_code.co_filename), line
    return found


def _within(name: str, folders: Sequence[Path]) -> bool:
    return any(folder in Path(name).parents for folder in folders)


def explained(error: BaseException) -> str:
    """Return the exception in words, with the name that was probably meant."""
    said = error.msg if isinstance(error, SyntaxError) else _text(error)
    kind = type(error).__name__
    text = one_line(f"{kind}: {said}" if said else kind, MAX_SAID).rstrip(".")
    near = _meant(error)
    return f"{text}; did you mean `{near}`?" if near else f"{text}."


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # an exception of the author's own making
        return ""


def _meant(error: BaseException) -> str:
    word: str = ""
    known: list[str] = []
    if isinstance(error, NameError) and error.name:
        word, known = error.name, [*_frame_names(error), *dir(builtins)]
    elif isinstance(error, AttributeError) and error.name:
        word, known = error.name, names_of(error.obj)
    elif isinstance(error, ModuleNotFoundError) and error.name:
        parent, _, last = error.name.rpartition(".")
        word, known = last, modules_in(parent)
        near = nearest(word, known)
        return f"{parent}.{near}".lstrip(".") if near else ""
    elif isinstance(error, ImportError) and (found := _NOT_IN_MODULE.search(_text(error))):
        word, known = found[1], names_of(sys.modules.get(found[2]))
    elif isinstance(error, TypeError) and (found := _ARGUMENT.search(_text(error))):
        word, known = found[2], _parameters(error, found[1].removesuffix(".__init__"))
    return nearest(word, known)


def names_of(value: object) -> list[str]:
    """The public names of an object; of a state of a recipe, its steps and arguments."""
    names = vars(value) if isinstance(value, State) else dir(value)
    return [name for name in names if not name.startswith("_")]


def modules_in(package: str) -> list[str]:
    """The modules of a package; nothing where there is no such package."""
    with contextlib.suppress(ImportError, ValueError, AttributeError):
        spec = importlib.util.find_spec(package) if package else None
        places = spec.submodule_search_locations if spec is not None else None
        return [each.name for each in pkgutil.iter_modules(places or [])]
    return []


def _frames(error: BaseException) -> list[Any]:
    return [frame for frame, _ in traceback.walk_tb(error.__traceback__)]


def _frame_names(error: BaseException) -> list[str]:
    frame = _frames(error)[-1:]
    return [*frame[0].f_locals, *frame[0].f_globals] if frame else []


def _parameters(error: BaseException, name: str) -> list[str]:
    """The parameters of what a frame of the traceback calls by that name."""
    for frame in _frames(error):
        found = frame.f_globals.get(name.rpartition(".")[2])
        if callable(found):
            with contextlib.suppress(TypeError, ValueError):
                return list(inspect.signature(found).parameters)
    return []
