"""Checks of torch modules: their parameters, results and gradients."""

import contextlib
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.checks.check_result import NotJudged
from autograder.checks.expect import Mismatch, expect_close, expect_shape
from autograder.checks.follow_through import RESULT_USED_AGAIN
from autograder.checks.module_weights import (
    ParameterFit,
    ParameterNames,
    TooManyParameters,
    Weights,
    find_fits,
)
from autograder.checks.proxy import Submission
from autograder.course.text import join_names, one_line
from autograder.report.numbers import shape
from autograder.sandbox.problems import Raised
from autograder.worker.codec import Tensor
from autograder.worker.messages import Forward, Passed
from autograder.worker.torch_modules import run_module

MAX_NAMES = 12
CLOSE = 1e-3  # relative tolerance, used to choose between several fits
CUTS = {"detach", "data", "numpy", "no_grad", "requires_grad", "set_grad_enabled", "inference_mode"}
MAX_CUTS = 3  # more places are not listed
SIZES = (
    "Which two sizes does your code give to this parameter or to its layer?",
    "nn.Linear(n, m) makes m features from n. Its weight has the shape (m, n).",
    "For each layer, ask what width comes in, and what width should come out.",
)
CUT_OFF = "Either it has no effect on the result, or something cuts the chain of torch operations"
STEP = 0.05  # step of a difference quotient, in float32
SLOPE = 0.03  # allowed relative error of a difference quotient
LEAST_SLOPE = 1e-3  # smaller gradients count as zero; relative to the correct gradient's size
DEPENDS, FOLLOWS = 0.1, 0.01  # relative change of a gradient with other inputs


@dataclass(frozen=True)
class ModuleRun:
    """Result of a forward pass of a student's module.

    Attributes:
        value: the result, an array or a list of arrays. torch computes it in float32.
        gradients: a dict from the names of the requested weights, `input 0`, `input 1` and so on to
            gradients. A gradient has the shape of its weight or input, or is None if missing.
        after: the inputs as they are after the call.
        state: the weights that the module used, by requested name. A missing bias is 0.
        fit: the layout of the weights in the module's parameters.
        parameters: the shapes of the student's parameters and buffers, by name.
        is_guess: true if several fits are possible, and a student kit lacks the correct result.
        cuts: a function that returns attributes such as `detach`, which may keep gradients from the
            weights, with their lines.
    """

    value: Any
    gradients: Mapping[str, Any]
    after: Sequence[Any]
    state: Weights
    fit: ParameterFit
    parameters: Mapping[str, list[int]]
    is_guess: bool = False
    cuts: Callable[[], Sequence[tuple[str, int]]] = list


class OtherShape(Mismatch):
    """Failure of a module with a parameter of a wrong shape."""

    def __init__(self, parameter: str, own: Sequence[int], expected: Sequence[int]) -> None:
        is_turned = [*own] == [*expected][::-1]
        super().__init__(
            f"{parameter} has the shape {_short_shape(own)}; expected {shape(tuple(expected))}"
            + " (nn.Linear keeps its weight as outputs × inputs)" * is_turned
            + ".",
            mistake="parameter-shape",
            separate=True,
            told="A parameter does not have the shape that the exercise asks for.",
            hints=SIZES,
        )
        self.shapes = parameter, tuple(own), tuple(expected)


def draw_state(rng: np.random.Generator, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Any]:
    """Return random float32 weights by name, with standard deviation 1/√(last size)."""
    return {
        name: (rng.normal(size=size) / np.sqrt(size[-1])).astype(np.float32)
        for name, size in shapes.items()
    }


