"""Functions in another process, called through the judge.

A student's code can call such a function, but cannot read its source. No call can use anything from
an earlier call. The states of random generators are sent with the call, and sent back with the
result.
"""

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from .messages import Callback, Request
from .serialise import GENERATOR, Unsendable, generator_state, serialised

BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
MT19937_WORDS = 624


class RemoteFunction:
    """Function in another process. A call changes nothing except the states of generators."""

    __slots__ = ("__name__", "_ask_judge", "_number")

    def __init__(self, ask_judge: Callable[[Callback], Request], number: int) -> None:
        self._ask_judge = ask_judge
        self._number = number
        self.__name__ = "implementation"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # the module `numpy.random` stands for the generator that it uses
        given = [*args, *kwargs.values()]
        given = [np.random.mtrand._rand if arg is np.random else arg for arg in given]
        try:
            sent = [serialised(arg) for arg in given]
        except Unsendable as error:
            raise TypeError(
                f"{self.__name__} was called with {error}; it can be given numbers, arrays and "
                f"NumPy's random generators"
            ) from None
        named = dict(zip(kwargs, sent[len(args) :], strict=True))
        answer = self._ask_judge(Callback(self._number, sent[: len(args)], named))
        if answer.target:
            raise _exception(answer.target, str(answer.args[0]))
        value, *states = answer.args
        for arg, state in zip(given, states, strict=True):
            if isinstance(arg, np.random.Generator | np.random.RandomState) and state is not None:
                put_state(arg, state[GENERATOR])
        return tuple(value) if isinstance(value, list) else value


def _exception(kind: str, message: str) -> Exception:
    for place in (builtins, np.exceptions, np.linalg):
        found = getattr(place, kind, None)
        if isinstance(found, type) and issubclass(found, Exception):
            try:
                return found(message)
            except TypeError:
                break
    return RuntimeError(f"{kind}: {message}")


def is_generator(value: Any) -> bool:
    return isinstance(value, dict) and GENERATOR in value


def make_generator(state: Any) -> Any:
    """Return a random generator with a state from `generator_state`.

    For an invalid state, raise a ValueError. NumPy would accept the state and read foreign memory.
    """
    legacy, kind = bool(state["legacy"]), state["bit_generator"]
    if kind not in BIT_GENERATORS:
        raise ValueError("not a state of one of NumPy's generators")
    made = getattr(np.random, kind)(0)
    generator = np.random.RandomState(made) if legacy else np.random.Generator(made)
    put_state(generator, state)
    return generator


def put_state(generator: Any, state: Any) -> None:
    """Set a generator to a state. If the state does not fit, raise ValueError."""
    kind = state["bit_generator"]
    plain = {key: value for key, value in state.items() if key != "legacy"}
    if kind == "MT19937":
        inner = plain["state"]
        key = np.array(inner["key"], np.uint32)
        if key.shape != (MT19937_WORDS,) or not 0 <= int(inner["pos"]) <= MT19937_WORDS:
            raise ValueError("not a state of this generator")
        plain["state"] = {"key": key, "pos": int(inner["pos"])}
    if isinstance(generator, np.random.RandomState):
        generator.set_state(plain)
    elif generator_state(generator)["bit_generator"] != kind:
        raise ValueError("a state of another kind of generator")
    else:
        generator.bit_generator.state = plain
