"""What an author may have meant otherwise: no fault, and worth a look."""

from collections.abc import Iterator, Sequence

from autograder.diagnosis.family import Misconception
from autograder.diagnosis.recipe import Recipe
from autograder.grading.plugin import CheckResult
from autograder.text import several

HINTS = 3


def of_checks(results: Sequence[CheckResult]) -> Iterator[str]:
    """Checks that have hints, and not three; checks that are worth nothing."""
    for check in {each.function: each for each in results}.values():
        count = len([hint for hint in check.hints if hint.strip()])
        if count not in {0, HINTS}:
            yield (
                f"warning: {check.function} has {several(count, 'hint')}; a student asks for "
                f"three: a question, the property, then where it is and what to do"
            )
        if not check.weight:
            yield f"warning: {check.function} is worth nothing: its points are 0"


def of_ids(function: str, recipe: Recipe) -> Iterator[str]:
    """Ids under which there are mistakes that have neither finding nor hints in common."""
    by_id: dict[str, list[Misconception]] = {}
    for wrong in recipe.misconceptions:
        by_id.setdefault(wrong.id, []).append(wrong)
    for name, ways in by_id.items():
        first = ways[0]
        if any(w.finding != first.finding and w.hints != first.hints for w in ways):
            yield (
                f"warning: {function}, {name}: {len(ways)} entries have this id, with other "
                f"findings and other hints; if they are not one mistake made in several ways, "
                f"give each an id of its own"
            )
