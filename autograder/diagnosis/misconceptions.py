"""Misconceptions: mistakes as code that can run, with the messages that students read."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

Step = Callable[[Any], Any]
"""Type of a step: a function that gets the `State` of the call and returns the step's value."""
Hints = tuple[str, str, str] | tuple[()]
"""Type of the three hints: a question, the property that fails, and the place with the fix."""
Way = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Alternative:
    """Change that is correct: an alternative way to do some steps. Reports never mention it."""

    replaces: Mapping[str, Step]


@dataclass(frozen=True, eq=False)
class Misconception:
    """One mistake, as code that can run.

    Attributes:
        id: the name of the mistake. All ways to make the same mistake have the same name.
        finding: a sentence that is true of the student's numbers. The report shows a part in
            braces, `{one}`, only if this mistake alone explains every answer. For a part
            `{one|other}`, the report shows `one` if this mistake alone explains every answer, and
            `other` if not. Example: `{Right for small numbers; large ones|Large numbers} overflow.`
        hints: a question, the property that fails, and the place with the fix. Without hints, the
            report shows the hints of the failed check.
        replaces: the wrong steps or arguments, by name.
    """

    id: str
    finding: str
    hints: Hints
    replaces: Mapping[str, Step]


Change = Alternative | Misconception


@dataclass(frozen=True, eq=False)
class Family:
    """Mistakes with the same hints. Usually these mistakes concern the same step.

    For each mistake, `ways` has a tuple: the finding that is reported, and the change that makes
    the mistake. The change is a function. It takes the state, and replaces the family's step. To
    replace several steps or arguments, use a dict from their names to functions. If students make
    the mistake in several ways, write several changes in the tuple. If each way needs its own
    finding, write a list of tuples.

        Family(
            "letters",
            ("Which letter of a word counts?", "The first of each word does.", "Take word[0]."),
            {
                "last-letters": ("The last letters are taken.", lambda s: [w[-1] for w in s.words]),
            },
        )

    Attributes:
        target: the name of the replaced step, or None if each change is a dict. The target may also
            be the recipe's function. Then a change is a function with the same arguments.
        hints: a question, the property that fails, and the place with the fix. Leave it empty if
            the hints of the checks are enough.
        ways: a dict from the name of each mistake to its finding and change.
        means: a function for changes that are not functions of the state. It turns a change into a
            function of the state, or into a dict of such functions. If the change is a dict,
            `means` is called for each value of the dict.
    """

    target: str | Callable[..., Any] | None
    hints: Hints
    ways: Mapping[str, Way | list[Way]]
    means: Callable[[Any], Any] | None = None

    @functools.cached_property
    def misconceptions(self) -> tuple[Misconception, ...]:
        """The misconceptions of the family, in order."""
        return tuple(
            Misconception(name, finding, self.hints, self.replaced(change))
            for name, finding, changes in self.said()
            for change in changes
        )

    def said(self) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
        """Yield a tuple for each finding: the mistake's name, the finding, and its changes."""
        for name, ways in self.ways.items():
            for finding, *changes in ways if isinstance(ways, list) else [ways]:
                yield name, finding, tuple(changes)

    def replaced(self, change: Any) -> Mapping[str, Step]:
        """Return a dict from the name of each step that a change replaces to the new function."""
        if self.means is not None and isinstance(change, Mapping):
            return {name: self.means(value) for name, value in change.items()}
        name = getattr(self.target, "__name__", None) or str(self.target or "")
        if self.means is not None:
            change = self.means(change)
        elif callable(self.target) and not isinstance(change, Mapping):
            change = of_arguments(change, self.target)
        return change if isinstance(change, Mapping) else {name: change}

    def only(self, names: Iterable[str]) -> "Family":
        """Return the family, but keep only the mistakes with these names."""
        wanted = set(names)
        return replace(self, ways={name: self.ways[name] for name in self.ways if name in wanted})

    def worded(self, change: Callable[[str], str]) -> "Family":
        """Return the same mistakes with other texts: `change` is applied to findings and hints."""
        ways: dict[str, Any] = {}
        for name, finding, changes in self.said():
            ways.setdefault(name, []).append((change(finding), *changes))
        hints: Any = tuple(map(change, self.hints))
        return replace(self, hints=hints, ways=ways)


def of_arguments(change: Callable[..., Any], right: Callable[..., Any]) -> Step:
    """Return a step that calls `change`, a wrong version of `right`, with the same arguments."""
    names = tuple(inspect.signature(right).parameters)

    def step(state: Any) -> Any:
        return change(*(getattr(state, name) for name in names))

    return step


def constant(value: Any) -> Step:
    """Return a step whose value is always `value`. You can use it as the `means` of a family."""
    return lambda _: value


def chosen(families: Iterable[Family], names: str) -> tuple[Family, ...]:
    """Return the families, but keep only the mistakes with these names.

    The names are separated by spaces. The order is that of the families.

    Raises:
        ValueError: a name occurs in no family.
    """
    listed, wanted = tuple(families), set(names.split())
    absent = wanted.difference(*(family.ways for family in listed))
    if absent:
        raise ValueError(f"no family has the mistake {', '.join(sorted(absent))}")
    return tuple(family.only(wanted) for family in listed if not wanted.isdisjoint(family.ways))


def without(families: Iterable[Family], names: str) -> tuple[Family, ...]:
    """Return the families, but leave out the mistakes with these names.

    The names are separated by spaces.

    Raises:
        ValueError: a name occurs in no family.
    """
    listed = tuple(families)
    left_out = {name for family in chosen(listed, names) for name in family.ways}
    names_left = {name for family in listed for name in family.ways} - left_out
    return chosen(listed, " ".join(names_left))
