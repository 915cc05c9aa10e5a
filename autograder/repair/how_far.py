"""How far an edited file gets in the checks that failed: what two edits at once are led by."""

from collections.abc import Sequence
from typing import NamedTuple

from autograder.grading.plugin import CheckResult

RAISED, SHAPE, VALUES = range(3)


class HowFar(NamedTuple):
    """How many of the checks passed before one failed, and how near that one is to passing."""

    passed: int
    kind: int
    right: int
    all_passed: bool = False


def holds(result: CheckResult) -> bool:
    """Whether a check passes; of a released course's, those that it does not hand out are left."""
    return result.outcome == "passed" or (result.hidden and result.outcome == "not told")


def progress(results: Sequence[CheckResult]) -> HowFar:
    """The progress of one trial; checks after the first that failed did not run."""
    passed = sum(holds(result) for result in results)
    failed = next((result for result in results if not holds(result)), None)
    if failed is None:
        return HowFar(passed, VALUES, 0, all_passed=True)
    if failed.outcome != "failed" or failed.kind is not None or failed.evidence is None:
        return HowFar(passed, RAISED, 0)
    mine, right = failed.evidence.matrices
    if mine is None or right is None or mine.shape != right.shape:
        return HowFar(passed, SHAPE, 0)
    cells = [wrong for row in mine.wrong for wrong in row]
    return HowFar(passed, VALUES, len(cells) - sum(cells))
