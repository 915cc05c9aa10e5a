"""The mistakes that have a name, over a class: who made which, and what it cost them."""

from collections.abc import Sequence

import msgspec

from autograder.report.model import ExerciseReport
from autograder.report.told import diagnosed

MistakeKey = tuple[str, str, str]  # exercise, function, ids


class MistakeCount(msgspec.Struct):
    """A mistake in one exercise: what a student reads, who made it, and the points it cost them."""

    exercise: str
    finding: str
    ids: str
    by: list[int] = []
    lost: float = 0.0
    also: tuple[str, ...] = ()

    @property
    def students(self) -> int:
        """How many students made it."""
        return len(self.by)


class ClassMistakes:
    """Who made which mistake; students are known by their row."""

    def __init__(self) -> None:
        self._made: dict[MistakeKey, MistakeCount] = {}

    def add(self, row: int, exercise: ExerciseReport) -> None:
        """Take one exercise of the student of that row; a mistake counts once in it."""
        for check in exercise.checks:
            diagnosis = check.diagnosis
            if diagnosis is None or not diagnosis.misconceptions:
                continue
            ids = "+".join(diagnosis.misconceptions)
            new = MistakeCount(exercise.title, diagnosed(check), ids)
            count = self._made.setdefault((exercise.name, diagnosis.function, ids), new)
            if not count.by or count.by[-1] != row:
                count.by.append(row)
            count.lost += check.max_points - check.points

    def commonest(self) -> list[MistakeCount]:
        """All of them, those that most students made first, each with where else it was made."""
        made = sorted(self._made.values(), key=lambda m: (-m.students, m.exercise, m.finding))
        for each in made:
            each.also = _also(each, made)
        return made


def costliest(made: Sequence[MistakeCount], most: int = 5) -> list[MistakeCount]:
    """Of these mistakes those that cost the class most points."""
    cost = [each for each in made if each.lost > 0]
    return sorted(cost, key=lambda m: (-m.lost, -m.students, m.exercise, m.finding))[:most]


def _also(one: MistakeCount, made: Sequence[MistakeCount]) -> tuple[str, ...]:
    """The other exercises in which some of the same students made the mistake of the same name."""
    found: dict[str, set[int]] = {}
    for other in made:
        if other.ids == one.ids and other.exercise != one.exercise:
            found.setdefault(other.exercise, set()).update(set(one.by) & set(other.by))
    return tuple(f"{name} ({len(by)} of these)" for name, by in sorted(found.items()) if by)


def in_groups(made: Sequence[MistakeCount]) -> list[int]:
    """The rows of all who made one of these mistakes, those of the same mistakes side by side."""
    has: dict[int, list[int]] = {}
    for number, each in enumerate(made):
        for row in each.by:
            has.setdefault(row, []).append(number)
    return sorted(has, key=lambda row: (has[row], row))
