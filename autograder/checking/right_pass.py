"""The course's own torch module, called with what a submission's is called with."""

import functools
import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autograder.worker.codec import Tensor
from autograder.worker.messages import Forward, Passed
from autograder.worker.module_calls import run_module

MOST_KEPT = 2000
State = Mapping[str, Any]


def right_pass(
    build: Callable[..., Any],
    made_with: tuple[Any, ...],
    inputs: tuple[Any, ...],
    state: State,
    toward: tuple[Any, ...] | None = None,
) -> Passed:
    """The same pass of a module of the course's own, in float64, here in this process.

    Most submissions are asked the same: what was computed is kept, and cannot be written to.
    """
    return _kept_pass(build, _Same((made_with, inputs, dict(state), toward)))


class _Same:
    """Arguments that are the same where all their numbers are, and of the same types."""

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.values = values
        digest = hashlib.blake2b(digest_size=16)
        _feed(digest.update, values)
        self._digest = digest.digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._digest == other._digest

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
    else:
        update(f"{type(value).__name__} {value!r};".encode())


@functools.lru_cache(maxsize=MOST_KEPT)
def _kept_pass(build: Callable[..., Any], asked: _Same) -> Passed:
    import torch

    made_with, inputs, state, toward = asked.values

    def tensor(value: Any) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        found = torch.from_numpy(np.array(value))
        return found.double() if found.is_floating_point() else found

    forward = Forward(
        {name: tensor(value) for name, value in state.items()},
        [tensor(value) for value in inputs],
        toward=None if toward is None else [tensor(each) for each in toward],
    )
    with torch.random.fork_rng(devices=[]):
        passed = run_module(lambda *args: build(*args).double(), list(made_with), {}, forward)
    passed.value = _read_only(_arrays(passed.value))
    passed.gradients = {name: _read_only(_arrays(each)) for name, each in passed.gradients.items()}
    return passed


def _arrays(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_arrays(each) for each in value]
    return None if value is None else value.detach().numpy().view(Tensor)


def _read_only(value: Any) -> Any:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, np.ndarray):
            each.flags.writeable = False
    return value
