"""A class's failures without a name, put together by what was answered."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from autograder.course.errors import UserError
from autograder.course.text import one_line
from autograder.report.model import CheckOutcome

GROUP = re.compile(r"[0-9a-f]{10}")
MOST_SAID = 500


class _Diagnosis(msgspec.Struct, frozen=True):
    finding: str


class _Check(msgspec.Struct, frozen=True):
    """As much of a check as groups need: to read all of a large class whole would take long."""

    title: str
    points: float
    max_points: float
    outcome: CheckOutcome
    group: str = ""
    finding: str = ""
    diagnosis: _Diagnosis | None = None


class _Exercise(msgspec.Struct, frozen=True):
    name: str
    checks: tuple[_Check, ...] = ()


class FailedChecks(msgspec.Struct, frozen=True):
    """As much of a record as groups need."""

    student: str
    exercises: tuple[_Exercise, ...] = ()


class UnnamedGroup(msgspec.Struct, frozen=True):
    """Those whose answers to one exercise are alike, and have no name.

    `checks` are the titles of those that failed, with how many; `said` what their reports say.
    """

    exercise: str
    id: str
    students: tuple[str, ...]
    checks: tuple[tuple[str, int], ...]
    said: tuple[tuple[str, int], ...]
    points: float


def failed_checks(path: Path) -> Iterator[FailedChecks]:
    """The records of a class, one after the other.

    Raises:
        UserError: they cannot be read, or are of another version.
    """
    decoder = msgspec.json.Decoder(FailedChecks)
    try:
        with path.open("rb") as file:
            yield from map(decoder.decode, file)
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(f"{path} cannot be read ({error}). Run grade first.") from None


def unnamed_groups(reports: Iterable[FailedChecks]) -> list[UnnamedGroup]:
    """The groups of a class, the largest first; the same reports give the same order."""
    found: dict[tuple[str, str], _Gathered] = {}
    for report in reports:
        for exercise in report.exercises:
            failed: dict[str, list[_Check]] = {}
            for check in exercise.checks:
                if GROUP.fullmatch(check.group):
                    failed.setdefault(check.group, []).append(check)
            for group, checks in failed.items():
                gathered = found.setdefault((exercise.name, group), _Gathered())
                gathered.add(report.student, checks)
    groups = [each.group(*key) for key, each in found.items()]
    return sorted(groups, key=lambda each: (-len(each.students), each.exercise, each.id))


class _Gathered:
    """One group, student after student."""

    def __init__(self) -> None:
        self.students: list[str] = []
        self.checks: Counter[str] = Counter()
        self.said: Counter[str] = Counter()
        self.points = 0.0

    def add(self, student: str, checks: list[_Check]) -> None:
        self.students.append(student)
        self.checks.update(one_line(check.title, MOST_SAID) for check in checks)
        told = (c.diagnosis.finding if c.diagnosis else c.finding for c in checks)
        self.said.update({one_line(each, MOST_SAID): None for each in told if each}.keys())
        self.points += sum(check.max_points - check.points for check in checks)

    def group(self, exercise: str, name: str) -> UnnamedGroup:
        return UnnamedGroup(
            exercise,
            name,
            tuple(self.students),
            _most(self.checks),
            _most(self.said),
            round(self.points, 2),
        )


def _most(counted: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counted.items(), key=lambda each: (-each[1], each[0])))
