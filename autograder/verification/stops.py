"""Checks that stop where they should say what is wrong: their message never comes to be."""

from collections import Counter
from collections.abc import Iterable, Iterator

from autograder.grading.plugin import CheckResult
from autograder.text import several


class Stops:
    """Of each check, how often it told a wrong answer, and how often it stopped instead."""

    def __init__(self) -> None:
        self._told: Counter[str] = Counter()
        self._stopped: Counter[str] = Counter()
        self._where: dict[str, str] = {}

    def note(self, results: Iterable[CheckResult]) -> None:
        """Take up what the checks made of one wrong submission."""
        for result in results:
            if result.stopped_with:
                self._stopped[result.function] += 1
                self._where.setdefault(result.function, result.stopped_at)
            elif result.outcome == "failed" and result.kind is None:
                self._told[result.function] += 1

    def faults(self) -> Iterator[str]:
        """Of each check that never came to its message: where it stopped, and with what."""
        for check, times in self._stopped.items():
            if not self._told[check]:
                yield (
                    f"{check} stops before it says what is wrong, with each of "
                    f"{several(times, 'wrong answer')}: {self._where[check]}"
                )
