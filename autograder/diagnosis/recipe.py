"""Recipes: functions in named steps, with the wrong versions of some steps."""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np

from autograder.diagnosis.misconceptions import (
    Change,
    Family,
    Misconception,
    Step,
    Way,
    of_arguments,
)
from autograder.diagnosis.outcome import EXACT, Comparison, Outcome


class State(SimpleNamespace):
    """Call in progress: its arguments by name, then each step's value by the step's name.

    `given` has the names of the arguments passed, and `result` is the value of the last step.
    """

    def __getattr__(self, name: str) -> Any:  # for type checkers: courses set the names
        raise AttributeError(name)


@dataclass(frozen=True)
class LibraryObject:
    """Argument that is made in the function's process, such as `numpy.random.default_rng(7)`."""

    target: str
    args: tuple[Any, ...]
    local: Callable[..., Any]

    def here(self) -> Any:
        """Return the object, made in this process for a replay."""
        return self.local(*self.args)


@dataclass(frozen=True)
class Probe:
    """Arguments of one call; `condition` is how much the problem magnifies rounding."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    condition: float = 20.0


@dataclass(frozen=True)
class Trait:
    """A property of a call that often decides whether code is correct, such as "with a mask".

    Without `both_ways`, calls without the property may be wrong for other reasons, so no sentence
    is about them: large numbers may hide a mistake with small ones.
    """

    holds: Callable[[Any], bool]
    when: str
    otherwise: str
    both_ways: bool = True

    def of(self, state: Any) -> bool:
        """Return True if a call has the property; False if it makes no sense for the call."""
        try:
            return bool(self.holds(state))
        except Exception:
            return False


@dataclass(frozen=True)
class Fact:
    """A testable statement about an answer; if `holds` returns true, `says` is true.

    `holds` gets the state of the correct call and the student's value. The value is an array, or a
    list of arrays for several results; a value without numbers stays as it is. With `is_named`, the
    fact's id is the name of a misconception.

    If `says` has a {}, the fact has a value. `holds` returns the number, such as the factor between
    the student's scores and the correct ones. It returns NaN if the number is unknown, and raises a
    ValueError if the statement is false. The report says it if all wrong answers give one number,
    or one expression in the sizes of the calls.
    """

    id: str
    holds: Callable[[Any, Any], bool | float]
    says: str
    is_named: bool = False

    @property
    def has_value(self) -> bool:
        """True if the fact is about a number."""
        return "{}" in self.says


class Caller(Protocol):
    """A special way to call the student's code."""

    def ask(self, submission: Any, recipe: "Recipe", probe: Probe) -> Any:
        """Return the student's result, as plain data."""

    def simulated(self, recipe: "Recipe", original: Any, wrong: Iterable[Change]) -> Any:
        """Return a stand-in for the student's code, with these changes.

        `original` is what the solution has under that name.
        """


