"""Results that are computed once for all submissions that are asked the same."""

import functools
import hashlib
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import msgspec
import numpy as np

from autograder.course.optimisations import is_off

MOST_KEPT = 2000
Given = ParamSpec("Given")
Result = TypeVar("Result")


def memoize(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Keep the results of a function without effects, by the content of its arguments.

    Arguments are numbers, texts, arrays, sequences and maps of such, and functions or classes.
    Arrays in the results cannot be written to.
    """

    if is_off("memoize"):
        return function

    @functools.lru_cache(maxsize=MOST_KEPT)
    def kept(asked: _Asked) -> Result:
        result = function(*asked.args, **asked.kwargs)
        _freeze(result)
        return result

    @functools.wraps(function)
    def ask(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        return kept(_Asked(args, kwargs))

    return ask


class _Asked:
    """Arguments, compared by the content and type of all their numbers."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args = args
        self.kwargs = kwargs
        digest = hashlib.blake2b(digest_size=16)
        _feed(digest.update, (args, kwargs))
        self._digest = digest.digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)


def _feed(update: Callable[[bytes], None], value: Any) -> None:
    if isinstance(value, np.ndarray):
        update(f"array {value.dtype.str} {value.shape}".encode())
        update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, Mapping):
        update(f"map {len(value)}".encode())
        for name, each in value.items():
            _feed(update, name)
            _feed(update, each)
    elif isinstance(value, tuple | list):
        update(f"row {len(value)}".encode())
        for each in value:
            _feed(update, each)
    elif callable(value):  # it is kept with the result, so that no other has its id
        update(f"function {id(value)};".encode())
    else:
        update(f"{type(value).__name__} {value!r};".encode())


def _freeze(value: Any) -> None:
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, tuple | list):
        for each in value:
            _freeze(each)
    elif isinstance(value, Mapping):
        for each in value.values():
            _freeze(each)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            _freeze(getattr(value, name))
