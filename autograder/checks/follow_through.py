"""One mistake costs once: what follows from a student's own earlier step is right as well.

Each question about the student's own step is put to a process of its own, as the first thing that
it is asked: so it can neither repeat what was answered a moment ago, nor tell the question from a
test of the step. And the step has to say something: where what follows does not move with the
question, or does not show what the check is about, nothing follows. The many questions that find
that out are put to two processes, in two orders (`two_orders`); only where an answer depends on its
place has each question a process of its own. A process that would be asked what another was asked
from its load on, in the same order, is not started: the answers are the same (`conversation`).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autograder.checks.expect import Mismatch, Numbers, expect_close, expect_numbers
from autograder.checks.order_independence import RunOwn, ask_alone, ask_in_two_orders
from autograder.checks.tolerance import allowed_error
from autograder.report.reasons import MayFollow, NotToldHere
from autograder.sandbox.problems import StudentProblem

if TYPE_CHECKING:
    from autograder.checks.proxy import Submission

Note = Callable[[str], None]
Vary = Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
FromOwn = Callable[["OwnSteps"], npt.ArrayLike]
Case = tuple[Any, npt.ArrayLike, FromOwn]

MOST_PLACES = 6  # so many places along an axis are changed, one at a time
EXTREME = 30.0  # e to the power of that is too large for the smaller of two weights to show
CLEARLY = 10.0  # so many times what rounding allows, or it is no difference
LEAST = 1e-3  # what differs by less says nothing


def other_numbers(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Other numbers of the same size, in the opposite order; what is infinite stays."""
    return np.where(np.isfinite(x), 0.7 - _finite(x), x)


def _finite(x: npt.ArrayLike) -> npt.NDArray[Any]:
    """The numbers, with 0 for those that are infinite or none."""
    return np.where(np.isfinite(x), x, 0)


class _Changed(NamedTuple):
    """A question in another's place, and its answer, if that is known."""

    x: Any
    answer: Numbers | None = None


class OwnSteps:
    """The student's functions, each question in a process that has been asked nothing else."""

    def __init__(
        self,
        submission: "Submission",
        vary: Vary = other_numbers,
        axes: tuple[int, ...] = (),
        share: float = 1.0,
    ) -> None:
        """`vary` makes other questions of those asked, by changes along `axes`, or along all.

        Such a `share` of the changes has to show, and one of them at least.
        """
        self._submission = submission
        self._vary = vary
        self._axes = axes
        self.share = share
        self.asked: list[tuple[RunOwn, Any, Numbers]] = []
        self.graded: Callable[[int, float], object] | None = None
        self._known: list[Numbers] = []
        self._last: _Changed | None = None

    def comes_to(self, place: int, value: float) -> None:
        """Say what follows at a place of a row, before more is asked.

        Raises:
            Mismatch: the answer has another number there, so it does not follow.
        """
        if self.graded is not None:
            self.graded(place, value)

    def ask(self, run: RunOwn, x: Any) -> Numbers:
        """What `run` gets from the student's functions for `x`, as an array of real numbers.

        Raises:
            StudentProblem, TypeError, ValueError: it gets none.
        """
        if len(self.asked) < len(self._known):
            answer = self._known[len(self.asked)]
        else:
            changed, self._last = self._last or _Changed(x), None
            x, known = changed.x, changed.answer
            answer = ask_alone(self._submission, run, x) if known is None else known
        self.asked.append((run, x, answer))
        return answer

    def others(self) -> Iterator["OwnSteps"]:
        """The same steps, of which the last will be asked another question."""
        if self.asked:
            yield from map(self._with, self._others())

    def answers_to_others(self) -> Iterator[Numbers]:
        """What is answered to other questions than the last."""
        run = self.asked[-1][0]
        for other in self._others():
            known = other.answer
            yield ask_alone(self._submission, run, other.x) if known is None else known

    def _others(self) -> list["_Changed"]:
        """The last question's changes, with their answers where two processes agree on all."""
        run, x, _ = self.asked[-1]
        questions = list(self._changed(x))
        answers = ask_in_two_orders(self._submission, run, questions)
        return [_Changed(*each) for each in zip(questions, answers, strict=True)]

    @property
    def is_extreme(self) -> bool:
        """Whether the last question has numbers beside which others do not show."""
        x = self.asked[-1][1] if self.asked else 0
        return bool(np.abs(_finite(x)).max() > EXTREME)

    def smaller(self) -> "OwnSteps":
        """The same steps, of which the last will be asked about small numbers."""
        x = self.asked[-1][1]
        return self._with(_Changed(np.where(np.isfinite(x), np.tanh(_finite(x) / 50), x)))

    def anew(self) -> "OwnSteps":
        """The same student's functions, of which nothing has been asked."""
        return OwnSteps(self._submission, self._vary, self._axes, self.share)

    def _with(self, last: "_Changed") -> "OwnSteps":
        steps = self.anew()
        steps._known = [answer for _, _, answer in self.asked[:-1]]
        steps._last = last
        return steps

    def _changed(self, x: Any) -> Iterator[Any]:
        """The question, changed in one place along one axis at a time, where that can show."""
        if not isinstance(x, np.ndarray):
            return
        other = self._vary(x)
        # one score that is left of a row has no share to lose
        single = (np.isfinite(x).sum(axis=-1, keepdims=True) < 2) & (x.shape[-1] > 1)
        for axis in self._axes or range(x.ndim):
            along = np.arange(x.shape[axis])
            places = np.linspace(0, along[-1], MOST_PLACES).round()
            for place in sorted({int(place) for place in places}):
                here = np.expand_dims(along == place, [i for i in range(x.ndim) if i != axis])
                if (here & np.isfinite(x) & ~single).any():
                    yield np.where(here, other, x)


