"""Shared parts of the checks of attention modules: a student's class and its results.

One mistake costs points once, so each check judges only its subject. An output gets its points even
if the weights are missing, a mask even if the scores have another scale, and a gradient even if the
values are wrong.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autograder.author import (
    MayFollow,
    Mismatch,
    ModuleRun,
    NotJudged,
    Passed,
    Raised,
    StudentProblem,
    Submission,
    Weights,
    ask_alone,
    expect_close,
    expect_gradients,
    expect_numbers,
    expect_results,
    expect_shape,
    forward_pass,
    is_plural,
    join_names,
    one_line,
    reference_pass,
)
from reference.attention import Array
from reference.mask_shapes import expect_no_weight
from reference.parts import WORDS

Sizes = tuple[Any, ...]
Inputs = tuple[Any, ...]
Case = tuple[Inputs, Weights]
Note = Callable[[str], None]
NEXT = ("the output", "the weights")
MOVED = 1e-5  # smaller changes count as none
SAYS = 1e-3  # values that differ by less carry no information
BLOCKED = 1e-6  # the largest weight that counts as 0
IN_EVALUATION = (
    "How does your code notice that model.eval() was called?",
    "model.eval() reaches only modules that `__init__` stores in self. F.dropout needs "
    "training=self.training.",
    "Make all modules in `__init__`. Use dropout only where the text asks for it.",
)
IN_FORWARD = (
    "In which of your functions is each nn.Linear made?",
    "A layer that forward makes has new random weights in each call, and training cannot change "
    "them.",
    "Make every layer once, in `__init__`, and store it in self. In forward, only call it.",
)
RANGE = 1e-3, 1e3  # the range of factors that count as a scale; 0 would be no attention


@dataclass(frozen=True)
class Asked:
    """A student's class, and the course's class for comparison.

    The calls `first` show whether number, order and shapes of the results are right. One check
    grades this, and all other checks ignore mistakes in it. `what` are the names of the results in
    a sentence. The constructor's arguments `still` make a module without dropout.
    """

    submission: Submission
    build: Any
    name: str
    first: tuple[tuple[Sizes, Inputs, Weights], ...]
    what: tuple[str, ...] = NEXT
    still: Sizes = ()
    _known: dict[str, bool] = field(default_factory=dict)

    def of(self, submission: Submission) -> "Asked":
        """Return the class in another process. Both objects share cached results."""
        return replace(self, submission=submission)

    @property
    def is_regular(self) -> bool:
        """Return True if the number, order and shapes of the results are right."""
        if "regular" not in self._known:
            self._known["regular"] = self._has_right_shapes()
        return self._known["regular"]

    def _has_right_shapes(self) -> bool:
        aside = self.submission.aside()  # a check that uses this grades other calls
        for made_with, inputs, state in self.first:
            try:
                run = forward_pass(aside, self.name, made_with, inputs, state, WORDS)
            except (Mismatch, Raised):
                continue
            right = self.right(made_with, inputs, run.state).value
            found = run.value if isinstance(run.value, list) else [run.value]
            wanted = right if isinstance(right, list) else [right]
            if list(map(_shape, found)) == list(map(_shape, wanted)):
                return True
        return False

    def run(self, made_with: Sizes, inputs: Inputs, state: Weights, **details: Any) -> ModuleRun:
        __tracebackhide__ = True

        def right(used: Weights) -> Any:
            return self.right(made_with, inputs, used).value

        submission, name = self.submission, self.name
        if details.get("toward") is not None:
            plain = forward_pass(submission, name, made_with, inputs, state, WORDS, right)
            self._expect_kind(plain.value)
            if self._is_turned(plain.value, right(plain.state)):
                details["toward"] = details["toward"][::-1]
        run = forward_pass(submission, name, made_with, inputs, state, WORDS, right, **details)
        if run.value is None and details.keys().isdisjoint(("training", "toward")):
            self._expect_none_in_training(made_with, inputs, state)
        return run

    def _expect_none_in_training(self, made_with: Sizes, inputs: Inputs, state: Weights) -> None:
        """Raise Mismatch if a call that returns None in evaluation has a result in training."""
        __tracebackhide__ = True
        aside = self.submission.aside()
        try:
            run = forward_pass(aside, self.name, made_with, inputs, state, WORDS, training=True)
        except (Mismatch, Raised):
            return
        if run.value is not None:
            raise Mismatch(
                f"In evaluation (after eval()), {self.name} returns None. In training, it returns "
                "a result.",
                mistake="nothing-in-evaluation",
                code="nothing_returned",
            )

    def parameters_before(self, made_with: Sizes, inputs: Inputs) -> Mapping[str, list[int]]:
        """Return the shapes of the parameters that the module has before its first call."""
        return self.submission.aside().forward(self.name, made_with, inputs, {}).state

    def right(
        self, made_with: Sizes, inputs: Inputs, state: Weights, toward: Inputs | None = None
    ) -> Passed:
        return reference_pass(self.build, made_with, inputs, state, toward)

    def right_beside(
        self, run: ModuleRun, made_with: Sizes, inputs: Inputs, toward: Inputs | None = None
    ) -> Passed:
        """Return the course's forward pass with the student's weights, for comparison.

        A student kit may lack the course's forward pass. So other errors in `run` are reported
        before.
        """
        __tracebackhide__ = True
        self._expect_kind(run.value)
        try:
            return self.right(made_with, inputs, run.state, toward)
        except NotJudged:
            if run.fit.absent or run.fit.tied:  # weights that no right answer has
                wrong = Mismatch(
                    f"{self.name} does not have all parameters that the text asks for."
                )
                raise MayFollow(wrong, self.name) from None
            raise

    def _expect_kind(self, value: Any) -> None:
        __tracebackhide__ = True
        if not isinstance(value, list | np.ndarray):
            expect_numbers(self.answers(value)[0], self.what[0])

    def answers(self, value: Any, right: Any = None) -> tuple[Any, Any]:
        """Return the output, and the weights or None, in the right order."""
        __tracebackhide__ = True
        if len(self.what) > 1 and (not isinstance(value, list | np.ndarray) or self.is_regular):
            first, second = expect_results(value, ("output", "weights"), self.name)
            return first, second
        if not isinstance(value, list) or not value or (len(self.what) == 1 and self.is_regular):
            return value, None
        first, second = (*value[:2], None)[:2]
        if self._is_turned(value, right):
            first, second = second, first
        if isinstance(right, list) and _shape(second) != _shape(right[1]):
            second = None
        return first, second

    def _is_turned(self, value: Any, right: Any) -> bool:
        """Return True if the shapes show that the two results are exchanged."""
        if not isinstance(value, list) or len(value) != 2 or not isinstance(right, list):
            return False
        wanted, found = [_shape(each) for each in right], [_shape(each) for each in value]
        return wanted[0] != wanted[1] and found == wanted[::-1] and not self.is_regular

    def output(self, made_with: Sizes, inputs: Inputs, state: Weights, **details: Any) -> Array:
        """Return the student's output, which must have the right shape."""
        __tracebackhide__ = True
        run = self.run(made_with, inputs, state, **details)
        self._expect_kind(run.value)
        right = self._blank(made_with, inputs, run.state)
        shape = (right[0] if isinstance(right, list) else right).shape
        return expect_shape(self.answers(run.value, right)[0], shape, self.what[0])

    def _blank(self, made_with: Sizes, inputs: Inputs, state: Weights) -> Any:
        """Return the correct result for zeros, which every student kit contains."""
        blank = {name: np.zeros_like(value) for name, value in state.items()}
        return self.right(made_with, tuple(map(np.zeros_like, inputs)), blank).value

    def compare(
        self,
        made_with: Sizes,
        inputs: Inputs,
        state: Weights,
        condition: float = 20.0,
        times: float = 1.0,
    ) -> None:
        """Pass if the output and any returned weights are right.

        The correct scores are multiplied by `times`, through the queries.
        """
        __tracebackhide__ = True
        try:
            self._compare(made_with, inputs, state, condition, times)
        except Mismatch as wrong:
            self.expect_not_random(made_with, inputs, state)
            if self._is_right_in_training(made_with, inputs, state, condition, times):
                told = (
                    "In evaluation (after eval()), the results are wrong. In training, without "
                    "dropout, they are right."
                )
                raise replace(
                    wrong, finding=told, told=told, mistake="wrong-in-evaluation"
                ) from None
            raise

    def _is_right_in_training(
        self, made_with: Sizes, inputs: Inputs, state: Weights, condition: float, times: float
    ) -> bool:
        aside = self.of(self.submission.aside())
        try:
            aside._compare(made_with, inputs, state, condition, times, training=True)
        except (Mismatch, Raised):
            return False
        return True

    def _compare(
        self,
        made_with: Sizes,
        inputs: Inputs,
        state: Weights,
        condition: float,
        times: float,
        training: bool = False,
    ) -> None:
        __tracebackhide__ = True
        if training:
            run = self.run(self.still or made_with, inputs, state, training=True)
        else:
            run = self.run(made_with, inputs, state)
        if times != 1:
            query = run.state["W_q.weight"].astype(np.float64) * times
            run = replace(run, state={**run.state, "W_q.weight": query})
        right = self.right_beside(run, made_with, inputs).value
        output, weights = self.answers(run.value, right)
        expected = right if isinstance(right, list) else [right, None]
        expect_close(output, expected[0], self.what[0], condition=condition)
        if weights is not None and len(self.what) > 1:
            expect_close(weights, expected[1], self.what[1], condition=condition)
            if np.isin(inputs[-1], (0, 1)).all():  # a mask
                expect_no_weight(weights, expected[1], self.what[1])

    def is_right(self, made_with: Sizes, inputs: Inputs, state: Weights) -> bool:
        """Return True if `compare` passes."""
        try:
            self._compare(made_with, inputs, state, 200.0, 1.0)
        except (Mismatch, Raised):
            return False
        return True

    def is_comparable(self, made_with: Sizes, inputs: Inputs, state: Weights, note: Note) -> bool:
        """Return True if `compare` passes.

        If it fails, add a note that the check compares no values.
        """
        is_right = self.is_right(made_with, inputs, state)
        if not is_right:
            note(
                f"{self.name} is wrong in some calls of this check. Other checks grade this. "
                "This check grades only the rest."
            )
        return is_right

    def compare_scaled(
        self, made_with: Sizes, inputs: Inputs, state: Weights, like: Sizes, note: Note
    ) -> None:
        """Pass if `compare` passes, with right scores or with the student's `factor(like)`."""
        __tracebackhide__ = True
        try:
            self.compare(made_with, inputs, state)
        except Mismatch as wrong:
            factor = self.factor(like)
            if factor is None:
                raise
            try:
                self.compare(made_with, inputs, state, 200.0, factor)
            except Mismatch:
                raise wrong from None
            note("Right, given your scale of the scores.")

    def factor(self, made_with: Sizes) -> float | None:
        """Return the factor by which the scores are too large, or None for other mistakes."""
        rng = np.random.default_rng(5)
        width = made_with[0]
        shapes = {f"W_{each}.weight": (width, width) for each in "qkvo"}
        state = {
            name: (rng.normal(size=size) / np.sqrt(width)).astype(np.float32)
            for name, size in shapes.items()
        }
        inputs = (rng.normal(size=(2, 5, width)).astype(np.float32),)
        try:
            run = self.run(made_with, inputs, state)
            right = self.right_beside(run, made_with, inputs).value
            weights = self.answers(run.value, right)[1]
            if weights is None:
                return None
            found = expect_shape(weights, right[1].shape).astype(np.float64)
        except (Mismatch, Raised):
            return None
        if not (found > 0).all():
            return None
        own, true = (
            np.log(each) - np.log(each).mean(-1, keepdims=True) for each in (found, right[1])
        )
        factor = float((own * true).sum() / (true * true).sum())
        fits = np.allclose(own, factor * true, rtol=1e-3, atol=1e-3 * max(1.0, factor))
        return factor if fits and RANGE[0] < factor < RANGE[1] else None

    def compare_masked(
        self, made_with: Sizes, inputs: Inputs, mask: Array, state: Weights, note: Note
    ) -> None:
        """Pass if `compare` passes with a mask.

        If `compare` fails without a mask, judge only the mask.
        """
        __tracebackhide__ = True
        try:
            self.compare(made_with, (*inputs, mask), state)
        except Mismatch:
            if self.is_right(made_with, inputs, state) or not self._looks_where_it_may(
                made_with, inputs, mask, state
            ):
                raise
            note("The mask acts as it should.")

    def _looks_where_it_may(
        self, made_with: Sizes, inputs: Inputs, mask: Array, state: Weights
    ) -> bool:
        """Return True if each output changes only with keys that the query may see."""

        def answer(given: Inputs, *more: Any) -> Array:
            return self.output(made_with, (*given, *more), state).astype(np.float64)

        try:
            if not self._weights_obey(made_with, inputs, mask, state):
                return False
            before = answer(inputs, mask)
            if np.ptp(before) < SAYS:
                return False
            if not np.allclose(answer(inputs), answer(inputs, np.ones_like(mask)), atol=MOVED):
                return False
            allowed = mask[:, 0] != 0 if mask.ndim == 4 else mask != 0
            seen = inputs[:1] if len(inputs) == 1 else inputs[1:]
            length = seen[0].shape[-2]
            allowed = np.broadcast_to(allowed, (*before.shape[:-1], length)).copy()
            if len(inputs) == 1:  # the query itself is made from x
                allowed |= np.eye(length, dtype=bool)
            for place in range(length):
                changed = [each.copy() for each in seen]
                for each in changed:
                    each[..., place, :] = 1.5 - each[..., place, ::-1]
                given = (*inputs[: len(inputs) - len(changed)], *changed)
                moved = np.abs(answer(given, mask) - before).max(-1)
                may = allowed[..., place]
                if not ((moved[may] > 10 * MOVED).all() and (moved[~may] <= MOVED).all()):
                    return False
        except (Mismatch, Raised):
            return False
        return True

    def _weights_obey(self, made_with: Sizes, inputs: Inputs, mask: Array, state: Weights) -> bool:
        """Return True if no weights are returned, or if they are 0 where blocked and sum to 1."""
        given = (*inputs, mask)
        run = self.run(made_with, given, state)
        right = self.right_beside(run, made_with, given).value
        weights = self.answers(run.value, right)[1]
        if weights is None or len(self.what) == 1:
            return True
        found = expect_shape(weights, right[1].shape).astype(np.float64)
        blocked = np.asarray(right[1]) == 0
        return bool(
            (np.abs(found[blocked]) <= BLOCKED).all()
            and np.allclose(found.sum(-1), 1, rtol=0, atol=MOVED)
        )

    def expect_to_follow(self, made_with: Sizes, inputs: Inputs, state: Weights) -> None:
        """Pass if the results are right, or at least change with the inputs and weights."""
        __tracebackhide__ = True
        try:
            self._compare(made_with, inputs, state, 200.0, 1.0)
        except (Mismatch, Raised):
            if not next(self._follow(made_with, [(inputs, state)])):
                raise

    def expect_not_random(self, made_with: Sizes, inputs: Inputs, state: Weights) -> None:
        """Pass if two calls in evaluation, with different random numbers, give equal results."""
        __tracebackhide__ = True
        runs = [self.run(made_with, inputs, state, seed=seed) for seed in (1, 2)]
        first, second = (self.answers(run.value) for run in runs)
        for one, two, what in zip(first, second, self.what, strict=False):
            if isinstance(one, np.ndarray) and not np.array_equal(one, two, equal_nan=True):
                verb = "are" if is_plural(what) else "is"
                filled = runs[0].fit.loaded(state)
                for extra in (each for each in runs[0].parameters if each not in filled):
                    raise Mismatch(
                        f"{self.name} has the parameter {one_line(extra, 60)}, and the text asks "
                        f"for no such parameter. Its starting values are random, so {what} {verb} "
                        "random too.",
                        what,
                        mistake="extra-parameter",
                        told="A module has a parameter that the text does not ask for.",
                    )
                told = (
                    "In evaluation (after eval()), two calls with the same arguments give "
                    f"different results: {what} {verb} random."
                )
                if renewed := self._renewed(made_with, inputs, state):
                    raise Mismatch(
                        f"{told} `forward` gives {join_names(renewed)} new random weights in each "
                        "call.",
                        what,
                        mistake="weights-renewed",
                        told="`forward` gives a matrix new random weights in each call.",
                        hints=IN_FORWARD,
                    )
                raise Mismatch(
                    f"{told} Dropout should act only in training.",
                    what,
                    mistake="dropout-in-evaluation",
                    hints=IN_EVALUATION,
                    requirement="evaluation",
                )

    def _renewed(self, made_with: Sizes, inputs: Inputs, state: Weights) -> list[str]:
        """Return the matrices to which `forward` gives new weights.

        For such a matrix, the weights from before the call have no effect, and the weights after
        the call have a gradient.
        """

        def output(weights: Weights, **details: Any) -> ModuleRun:
            return self.run(made_with, inputs, weights, **details)

        before = np.asarray(self.answers(output(state).value)[0])
        toward = (np.ones_like(before), *[None] * (len(self.what) - 1))
        gradients = output(state, toward=toward).gradients
        changed = {name: 1.5 * value[..., ::-1] for name, value in state.items()}
        return [
            name.removesuffix(".weight")
            for name in state
            if np.any(gradients.get(name))
            and _are_equal(self.answers(output({**state, name: changed[name]}).value)[0], before)
        ]

    def expect_no_dropout(
        self, made_with: Sizes, inputs: Inputs, state: Weights, requirement: str
    ) -> None:
        """Pass if the outputs in training and in evaluation are equal."""
        __tracebackhide__ = True
        still, training = (
            self.output(made_with, inputs, state, training=each) for each in (False, True)
        )
        if not np.isfinite(still).all():
            return  # a check of the values reports this
        try:
            expect_close(training, np.asarray(still, float), self.what[0], condition=100.0)
        except Mismatch as wrong:
            self.expect_not_random(made_with, inputs, state)
            differ = "differ from those" if is_plural(self.what[0]) else "differs from that"
            told = (
                f"In training, {self.what[0]} of {self.name} {differ} in evaluation. The text "
                "asks for no dropout, and for nothing else that acts only in training."
            )
            raise replace(
                wrong,
                finding=told,
                mistake="dropout-not-asked-for",
                told=told,
                sides=("in training", "in evaluation"),
                requirement=requirement,
            ) from None

    def _follow(self, made_with: Sizes, cases: Sequence[Case]) -> Iterator[bool]:
        """Yield True for each case in which the output's rows change with inputs and weights.

        Only the first results of new processes are compared, so earlier calls have no effect.
        """

        def answer(mine: Submission, case: Case) -> Array:
            return self.of(mine).output(made_with, *case).astype(np.float64)

        for case in cases:
            first, *others = [
                ask_alone(self.submission, answer, each) for each in _with_others(*case)
            ]
            says = np.ptp(first) >= SAYS
            yield bool(says and all((np.abs(y - first).max(-1) > SAYS).all() for y in others))

    def compare_gradients(
        self,
        made_with: Sizes,
        inputs: Inputs,
        state: Weights,
        toward: Array,
        mask: Array,
        names: Mapping[str, str],
        note: Note,
    ) -> None:
        """Pass if the gradients of Σ output·toward are right, without a mask and with one.

        With a mask, the module is in training. The module is made without dropout.
        """
        __tracebackhide__ = True
        seed = (toward, None)

        def compare(given: Inputs, run: ModuleRun) -> None:
            right = self.right_beside(run, made_with, given, seed)
            self._blank(made_with, given, run.state)  # a student kit then has it for `total`
            total = self.total(made_with, given, state, toward)
            # only without a mask: a student kit lacks masked answers to other inputs
            elsewhere = (
                self.gradients_elsewhere(made_with, given, state, seed) if given is inputs else None
            )
            if expect_gradients(run, right, names, total, elsewhere):
                note("The gradient fits your own values.")

        self.output(made_with, inputs, state)  # a wrong shape has no gradient to compare
        aside = self.of(self.submission.aside())
        try:
            compare(inputs, self.run(made_with, inputs, state, toward=seed))
        except Mismatch as wrong:
            try:
                compare(inputs, aside.run(made_with, inputs, state, toward=seed, training=True))
            except (Mismatch, Raised):
                raise wrong from None
            raise _only_in(wrong, "evaluation") from None
        given = (*inputs, mask)
        still = self._finite_output(made_with, given, state)
        if isinstance(still, str):
            note(f"This check judged your code without a mask. With a mask, your code {still}.")
            return
        run = self.run(made_with, given, state, toward=seed, training=True)
        output = self.answers(run.value, self._blank(made_with, given, run.state))[0]
        if not _are_equal(output, still):  # another check grades dropout
            compare(given, self.run(made_with, given, state, toward=seed))
            note(
                "In training, the output differs from that in evaluation. The text asks for no "
                "dropout in these calls. So this check judged only evaluation."
            )
            return
        try:
            compare(given, run)
        except Mismatch as wrong:
            try:
                compare(given, aside.run(made_with, given, state, toward=seed))
            except Mismatch:
                raise wrong from None
            raise _only_in(wrong, "training") from None

    def _finite_output(self, made_with: Sizes, inputs: Inputs, state: Weights) -> Array | str:
        """Return the output, or the reason why no gradients can be compared, as a verb phrase."""
        try:
            output = self.output(made_with, inputs, state)
        except Raised:
            return "stops with an error here"
        except Mismatch:
            return "returns a wrong shape here"
        if not np.isfinite(output).all():
            return "returns infinite numbers or NaN here"
        return output

    def gradients_elsewhere(
        self, made_with: Sizes, inputs: Inputs, state: Weights, toward: Inputs
    ) -> Callable[[], tuple[ModuleRun, Passed]]:
        """Return the student's and the correct gradients for other inputs of these sizes."""

        def gradients() -> tuple[ModuleRun, Passed]:
            given = other_inputs(inputs)
            run = self.run(made_with, given, state, toward=toward)
            return run, self.right_beside(run, made_with, given, toward)

        return gradients

    def compare_each(
        self,
        made_with: Sizes,
        cases: Iterable[Case],
        note: Note,
        otherwise: Callable[[Inputs, Weights], None] | None = None,
    ) -> None:
        """Pass if `compare` passes with batch axes.

        Wrong values pass if each matrix alone gives the same values. If not, `otherwise` tests
        whether the values follow from another step of the student.
        """
        __tracebackhide__ = True
        wrong: list[tuple[Case, Mismatch]] = []
        stopped: Mismatch | StudentProblem | None = None
        try:
            for case in cases:
                try:
                    self.compare(made_with, *case)
                except Mismatch as error:
                    if self._each_alone(made_with, *case):
                        wrong.append((case, error))
                    elif otherwise is None:
                        raise
                    else:
                        otherwise(*case)
        except (Mismatch, StudentProblem) as error:
            stopped = error
        follow = self._follow(made_with, [case for case, _ in wrong])
        for _, mismatch in wrong:
            try:
                does = next(follow)
            except (Mismatch, Raised):
                does = False
            if not does:
                raise mismatch
            note("Each sequence has the same output as it has alone.")
        if stopped is not None:
            raise stopped

    def _each_alone(self, made_with: Sizes, inputs: Inputs, state: Weights) -> bool:
        """Return True if each matrix alone gives the same wrong values as in the batch."""
        batch = inputs[0].shape[:-2]

        def alone(place: Sizes) -> Inputs:
            return tuple(each[place] for each in inputs)

        if self.is_right(made_with, alone((0,) * len(batch)), state):
            return False
        try:
            together = self.output(made_with, inputs, state)
            for place in np.ndindex(*batch):
                by_itself = self.output(made_with, alone(place), state)
                if not np.allclose(by_itself, together[place], atol=MOVED):
                    return False
        except (Mismatch, Raised):
            return False
        return True

    def total(
        self, made_with: Sizes, inputs: Inputs, state: Weights, toward: Array
    ) -> Callable[[str, Any], float]:
        """Return a function that maps a change of one input or parameter to Σ output·toward."""

        def value(key: str, change: Any) -> float:
            given, weights = list(inputs), dict(state)
            if key.startswith("input "):
                place = int(key.removeprefix("input "))
                given[place] = (given[place] + change).astype(np.float32)
            else:
                weights[key] = (weights[key] + change).astype(np.float32)
            output = self.output(made_with, tuple(given), weights)
            return float((output.astype(np.float64) * toward).sum())

        return value


