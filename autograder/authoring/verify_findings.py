"""Findings of verify: names in reports, checks that stop, and what an author may have meant."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from autograder.checks.check_result import CheckResult
from autograder.course.text import several
from autograder.diagnosis.examination import Examination
from autograder.diagnosis.misconceptions import Misconception
from autograder.diagnosis.observations import Answer
from autograder.diagnosis.recipe import Fingerprint, Probe, Recipe
from autograder.diagnosis.replay import Replay
from autograder.diagnosis.steps import diagnose
from autograder.report.model import ExerciseReport

HINTS = 3
DRAWS = 2


def check_remarks(results: Sequence[CheckResult]) -> Iterator[str]:
    """Yield the checks that have hints, and not three, and those that are worth nothing."""
    for check in {each.check.function: each.check for each in results}.values():
        count = len([hint for hint in check.hints if hint.strip()])
        if count not in {0, HINTS}:
            yield (
                f"warning: {check.function} has {several(count, 'hint')}; a student asks for "
                f"three: a question, the property, then where it is and what to do"
            )
        if not check.weight:
            yield f"warning: {check.function} is worth nothing: its points are 0"


def id_remarks(function: str, recipe: Recipe) -> Iterator[str]:
    """Yield the ids of several mistakes that have neither finding nor hints in common."""
    by_id: dict[str, list[Misconception]] = {}
    for wrong in recipe.misconceptions:
        by_id.setdefault(wrong.id, []).append(wrong)
    for name, ways in by_id.items():
        first = ways[0]
        if any(w.finding != first.finding and w.hints != first.hints for w in ways):
            yield (
                f"warning: {function}, {name}: {len(ways)} entries have this id, with other "
                f"findings and other hints; if they are not one mistake made in several ways, "
                f"give each an id of its own"
            )


class StoppedChecks:
    """Of each check, how often it told a wrong answer, and how often it stopped instead."""

    def __init__(self) -> None:
        self._told: Counter[str] = Counter()
        self._stopped: Counter[str] = Counter()
        self._where: dict[str, str] = {}

    def note(self, results: Iterable[CheckResult]) -> None:
        """Take up what the checks made of one wrong submission."""
        for result in results:
            function = result.check.function
            if result.stopped:
                self._stopped[function] += 1
                self._where.setdefault(function, result.stopped)
            elif result.outcome == "failed" and result.kind is None:
                self._told[function] += 1

    def faults(self) -> Iterator[str]:
        """Yield for each check that never came to its message where it stopped, and with what."""
        for check, times in self._stopped.items():
            if not self._told[check]:
                yield (
                    f"{check} stops before it says what is wrong, with each of "
                    f"{several(times, 'wrong answer')}: {self._where[check]}"
                )


def named_in(report: ExerciseReport, function: str) -> set[str]:
    """Return the names that failed checks give for a function."""
    diagnoses = [check.diagnosis for check in report.checks if check.diagnosis is not None]
    return {
        name
        for each in diagnoses
        if each.kind == "named" and each.function == function
        for name in each.misconceptions
    }


def named_by_answers(replay: Replay, wrong: Fingerprint) -> set[str]:
    """Return the names that the answers of a mistake get which nobody has written as code.

    No check can be asked of it; that it loses marks was seen when it was recorded. What was
    recorded of other probes than the recipe has now gets no name.
    """
    if not wrong.outcomes:
        return set()
    probes = list(replay.probes(DRAWS))

    def ask(probe: Probe) -> Answer:
        place = next((n for n, each in enumerate(probes) if each is probe), len(probes))
        return Answer(wrong.outcome(place))

    found = diagnose(Examination(replay, ask))
    return set(found.misconceptions) if found is not None and found.kind == "named" else set()
