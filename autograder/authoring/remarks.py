"""Faults and remarks of `verify` that need no grading: on hints, requirements, points and names."""

import pkgutil
import re
from collections.abc import Iterable, Iterator, Sequence

from autograder.authoring.build import pictures_in
from autograder.checks.check_result import Check
from autograder.course.course_file import Exercise
from autograder.course.text import join_names, number, several
from autograder.diagnosis.recipe import Misconception, Recipe
from autograder.grading.author_exceptions import explained
from autograder.submission.stubs import BEGIN, END, Requirement

HINTS = 3
SHARE = 0.75  # a hint may contain a line of the solution, but it must say more than the line
LEAST = 8  # shorter lines of a solution may be hints


def forbidden_faults(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        try:
            pkgutil.resolve_name(name)
        except (AttributeError, ImportError, ValueError) as error:
            yield f"`forbids` in course.yml: {name} does not exist ({explained(error).rstrip('.')})"


def hint_faults(checks: Iterable[Check], recipes: Iterable[Recipe], text: str) -> Iterator[str]:
    """Yield a fault for each visible check without hints, and for each hint that is a solution."""
    parts = [part.split(END)[0] for part in text.split(BEGIN)[1:]]
    lines = [_bare(line) for part in parts for line in part.splitlines()]
    told = set()
    hints = {check.function: check.hints for check in checks if not check.hidden}
    for function, texts in hints.items():
        if not texts:
            yield f"{function} has no hints; write three: a question, the rule, and where to look"
    for recipe in recipes:
        hints |= {f"{recipe.function}, {wrong.id}": wrong.hints for wrong in recipe.misconceptions}
    for place, texts in hints.items():
        for hint in texts:
            bare = _bare(hint)
            longest = max((len(line) for line in lines if line in bare), default=0)
            if longest >= LEAST and longest >= SHARE * len(bare) and hint not in told:
                told.add(hint)
                yield f"{place}: the hint “{hint}” is a line of the solution; write where to look"


def _bare(line: str) -> str:
    return re.sub(r"\s", "", re.sub(r"^(return|[\w.]+ =)\s+", "", line.strip()))


def check_remarks(checks: Iterable[Check]) -> Iterator[str]:
    """Yield a remark on each check with 0 points or with a wrong number of hints."""
    for check in {each.function: each for each in checks}.values():
        count = len([hint for hint in check.hints if hint.strip()])
        if count not in {0, HINTS}:
            yield (
                f"warning: {check.function} has {several(count, 'hint')}; expected three: a "
                f"question, the rule, and where to look"
            )
        if not check.weight:
            yield f"warning: {check.function} has 0 points"


def requirement_remarks(stated: Sequence[Requirement], checks: Sequence[Check]) -> Iterator[str]:
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


def lesson_remarks(text: str) -> Iterator[str]:
    parts = {
        "its time and needs (*About 30 minutes. Needs …*)": re.search(
            r"^# \*About \d+ min", text, re.M
        ),
        "a picture (![description](figures/NAME.png))": pictures_in(text),
        "a source with a link": "](https://" in text,
    }
    if lacking := [part for part, found in parts.items() if not found]:
        yield f"warning: the text lacks {join_names(lacking)}"


def scale_remarks(exercise: Exercise, weights: Sequence[float]) -> Iterator[str]:
    """Yield a remark if the checks' points do not add up to the points in `course.yml`."""
    whole, most = sum(weights), exercise.points
    scaled = [round(weight * most / (whole or 1), 2) for weight in weights]
    if not exercise.questions and whole != most and not all(map(float.is_integer, scaled)):
        yield (
            f"warning: the points of the checks sum to {number(whole)}, but course.yml gives "
            f"{number(most)}; so a check of weight {number(weights[0])} gives "
            f"{number(scaled[0])} points"
        )


def id_remarks(function: str, recipe: Recipe) -> Iterator[str]:
    """Yield a remark on each id that mistakes with different findings or hints share."""
    by_id: dict[str, list[Misconception]] = {}
    for wrong in recipe.misconceptions:
        by_id.setdefault(wrong.id, []).append(wrong)
    for name, (first, *others) in by_id.items():
        if any(w.finding != first.finding and w.hints != first.hints for w in others):
            yield (
                f"warning: {function}, {name}: {len(others) + 1} entries have this id, but "
                f"different findings and hints; if they are different mistakes, give each its own "
                f"id"
            )