def forward_pass(
    submission: Submission,
    name: str,
    made_with: tuple[Any, ...],
    inputs: tuple[Any, ...],
    state: Weights,
    words: ParameterNames,
    right: Callable[[Weights], Any] | None = None,
    **details: Any,
) -> ModuleRun:
    """Run the student's module once with given weights. The module may name its parameters freely.

    Args:
        submission: the student's module.
        name: the name of the student's class.
        made_with: the arguments of the constructor.
        inputs: the arguments of the call, as NumPy arrays.
        state: the float32 weights, by the names that the task gives them.
        words: other names that students may give to the parameters.
        right: a function that returns the correct result for a state. If several fits are possible,
            the fit that gives the correct result is used. If no fit gives it, the likeliest fit is
            used.
        details: `training`, `seed`, `toward` and `before`, as for `Submission.forward`.

    Raises:
        Mismatch: the module does not have parameters that fit the weights.
        StudentProblem: there is no result. The exception says why.
    """
    passed = submission.forward(name, made_with, inputs, dict(state), **details)
    try:
        fits = find_fits(passed, state, words)
    except TooManyParameters as error:
        raise Mismatch(
            f"{name} has far more parameters than the task's: {one_line(error.name, 60)} has the "
            f"shape {_short_shape(passed.state[error.name])}.",
            mistake="parameter-shape",
            told="A module has far more parameters than the task's.",
        ) from None
    if not fits:
        raise _not_there(name, passed, state)
    fit, is_guess = fits[0], False
    try:
        for other in fits if len(fits) > 1 and right else ():
            assert right is not None
            with contextlib.suppress(Raised, ValueError, TypeError):
                tried = submission.forward(name, made_with, inputs, other.loaded(state)).value
                if _is_roughly(tried, right(other.used(state))):
                    fit = other
                    break
    except NotJudged:  # the student kit lacks the correct answer
        is_guess = True
    if not (fit.is_plain and passed.called):
        passed = submission.forward(name, made_with, inputs, fit.loaded(state), **details)
    _expect_usable(name, passed, state, details.get("toward") or ())
    gradients = passed.gradients if fit.is_plain else fit.back(passed.gradients)
    used = fit.used(state)
    cuts = functools.partial(submission.uses_of, CUTS)
    return ModuleRun(passed.value, gradients, passed.after, used, fit, passed.state, is_guess, cuts)


def _expect_usable(name: str, passed: Passed, state: Weights, toward: Sequence[Any]) -> None:
    if not passed.called:
        raise _not_there(name, passed, state)
    results = passed.value if isinstance(passed.value, list) else [passed.value]
    for result, weights in zip(results, toward, strict=False):
        if weights is not None:
            expect_shape(result, weights.shape)
    if passed.overwrites:
        raise Mismatch(
            "A later call of the module changed the result that an earlier call had returned.",
            mistake="remembers",
            told="A later call changes the result of an earlier call.",
            hints=RESULT_USED_AGAIN,
        )


def _is_roughly(value: Any, right: Any) -> bool:
    answer = np.asarray(value[0] if isinstance(value, list) and value else value)
    expected = np.asarray(right[0] if isinstance(right, list | tuple) else right)
    return answer.shape == expected.shape and np.allclose(answer, expected, CLOSE, CLOSE)


def _not_there(name: str, passed: Passed, state: Weights) -> Mismatch:
    for parameter, value in state.items():
        sizes = passed.state.get(parameter)
        if sizes is not None and sizes != list(np.shape(value)):
            return OtherShape(parameter, sizes, np.shape(value))
    absent = [parameter for parameter in state if parameter not in passed.state]
    return Mismatch(
        f"{name} has no parameter named {absent[0] if absent else next(iter(state))}, and none "
        f"that could stand for it. It has {_listed(passed.state)}.",
        mistake="parameter-missing",
    )


def expect_parts(
    run: ModuleRun,
    name: str,
    asked: Sequence[str],
    without_bias: Sequence[str] = (),
    graded_apart: Sequence[str] = (),
) -> None:
    """Pass if a module has all requested parts under their names, without unwanted biases.

    Args:
        run: a forward pass of the module.
        name: the name of the class, for the finding.
        asked: the names that the task requests. Inside a part, such as `feed_forward`, students may
            use any names.
        without_bias: the parts that must not contain a bias.
        graded_apart: the parts whose contents another check grades.

    Raises:
        Mismatch: a part is missing, misplaced or shared, or has a bias.
    """
    lacking = {*run.fit.absent, *run.fit.tied}
    missing: list[str] = []
    for wanted in run.state:
        part = max((a for a in asked if f"{wanted}.".startswith(f"{a}.")), key=len, default="")
        if not part or (part in graded_apart and wanted in lacking):
            continue
        if wanted in run.fit.tied:
            raise Mismatch(
                f"{wanted} and {run.fit.tied[wanted]} are the same parameter. They should be two "
                "parameters.",
                mistake="parameters-shared",
            )
        held = run.fit.held_by(wanted)
        if wanted in run.fit.absent or not all(f"{own}.".startswith(f"{part}.") for own in held):
            missing.append(wanted)
    if missing:
        raise Mismatch(_missing(name, missing, run), mistake="parameter-missing")
    biases = [own for own in run.fit.extra if any(own.startswith(f"{n}.") for n in without_bias)]
    if biases:
        names = join_names([one_line(own.removesuffix(".bias"), 60) for own in biases[:MAX_NAMES]])
        raise Mismatch(
            f"{names} should have no bias (bias=False). In the other checks, each bias is 0.",
            mistake="projection-bias",
        )


