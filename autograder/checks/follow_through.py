"""Checks with several processes: follow-through, and independence of earlier calls.

With follow-through, a mistake costs points once: later values that are right for the wrong step
count as correct. To compute these values, a check calls the student's step. Such a call is a
*question*. Each question goes to a new process, so a step cannot repeat an earlier result. The
step's results must be informative, and the values that follow must change with the question.
Otherwise, the check fails.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from autograder.checks.check_result import MayFollow, NotJudged
from autograder.checks.expect import Mismatch, Numbers, expect_close, expect_numbers, expect_shape
from autograder.checks.projection_hash import Leaves, kinds_in, signature_of
from autograder.checks.proxy import Call, Submission
from autograder.checks.tolerance import allowed_error
from autograder.sandbox.problems import StudentProblem
from autograder.worker.codec import Figure

RunOwn = Callable[[Submission, Any], Any]
Calling = Callable[[Submission], Any]
Note = Callable[[str], None]
Vary = Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
FromOwn = Callable[["OwnSteps"], npt.ArrayLike]
Case = tuple[Any, npt.ArrayLike, FromOwn]
CannotFollow = Callable[[Numbers], bool]

MOST_PLACES = 6  # the most places along one axis that are changed, one at a time
EXTREME = 30.0  # for larger scores, the smaller of two weights is too small to be seen
CLEARLY = 10.0  # a difference must be this many times the allowed error
LEAST = 1e-3  # smaller differences count as equal
CLOSE = 1e-5  # the same sum in another order may differ in its last digits
RESULT_USED_AGAIN = (
    "Which line makes the array that your function returns, and does this line run in every call?",
    "A caller may keep a result, and call the function again. Then both results are needed.",
    "Make a new array in each call, inside the function. An operation such as `x - 1` makes one.",
)


def ask_alone(submission: Submission, run: RunOwn, question: Any) -> Numbers:
    """Return the result of `run(submission, question)` in a new process, as a float64 array."""
    return np.asarray(run(submission.own(), question), dtype=np.float64)


def other_numbers(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return other numbers of similar size, in the opposite order. Infinities stay unchanged."""
    return np.where(np.isfinite(x), 0.7 - _finite(x), x)


def _finite(x: npt.ArrayLike) -> npt.NDArray[Any]:
    return np.where(np.isfinite(x), x, 0)