def _only_in(wrong: Mismatch, mode: str) -> Mismatch:
    """Return the error with sentences that begin with "In training," or "In evaluation,"."""
    finding, told = (
        text and f"In {mode}, {text[0].lower()}{text[1:]}" for text in (wrong.finding, wrong.told)
    )
    return replace(wrong, finding=finding, told=told)


def _are_equal(one: Any, other: Any) -> bool:
    """Return True if two arrays have equal shapes and almost equal numbers."""
    return _shape(one) == _shape(other) and np.allclose(one, other, atol=MOVED)


def _shape(value: Any) -> tuple[int, ...] | None:
    """Return the shape of an array or of a list of rows, or None for other values."""
    try:
        return None if value is None else np.shape(value)
    except ValueError:
        return None


def _with_others(inputs: Inputs, state: Weights) -> list[Case]:
    """Return this case, and cases with other inputs or weights, which have other answers."""
    changed = {name: 1.5 * value[..., ::-1] for name, value in state.items()}
    more = [(inputs, changed)] if state else []
    return [(inputs, state), (other_inputs(inputs), state), *more]


def other_inputs(inputs: Inputs) -> Inputs:
    """Return inputs of the same sizes with other numbers or words. Masks stay unchanged."""
    return tuple(
        each.max() - each
        if each.dtype.kind == "i" and each.max() > 1
        else 1.5 - each[..., ::-1]
        if each.dtype.kind == "f" and not np.isin(each, (0, 1)).all()
        else each
        for each in inputs
    )


def usual_batch(
    asked: Asked,
    rng: np.random.Generator,
    draw: Callable[[Sizes], Inputs],
    made_with: Sizes,
    state: Weights,
    note: Note,
) -> Sizes:
    """Return the size of a batch axis as a tuple.

    If the code works only without a batch axis, return (). `draw` makes arguments with `rng`.
    """
    usual: Any = None
    fault = ""
    for batch in ((2,), ()):
        inputs = draw(batch)
        usual = usual or rng.bit_generator.state
        try:
            asked.output(made_with, inputs, state)
        except NotJudged:  # a student kit may lack this answer but have the later answers
            return batch
        except (Mismatch, Raised) as error:
            fault = "stops with an error" if isinstance(error, Raised) else "returns a wrong shape"
            continue
        if not batch:
            note(
                "This check judged your code without a batch axis. With a batch axis, your code "
                f"{fault}."
            )
        return batch
    rng.bit_generator.state = usual  # the check makes the calls that a right answer gets
    return (2,)