def _missing(name: str, missing: Sequence[str], run: ModuleRun) -> str:
    there = [each for each in missing if each not in run.fit.absent and not run.is_guess]
    taken = list(dict.fromkeys(own for each in there for own in run.fit.held_by(each)))
    noun, them = ("parameters", "them") if len(missing) > 1 else ("parameter", "it")
    text = f"{name} has no {noun} named {join_names(missing)}. It has {_listed(run.parameters)}."
    if taken:
        others = join_names([one_line(own, 60) for own in taken[:MAX_NAMES]])
        text += f" The other checks used {others} instead of {them}."
    return text


def expect_gradients(
    run: ModuleRun,
    right: Passed,
    names: Mapping[str, str],
    total: Callable[[str, Any], float] | None = None,
    elsewhere: Callable[[], tuple[ModuleRun, Passed]] | None = None,
) -> bool:
    """Pass if the gradients are correct, or right for the student's own wrong function.

    Return True if a gradient is right only for the student's own function.

    Args:
        run: the student's pass.
        right: the course's pass, from `reference_pass`.
        names: the names of `input 0`, `input 1` and so on in sentences.
        total: a function of two arguments: the name of a parameter or input, and an array. It adds
            the array to this parameter or input, and returns the sum that is differentiated. With
            `total`, gradients that are right for the student's own wrong function also pass.
        elsewhere: a function that returns the student's pass and the course's pass for other
            inputs. If the correct gradients change with the inputs, the student's gradients must
            change too.

    Raises:
        Mismatch: a gradient is wrong or missing.
    """
    follows: Mismatch | None = None  # a gradient that is right for a wrong function
    apart = {*run.fit.absent, *run.fit.tied, *run.fit.tied.values()}
    asked = {key: expected for key, expected in right.gradients.items() if key not in apart}
    for key in asked:
        if run.gradients.get(key) is None:
            raise _no_gradient(run, names.get(key, key))
    for key, expected in asked.items():
        answer = run.gradients[key]
        try:
            what = f"the gradient of the result by {names.get(key, key)}"
            expect_close(answer, expected, what, condition=100.0)
        except Mismatch as wrong:
            if total is None or not _is_own_slope(answer, expected, key, total):
                raise
            follows = follows or wrong
    if follows is not None and elsewhere is not None:
        there, right_there = elsewhere()
        # gradients that should change with the inputs; if a mistake follows, half may stay
        depend = [k for k in asked if _apart(asked[k], right_there.gradients[k]) > DEPENDS]
        change = [k for k in depend if _apart(run.gradients[k], there.gradients.get(k)) > FOLLOWS]
        if 2 * len(change) < len(depend):
            raise follows
    return follows is not None


def _no_gradient(run: ModuleRun, what: str) -> Mismatch:
    cuts = dict.fromkeys(f"`{name}` in line {line}" for name, line in run.cuts())
    if 1 <= len(cuts) <= MAX_CUTS:
        cut = f", such as {' or '.join(cuts)}"
    else:
        cut = ": detach(), .data, NumPy, no_grad(), requires_grad = False or a new torch.tensor(…)"
    return Mismatch(
        f"No gradient reaches {what}. {CUT_OFF}{cut}.",
        mistake="gradient-cut",
        told=(
            "No gradient reaches a weight or an input. Either it has no effect on the result, or "
            "something cuts the chain of torch operations."
        ),
    )


def _apart(one: Any, other: Any) -> float:
    first, second = (np.asarray(each, dtype=np.float64) for each in (one, other))
    if first.shape != second.shape:
        return 0.0
    return float(np.linalg.norm(first - second) / max(float(np.linalg.norm(first)), 1e-30))


def _is_own_slope(answer: Any, expected: Any, key: str, total: Callable[[str, Any], float]) -> bool:
    """Return True if a gradient matches a difference quotient of the student's own function."""
    gradient = np.asarray(answer, dtype=np.float64)
    size = float(np.linalg.norm(gradient))
    if gradient.shape != np.shape(expected) or not np.isfinite(size):
        return False
    if not size >= LEAST_SLOPE * max(float(np.linalg.norm(expected)), 1e-6):
        return False
    random = np.random.default_rng(0).normal(size=gradient.shape)
    for direction in (gradient / size, random / np.linalg.norm(random)):
        ahead, behind = (total(key, sign * STEP * direction) for sign in (1, -1))
        slope = (ahead - behind) / (2 * STEP)
        if not abs(slope - float((gradient * direction).sum())) <= SLOPE * size:
            return False
    return True


