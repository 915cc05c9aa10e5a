"""Callers of torch code: build modules, load weights by name, and pass tensors."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.checks.expect import Mismatch, expect_close
from autograder.checks.module_weights import USUAL_NAMES, ParameterNames
from autograder.checks.proxy import Function
from autograder.checks.torch_modules import ModuleRun, OtherShape, forward_pass
from autograder.diagnosis.recipe import Change, Probe, Recipe
from autograder.worker.codec import tensor


class Unfit(str):
    """Text in place of a module's result: the module has no parameters for some weights."""


class UnfitShape(Unfit):
    """Text in place of a module's result: a parameter has a wrong shape. See `OtherShape`."""

    shapes: tuple[str, tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class ModuleCaller:
    """Caller of a torch module.

    Each parameter of the recipe is an argument of the constructor, an argument of `forward`, or a
    weight.
    """

    built_with: tuple[str, ...]  # the recipe's parameters for the constructor, in order
    called_with: tuple[str, ...]  # the recipe's parameters for `forward`, in order
    weights: Mapping[str, str]  # from the names in the module's state to the recipe's parameters
    words: ParameterNames = USUAL_NAMES  # other names that students may give to the parameters

    @property
    def parameters(self) -> tuple[str, ...]:
        return (*self.built_with, *self.called_with, *self.weights.values())

    def ask(self, submission: Any, recipe: Recipe, probe: Probe) -> Any:
        """Return the result of the student's module.

        If weights do not fit, return an `Unfit`.
        """
        state = recipe.arguments(probe)
        inputs = [getattr(state, name) for name in self.called_with]
        while inputs and inputs[-1] is None:
            inputs.pop()
        try:
            run = forward_pass(
                submission,
                recipe.function,
                tuple(getattr(state, name) for name in self.built_with),
                tuple(inputs),
                {name: getattr(state, parameter) for name, parameter in self.weights.items()},
                self.words,
                lambda _: recipe.right(probe).result,
            )
        except OtherShape as error:
            unfit = UnfitShape(" ".join(map(str, error.shapes)))
            unfit.shapes = error.shapes
            return unfit
        except Mismatch:
            return Unfit()
        return Unfit() if run.fit.absent or run.fit.tied else run.value

    def simulated(self, recipe: Recipe, original: Any, wrong: Iterable[Change]) -> Any:
        """Return a subclass of the solution's class that computes the changed recipe."""
        blueprint, wrong = self, tuple(wrong)

        class Simulated(original):  # type: ignore[misc]
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                super().__init__(*args, **kwargs)
                self.built_with = {**dict(zip(blueprint.built_with, args, strict=False)), **kwargs}

            def forward(self, *inputs: Any, **kwargs: Any) -> Any:
                own = self.state_dict()
                named = {**dict(zip(blueprint.called_with, inputs, strict=False)), **kwargs}
                given = {name: value for name, value in named.items() if value is not None}
                given |= {parameter: own[name] for name, parameter in blueprint.weights.items()}
                arrays = {name: _array(value) for name, value in given.items()}
                return _tensors(recipe.run(Probe((), {**self.built_with, **arrays}), wrong))

        Simulated.__name__ = original.__name__
        return Simulated


def expect_module(
    made: Function,
    contract: ModuleCaller,
    right: Callable[..., Any],
    what: str = "the output",
    *,
    condition: float = 1.0,
    within: float | None = None,
    **values: Any,
) -> ModuleRun:
    """Pass if a torch class gives the results of a NumPy function of inputs and weights.

        expect_module(submission.Scaled, SCALED, scaled, size=3, x=x, factors=factors)

    Args:
        made: the student's class.
        contract: the `ModuleCaller` of the class, as in the class's recipe.
        right: the correct function. Its arguments are those of `forward`, then the weights in the
            order of the contract.
        what, condition, within: as for `expect_close`.
        values: the sizes, inputs and weights, by the names in the contract.

    Returns: the student's forward pass, for example for `expect_parts`.

    Raises:
        Mismatch: the result differs, or no parameters of the module fit the weights.
    """
    inputs = tuple(values[name] for name in contract.called_with)
    state = {name: np.float32(values[each]) for name, each in contract.weights.items()}

    def answer(state: Mapping[str, Any]) -> Any:
        return right(*inputs, *(np.float64(state[name]) for name in contract.weights))

    sizes = tuple(values[name] for name in contract.built_with)
    name = made.__name__
    run = forward_pass(made._submission, name, sizes, inputs, state, contract.words, answer)
    expect_close(run.value, answer(run.state), what, condition=condition, within=within)
    return run


@dataclass(frozen=True)
class TensorCaller:
    """Caller of a student's function that takes and returns tensors."""

    def ask(self, submission: Any, recipe: Recipe, probe: Probe) -> Any:
        called = recipe.as_called(probe)
        kwargs = {name: tensor(value) for name, value in called.kwargs.items()}
        return getattr(submission, recipe.function)(*map(tensor, called.args), **kwargs)

    def simulated(self, recipe: Recipe, original: Any, wrong: Iterable[Change]) -> Any:  # noqa: ARG002
        changes = tuple(wrong)

        def simulated(*args: Any, **kwargs: Any) -> Any:
            named = {name: _array(value) for name, value in kwargs.items()}
            return _tensors(recipe.run(Probe(tuple(map(_array, args)), named), changes))

        return simulated


def _array(value: Any) -> Any:
    if not hasattr(value, "detach"):
        return value
    array = value.detach().numpy()
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def _tensors(value: Any) -> Any:
    import torch

    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        with np.errstate(over="ignore"):
            return torch.tensor(array.astype(np.float32) if array.dtype.kind == "f" else array)
    if isinstance(value, tuple):
        return tuple(map(_tensors, value))
    return list(map(_tensors, value)) if isinstance(value, list) else value


def float32_probe(probe: Probe) -> Probe:
    """Return the probe with its float64 numbers rounded to the precision of float32."""

    def cut(value: Any) -> Any:
        is_float = isinstance(value, np.ndarray) and value.dtype.kind == "f"
        return value.astype(np.float32).astype(np.float64) if is_float else value

    kwargs = {name: cut(value) for name, value in probe.kwargs.items()}
    return replace(probe, args=tuple(map(cut, probe.args)), kwargs=kwargs)
