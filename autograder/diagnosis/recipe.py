"""Recipes: functions in named steps, and misconceptions that replace steps."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np

from autograder.checks.equality import script_results
from autograder.diagnosis.outcome import EXACT, Comparison, Outcome

Step = Callable[[Any], Any]
"""Type of a step: a function that gets the `State` of the call and returns the step's value."""
Hints = tuple[str, str, str] | tuple[()]
"""Type of three hints: a question, the property that the result lacks, and where to look."""
Way = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Alternative:
    """Correct alternative for some steps. Reports never mention an alternative."""

    replaces: Mapping[str, Step]


@dataclass(frozen=True, eq=False)
class Misconception:
    """One mistake, as a wrong version of some steps.

    Attributes:
        id: the name of the mistake. All ways to make the same mistake have the same name.
        finding: a sentence that is true of the student's numbers. The report shows a part in
            braces, `{one}`, only if this mistake alone explains every result. Of `{one|other}`, the
            report then shows `one`, else `other`.
        hints: a question, a rule, and where to look. Without hints, the report shows the hints of
            the failed check. replaces: the wrong steps or arguments, by name.
    """

    id: str
    finding: str
    hints: Hints
    replaces: Mapping[str, Step]


Change = Alternative | Misconception
"""Type of a correct or wrong change. `replaces` maps a recipe's steps or arguments to functions."""


@dataclass(frozen=True, eq=False)
class Family:
    """Mistakes with the same hints, usually in the same step.

    For each mistake, `ways` has a tuple: the finding, and one or more changes that make the
    mistake. A change is a function of the state that replaces the family's step, or a dict from
    names of steps and arguments to functions. If each change needs its own finding, write a list of
    tuples.

        Family(
            "letters",
            ("Which letter of a word counts?", "The first of each word does.", "Take word[0]."),
            {
                "last-letters": ("The last letters are taken.", lambda s: [w[-1] for w in s.words]),
            },
        )

    Attributes:
        target: the name of the replaced step, or None if each change is a dict. If the target is
            the recipe's function, a change is a function with the same arguments.
        hints: a question, a rule, and where to look. Write None if the hints of the checks are
            enough.
        ways: a dict from the name of each mistake to its finding and change.
        means: a function that turns each change into a function of the state, or into a dict of
            such functions.
    """

    target: str | Callable[..., Any] | None
    hints: Hints | None
    ways: Mapping[str, Way | list[Way]]
    means: Callable[[Any], Any] | None = None

    @functools.cached_property
    def misconceptions(self) -> tuple[Misconception, ...]:
        """The misconceptions of the family, in order."""
        return tuple(
            Misconception(name, finding, self.hints or (), self.replaced(change))
            for name, finding, changes in self.said()
            for change in changes
        )

    def said(self) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
        """Yield the name, the finding and the changes of each mistake."""
        for name, ways in self.ways.items():
            for finding, *changes in ways if isinstance(ways, list) else [ways]:
                yield name, finding, tuple(changes)

    def replaced(self, change: Any) -> Mapping[str, Step]:
        """Return a change as a dict from names of replaced steps to new functions."""
        if self.means is not None and isinstance(change, Mapping):
            return {name: self.means(value) for name, value in change.items()}
        name = getattr(self.target, "__name__", None) or str(self.target or "")
        if self.means is not None:
            change = self.means(change)
        elif isinstance(change, type):
            change = constant(change)
        elif callable(self.target) and not isinstance(change, Mapping):
            change = of_arguments(change, self.target)
        return change if isinstance(change, Mapping) else {name: change}

    def only(self, names: Iterable[str]) -> "Family":
        """Return the family with only these mistakes."""
        wanted = set(names)
        return replace(self, ways={name: self.ways[name] for name in self.ways if name in wanted})

    def worded(self, change: Callable[[str], str]) -> "Family":
        """Return copies of the mistakes. `change` rewrites their findings and hints."""
        ways: dict[str, Any] = {}
        for name, finding, changes in self.said():
            ways.setdefault(name, []).append((change(finding), *changes))
        hints: Any = tuple(map(change, self.hints or ()))
        return replace(self, hints=hints, ways=ways)


def of_arguments(change: Callable[..., Any], right: Callable[..., Any]) -> Step:
    """Return a step that calls `change` with the arguments of `right`."""
    names = tuple(inspect.signature(right).parameters)

    def step(state: Any) -> Any:
        return change(*(getattr(state, name) for name in names))

    return step


def constant(value: Any) -> Step:
    """Return a step that always has this value."""
    return lambda _: value


