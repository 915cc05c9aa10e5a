"""Recipes run once, before anything is graded: exceptions in them are the course's own.

Doing a thing wrong may be an error for some inputs. So an exception is a slip where every call
raises it, and where it is of a kind that no input causes: a name that there is not.
"""

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autograder.authoring.lint_places import Places
from autograder.authoring.lint_recipes import errors_in_probes
from autograder.course.authoring_errors import AuthoringError
from autograder.diagnosis.family import Alternative, Change, Misconception
from autograder.diagnosis.recipe import Probe, Recipe, no_input_causes
from autograder.grading.author_exceptions import as_authoring_error

TORCH = "torch"


def errors_in_runs(recipe: Recipe, places: Places, folders: Sequence[Path]) -> list[AuthoringError]:
    """What stops a recipe, or one of its misconceptions. Recipes in torch are not run."""
    function = recipe.function
    with _without_torch(), np.errstate(all="ignore"):
        try:
            drawn = recipe.drawn(0)
            probes = list(drawn) if isinstance(drawn, Iterable) else drawn
        except Exception as error:
            here = places.of_recipe(function, "")
            doing = f"the probes of `{function}` cannot be drawn"
            return [as_authoring_error(error, folders, here.path, doing, here.line)]
        slips = errors_in_probes(recipe, probes, places)
        if slips:
            return slips
        run = _Run(recipe, recipe.calls(0), places, folders)
        slips = run.of_recipe()
        if not slips:
            changes: list[Change] = [*map(Alternative, recipe.alternatives), *recipe.misconceptions]
            for change in changes:
                slips += run.of(change)
    return slips


@contextlib.contextmanager
def _without_torch() -> Iterator[None]:
    """Imports of torch fail in here: it takes seconds, and what it trains takes longer."""
    absent = object()
    kept = sys.modules.get(TORCH, absent)
    sys.modules[TORCH] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if kept is absent:
            del sys.modules[TORCH]
        else:
            sys.modules[TORCH] = kept  # type: ignore[assignment]


class _Run:
    """The calls of one recipe."""

    def __init__(
        self, recipe: Recipe, probes: Sequence[Probe], places: Places, folders: Sequence[Path]
    ) -> None:
        self.recipe = recipe
        self.probes = probes
        self.places = places
        self.folders = folders

    def of_recipe(self) -> list[AuthoringError]:
        """The right calls, and all that is said of them."""
        recipe, here = self.recipe, self.places.of_recipe(self.recipe.function, "")
        doing = f"the recipe of `{recipe.function}` stops"
        error, state = self._first(())
        if error is not None:
            return [as_authoring_error(error, self.folders, here.path, doing, here.line)]
        if state is None:
            return []
        parts: list[tuple[str, Callable[[], Any]]] = [
            ("`axes`", lambda: recipe.axes(state)),
            *((f"the trait {t.when!r}", lambda t=t: t.holds(state)) for t in recipe.traits),
            *(
                (f"the fact `{f.id}`", lambda f=f: f.holds(state, state.result))
                for f in recipe.facts
            ),
        ]
        spread = recipe.comparison.spread
        if spread is not None:
            parts.append(("`spread`", lambda: spread(state)))
        found = []
        for what, call in parts:
            error = _slip_in(call)
            if error is not None:
                says = f"{what} of `{recipe.function}` stops"
                found.append(as_authoring_error(error, self.folders, here.path, says, here.line))
        return found

    def of(self, change: Change) -> list[AuthoringError]:
        """The calls with a misconception at work, or in a style."""
        error, _ = self._first((change,))
        if error is None:
            return []
        name = "a style"
        if isinstance(change, Misconception):
            name = f"the misconception `{change.id}`"
        doing = f"{name} of `{self.recipe.function}` stops at every call"
        if no_input_causes(error):
            doing = f"{name} of `{self.recipe.function}` stops"
        here = self.places.of_misconception(change, "")
        return [as_authoring_error(error, self.folders, here.path, doing, here.line)]

    def _first(self, changes: Sequence[Change]) -> tuple[Exception | None, Any]:
        """The state of the first call that comes to an end, or why none does."""
        met: Exception | None = None
        for probe in self.probes:
            try:
                return None, self.recipe.trace(probe, changes)
            except Exception as error:
                if _is_torch(error):
                    return None, None
                if met is None or no_input_causes(error):
                    met = error
                if no_input_causes(error):
                    break
        return met, None


def _slip_in(call: Callable[[], Any]) -> Exception | None:
    try:
        call()
    except Exception as error:
        if not _is_torch(error) and no_input_causes(error):
            return error
    return None


def _is_torch(error: BaseException) -> bool:
    return isinstance(error, ImportError) and (error.name or "").split(".")[0] == TORCH
