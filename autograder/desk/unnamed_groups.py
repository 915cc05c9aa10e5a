"""Group the students whose failures are the same and have no name."""

import re
from collections import Counter, defaultdict

import msgspec

from autograder.course.text import one_line
from autograder.report.model import Report

GROUP = re.compile(r"[0-9a-f]{10}")
MAX_LETTERS = 500


class UnnamedGroup(msgspec.Struct, frozen=True):
    """Students whose answers to an exercise are alike, but have no name.

    `checks` are the titles of the checks that failed, and `said` are their messages, with counts.
    """

    exercise: str
    id: str
    students: tuple[str, ...]
    checks: tuple[tuple[str, int], ...]
    said: tuple[tuple[str, int], ...]
    points: float


class _Group(msgspec.Struct):
    students: dict[str, None] = {}
    checks: Counter[str] = msgspec.field(default_factory=Counter)
    said: dict[tuple[str, str], None] = {}
    points: float = 0.0


class UnnamedGroups:
    """Collector of a class's groups; it takes one report after the other."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], _Group] = defaultdict(_Group)

    def add(self, report: Report) -> None:
        for exercise in report.exercises:
            for check in exercise.checks:
                if not GROUP.fullmatch(check.group):
                    continue
                group = self._groups[exercise.name, check.group]
                group.students[report.student] = None
                group.checks[one_line(check.title, MAX_LETTERS)] += 1
                text = check.diagnosis.finding if check.diagnosis else check.finding
                if text:
                    group.said[report.student, one_line(text, MAX_LETTERS)] = None
                group.points += check.max_points - check.points

    def largest(self) -> list[UnnamedGroup]:
        """Return the groups, largest first. Their order depends only on the reports."""
        found = [
            UnnamedGroup(
                *key,
                tuple(group.students),
                _commonest(group.checks),
                _commonest(Counter(text for _, text in group.said)),
                round(group.points, 2),
            )
            for key, group in self._groups.items()
        ]
        return sorted(found, key=lambda each: (-len(each.students), each.exercise, each.id))


def _commonest(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