def chosen(families: Iterable[Family], names: str) -> tuple[Family, ...]:
    """Return the families, with only the mistakes in `names`.

    Spaces separate the names. The mistakes keep the order of the families.

    Raises:
        ValueError: a name occurs in no family.
    """
    listed, wanted = tuple(families), set(names.split())
    absent = wanted.difference(*(family.ways for family in listed))
    if absent:
        raise ValueError(f"no family has the mistake {', '.join(sorted(absent))}")
    return tuple(family.only(wanted) for family in listed if not wanted.isdisjoint(family.ways))


def without(families: Iterable[Family], names: str) -> tuple[Family, ...]:
    """Return the families, without the mistakes in `names`.

    Spaces separate the names.

    Raises:
        ValueError: a name occurs in no family.
    """
    listed = tuple(families)
    left_out = {name for family in chosen(listed, names) for name in family.ways}
    return chosen(listed, " ".join({name for family in listed for name in family.ways} - left_out))


class State(SimpleNamespace):
    """Values of a call in progress.

    The attributes are the arguments and the values of finished steps, by name. `given` has the
    names of the passed arguments. `result` is the value of the latest step.
    """

    def __getattr__(self, name: str) -> Any:  # for type checkers: each course has other names
        raise AttributeError(name)


@dataclass(frozen=True)
class LibraryObject:
    """Argument that the student's process makes, such as `numpy.random.default_rng(7)`."""

    target: str
    args: tuple[Any, ...]
    local: Callable[..., Any]

    def here(self) -> Any:
        """Return a new object in this process."""
        return self.local(*self.args)


@dataclass(frozen=True)
class Probe:
    """Arguments of one call. `condition` is the factor by which rounding errors grow in it."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    condition: float = 20.0


@dataclass(frozen=True)
class Trait:
    """Property of calls, such as "with a mask", that may decide whether a result is right.

    `holds` tests the state of a call. It returns None if neither phrase fits the call. `when` is
    the phrase for calls with the property, and `otherwise` is the phrase for other calls. With
    `both_ways`, a report may also say that only calls without the property fail.
    """

    holds: Callable[[Any], bool | None]
    when: str
    otherwise: str
    both_ways: bool = True

    def of(self, state: Any) -> bool | None:
        """Return True if a call with this state has the property."""
        try:
            value = self.holds(state)
            return None if value is None else bool(value)
        except Exception:
            return False


@dataclass(frozen=True)
class Fact:
    """Statement about a result that can be tested.

    `says` is the statement. `holds(state, value)` returns True if the statement is true. `state`
    belongs to the correct call. `value` is the student's array, or a list of arrays for several
    results. With `is_named`, the id of the fact is the name of a misconception.

    If `says` contains {}, `holds` returns the number for this place, such as a factor. For an
    unknown number, `holds` returns NaN. If the statement is false, `holds` raises a ValueError. The
    report makes the statement only if the number is the same for all wrong results, or if one
    formula computes each number from the sizes of its call.
    """

    id: str
    holds: Callable[[Any, Any], bool | float]
    says: str
    is_named: bool = False

    @property
    def has_value(self) -> bool:
        """True if the statement contains a number."""
        return "{}" in self.says


class Caller(Protocol):
    """Way to call a student's code, if a plain call is not enough."""

    def ask(self, submission: Any, recipe: "Recipe", probe: Probe) -> Any:
        """Return the student's result, as plain data."""

    def simulated(self, recipe: "Recipe", original: Any, wrong: Iterable[Change]) -> Any:
        """Return a stand-in for the student's code, with the mistakes in `wrong`.

        `original` is the solution's function or class of the same name.
        """


@dataclass(frozen=True)
class ScriptCaller:
    """Caller of a plain class. It makes an object and calls the methods of a script."""

    def ask(self, submission: Any, recipe: "Recipe", probe: Probe) -> Any:
        return script_results(getattr(submission, recipe.function), probe.args[0])

    def simulated(self, recipe: "Recipe", original: Any, wrong: Iterable[Change]) -> Any:
        """Return the wrong class of the last mistake."""
        classes = [change.replaces[recipe.function](None) for change in wrong]
        return classes[-1] if classes else original