class OwnSteps:
    """The student's functions for a step. Each of their calls is a *question* to a new process.

    A result follows only if it depends on the step. So the grader also asks changed questions. Each
    is a copy of the last question, with another value at one place along one axis. A changed
    question must change the value that follows.

    Args:
        submission: the student's module.
        vary: a function that returns other values for a question, in an array of the same shape.
            Give this function if the step needs special values, such as positive ones.
        axes: the axes along which the check changes its questions. The default is every axis.
            Leave out an axis along which no change has an effect.
        share: the share of the changed questions that must have an effect, by default 1. Give a
            smaller share if some places have no effect, such as keys that a mask blocks. At least
            one change must have an effect.
    """

    def __init__(
        self,
        submission: Submission,
        vary: Vary = other_numbers,
        axes: tuple[int, ...] = (),
        share: float = 1.0,
    ) -> None:
        self._submission = submission
        self._vary = vary
        self._axes = axes
        self.share = share
        self.asked: list[tuple[RunOwn, Any, Numbers]] = []
        self.graded: Callable[[int, float], object] | None = None
        self._known: list[Numbers] = []
        self._last: list[Any] = []  # an item replaces the first question without a known answer

    def comes_to(self, place: int, value: float) -> None:
        """Compare one number of the student's result with `value` before the next question.

        `place` is the number's position in the flattened result. `value` is the number that follows
        from the step.

        Raises:
            Mismatch: the result has a different number at this position.
        """
        if self.graded is not None:
            self.graded(place, value)

    def ask(self, run: RunOwn, x: Any) -> Numbers:
        """Return the result of `run(submission, x)` as a float64 array.

        `run` calls the student's functions in a new process, with `x` as their input.

        Raises:
            StudentProblem, TypeError, ValueError: the student's functions gave no numbers.
        """
        if len(self.asked) < len(self._known):
            answer = self._known[len(self.asked)]
        else:
            x = self._last.pop() if self._last else x
            answer = ask_alone(self._submission, run, x)
        self.asked.append((run, x, answer))
        return answer

    def others(self) -> Iterator["OwnSteps"]:
        """Yield copies of these steps, with other numbers at one place of the last question."""
        if self.asked:
            yield from map(self._with, self._changed(self.asked[-1][1]))

    def answers_to_others(self) -> Iterator[Numbers]:
        """Yield the student's result for each change of the last question."""
        run, x, _ = self.asked[-1]
        for question in self._changed(x):
            yield ask_alone(self._submission, run, question)

    def smaller(self) -> "OwnSteps":
        """Return a copy of these steps with smaller numbers in the last question."""
        x = self.asked[-1][1]
        return self._with(np.where(np.isfinite(x), np.tanh(_finite(x) / 50), x))

    def anew(self) -> "OwnSteps":
        """Return a copy of these steps without the earlier questions."""
        return OwnSteps(self._submission, self._vary, self._axes, self.share)

    def _with(self, last: Any) -> "OwnSteps":
        steps = self.anew()
        steps._known = [answer for _, _, answer in self.asked[:-1]]
        steps._last = [last]
        return steps

    def _changed(self, x: Any) -> Iterator[Any]:
        """Yield copies of the question. Each has another value at one place along one axis."""
        if not isinstance(x, np.ndarray):
            return
        other = self._vary(x)
        # the weight of the only finite score in a row is always 1
        single = (np.isfinite(x).sum(axis=-1, keepdims=True) < 2) & (x.shape[-1] > 1)
        for axis in self._axes or range(x.ndim):
            along = np.arange(x.shape[axis])
            places = np.linspace(0, along[-1], MOST_PLACES).round()
            for place in sorted({int(place) for place in places}):
                here = np.expand_dims(along == place, [i for i in range(x.ndim) if i != axis])
                if (here & np.isfinite(x) & ~single).any():
                    yield np.where(here, other, x)


def is_informative(values: Numbers, least: float = LEAST) -> bool:
    """Return True if all numbers are finite, and the numbers of some row differ by `least`.

    Rows of only one number must differ from each other. So zeros, constants and rows of 1/n are not
    informative.
    """
    if not values.size or not np.isfinite(values).all() or np.ptp(values) < least:
        return False
    rows = values.reshape(-1, values.shape[-1]) if values.ndim > 1 else values[np.newaxis]
    return rows.shape[-1] < 2 or bool((np.ptp(rows, axis=-1) >= least).any())


def is_responsive(steps: OwnSteps) -> bool:
    """Return True if all results are informative, and if they change with the last question."""
    if not steps.asked or not all(is_informative(answer) for _, _, answer in steps.asked):
        return False
    before = steps.asked[-1][2]
    return all(_is_other(answer, before, LEAST) for answer in steps.answers_to_others())


def _is_other(one: Numbers, other: Numbers, clear: float) -> bool:
    """Return True if two results have the same shape and clearly differ."""
    if one.shape != other.shape:
        return False
    with np.errstate(invalid="ignore"):
        return not bool((np.abs(one - other) <= clear).all())


def expect_follows(
    actual: Any,
    expected: npt.ArrayLike,
    from_own: FromOwn,
    what: str,
    note: Note,
    own: str,
    submission: Submission,
    **details: Any,
) -> None:
    """Pass if a result is correct, or if it follows from the student's own wrong step.

        expect_follows(
            submission.attention(Q, K, V), attention(Q, K, V),
            lambda steps: steps.ask(lambda own, x: own.softmax(x), scores) @ V,
            "the output", note, "softmax", submission,
        )

    Args:
        actual: the student's result.
        expected: the correct result, finite and real.
        from_own: a function that computes the result that follows from the student's step. It gets
            an `OwnSteps`, and calls the student's step with `ask`. If the check already has the
            step's result, the function may ignore its argument.
        what: the name of the value in the report's sentences.
        note: the fixture `note`. If the result follows, the report says that it is right for the
            student's step.
        own: the name of the student's step. If the step is in another file of the student
            (`submission.borrows`), reports in a student kit say that the other file is wrong.
        submission: the student's module.
        condition: the factor by which the problem magnifies rounding errors; see `allowed_error`.
        unlike: wrong versions of `from_own`. Each lacks something that the check tests. If one of
            them returns the same value as `from_own`, the student's result does not follow.
        cannot_follow: a function that returns True if no version of the step can lead to the
            result. Only student kits use this function. A result with a wrong shape, NaN or
            infinities never follows.
        vary, axes, share: the arguments of `OwnSteps`.

    Raises:
        Mismatch: the result is wrong and does not follow. The finding compares it with the correct
            result.
    """
    expect_all_follow([(actual, expected, from_own)], what, note, own, submission, **details)


