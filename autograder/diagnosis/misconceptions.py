"""Misconceptions: what is done wrong, as code, with what a student reads of it."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

Step = Callable[[Any], Any]
"""Type of a step: a function of the `State`, with the arguments and all earlier steps by name."""
Hints = tuple[str, str, str] | tuple[()]
"""Type of hints: a question that points, the property that fails, where it is and what to do."""
Way = tuple[Any, ...]


class Change(Protocol):
    """Steps or arguments that are done another way, rightly or not, by name."""

    @property
    def replaces(self) -> Mapping[str, Step]:
        """The function that replaces each step or argument, by its name."""


@dataclass(frozen=True, eq=False)
class Alternative:
    """Another right way to do some steps: a change that nobody is told of."""

    replaces: Mapping[str, Step]


@dataclass(frozen=True, eq=False)
class Misconception:
    """One wrong way to do something, which can be run.

    Attributes:
        id: what the mistake is called; ways of one mistake share it.
        finding: a sentence that states what the student's numbers are those of. `{One part}` of it
            is said only where this mistake alone gives every answer, `{one|another}` has other
            words elsewhere: `{Right for small numbers; large ones|Large numbers} overflow.`
        hints: a question that points; the property that fails; where it is and what to do. Where
            there are none, those of the check that failed are shown.
        replaces: the steps (or arguments) that are done wrong, by name.
    """

    id: str
    finding: str
    hints: Hints
    replaces: Mapping[str, Step]


@dataclass(frozen=True, eq=False)
class Family:
    """Mistakes that the same hints help with, most of them made in the same step.

    A way to make a mistake is its finding and a change. A change is what stands in place of the
    family's step: a function of the state. Where it is a dict, it has such a function for each of
    several steps or arguments, by name. Several changes after one finding are several ways to make
    the same mistake; a list of ways, each with a finding of its own, is that too.

        Family(
            "letters",
            ("Which letter of a word counts?", "The first of each word does.", "Take word[0]."),
            {
                "last-letters": ("The last letters are taken.", lambda s: [w[-1] for w in s.words]),
            },
        )

    Attributes:
        target: the name of the step that is replaced; None where each change is a dict. The
            function itself, where it is the whole recipe: a change then is another function of
            the same arguments.
        hints: a question that points; the property that fails; where it is and what to do. None,
            where those of the checks say enough.
        ways: for the name of each mistake, what is said of it and how it is made.
        means: what a change stands for, where it is no function of the state: it makes one of it,
            or a dict of such functions. In a dict of changes it is asked for each.
    """

    target: str | Callable[..., Any] | None
    hints: Hints
    ways: Mapping[str, Way | list[Way]]
    means: Callable[[Any], Any] | None = None

    @functools.cached_property
    def misconceptions(self) -> tuple[Misconception, ...]:
        """Each way to make each mistake, in order."""
        return tuple(
            Misconception(name, finding, self.hints, self.replaced(change))
            for name, finding, changes in self.said()
            for change in changes
        )

    def said(self) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
        """Yield the name of each mistake, with each of its findings and the changes under it."""
        for name, ways in self.ways.items():
            for finding, *changes in ways if isinstance(ways, list) else [ways]:
                yield name, finding, tuple(changes)

    def replaced(self, change: Any) -> Mapping[str, Step]:
        """Return the steps that a change replaces, each with its replacement."""
        if isinstance(change, Mapping):
            means = self.means or (lambda same: same)
            return {name: means(one) for name, one in change.items()}
        if callable(self.target) and self.means is None:
            return {self.target.__name__: of_arguments(change, self.target)}
        made = change if self.means is None else self.means(change)
        if isinstance(made, Mapping):
            return made
        return {getattr(self.target, "__name__", None) or str(self.target or ""): made}

    def only(self, names: Iterable[str]) -> "Family":
        """Return the family with only some of its mistakes."""
        wanted = set(names)
        return replace(self, ways={name: self.ways[name] for name in self.ways if name in wanted})

    def worded(self, change: Callable[[str], str]) -> "Family":
        """Return the same mistakes with other words in findings and hints."""
        ways: dict[str, Way | list[Way]] = {}
        for name, finding, changes in self.said():
            findings = ways.setdefault(name, [])
            assert isinstance(findings, list)
            findings.append((change(finding), *changes))
        hints: Any = tuple(map(change, self.hints))
        return replace(self, hints=hints, ways=ways)


def of_arguments(change: Callable[..., Any], right: Callable[..., Any]) -> Step:
    """Return a function of the arguments of another as a step: a function of the state."""
    names = tuple(inspect.signature(right).parameters)

    def step(state: Any) -> Any:
        return change(*(getattr(state, name) for name in names))

    return step


def constant(value: Any) -> Step:
    """Return a step that has a value of its own, whatever came before: for `means`."""
    return lambda _: value


def chosen(families: Iterable[Family], names: str) -> tuple[Family, ...]:
    """Return the mistakes of these names, in the order in which the families have them.

    Raises:
        ValueError: no family has one of the names.
    """
    wanted = names.split()
    listed = tuple(families)
    absent = set(wanted) - {name for family in listed for name in family.ways}
    if absent:
        raise ValueError(f"no family has the mistake {', '.join(sorted(absent))}")
    chosen_ones = (family.only(wanted) for family in listed)
    return tuple(family for family in chosen_ones if family.ways)


def without(families: Iterable[Family], names: str) -> tuple[Family, ...]:
    """Return all mistakes but those of these names.

    Raises:
        ValueError: no family has one of the names.
    """
    listed = tuple(families)
    left_out = {name for family in chosen(listed, names) for name in family.ways}
    rest = (family.only(set(family.ways) - left_out) for family in listed)
    return tuple(family for family in rest if family.ways)