def is_informative(values: Numbers, least: float = LEAST) -> bool:
    """Whether numbers are finite, and differ by that much, also along some row.

    Zeros, one constant, and rows of 1/n come out of a step that does nothing.
    """
    if not values.size or not np.isfinite(values).all() or np.ptp(values) < least:
        return False
    rows = values.reshape(-1, values.shape[-1]) if values.ndim > 1 else values[np.newaxis]
    return rows.shape[-1] < 2 or bool((np.ptp(rows, axis=-1) >= least).any())


def expect_follows(
    actual: Any,
    expected: npt.ArrayLike,
    from_own: FromOwn,
    what: str,
    note: Note,
    own: str,
    submission: "Submission",
    *,
    condition: float = 1.0,
    unlike: Sequence[FromOwn] = (),
    **varied: Any,
) -> None:
    """Pass if an answer is right, or is what follows from the student's own `own`.

    `from_own` computes what follows, from the student's own steps, and that has to move with what
    they are asked; `varied` says how, as for `OwnSteps`. Each of `unlike` leaves out something that
    the check is about: where that makes no difference to what follows, nothing does.

    Raises:
        Mismatch: the answer is neither; the finding compares it with the right one.
    """
    __tracebackhide__ = True
    cases = [(actual, expected, from_own)]
    expect_all_follow(
        cases, what, note, own, submission, condition=condition, unlike=unlike, **varied
    )


def expect_all_follow(
    cases: Sequence[Case],
    what: str,
    note: Note,
    own: str,
    submission: "Submission",
    *,
    condition: float = 1.0,
    unlike: Sequence[FromOwn] = (),
    **varied: Any,
) -> None:
    """The same for several answers, of which each alone may be too short to say something."""
    __tracebackhide__ = True
    try:
        for actual, expected, _ in cases:
            expect_close(actual, expected, what, condition=condition)
    except Mismatch as wrong:
        start = OwnSteps(submission, **varied)
        try:
            holds = _Following(start, what, condition).holds(cases, unlike)
        except NotToldHere:
            raise MayFollow(wrong, own) from None
        if not holds:
            raise wrong from None
        note(f"Right, given your {own}.")


