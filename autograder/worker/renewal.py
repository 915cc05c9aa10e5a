"""A process as it was after the load: for code that keeps nothing, and looked at all the same."""

import builtins
import random
import sys
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
        self._torch = _torch_generator().get_state() if "torch" in sys.modules else None

    def put_back(self) -> bool:
        """Put the generators back, and say whether nothing has another value than it had."""
        random.setstate(self._python)
        np.random.set_state(self._numpy)
        if self._torch is not None:
            _torch_generator().set_state(self._torch)
        return (
            _same(self._module, self._names, len(self._names))
            and all(_same(now, then) for now, then in self._tables)
            and all(
                _same(now, then, len(then)) for each, then in self._parts for now in [_parts(each)]
            )
        )


def _torch_generator() -> Any:
    return sys.modules["torch"].default_generator


def _parts(value: object) -> dict[str, Any]:
    """What can be set of a function or a class."""
    if isinstance(value, FunctionType):
        own = {"code": value.__code__, "defaults": value.__defaults__, "also": value.__kwdefaults__}
        return own | vars(value)
    return dict(vars(value)) if isinstance(value, type) else {}


def _same(now: dict[str, Any], then: dict[str, Any], count: int | None = None) -> bool:
    """Whether each name still has the very same value; with a `count`, no other has come."""
    return (count is None or len(now) == count) and all(
        now.get(name, then) is value for name, value in then.items()
    )