def expect_unchanged_tensors(
    run: ModuleRun, inputs: tuple[Any, ...], names: tuple[str, ...]
) -> None:
    """Pass if a call left its inputs unchanged. `names` are the inputs' names in the finding."""
    for before, after, name in zip(inputs, run.after, names, strict=False):
        same = isinstance(after, np.ndarray) and np.array_equal(np.asarray(after), before)
        if isinstance(before, np.ndarray) and not same:
            raise Mismatch(
                f"The call changed {name}. An operation whose name ends in _ changes its tensor "
                "in place. So do +=, *= and x[…] = ….",
                mistake="changes-its-argument",
                code="argument_changed",
                told=(
                    "The call changes an argument. An operation whose name ends in _ changes its "
                    "tensor in place. So do +=, *= and x[…] = …."
                ),
            )


def expect_stateless(
    again: Callable[..., Any], before: tuple[tuple[Any, ...], ...], what: str
) -> None:
    """Pass if earlier calls leave a module's result unchanged, or if the result is random.

    `again` runs the module and returns its result. Its arguments are `before`, the arguments of the
    earlier calls, and `seed`, as in `Submission.forward`. `what` is the result's name in sentences.
    """
    fresh, other = np.asarray(again()), np.asarray(again(seed=1))
    if not np.array_equal(fresh, other, equal_nan=True):
        return
    if wrong := _after(again, before, fresh, what):
        alone = (_after(again, (args,), fresh, what) for args in before)
        raise next(filter(None, alone), wrong)


def _after(
    again: Callable[..., Any], before: tuple[tuple[Any, ...], ...], fresh: Any, what: str
) -> Mismatch | None:
    """Return the error about a result after earlier calls, or None if it is as in a new module."""
    said = (
        "After a call with other arguments, {} So the module keeps something of the earlier call."
    )
    try:
        after = np.asarray(again(before=before))
    except Raised as error:
        stops = f"the module stops, but a new module does not: {error.finding}"
        return Mismatch(said.format(stops), mistake="remembers")
    if after.shape == fresh.shape and np.allclose(after, fresh, 1e-5, 1e-6, equal_nan=True):
        return None
    differ = f"{what} of the module differ from those of a new module."
    return Mismatch(said.format(differ), what, mistake="remembers")


def _listed(state: Mapping[str, list[int]]) -> str:
    names = [f"{one_line(name, 60)} {_short_shape(sizes)}" for name, sizes in state.items()]
    more = ", …" if len(names) > MAX_NAMES else ""
    return ", ".join(names[:MAX_NAMES]) + more if names else "no nn.Parameter or layer in self"


def _short_shape(sizes: Sequence[int]) -> str:
    return shape(tuple(sizes[:8]))


def reference_pass(
    build: Callable[..., Any],
    made_with: tuple[Any, ...],
    inputs: tuple[Any, ...],
    state: Weights,
    toward: tuple[Any, ...] | None = None,
) -> Passed:
    """Return a forward pass of the course's module in float64.

    The module runs in the judge process. In a student kit, the pass comes from the recorded
    answers.

    Args:
        build: the course's class.
        made_with: the arguments of its constructor.
        inputs: the arguments of the call, as NumPy arrays.
        state: the weights by name, as NumPy arrays.
        toward: one array for each result, or None for no gradients. Each result is multiplied by
            its array, and the sum of all products is differentiated.
    """
    if hasattr(build, "recorded_pass"):
        recorded: Passed = build.recorded_pass(made_with, inputs, state, toward)
        return recorded
    import torch

    def tensor(value: Any) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        made = torch.from_numpy(np.array(value))
        return made.double() if made.is_floating_point() else made

    forward = Forward(
        {name: tensor(value) for name, value in state.items()},
        [tensor(value) for value in inputs],
        toward=None if toward is None else [tensor(each) for each in toward],
    )
    with torch.random.fork_rng(devices=[]):
        passed = run_module(lambda *args: build(*args).double(), list(made_with), {}, forward)
    passed.value = _arrays(passed.value)
    passed.gradients = {name: _arrays(each) for name, each in passed.gradients.items()}
    return passed


def _arrays(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_arrays(each) for each in value]
    return None if value is None else value.detach().numpy().view(Tensor)
