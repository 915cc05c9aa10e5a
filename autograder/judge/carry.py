"""One mistake costs once: what follows from a student's own earlier step is right as well.

The student's own step is asked in a process of its own that has seen nothing but such questions,
so it cannot repeat what was answered a moment ago. And it has to say something: a step whose result
does not follow its input would make right whatever agrees with it, so nothing follows from that.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from autograder.judge.expect import Mismatch, Numbers, expect_close
from autograder.judge.problems import StudentProblem

if TYPE_CHECKING:
    from autograder.judge.stand_in import Submission

Note = Callable[[str], None]
Vary = Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
Run = Callable[["Submission", Any], Any]
Case = tuple[Any, npt.ArrayLike, Callable[["OwnSteps"], npt.ArrayLike]]

MOST_PLACES = 6  # so many places along an axis are changed, one at a time
EXTREME = 30.0  # e to the power of that is too large for the smaller of two weights to show
LEAST_SHARE = 1e-4  # of the size of a result: so much it has to change at least


def turned(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Other numbers of the same size, in the opposite order; what is infinite stays."""
    return np.where(np.isfinite(x), 0.7 - np.where(np.isfinite(x), x, 0.0), x)


class OwnSteps:
    """The student's functions, in a process that has seen only what is asked here."""

    def __init__(
        self,
        submission: "Submission",
        vary: Vary = turned,
        axes: tuple[int, ...] = (),
        everywhere: bool = True,
    ) -> None:
        """`vary` makes other questions of those asked, by changes along `axes`, or along all.

        Each change has to show `everywhere`, or at least one of them, where an answer is a choice.
        """
        self._submission = submission.own()
        self._vary = vary
        self._axes = axes
        self._everywhere = everywhere
        self._asked: list[tuple[Run, Any, Numbers]] = []

    def ask(self, run: Run, x: Any) -> Numbers:
        """What `run` gets from the student's functions for `x`, as an array of real numbers.

        Raises:
            StudentProblem, TypeError, ValueError: it gets none.
        """
        answer = self._answer(run, x)
        self._asked.append((run, x, answer))
        return answer

    def say_something(self) -> bool:
        """Whether each answer follows its question, wherever that is changed."""
        if not self._everywhere:
            return any(
                _differ(answer, self._answer(run, other))
                for run, x, answer in self._asked
                for other in self._others(x)
            )
        return any(says_something(answer) for _, _, answer in self._asked) and all(
            self._responds(run, x, answer) for run, x, answer in self._asked
        )

    def _responds(self, run: Run, x: Any, answer: Numbers) -> bool:
        """To a change anywhere. Of scores so large that rows are all or nothing, to a change
        somewhere, and to one anywhere in smaller scores."""
        seen = [_differ(answer, self._answer(run, other)) for other in self._others(x)]
        if all(seen) or not any(seen) or not _is_extreme(x):
            return all(seen)
        smaller = np.where(np.isfinite(x), np.tanh(np.where(np.isfinite(x), x, 0) / 50), x)
        return self._responds(run, smaller, self._answer(run, smaller))

    def _answer(self, run: Run, x: Any) -> Numbers:
        return np.asarray(run(self._submission, x), dtype=np.float64)

    def _others(self, x: Any) -> Iterator[Any]:
        """The question, changed in one place along one axis at a time, where that can show."""
        if not isinstance(x, np.ndarray):
            yield x + 1
            return
        other = self._vary(x)
        alone = np.isfinite(x).sum(axis=-1, keepdims=True) < 2  # one score has no share to lose
        for axis in self._axes or range(x.ndim):
            along = np.arange(x.shape[axis])
            places = np.linspace(0, along[-1], MOST_PLACES).round()
            for place in sorted({int(place) for place in places}):
                here = np.expand_dims(along == place, [i for i in range(x.ndim) if i != axis])
                if (here & np.isfinite(x) & ~alone).any():
                    yield np.where(here, other, x)


def _is_extreme(x: Any) -> bool:
    return bool(np.abs(np.where(np.isfinite(x), x, 0)).max() > EXTREME)


def says_something(values: Numbers) -> bool:
    """Whether numbers are finite, not all the same, and not the same all along each row.

    Zeros, one constant, and rows of 1/n come out of a step that does nothing.
    """
    if not values.size or not np.isfinite(values).all() or np.ptp(values) < 1e-9:
        return False
    rows = values.reshape(-1, values.shape[-1]) if values.ndim > 1 else values[np.newaxis]
    return rows.shape[-1] < 2 or bool((np.ptp(rows, axis=-1) >= 1e-9).any())


def _differ(one: Numbers, other: Numbers) -> bool:
    if one.shape != other.shape:
        return True
    with np.errstate(invalid="ignore"):
        apart = np.abs(one - other)
    return not (apart <= LEAST_SHARE * max(1e-2, float(np.abs(one).max()))).all()


def follows(
    actual: Any,
    expected: npt.ArrayLike,
    from_own: Callable[[OwnSteps], npt.ArrayLike],
    what: str,
    note: Note,
    own: str,
    submission: "Submission",
    *,
    condition: float = 1.0,
    **varied: Any,
) -> None:
    """Pass if an answer is right, or is what follows from the student's own `own`.

    `from_own` computes what follows, from the student's own steps, which have to respond to what
    they are asked about; `varied` says how, as for `OwnSteps`.

    Raises:
        Mismatch: the answer is neither; the finding compares it with the right one.
    """
    __tracebackhide__ = True
    cases = [(actual, expected, from_own)]
    all_follow(cases, what, note, own, submission, condition=condition, **varied)


def all_follow(
    cases: Sequence[Case],
    what: str,
    note: Note,
    own: str,
    submission: "Submission",
    *,
    condition: float = 1.0,
    **varied: Any,
) -> None:
    """The same for several answers, of which each alone may be too short to say something."""
    __tracebackhide__ = True
    try:
        for actual, expected, _ in cases:
            expect_close(actual, expected, what, condition=condition)
    except Mismatch as wrong:
        if not _all_follow(cases, OwnSteps(submission, **varied), what, condition):
            raise wrong from None
        note(f"Right, given your {own}.")


def _all_follow(cases: Sequence[Case], steps: OwnSteps, what: str, condition: float) -> bool:
    said = False
    try:
        for actual, _, from_own in cases:
            with np.errstate(all="ignore"):
                following = np.asarray(from_own(steps), dtype=np.float64)
            expect_close(actual, following, what, condition=condition)
            said = said or says_something(following)
        return said and steps.say_something()
    except (Mismatch, StudentProblem, ValueError, TypeError):
        return False


def follows_data(
    actual: Any, expected: npt.ArrayLike, following: npt.ArrayLike, what: str, note: Note, own: str
) -> None:
    """The same, where what the student's own step gave was handed to the judge as an answer."""
    __tracebackhide__ = True
    try:
        expect_close(actual, expected, what)
    except Mismatch as wrong:
        data = np.asarray(following, dtype=np.float64)
        if not says_something(data):
            raise
        try:
            expect_close(actual, data, what)
        except Mismatch:
            raise wrong from None
        note(f"Right, given your {own}.")