def expect_all_follow(
    cases: Sequence[Case],
    what: str,
    note: Note,
    own: str,
    submission: Submission,
    *,
    condition: float = 1.0,
    unlike: Sequence[FromOwn] = (),
    cannot_follow: CannotFollow | None = None,
    **varied: Any,
) -> None:
    """Pass if several short results are all correct, or all follow from the student's own step.

    It works like `expect_follows`, for results that are too short to be judged one by one. Each
    case has three items: the student's result, the correct result, and the `from_own` of
    `expect_follows`. Give the cases in the order of the calls. The check must make no call
    afterwards.
    """
    compared = 0
    try:
        for actual, expected, _ in cases:
            compared += 1
            expect_close(actual, expected, what, condition=condition)
    except Mismatch as wrong:
        wrong.call = submission.nth_call(compared - 1, len(cases)) or wrong.call
        try:
            start = OwnSteps(submission, **varied)
            wrong.refused = _refusal(cases, start, what, condition, unlike)
        except NotJudged:
            if any(_follows_nothing(*case[:2], cannot_follow) for case in cases):
                raise wrong from None
            raise MayFollow(wrong, own, submission.borrows(own)) from None
        except Mismatch:
            wrong.refused = "the answer differs from the value that follows"
        except (StudentProblem, ValueError, TypeError) as error:
            wrong.refused = f"no value follows: {error}"
        if wrong.refused:
            raise wrong from None
        note(f"Right, given your {own}.")


def _follows_nothing(answer: Any, right: npt.ArrayLike, cannot_follow: CannotFollow | None) -> bool:
    try:
        given = expect_shape(answer, np.shape(right))
        return not np.isfinite(given).all() or bool(cannot_follow and cannot_follow(given))
    except (Mismatch, StudentProblem, ValueError, TypeError):
        return True


def _refusal(
    cases: Sequence[Case], start: OwnSteps, what: str, condition: float, unlike: Sequence[FromOwn]
) -> str:
    """Return the reason why a result does not follow from the student's steps.

    If all results follow, return "". If a result differs from the value that follows, raise a
    `Mismatch`.
    """
    informative = responds = asks_arrays = False
    for actual, expected, from_own in cases:
        steps = start.anew()
        steps.graded = partial(_expect_entry, actual, what, condition)
        following = _run(from_own, steps)
        if following.shape != np.shape(expected):
            return "the value that follows has another shape"
        expect_close(actual, following, what, condition=condition)
        allowed = allowed_error(np.asarray(actual).dtype, following, condition)
        clear = max(LEAST, CLEARLY * float(allowed.max(initial=0.0)))
        informative = informative or is_informative(following, clear)
        changes = _changes(from_own, steps, following, clear)
        responds = responds or any(changes)
        if sum(changes) < start.share * len(changes):
            # huge numbers in the last question can hide the changes of smaller numbers
            seen = (
                f"only {sum(changes)} of {len(changes)} changed questions have an effect (`share`)"
            )
            if not any(changes) or np.abs(_finite(steps.asked[-1][1])).max() <= EXTREME:
                return seen
            smaller = steps.smaller()
            if not all(_changes(from_own, smaller, _run(from_own, smaller), clear)):
                return seen
        asked = steps
        for other in unlike:
            asked = start.anew()
            if not _is_other(_run(other, asked), following, clear):
                return "the value does not show what the check tests (`unlike`)"
        asks_arrays = bool(asked.asked) and isinstance(asked.asked[-1][1], np.ndarray)
    if not informative:
        return "all rows that follow are constant, or a value is not finite"
    return "" if responds or not asks_arrays else "no changed question has an effect"


