"""A process as it was after the load: for code that keeps nothing, and looked at all the same."""

import builtins
import gc
import operator
import random
from types import FunctionType, ModuleType
from typing import Any

import numpy as np


class Loaded:
    """What a module was when it had been loaded, and the libraries' common random generators."""

    def __init__(self, module: ModuleType) -> None:
        used = [each for each in vars(module).values() if isinstance(each, ModuleType)]
        self._tables = [(vars(each), dict(vars(each))) for each in (builtins, *used)]
        self._module = vars(module)
        self._names = dict(self._module)
        self._parts = [(each, _parts(each)) for each in self._names.values()]
        self._python = random.getstate()
        self._numpy = np.random.get_state(legacy=False)

    def put_back(self) -> bool:
        """Put the generators back, and say whether nothing has another value than it had."""
        self._module.pop("__warningregistry__", None)  # Python's own: which warnings came already
        gc.collect()
        random.setstate(self._python)
        np.random.set_state(self._numpy)
        return (
            _same(self._module, self._names, len(self._names))
            and all(_same(now, then) for now, then in self._tables)
            and all(
                _same(now, then, len(then)) for each, then in self._parts for now in [_parts(each)]
            )
        )


def _parts(value: object) -> dict[str, Any]:
    """What can be set of a function or a class."""
    if isinstance(value, FunctionType):
        own = {"code": value.__code__, "defaults": value.__defaults__, "also": value.__kwdefaults__}
        return own | vars(value)
    return dict(vars(value)) if isinstance(value, type) else {}


def _same(now: dict[str, Any], then: dict[str, Any], count: int | None = None) -> bool:
    """Whether each name still has the very same value; with a `count`, no other has come."""
    if count is not None and len(now) != count:
        return False
    try:
        return all(map(operator.is_, map(now.__getitem__, then), then.values()))
    except KeyError:
        return False