@dataclass(frozen=True)
class Recipe:
    """A function of an exercise, with its correct steps and its mistakes.

    Attributes:
        of: the correct function; or its name, if it cannot be called with its arguments, as for a
            class.
        probes: yields calls that distinguish misconceptions, small ones first. Each is a tuple of
            arguments or a `Probe`. Its parameter is `rng`, a random generator, or `draw`, the
            number of the draw. Each draw has the same kinds of calls.
        families: its mistakes. A dict of ways is one family without hints: of the whole function,
            or of the steps that each way names.
        steps: its steps, in order; the last step's value is the result. Without steps, the whole
            function is one step.
        parameters: the names of its parameters, in order; those of the function if not given.
        defaults: default values of optional parameters; those of the function if not given.
        alternatives: other correct steps, which can appear together with a misconception: for
            example, a fill of −1e9 instead of −∞. Each is a set of steps by name.
        traits: properties of calls that may decide whether an answer is correct.
        facts: statements to test if no misconception matches, the most useful first.
        results: the names of several results in a sentence, in order.
        labels: names of steps' values in sentences: `{"total": "the total"}`; also of arguments, if
            their own names do not fit. If no mistake fits, the diagnosis also tries generic changes
            of these steps: omitted, repeated, or with another value.
        axes: the sizes of a call by name, for texts: `{"L_q": 3, "d_k": 4}`.
        caller: the way to call the student's code, if it is not a plain call: for example, a class.
        comparison: the comparison of its results.
        fingerprints: mistakes whose answers are known, but not their code; see `Fingerprint`.
        fallbacks: mistakes of other exercises that can be made here too. The diagnosis tries them
            only if no other one fits.
    """

    of: str | Callable[..., Any]
    probes: Callable[[Any], Iterable[Probe | tuple[Any, ...]]]
    families: Sequence[Family] | Mapping[str, Way | list[Way]] = ()
    steps: Mapping[str, Step] = field(default_factory=dict)
    parameters: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    alternatives: tuple[Mapping[str, Step], ...] = ()
    traits: tuple[Trait, ...] = ()
    facts: tuple[Fact, ...] = ()
    results: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    axes: Callable[[Any], Mapping[str, int]] = lambda _: {}
    caller: Caller | None = None
    comparison: Comparison = EXACT
    fingerprints: tuple[Misconception, ...] = ()
    fallbacks: tuple[Misconception, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.families, Mapping):
            whole = None if self.steps or isinstance(self.of, str) else self.of
            object.__setattr__(self, "families", (Family(whole, (), self.families),))
        if not isinstance(self.of, str) and callable(self.of):
            known = inspect.signature(self.of).parameters
            taken = {name: p.default for name, p in known.items() if p.default is not p.empty}
            known_values = {
                "parameters": tuple(known),
                "defaults": taken,
                "steps": {self.function: of_arguments(self.of, self.of)},
            }
            for name, value in known_values.items():
                object.__setattr__(self, name, getattr(self, name) or value)

    @property
    def function(self) -> str:
        """Its name."""
        return str(getattr(self.of, "__name__", self.of))

    @functools.cached_property
    def misconceptions(self) -> tuple[Misconception, ...]:
        """Its misconceptions, in order."""
        families: Iterable[Any] = self.families
        own = tuple(misconception for family in families for misconception in family.misconceptions)
        return own + self.fingerprints

    def calls(self, draw: int) -> list[Probe]:
        """Return the probes of one draw.

        Raises:
            Exception: any exception of the course's function.
        """
        drawn = self.drawn(draw)
        return [probe if isinstance(probe, Probe) else Probe(tuple(probe)) for probe in drawn]

    def drawn(self, draw: int) -> Iterable[Any]:
        """Return the results of the course's function for a draw."""
        by_rng = "rng" in inspect.signature(self.probes).parameters
        return self.probes(np.random.default_rng(draw) if by_rng else draw)

    def run(self, probe: Probe, changes: Iterable[Change] = ()) -> Any:
        """Return the result of a call with these changes."""
        return self.trace(probe, changes).result

    def trace(self, probe: Probe, changes: Iterable[Change] = ()) -> Any:
        """Return all values of a call: arguments, steps, `result`.

        Raises:
            Exception: any exception of a step; a mistake may raise for some inputs.
        """
        replaced: dict[str, Step] = {}
        for change in changes:
            replaced |= change.replaces
        state = self.arguments(probe)
        with np.errstate(all="ignore"):
            given = {name: replaced[name](state) for name in self.parameters if name in replaced}
            vars(state).update(given)
            for name, step in self.steps.items():
                state.result = replaced.get(name, step)(state)
                setattr(state, name, state.result)
            if RETURNED in replaced:
                state.result = replaced[RETURNED](state)
        return state

    def as_called(self, probe: Probe) -> Probe:
        """Return the call as the student's code receives it, with the defaults passed by name."""
        plain = sum(name not in self.defaults for name in self.parameters[: len(probe.args)])
        named = dict(zip(self.parameters[plain:], probe.args[plain:], strict=False))
        return replace(probe, args=probe.args[:plain], kwargs={**named, **probe.kwargs})

    def arguments(self, probe: Probe) -> Any:
        """Return the state of a call before its first step."""
        given = dict(zip(self.parameters, probe.args, strict=False)) | dict(probe.kwargs)
        arguments = {**self.defaults, **given}
        for name, value in arguments.items():
            if isinstance(value, LibraryObject):
                arguments[name] = value.here()
        return State(given=frozenset(given), **arguments)

    def right(self, probe: Probe) -> Any:
        """Return the state of the correct call; only its arguments if the correct code raises."""
        try:
            return self.trace(probe)
        except Exception:
            return self.arguments(probe)


RETURNED = "returned"


def fit_together(first: Change, second: Change) -> bool:
    """Return True if two changes can be combined: they touch different steps."""
    return not set(first.replaces) & set(second.replaces)


def no_input_causes(error: BaseException) -> bool:
    """Return True if an exception is the author's error, whatever the arguments.

    A mistake may raise for some inputs, but an undefined name, for example, is the author's error.
    """
    if isinstance(error, AttributeError):
        return isinstance(error.obj, State)
    return isinstance(error, NameError | ImportError | SyntaxError)


@dataclass(frozen=True, eq=False)
class Fingerprint(Misconception):
    """Misconception that is known only by its answer to each probe, in order.

    It stands for the whole function, so it combines with no other mistake or alternative.
    """

    outcomes: tuple[Outcome, ...] = ()

    def outcome(self, index: int) -> Outcome:
        """Return its answer to a probe; for a new probe, an outcome that matches nothing."""
        known = index < len(self.outcomes)
        return self.outcomes[index] if known else Outcome("was not recorded")
