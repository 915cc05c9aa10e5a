"""Lint by running recipes once: exceptions in them are the course's own.

Doing a thing wrong may be an error for some inputs. So an exception counts where every call raises
it, and where it is of a kind that no input causes: a name that there is not.
"""

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from autograder.authoring.lint_places import Places
from autograder.authoring.lint_recipes import errors_in_probes
from autograder.course.authoring_errors import AuthoringError
from autograder.diagnosis.misconceptions import Alternative, Change, Misconception
from autograder.diagnosis.recipe import Fact, Recipe, no_input_causes
from autograder.grading.author_exceptions import as_authoring_error

TORCH = "torch"


def errors_in_runs(recipe: Recipe, places: Places, folders: Sequence[Path]) -> list[AuthoringError]:
    """Return what stops a recipe, or one of its misconceptions. Recipes in torch are not run."""
    function = recipe.function
    here = places.of_recipe(function, "")

    def stopped(error: Exception, doing: str, at: AuthoringError = here) -> AuthoringError:
        return as_authoring_error(error, folders, at.path, doing, at.line)

    with _without_torch(), np.errstate(all="ignore"):
        try:
            drawn = recipe.drawn(0)
            probes = list(drawn) if isinstance(drawn, Iterable) else drawn
        except Exception as error:
            return [stopped(error, f"the probes of `{function}` cannot be drawn")]
        says = errors_in_probes(recipe, probes)
        if says:
            says = f"the probes of `{function}`: {says}"
            return [places.of_recipe(function, says, "probes")]
        fault, state = _first_state(recipe, ())
        if fault is not None:
            return [stopped(fault, f"the recipe of `{function}` stops")]
        errors = [
            stopped(fault, f"{what} of `{function}` stops")
            for what, call in ([] if state is None else _said_of(recipe, state))
            if (fault := _fault_in(call)) is not None
        ]
        changes: list[Change] = [*map(Alternative, recipe.alternatives), *recipe.misconceptions]
        for change in () if errors else changes:
            fault, _ = _first_state(recipe, (change,))
            if fault is not None:
                name = "a style"
                if isinstance(change, Misconception):
                    name = f"the misconception `{change.id}`"
                every = "" if no_input_causes(fault) else " at every call"
                doing = f"{name} of `{function}` stops{every}"
                errors.append(stopped(fault, doing, places.of_misconception(change, "")))
        return errors


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


def _said_of(recipe: Recipe, state: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield all that a recipe says of a right call, in words and as what can be called."""
    yield "`axes`", lambda: recipe.axes(state)
    for trait in recipe.traits:
        yield f"the trait {trait.when!r}", partial(trait.holds, state)
    for fact in recipe.facts:
        yield f"the fact `{fact.id}`", partial(_ask, fact, state)
    spread = recipe.comparison.spread
    if spread is not None:
        yield "`spread`", lambda: spread(state)


def _ask(fact: Fact, state: Any) -> object:
    return fact.holds(state, state.result)


def _first_state(recipe: Recipe, changes: Sequence[Change]) -> tuple[Exception | None, Any]:
    """Return the state of the first call that comes to an end, or why none does."""
    met: Exception | None = None
    for probe in recipe.calls(0):
        try:
            return None, recipe.trace(probe, changes)
        except Exception as error:
            if _is_torch(error):
                return None, None
            if met is None or no_input_causes(error):
                met = error
            if no_input_causes(error):
                break
    return met, None


def _fault_in(call: Callable[[], Any]) -> Exception | None:
    try:
        call()
    except Exception as error:
        if not _is_torch(error) and no_input_causes(error):
            return error
    return None


def _is_torch(error: BaseException) -> bool:
    return isinstance(error, ImportError) and (error.name or "").split(".")[0] == TORCH
