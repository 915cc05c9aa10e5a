"""One mistake costs once: what follows from a student's own earlier step is right as well."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.judge.expect import Mismatch, expect_close
from autograder.judge.problems import StudentProblem

Note = Callable[[str], None]


def follows(
    actual: Any,
    expected: npt.ArrayLike,
    from_own: Callable[[], npt.ArrayLike],
    what: str,
    note: Note,
    own: str,
    *,
    condition: float = 1.0,
) -> None:
    """Pass if an answer is right, or is what follows from the student's own `own`.

    `from_own` computes what follows. It must say something: numbers that are finite and not all
    the same. Otherwise a step that gives nothing would make everything after it right.

    Raises:
        Mismatch: the answer is neither; the finding compares it with the right one.
    """
    __tracebackhide__ = True
    try:
        expect_close(actual, expected, what, condition=condition)
    except Mismatch as wrong:
        if not _follows(actual, from_own, what, condition):
            raise wrong from None
        note(f"Right, given your {own}.")


def _follows(
    actual: Any, from_own: Callable[[], npt.ArrayLike], what: str, condition: float
) -> bool:
    try:
        with np.errstate(all="ignore"):
            following = np.asarray(from_own(), dtype=np.float64)
        if not np.isfinite(following).all() or not following.size or np.ptp(following) < 1e-9:
            return False
        expect_close(actual, following, what, condition=condition)
    except (Mismatch, StudentProblem, ValueError, TypeError):
        return False
    return True
