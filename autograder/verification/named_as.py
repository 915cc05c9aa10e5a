"""The names that a wrong answer gets: from its report, or from its answers alone."""

from collections.abc import Sequence

from autograder.diagnosis.examine import Examination
from autograder.diagnosis.fingerprint import Fingerprint
from autograder.diagnosis.recipe import Probe
from autograder.diagnosis.replay import Replay
from autograder.diagnosis.seen import Answer
from autograder.report.model import ExerciseReport

DRAWS = 2


def named_in(report: ExerciseReport, function: str) -> set[str]:
    """The names that failed checks give for a function."""
    found: Sequence[set[str]] = [
        set(check.diagnosis.misconceptions)
        for check in report.checks
        if check.diagnosis is not None
        and check.diagnosis.kind == "named"
        and check.diagnosis.function == function
    ]
    return set().union(*found)


def named_by_answers(replay: Replay, wrong: Fingerprint) -> set[str]:
    """The names that the answers of a mistake get which nobody has written as code.

    No check can be asked of it; that it loses marks was seen when it was recorded. What was
    recorded of other probes than the recipe has now gets no name.
    """
    if not wrong.outcomes:
        return set()
    probes = list(replay.probes(DRAWS))

    def ask(probe: Probe) -> Answer:
        place = next((n for n, each in enumerate(probes) if each is probe), len(probes))
        return Answer(wrong.outcome(place))

    found = Examination(replay, ask).diagnose()
    return set(found.misconceptions) if found is not None and found.kind == "named" else set()
