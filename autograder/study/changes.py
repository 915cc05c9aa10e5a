"""What has changed between two looks at an exercise, in a sentence."""

from collections.abc import Collection

from autograder.report.model import ExerciseReport
from autograder.report.told import opening


def passing(shown: ExerciseReport) -> frozenset[str]:
    """The names of the checks that pass."""
    return frozenset(check.name for check in shown.checks if check.outcome == "passed")


def what_changed(
    passed_before: Collection[str], found_before: str | None, shown: ExerciseReport
) -> str:
    """What is gained or lost since the last look; `found_before` is None if it is not known."""
    now = passing(shown)
    gained, lost = len(now - set(passed_before)), sorted(set(passed_before) - now)
    titles = {check.name: check.title for check in shown.checks}
    said = []
    if gained:
        said.append(f"{gained} more {'check passes' if gained == 1 else 'checks pass'}.")
    if len(lost) == 1:
        said.append(f"1 check fails that passed before: {titles.get(lost[0], lost[0])}.")
    elif lost:
        said.append(f"{len(lost)} checks fail that passed before.")
    if not said and found_before is not None:
        same = opening(shown) == found_before
        said.append(
            "The same checks pass as before."
            if same
            else "The same checks pass as before; what is found is something else."
        )
    return " ".join(said)
