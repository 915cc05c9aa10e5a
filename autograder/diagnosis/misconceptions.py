"""Misconceptions: mistakes as runnable code, with their messages to students."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

Step = Callable[[Any], Any]
"""Type of a step: a function of the `State`, with the arguments and all earlier steps by name."""
Hints = tuple[str, str, str] | tuple[()]
"""Type of hints: a question, the property that fails, the place and what to do."""
Way = tuple[Any, ...]


class Change(Protocol):
    """Replacements of steps or arguments, by name; they may be correct or wrong."""

    @property
    def replaces(self) -> Mapping[str, Step]:
        """The function that replaces each step or argument, by its name."""


@dataclass(frozen=True, eq=False)
class Alternative:
    """Alternative correct way to do some steps: a change that is never reported."""

    replaces: Mapping[str, Step]


@dataclass(frozen=True, eq=False)
class Misconception:
    """One mistake, as code that can run.

    Attributes:
        id: the mistake's name; all ways to make it have the same name.
        finding: a sentence that is true of the student's numbers. `{One part}` of it appears only
            if this mistake alone gives every answer. Otherwise `{one|another}` shows the other
            part: `{Right for small numbers; large ones|Large numbers} overflow.`
        hints: a question; the property that fails; the place and what to do. If empty, the report
            shows the hints of the failed check.
        replaces: the wrong steps (or arguments), by name.
    """

    id: str
    finding: str
    hints: Hints
    replaces: Mapping[str, Step]


@dataclass(frozen=True, eq=False)
class Family:
    """Mistakes with the same hints, mostly in the same step.

    A way to make a mistake has a finding and a change. A change replaces the family's step by
    another function of the state. A dict of changes replaces several steps or arguments, by name.
    Several changes after one finding are several ways to make the same mistake. So is a list of
    ways, each with its own finding.

        Family(
            "letters",
            ("Which letter of a word counts?", "The first of each word does.", "Take word[0]."),
            {
                "last-letters": ("The last letters are taken.", lambda s: [w[-1] for w in s.words]),
            },
        )

    Attributes:
        target: the name of the replaced step; None if each change is a dict. It may be the recipe's
            function: then a change is another function of the same arguments.
        hints: a question; the property that fails; the place and what to do. Empty if the checks'
            hints are enough.
        ways: the finding and the change of each mistake, by its name.
        means: turns a change that is no function of the state into one, or into a dict of them. It
            is called for each change of a dict.
    """

    target: str | Callable[..., Any] | None
    hints: Hints
    ways: Mapping[str, Way | list[Way]]
    means: Callable[[Any], Any] | None = None

    @functools.cached_property
    def misconceptions(self) -> tuple[Misconception, ...]:
        """Its misconceptions, in order."""
        return tuple(
            Misconception(name, finding, self.hints, self.replaced(change))
            for name, finding, changes in self.said()
            for change in changes
        )

    def said(self) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
        """Yield the name of each mistake, with each of its findings and the finding's changes."""
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
        """Return the same mistakes with changed findings and hints."""
        ways: dict[str, Way | list[Way]] = {}
        for name, finding, changes in self.said():
            findings = ways.setdefault(name, [])
            assert isinstance(findings, list)
            findings.append((change(finding), *changes))
        hints: Any = tuple(map(change, self.hints))
        return replace(self, hints=hints, ways=ways)


def of_arguments(change: Callable[..., Any], right: Callable[..., Any]) -> Step:
    """Return a step, which is a function of the state, from a changed version of `right`."""
    names = tuple(inspect.signature(right).parameters)

    def step(state: Any) -> Any:
        return change(*(getattr(state, name) for name in names))

    return step


def constant(value: Any) -> Step:
    """Return a step with a constant value, for `means`."""
    return lambda _: value


def chosen(families: Iterable[Family], names: str) -> tuple[Family, ...]:
    """Return the mistakes with these names, in the order of the families.

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
    """Return all mistakes except those with these names.

    Raises:
        ValueError: no family has one of the names.
    """
    listed = tuple(families)
    left_out = {name for family in chosen(listed, names) for name in family.ways}
    rest = (family.only(set(family.ways) - left_out) for family in listed)
    return tuple(family for family in rest if family.ways)
