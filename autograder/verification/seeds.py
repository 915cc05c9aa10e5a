"""Right answers that lose marks with other random inputs: of each check one sentence."""

from collections.abc import Iterator

from autograder.report.model import ExerciseReport
from autograder.text import several


class FailedSeeds:
    """Of each check, how many seeds made it fail, and what it said with the first."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._first: dict[str, str] = {}

    def note(self, style: str, seed: int, report: ExerciseReport) -> None:
        """Take up the report on a right answer; of its checks the first that failed counts."""
        for check in report.checks:
            if check.outcome != "passed":
                self._counts[check.title] = self._counts.get(check.title, 0) + 1
                self._first.setdefault(check.title, f"{style}, seed {seed}: {check.finding}")
                return

    def faults(self, tried: int) -> Iterator[str]:
        """One sentence for each check that failed, when so many seeds were tried."""
        for title, count in self._counts.items():
            with_seeds = f"{count} of {several(tried, 'seed')}"
            yield f"right answers fail in {title} with {with_seeds}; first {self._first[title]}"
