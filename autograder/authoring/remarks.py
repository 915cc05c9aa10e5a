"""Remarks of `verify`: suggestions for the author. They are not errors."""

from collections.abc import Iterator, Sequence

from autograder.checks.check_result import Check, CheckResult
from autograder.course.course_file import Exercise
from autograder.course.text import number, several
from autograder.diagnosis.misconceptions import Misconception
from autograder.diagnosis.recipe import Recipe
from autograder.submission.requirements import Requirement

HINTS = 3


def check_remarks(results: Sequence[CheckResult]) -> Iterator[str]:
    """Yield a remark on each check with a wrong number of hints, and on each with 0 points."""
    for check in {each.check.function: each.check for each in results}.values():
        count = len([hint for hint in check.hints if hint.strip()])
        if count not in {0, HINTS}:
            yield (
                f"warning: {check.function} has {several(count, 'hint')}; expected three: a "
                f"question, the rule, and where to look"
            )
        if not check.weight:
            yield f"warning: {check.function} has 0 points"


def requirement_remarks(stated: Sequence[Requirement], checks: Sequence[Check]) -> Iterator[str]:
    """Yield a remark on each check without a requirement, and each requirement without a check."""
    for function in dict.fromkeys(each.function for each in checks if not each.grades):
        yield f"warning: {function} names no requirement of the text; add grades=[…] to its mark"
    graded = {name for each in checks for name in each.grades}
    names: set[str] = set()
    for each in stated:
        if each.name in names:
            yield f"warning: line {each.line} states the requirement `{each.name}` a second time"
        names.add(each.name)
        if each.name not in graded:
            yield f"warning: no check grades the requirement `{each.name}` of line {each.line}"


def scale_remarks(exercise: Exercise, weights: Sequence[float]) -> Iterator[str]:
    """Yield a remark if the points of the checks do not have the sum that `course.yml` gives."""
    whole, most = sum(weights), exercise.points
    scaled = [round(weight * most / (whole or 1), 2) for weight in weights]
    if not exercise.questions and whole != most and not all(map(float.is_integer, scaled)):
        yield (
            f"warning: the points of the checks sum to {number(whole)}, but course.yml gives "
            f"{number(most)}; so a check of weight {number(weights[0])} gives "
            f"{number(scaled[0])} points"
        )


def id_remarks(function: str, recipe: Recipe) -> Iterator[str]:
    """Yield a remark on each id that belongs to mistakes with different findings and hints."""
    by_id: dict[str, list[Misconception]] = {}
    for wrong in recipe.misconceptions:
        by_id.setdefault(wrong.id, []).append(wrong)
    for name, ways in by_id.items():
        first = ways[0]
        if any(w.finding != first.finding and w.hints != first.hints for w in ways):
            yield (
                f"warning: {function}, {name}: {len(ways)} entries have this id, but different "
                f"findings and hints; if they are different mistakes, give each its own id"
            )
