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

from autograder.authoring.lint_recipes import Places
from autograder.course.authoring_errors import AuthoringError, meant
from autograder.course.text import several
from autograder.diagnosis.misconceptions import Alternative, Change, Misconception
from autograder.diagnosis.recipe import Probe, Recipe, no_input_causes
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
        says = _errors_in_probes(recipe, probes)
        if says:
            says = f"the probes of `{function}`: {says}"
            return [places.of_recipe(function, says, "probes")]
        fault, state = _first_state(recipe, ())
        if fault is not None:
            return [stopped(fault, f"the recipe of `{function}` stops")]
        errors = []
        for what, call in [] if state is None else _said_of(recipe, state):
            try:
                call()
            except Exception as error:
                if not _is_torch(error) and no_input_causes(error):
                    errors.append(stopped(error, f"{what} of `{function}` stops"))
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
    loaded = {TORCH: sys.modules[TORCH]} if TORCH in sys.modules else {}
    sys.modules[TORCH] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[TORCH]
        sys.modules.update(loaded)


def _errors_in_probes(recipe: Recipe, probes: Any) -> str:
    """Return what is wrong with the calls that a recipe draws; empty if nothing is."""
    listed = isinstance(probes, list) and all(isinstance(p, Probe | tuple) for p in probes)
    if not listed or not probes:
        return "expected a list of at least one Probe, or tuple of arguments."
    for each in probes:
        probe = each if isinstance(each, Probe) else Probe(each)
        if len(probe.args) > len(recipe.parameters):
            count = several(len(probe.args), "argument")
            return f"one has {count}, for {several(len(recipe.parameters), 'parameter')}."
        for name in probe.kwargs:
            if name not in recipe.parameters:
                return f"`{name}` is no parameter{meant(name, recipe.parameters)}"
        for name in recipe.parameters[len(probe.args) :]:
            if name not in {*probe.kwargs, *recipe.defaults}:
                return f"one has no value for `{name}`, which has no default."
    return ""


def _said_of(recipe: Recipe, state: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield all that a recipe says of a right call, in words and as what can be called."""
    yield "`axes`", lambda: recipe.axes(state)
    for trait in recipe.traits:
        yield f"the trait {trait.when!r}", partial(trait.holds, state)
    for fact in recipe.facts:
        yield f"the fact `{fact.id}`", partial(fact.holds, state, state.result)
    spread = recipe.comparison.spread
    if spread is not None:
        yield "`spread`", lambda: spread(state)


def _first_state(recipe: Recipe, changes: Sequence[Change]) -> tuple[Exception | None, Any]:
    """Return the state of the first call that comes to an end, or why none does."""
    met: Exception | None = None
    for probe in recipe.calls(0):
        try:
            return None, recipe.trace(probe, changes)
        except Exception as error:
            if _is_torch(error):
                return None, None
            if no_input_causes(error):
                return error, None
            met = met or error
    return met, None


def _is_torch(error: BaseException) -> bool:
    return isinstance(error, ImportError) and (error.name or "").split(".")[0] == TORCH
