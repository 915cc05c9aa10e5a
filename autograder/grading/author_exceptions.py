"""Conversion of exceptions to authoring errors or internal errors."""

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

from autograder.course.authoring_errors import AuthoringError
from autograder.course.errors import UserError
from autograder.course.installation import engine_folder
from autograder.course.text import nearest, one_line
from autograder.sandbox.child import InternalError

_NOT_IN_MODULE = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")
_ARGUMENT = re.compile(r"([\w.]+)\(\) got an unexpected keyword argument '(\w+)'")
MAX_MESSAGE = 300


def as_authoring_error(
    error: BaseException, folders: Sequence[Path], path: Path, doing: str, line: int = 1
) -> AuthoringError:
    """Return the authoring error for an exception.

    The error's place is the innermost line of the traceback in `folders`. Without such a line, the
    place is `path` and `line`.
    """
    place = innermost(error, folders) or (path, line)
    if isinstance(error, SyntaxError) and _within(Path(error.filename or ""), folders):
        place = Path(error.filename or ""), error.lineno or 1
    return AuthoringError(*place, f"{doing}: {explained(error)}")


def as_internal_error(error: Exception) -> InternalError:
    """Return the internal error for an exception. A `UserError` is raised unchanged."""
    if isinstance(error, InternalError):
        return error
    if isinstance(error, UserError):
        raise error
    engine = engine_folder()
    place = innermost(error, [engine])
    where = f", in line {place[1]} of {place[0].relative_to(engine)}" if place else ""
    return InternalError(f"{explained(error).rstrip('.')}{where}")


def innermost(error: BaseException, folders: Sequence[Path]) -> tuple[Path, int] | None:
    steps = [
        (Path(f.f_code.co_filename), line) for f, line in traceback.walk_tb(error.__traceback__)
    ]
    inside = [step for step in steps if _within(step[0], folders)]
    return inside[-1] if inside else None


def _within(path: Path, folders: Sequence[Path]) -> bool:
    return any(folder in path.parents for folder in folders)


def explained(error: BaseException) -> str:
    """Return a sentence about an exception, with the name that the author may have meant."""
    message = error.msg if isinstance(error, SyntaxError) else _message(error)
    kind = type(error).__name__
    text = one_line(f"{kind}: {message}" if message else kind, MAX_MESSAGE).rstrip(".")
    near = _meant(error)
    return f"{text}; did you mean `{near}`?" if near else f"{text}."


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # an exception class that the author wrote may fail here
        return ""


def _meant(error: BaseException) -> str:
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if isinstance(error, NameError) and error.name:
        names = [*frames[-1].f_locals, *frames[-1].f_globals] if frames else []
        return nearest(error.name, [*names, *dir(builtins)])
    if isinstance(error, AttributeError) and error.name:
        return nearest(error.name, names_of(error.obj))
    if isinstance(error, ModuleNotFoundError) and error.name:
        parent, _, last = error.name.rpartition(".")
        near = nearest(last, modules_in(parent))
        return f"{parent}.{near}".lstrip(".") if near else ""
    if isinstance(error, ImportError) and (match := _NOT_IN_MODULE.search(_message(error))):
        return nearest(match[1], names_of(sys.modules.get(match[2])))
    if isinstance(error, TypeError) and (match := _ARGUMENT.search(_message(error))):
        name = match[1].removesuffix(".__init__").rpartition(".")[2]
        return nearest(match[2], _parameters([frame.f_globals.get(name) for frame in frames]))
    return ""


def _parameters(values: Sequence[object]) -> list[str]:
    for function in filter(callable, values):
        with contextlib.suppress(TypeError, ValueError):
            return list(inspect.signature(function).parameters)
    return []


def names_of(value: object) -> list[str]:
    return [name for name in dir(value) if not name.startswith("_")]


def modules_in(package: str) -> list[str]:
    with contextlib.suppress(ImportError, ValueError, AttributeError):
        spec = importlib.util.find_spec(package) if package else None
        places = spec.submodule_search_locations if spec is not None else None
        return [module.name for module in pkgutil.iter_modules(places or [])]
    return []
