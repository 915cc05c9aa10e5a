"""RecordedAnswers of the reference, recorded while checks ask for them."""

import contextlib
import importlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from autograder.checking.right_pass import right_pass
from autograder.recorded.packing import RecordedAnswers, packed_value
from autograder.recorded.sketch import Sketch, pass_asked, refuse_code
from autograder.untold import NotToldHere
from autograder.worker.codec import Tensor
from autograder.worker.messages import Passed


class Recorder:
    """The reference of a course, which notes what it is asked and what it answers.

    Made while the course's packages are importable; `modules` are those to load then.
    """

    def __init__(self, reference: str, modules: Iterable[str] = ()) -> None:
        self._modules = {"": importlib.import_module(reference)}
        for name in modules:
            with contextlib.suppress(ModuleNotFoundError):
                self._modules[name] = importlib.import_module(f"{reference}.{name}")
        self.constants: dict[str, bytes] = {}
        self.functions: dict[str, RecordedAnswers] = {}
        self.values: dict[bytes, int] = {}
        self._known: dict[tuple[str, bytes], list[Any]] = {}
        self._found: dict[str, Any] = {}

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the function of that name gives; noted, if question and answer are plain data.

        Raises:
            NotToldHere: they are not, so a released check cannot ask that either.
        """
        asked = Sketch((args, kwargs))
        function = self._named(name)
        if not callable(function):
            raise NotToldHere
        value = function(*args, **kwargs)
        refuse_code(value)
        self._note(name, asked, value)
        return value

    def passed(
        self,
        name: str,
        made_with: tuple[Any, ...],
        inputs: tuple[Any, ...],
        state: Mapping[str, Any],
        toward: tuple[Any, ...] | None,
    ) -> Passed:
        """A pass of the course's own module, noted."""
        build = self._named(name)
        passed = right_pass(build, made_with, inputs, state, toward)
        self._note(name, pass_asked(made_with, inputs, state, toward), _plain(passed))
        return passed

    def constant(self, name: str) -> Any:
        """A text or a number, or several in a row, of that name; noted."""
        value = self._named(name)
        if not is_constant(value):
            return None
        self.constants[name] = packed_value(value)
        return value

    def _named(self, name: str) -> Any:
        if name not in self._found:
            module, _, last = name.rpartition(".")
            self._found[name] = getattr(self._modules.get(module), last, None)
        return self._found[name]

    def _note(self, name: str, asked: Sketch, value: Any) -> None:
        known = self._known.setdefault((name, asked.kind), [])
        if any(asked.is_close(sums[np.newaxis])[0] for sums in known):
            return
        known.append(asked.sums)
        data = packed_value(value)
        place = self.values.setdefault(data, len(self.values))
        answers = self.functions.setdefault(name, RecordedAnswers())
        answers.kinds.append(asked.kind)
        answers.sums += asked.sums.astype("<f8").tobytes()
        answers.values.append(place)


def named(reference: str, name: str) -> Any:
    """What the reference has under a dotted name; None where it has nothing."""
    module, _, last = name.rpartition(".")
    try:
        found = importlib.import_module(f"{reference}.{module}".rstrip("."))
    except ModuleNotFoundError:
        return None
    return getattr(found, last, None)


def is_constant(value: Any) -> bool:
    """Whether it is a text, a number, or a row of such."""
    if isinstance(value, tuple):
        return all(isinstance(each, str | int | float) for each in value)
    return isinstance(value, str | int | float)


def _plain(passed: Passed) -> dict[str, Any]:
    return {"value": _arrays(passed.value), "gradients": _arrays(passed.gradients)}


def _arrays(value: Any) -> Any:
    """Values of a pass are in float64; float32 is all that a student's answers can tell."""
    if isinstance(value, dict):
        return {name: _arrays(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_arrays(each) for each in value]
    return np.asarray(value).view(Tensor) if isinstance(value, np.ndarray) else value
