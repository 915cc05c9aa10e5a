"""Checks that the answers of a process do not depend on earlier calls in the same process."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from autograder.checks.expect import Mismatch, Numbers
from autograder.checks.proxy import Submission
from autograder.checks.value_structure import Leaves, kinds_in, signature_of
from autograder.sandbox.problems import StudentProblem
from autograder.worker.codec import Figure

RunOwn = Callable[[Submission, Any], Any]
Calling = Callable[[Submission], Any]
CLOSE = 1e-5  # the same sum in another order may differ in its last digits


def ask_alone(submission: Submission, run: RunOwn, question: Any) -> Numbers:
    """Return the result of `run(submission, question)` in a new process, as a float64 array."""
    return np.asarray(run(submission.own(), question), dtype=np.float64)


def expect_independent_calls(
    submission: Submission, calls: Sequence[tuple[str, Calling]], between: Sequence[Calling] = ()
) -> None:
    """Pass if each call gives the same result later, in another order, and in a new process.

    Args:
        submission: a submission without earlier calls: `submission.fresh()`, or the fixture
            `submission` of a hidden check.
        calls: at least two different calls. Each is a pair: the phrase for the call in a sentence,
            and a function that makes the call.
        between: functions that make calls which may change state. Their results are ignored.

    Raises:
        Mismatch: a result differs; the finding names the call, but not its arguments.
    """
    __tracebackhide__ = True
    first = [call(submission) for _, call in calls]
    for places in (submission, submission.fresh()):
        for call in between:
            call(places)
        for (name, call), before in reversed(list(zip(calls, first, strict=True))):
            try:
                again = call(places)
            except StudentProblem as problem:
                if problem.kind != "raised":
                    raise
                again = None
            if not values_agree(before, again):
                raise Mismatch(
                    f"{name}, called with the same arguments, gives another result after other "
                    f"calls: it depends on something that an earlier call left behind, or on "
                    f"chance.",
                    mistake="remembers",
                    told="Called again with the same arguments, after other calls, a function "
                    "gives another result: it depends on something that an earlier call left "
                    "behind, or on chance.",
                )


def values_agree(one: Any, other: Any) -> bool:
    """Return True if two results are equal, apart from rounding errors."""
    if isinstance(one, Figure) and isinstance(other, Figure):
        one, other = msgspec.to_builtins(one), msgspec.to_builtins(other)
    leaves: tuple[Leaves, Leaves] = [], []
    first, again = (signature_of(value, to) for value, to in zip((one, other), leaves, strict=True))
    return (first, kinds_in(one)) == (again, kinds_in(other)) and all(
        np.allclose(a, b, CLOSE, CLOSE, equal_nan=True) for a, b in zip(*leaves, strict=True)
    )
