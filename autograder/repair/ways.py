"""How the course's right answers get to their results: the values they compute, check by check."""

from collections.abc import Callable, Iterator, Sequence
from weakref import WeakKeyDictionary

from autograder.course import Course
from autograder.grading.session import Judge
from autograder.repair.computed import Known, Value, heard, known_values, with_values
from autograder.repair.tree import Tree
from autograder.submission.source import Source
from autograder.worker.messages import Unit

Printed = Callable[[Source], str]
_KNOWN: WeakKeyDictionary[Judge, dict[tuple[str, ...], Known]] = WeakKeyDictionary()


def values_of_right_answers(
    judge: Judge, exercise: str, checks: Sequence[str], printed: Printed, most: int
) -> Known:
    """What right answers compute in some checks; nothing where the course has none.

    `printed` gives what a source prints in these checks; `most` right answers are looked at. What
    was found is kept with the judge.
    """
    kept = _KNOWN.setdefault(judge, {})
    key = exercise, *checks
    if key not in kept:
        found: list[Value] = []
        for source, tree in _right_answers(judge.course, exercise, most):
            found += heard(printed(with_values(source, [tree], all_parts=True)))
        kept[key] = known_values(found)
    return kept[key]


def _right_answers(course: Course, exercise: str, most: int) -> Iterator[tuple[Source, Tree]]:
    """The first of them that can be read, each with its one unit parsed."""
    found = 0
    for path in course.right_answers(exercise):
        try:
            unit = Unit(path.name, path.read_text(encoding="utf-8"))
            tree = Tree(unit)
        except (OSError, ValueError, SyntaxError):
            continue
        yield Source(exercise, path.name, (unit,)), tree
        found += 1
        if found == most:
            return