@dataclass(frozen=True)
class Recipe:
    """A function of an exercise, with its correct steps and its mistakes.

    Attributes:
        of: the correct function, a plain class, or the name of a torch class. For a plain class,
            each probe is a `Script`, and each mistake is a wrong class.
        probes: a function that yields calls, small calls first. A call is a tuple of arguments or a
            `Probe`. The function has one parameter: `rng`, a random generator, or `draw`, the
            number of the draw. All draws must have the same kinds of calls.
        families: the mistakes. A dict with the form of `Family.ways` counts as one family without
            hints.
        steps: an ordered dict from step names to functions. The value of the last step is the
            result. Without steps, the whole function is one step.
        parameters: the names of the parameters, in order. By default, the parameters of `of`, or of
            a `ModuleCaller`.
        defaults: the default values of optional parameters. By default, the default values in `of`.
        alternatives: other correct ways to do some steps, such as a fill of −1e9 instead of −∞.
            Each alternative is a dict from step names to functions.
        traits: properties of calls that may decide whether a result is right.
        facts: statements to test if no misconception fits, most useful first.
        results: the names of several results in sentences, in order.
        labels: the names of the steps' values in sentences, such as `{"total": "the total"}`. A
            label may also replace an argument's name. The diagnosis also tries to leave out, repeat
            or change a step that has a label.
        axes: a function that returns the sizes of a call by name, such as `{"L_q": 3, "d_k": 4}`.
            Sentences use these names.
        caller: the way to call student's code that needs more than a plain call, such as a class.
        comparison: the way to compare results.
        fingerprints: mistakes without code. Only their wrong results are recorded.
        fallbacks: mistakes of other exercises, to try if no mistake of this function fits.
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
            self._set("families", (Family(whole, None, self.families),))
        self._set("parameters", self.parameters or getattr(self.caller, "parameters", ()))
        if isinstance(self.of, type):
            self._set("parameters", ("script",))
            results = lambda state: script_results(getattr(state, self.function), state.script)  # noqa: E731
            self._set("steps", {self.function: constant(self.of), "results": results})
            self._set("caller", self.caller or ScriptCaller())
        elif not isinstance(self.of, str):
            known = inspect.signature(self.of).parameters
            optional = {name: p.default for name, p in known.items() if p.default is not p.empty}
            self._set("parameters", self.parameters or tuple(known))
            self._set("defaults", self.defaults or optional)
            self._set("steps", self.steps or {self.function: of_arguments(self.of, self.of)})

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def function(self) -> str:
        return str(getattr(self.of, "__name__", self.of))

    @functools.cached_property
    def misconceptions(self) -> tuple[Misconception, ...]:
        """The misconceptions of the function, in order."""
        families: Iterable[Any] = self.families
        own = (misconception for family in families for misconception in family.misconceptions)
        return (*own, *self.fingerprints)

    def calls(self, draw: int) -> list[Probe]:
        """Return the probes of one draw. Exceptions of the course's function are not caught."""
        drawn = self.drawn(draw)
        return [probe if isinstance(probe, Probe) else Probe(tuple(probe)) for probe in drawn]

    def drawn(self, draw: int) -> Iterable[Any]:
        """Return the calls that the course's function `probes` gives for one draw."""
        by_rng = "rng" in inspect.signature(self.probes).parameters
        return self.probes(np.random.default_rng(draw) if by_rng else draw)

    def run(self, probe: Probe, changes: Iterable[Change] = ()) -> Any:
        """Return the result of a call of the recipe with these changes."""
        return self.trace(probe, changes).result

    def trace(self, probe: Probe, changes: Iterable[Change] = ()) -> Any:
        """Return the state of a call with these changes: arguments, steps' values and `result`.

        A wrong step may raise any exception for some inputs.
        """
        replaced = {name: step for change in changes for name, step in change.replaces.items()}
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
        """Return the probe as the student's function gets it, with optional arguments by name."""
        plain = sum(name not in self.defaults for name in self.parameters[: len(probe.args)])
        named = dict(zip(self.parameters[plain:], probe.args[plain:], strict=False))
        return replace(probe, args=probe.args[:plain], kwargs={**named, **probe.kwargs})

    def arguments(self, probe: Probe) -> Any:
        """Return a call's state before the first step. It contains only the arguments."""
        given = dict(zip(self.parameters, probe.args, strict=False)) | dict(probe.kwargs)
        arguments = {
            name: value.here() if isinstance(value, LibraryObject) else value
            for name, value in {**self.defaults, **given}.items()
        }
        return State(given=frozenset(given), **arguments)

    def right(self, probe: Probe, changes: Iterable[Change] = ()) -> Any:
        """Return a correct call's state. If a step raises, it contains only the arguments."""
        try:
            return self.trace(probe, changes)
        except Exception:
            return self.arguments(probe)


RETURNED = "returned"


def fit_together(first: Change, second: Change) -> bool:
    """Return True if two changes replace different steps, so that they can be combined."""
    return not set(first.replaces) & set(second.replaces)


def no_input_causes(error: BaseException) -> bool:
    """Return True if this exception is an authoring error: no input can cause it."""
    if isinstance(error, AttributeError):
        return isinstance(error.obj, State)
    return isinstance(error, NameError | ImportError | SyntaxError)


@dataclass(frozen=True, eq=False)
class Fingerprint(Misconception):
    """Misconception without code, known only by its results for the probes, in order.

    A fingerprint replaces the whole function, so it is never combined with another change.
    """

    outcomes: tuple[Outcome, ...] = ()

    def outcome(self, index: int) -> Outcome:
        """Return the recorded result for a probe."""
        return self.outcomes[index] if index < len(self.outcomes) else Outcome("was not recorded")
