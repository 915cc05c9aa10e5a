"""How the course's right answers get to their results: the values they compute, check by check."""

import ast
from collections.abc import Callable, Sequence
from weakref import WeakKeyDictionary

from autograder.course import Course
from autograder.grading.session import Judge
from autograder.repair.tree import Tree
from autograder.repair.values import Known, Value, heard, known_values, with_values
from autograder.submission.source import Source
from autograder.worker.messages import Unit

STYLES = 5  # right answers that are looked at, the solution first

Printed = Callable[[Source], str]
_KNOWN: WeakKeyDictionary[Judge, dict[tuple[str, ...], Known]] = WeakKeyDictionary()


def values_of_right_answers(
    judge: Judge, exercise: str, checks: Sequence[str], printed: Printed
) -> Known:
    """What right answers compute in some checks; nothing where the course has none.

    `printed` gives what a source prints in these checks. What was found is kept with the judge.
    """
    kept = _KNOWN.setdefault(judge, {})
    key = exercise, *checks
    if key not in kept:
        found: list[Value] = []
        for source in _right_answers(judge.course, exercise):
            trees = [Tree(unit) for unit in source.units]
            found += heard(printed(with_values(source, trees, all_parts=True)))
        kept[key] = known_values(found)
    return kept[key]


def _right_answers(course: Course, exercise: str) -> list[Source]:
    folder = course.root / course.content.right / exercise
    found = []
    for path in (course.solution_file(exercise), *sorted(folder.glob("*.py"))):
        try:
            text = path.read_text(encoding="utf-8")
            ast.parse(text)
        except (OSError, ValueError, SyntaxError):
            continue
        found.append(Source(exercise, path.name, (Unit(path.name, text),)))
        if len(found) == STYLES:
            break
    return found
