"""Whether results depend on what was called before: on an array or a figure that was kept."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from autograder.checking.expect import Mismatch
from autograder.checking.proxy import Submission
from autograder.sandbox.problems import StudentProblem
from autograder.worker.codec import Figure
from autograder.worker.kinds import Record

Calling = Callable[[Submission], Any]
CLOSE = 1e-5  # the same sums in another order may differ in their last digits


def expect_no_trace(
    submission: Submission, calls: Sequence[tuple[str, Calling]], between: Sequence[Calling] = ()
) -> None:
    """Pass if each call gives the same again: later, in another order, and in a process of its own.

    Args:
        submission: where nothing has run yet, so in a hidden check.
        calls: what each is called in a sentence, and the call; at least two that differ.
        between: calls whose results are not looked at, and which may leave something behind.

    Raises:
        Mismatch: one does not; the finding names it and says nothing of the arguments.
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
            if not alike(before, again):
                raise Mismatch(
                    f"{name}, called with the same arguments, gives another result after other "
                    f"calls: it depends on something that an earlier call left behind, or on "
                    f"chance.",
                    mistake="remembers",
                    told="Called again with the same arguments, after other calls, a function "
                    "gives another result: it depends on something that an earlier call left "
                    "behind, or on chance.",
                )


def alike(one: Any, other: Any) -> bool:
    """Whether two results are the same, but for the last digits of their numbers."""
    if isinstance(one, Figure) and isinstance(other, Figure):
        return one == other or alike(msgspec.to_builtins(one), msgspec.to_builtins(other))
    if isinstance(one, Record) and isinstance(other, Record):
        return one.type == other.type and alike(one.fields, other.fields)
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, np.ndarray | float | int) and isinstance(other, np.ndarray | float | int):
        if isinstance(one, float | int) and isinstance(other, float | int) and one == other:
            return True  # as of nearly all numbers; numpy takes long to say so of a single one
        mine, theirs = np.asarray(one), np.asarray(other)
        return mine.shape == theirs.shape and bool(
            np.allclose(mine, theirs, rtol=CLOSE, atol=CLOSE, equal_nan=True)
        )
    return type(one) is type(other) and bool(one == other)
