"""What becomes of each check over a class: how it ends, and what is said of it to how many."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from autograder.report.model import CheckReport, ExerciseReport
from autograder.report.told import QUIET, diagnosed

LONGEST = 300


class Sentence(NamedTuple):
    """A sentence about a check, and the places of those who read it; `named` if a mistake's."""

    text: str
    by: list[int]
    named: bool


class CheckOutcomes:
    """One check of one exercise, over the class."""

    def __init__(self, check: CheckReport) -> None:
        self.name, self.title, self.hidden = check.name, check.title, check.hidden
        self.maximum = check.max_points
        self.outcomes: Counter[str] = Counter()
        self.not_full: list[int] = []
        self._said: dict[str, Sentence] = {}

    def add(self, place: int, check: CheckReport) -> None:
        """Take the outcome of the student at a place."""
        self.outcomes[check.outcome] += 1
        if check.points < check.max_points:
            self.not_full.append(place)
        if check.outcome in QUIET:
            return
        text = _sentence(check)[:LONGEST]
        new = Sentence(text, [], check.diagnosis is not None and check.diagnosis.kind == "named")
        self._said.setdefault(text, new).by.append(place)

    def commonest(self) -> Sequence[Sentence]:
        """What is said, the sentence that most read first."""
        return sorted(self._said.values(), key=lambda said: (-len(said.by), said.text))


def _sentence(check: CheckReport) -> str:
    if check.diagnosis is not None:
        return diagnosed(check)
    return check.finding or check.outcome


class ExerciseOutcomes:
    """One exercise over the class: statuses, and its checks in their order."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.checks: dict[str, CheckOutcomes] = {}

    def add(self, place: int, report: ExerciseReport) -> None:
        """Take the report of the student at a place."""
        self.statuses["excused" if report.excused else report.status] += 1
        for check in report.checks:
            if check.name not in self.checks:
                self.checks[check.name] = CheckOutcomes(check)
            self.checks[check.name].add(place, check)