def _expect_entry(actual: Any, what: str, condition: float, place: int, value: float) -> None:
    entry = expect_numbers(actual, what).ravel()[place : place + 1]
    expect_close(entry, np.full(entry.shape, value), what, condition=condition)


def _run(from_own: FromOwn, steps: OwnSteps) -> Numbers:
    with np.errstate(all="ignore"):
        return np.asarray(from_own(steps), dtype=np.float64)


def _changes(from_own: FromOwn, steps: OwnSteps, before: Numbers, clear: float) -> list[bool]:
    return [_is_other(_run(from_own, other), before, clear) for other in steps.others()]


def expect_independent_calls(
    submission: Submission, calls: Sequence[tuple[str, Calling]], between: Sequence[Calling] = ()
) -> None:
    """Pass if each call gives the same result in another order and in a new process.

    Later calls must also leave the results of earlier calls unchanged. Figures are slow to draw. So
    calls that draw figures are repeated only in the new process, after the calls in `between`.

    Args:
        submission: a submission without earlier calls: `submission.fresh()`, or the fixture
            `submission` of a hidden check.
        calls: at least two different calls. Each is a pair: the phrase for the call in a sentence,
            and a function that makes the call.
        between: functions whose calls may change state. Their results are ignored.

    Raises:
        Mismatch: a result differs. The finding names the call, but not its arguments.
    """
    first = [call(submission) for _, call in calls]
    places = [submission.fresh()]
    if not any(isinstance(result, Figure) for result in first):
        _expect_kept_results(submission, calls, between)
        places.insert(0, submission)
    for place in places:
        for call in between:
            call(place)
        for (name, call), before in reversed(list(zip(calls, first, strict=True))):
            try:
                again = call(place)
            except StudentProblem as problem:
                if problem.kind != "raised":
                    raise
                again = None
            if not values_agree(before, again):
                why = "So it depends on chance, or on something that an earlier call left behind."
                raise Mismatch(
                    f"After other calls, the result of {name} differs from an earlier result for "
                    f"the same arguments. {_more_parts(before, again) or why}",
                    mistake="remembers",
                    told="The same call of a function gives another result after other calls.",
                )


def _more_parts(first: Any, later: Any) -> str:
    """Return a sentence if the later one of two figures has more lines, images or texts."""
    if not isinstance(first, Figure) or not isinstance(later, Figure):
        return ""
    sizes = [
        sum(len(axes.series) + len(axes.images) + len(axes.texts) for axes in figure.axes)
        for figure in (first, later)
    ]
    more = "The later figure has more lines, images or texts: they come from earlier calls."
    return f"{more} Make a new figure in each call." if sizes[0] < sizes[1] else ""


def _expect_kept_results(
    submission: Submission, calls: Sequence[tuple[str, Calling]], between: Sequence[Calling]
) -> None:
    keeping = submission.keeping()
    made: list[tuple[str, Call | None, Any, Any]] = []
    for name, call in [*calls, *(("", call) for call in between)]:
        latest = call(keeping if name else submission)
        for earlier, shown, result, before in made:
            if values_agree(before, result.value("")):
                continue
            wrong = Mismatch(
                f"A later call changed the result that {earlier} had returned: your code uses one "
                f"array or list for the results of several calls. The later call is {Call.newest}.",
                mistake="remembers",
                told="A later call changes the result of an earlier call.",
                hints=RESULT_USED_AGAIN,
            )
            wrong.call = shown
            raise wrong
        if name:
            made.append((name, Call.newest, latest, latest.value("")))


def values_agree(one: Any, other: Any) -> bool:
    """Return True if two results are equal, apart from rounding errors."""
    if isinstance(one, Figure) and isinstance(other, Figure):
        one, other = msgspec.to_builtins(one), msgspec.to_builtins(other)
    leaves: tuple[Leaves, Leaves] = [], []
    first, again = (signature_of(value, to) for value, to in zip((one, other), leaves, strict=True))
    return (first, kinds_in(one)) == (again, kinds_in(other)) and all(
        np.allclose(a, b, CLOSE, CLOSE, equal_nan=True) for a, b in zip(*leaves, strict=True)
    )