class _Following:
    """Whether answers follow from own steps that say something."""

    def __init__(self, start: OwnSteps, what: str, condition: float) -> None:
        self.start = start
        self.what = what
        self.condition = condition

    def holds(self, cases: Sequence[Case], unlike: Sequence[FromOwn]) -> bool:
        said = responds = False
        try:
            for actual, expected, from_own in cases:
                steps = self.start.anew()
                steps.graded = partial(self._expect_entry, actual)
                following = self._run(from_own, steps)
                if following.shape != np.shape(expected):
                    return False
                expect_close(actual, following, self.what, condition=self.condition)
                clear = self._clear(actual, following)
                said = said or is_informative(following, clear)
                seen = self._responses(from_own, steps, following, clear)
                responds = responds or any(seen)
                if not self._enough(seen, from_own, steps, clear):
                    return False
                if any(self._is_alike(each, following, clear) for each in unlike):
                    return False
        except (Mismatch, StudentProblem, ValueError, TypeError):
            return False
        return said and (responds or not isinstance(self._question, np.ndarray))

    def _run(self, from_own: FromOwn, steps: OwnSteps) -> Numbers:
        with np.errstate(all="ignore"):
            following = np.asarray(from_own(steps), dtype=np.float64)
        self._question = steps.asked[-1][1] if steps.asked else None
        return following

    def _expect_entry(self, actual: Any, place: int, value: float) -> None:
        entry = expect_numbers(actual, self.what).ravel()[place : place + 1]
        expect_close(entry, np.full(entry.shape, value), self.what, condition=self.condition)

    def _clear(self, actual: Any, following: Numbers) -> float:
        """What differs by more than that is another answer, whatever was rounded."""
        allowed = allowed_error(np.asarray(actual).dtype, following, self.condition)
        return max(LEAST, CLEARLY * float(allowed.max(initial=0.0)))

    def _responses(
        self, from_own: FromOwn, steps: OwnSteps, before: Numbers, clear: float
    ) -> list[bool]:
        """For each changed question, whether what follows is another answer."""
        return [_is_other(self._run(from_own, other), before, clear) for other in steps.others()]

    def _enough(self, seen: list[bool], from_own: FromOwn, steps: OwnSteps, clear: float) -> bool:
        """Of scores so large that rows are all or nothing, smaller ones are asked as well."""
        least = self.start.share * len(seen)
        if sum(seen) >= least or not any(seen) or not steps.is_extreme:
            return sum(seen) >= least
        smaller = steps.smaller()
        before = self._run(from_own, smaller)
        return all(self._responses(from_own, smaller, before, clear))

    def _is_alike(self, from_own: FromOwn, following: Numbers, clear: float) -> bool:
        return not _is_other(self._run(from_own, self.start.anew()), following, clear)


def _is_other(one: Numbers, other: Numbers, clear: float) -> bool:
    """Whether two answers of one shape differ clearly; of two shapes, nothing can be said."""
    if one.shape != other.shape:
        return False
    with np.errstate(invalid="ignore"):
        return not bool((np.abs(one - other) <= clear).all())


def is_responsive(steps: OwnSteps) -> bool:
    """Whether all answers say something, and the last moves with its question."""
    if not steps.asked or not all(is_informative(answer) for _, _, answer in steps.asked):
        return False
    before = steps.asked[-1][2]
    return all(_is_other(answer, before, LEAST) for answer in steps.answers_to_others())


def expect_data_follows(
    actual: Any,
    expected: npt.ArrayLike,
    following: Callable[[], npt.ArrayLike],
    what: str,
    note: Note,
    own: str,
) -> None:
    """The same, where what the student's own step gave was handed to the judge as an answer.

    `following` computes what follows from it.
    """
    __tracebackhide__ = True
    try:
        expect_close(actual, expected, what)
    except Mismatch as wrong:
        try:
            data = np.asarray(following(), dtype=np.float64)
        except NotToldHere:
            raise MayFollow(wrong, own) from None
        if not is_informative(data):
            raise
        try:
            expect_close(actual, data, what)
        except Mismatch:
            raise wrong from None
        note(f"Right, given your {own}.")
