"""Two results of a function, each wrong for a reason of its own."""

from collections.abc import Sequence

import numpy as np

from autograder.diagnosis.family import Misconception
from autograder.diagnosis.outcome import Outcome, agree
from autograder.diagnosis.replay import Replay, Wrong

LEAST = 2  # calls in which a result is wrong


def two_reasons(replay: Replay, answers: Sequence[Outcome]) -> list[Misconception]:
    """For each of two wrong results what gives it and leaves the others right; else nothing."""
    count = len(replay.recipe.results)
    if count < 2 or any(answer.raised for answer in answers):
        return []
    mine = [answer.in_parts(count) for answer in answers]
    right = [replay.outcome(n).in_parts(count) for n in range(len(answers))]
    if any(len(each.parts) != count for each in (*mine, *right)):
        return []
    wrong = {
        place: [n for n in range(len(mine)) if not _alike(replay, n, mine[n], right[n], place)]
        for place in range(count)
    }
    places = [place for place, calls in wrong.items() if calls]
    if len(places) != 2 or any(len(wrong[place]) < LEAST for place in places):
        return []
    reasons = [_reason(replay, mine, place, wrong[place]) for place in places]
    return [each for each in reasons if each is not None] if all(reasons) else []


def _reason(
    replay: Replay, mine: Sequence[Outcome], place: int, wrong: Sequence[int]
) -> Misconception | None:
    order = [*wrong, *(n for n in range(len(mine)) if n not in wrong)]
    found: Sequence[Wrong] = replay.known_by_result
    for number in order:
        found = [each for each in found if _gives(replay, number, mine[number], each, place)]
    return found[0][0] if found else None


def _gives(replay: Replay, number: int, mine: Outcome, wrong: Wrong, place: int) -> bool:
    """Whether a mistake gives this result of a call, and the right ones beside it."""
    count = len(mine.parts)
    made, right = (replay.outcome(number, each).in_parts(count) for each in (wrong, ()))
    return len(made.parts) == count and all(
        _alike(replay, number, mine if other == place else right, made, other)
        for other in range(count)
    )


def _alike(replay: Replay, number: int, one: Outcome, other: Outcome, place: int) -> bool:
    first, second = (np.asarray(each.parts[place], float) for each in (one, other))
    condition = replay.probes()[number % len(replay.probes())].condition
    return first.shape == second.shape and bool(
        agree(first, second, one.precision, condition).all()
    )
