"""Misconceptions in attention by hand: a step done another way gives other numbers.

The numbers are compared to two decimals at least, with the exact step before or the student's own.
"""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.author import Family, Finding, Hints, Misconception, Mistakes, several
from reference.attention import Array
from reference.by_hand import PRINTED_IN_S3, STANDARD, STEPS, WITHIN, HandPart, hand_problem
from reference.misconceptions.hand_computation.steps import MASKED, MASKED_ROW, WRONG


def explain_value(name: str, read: Callable[[str], Any], variant: str = "") -> Finding | None:
    """Which mistake gives the student's numbers for `name`, if exactly one does."""
    problem = hand_problem(variant)
    if name == "c_masked_row":
        row = _numbers(read, name)
        call = SimpleNamespace(before=np.array(problem.masked_scores))
        made = [(each, _made(MASKED_ROW, each, call)) for each in MASKED_ROW.misconceptions]
        fitting = [(each.id, each.finding) for each, wrong in made if _close(row, wrong)]
        fitting += [("copied-from-s3", S3)] if not variant and _printed(name, row) else []
        return _named(name, fitting, MASKED)
    letter, step = name.split("_", 1)
    if letter not in problem.parts or step not in WRONG:
        return None
    fitting = _fitting(problem.parts[letter], step, read)
    for other in problem.parts.values():  # where one part leaves it open, another may tell
        if len(fitting) > 1 and other.letter != letter:
            also = {i for i, _ in _fitting(other, step, read)}
            narrowed = [(i, words) for i, words in fitting if i in also]
            fitting = narrowed or fitting
    return _named(name, fitting, WRONG[step].hints)


S3 = (
    "those that are in print for this very example, and they are wrong there: they do not follow "
    "from its matrices"
)


def _named(name: str, fitting: list[tuple[str, str]], hints: Hints) -> Finding | None:
    """The mistake; where two give the same numbers, both are said."""
    if not 1 <= len(fitting) <= 2:
        return None
    says = f"{name}: your numbers are {fitting[0][1]}."
    if len(fitting) == 2:
        says += f" The same numbers come about as {fitting[1][1]}."
    return Finding("named", says, tuple(mistake for mistake, _ in fitting), hints)


def _fitting(part: HandPart, step: str, read: Callable[[str], Any]) -> list[tuple[str, str]]:
    """The mistakes that give the student's matrix, from the exact step before or their own."""
    name = f"{part.letter}_{step}"
    mine = _numbers(read, name)
    if mine is None or _close(mine, part.exact(step)):
        return []
    before = [_before(part, step)]
    if step != "scores":
        own = _numbers(read, f"{part.letter}_{STEPS[STEPS.index(step) - 1]}")
        if own is not None and own.shape == before[0].shape:
            before.append(own)
    found = []
    for each in WRONG[step].misconceptions:
        for previous in before:
            wrong = _made(WRONG[step], each, SimpleNamespace(part=part, before=previous))
            if wrong is not None and _close(mine, wrong) and (each.id, each.finding) not in found:
                found.append((each.id, each.finding))
    for digits in (1, 2):
        if not found and _close(mine, np.round(part.exact(step), digits)):
            words = f"the right ones rounded to {several(digits, 'decimal')}; three are asked for"
            found.append((f"rounded-{digits}", words))
    if part in STANDARD.parts.values() and _printed(name, mine):
        found.append(("copied-from-s3", S3))
    return found


def _before(part: HandPart, step: str) -> Array:
    """The exact numbers of the step before; none before the first."""
    return np.zeros(0) if step == "scores" else part.exact(STEPS[STEPS.index(step) - 1])


def _made(family: Family, wrong: Misconception, call: SimpleNamespace) -> Any:
    """What a mistake makes of the step before; None where the sizes do not fit it."""
    try:
        return wrong.replaces[str(family.target)](call)
    except ValueError:
        return None


def _printed(name: str, mine: Array | None) -> bool:
    """Whether the wrong numbers of S3 stand where it prints them."""
    printed = PRINTED_IN_S3.get(name, {})
    if mine is None or not printed or any(len(place) != mine.ndim for place in printed):
        return False
    inside = [
        place for place in printed if all(i < n for i, n in zip(place, mine.shape, strict=True))
    ]
    return len(inside) == len(printed) and all(
        abs(float(mine[place]) - printed[place]) <= WITHIN for place in inside
    )


def _close(mine: Array | None, wrong: Array) -> bool:
    if mine is None or mine.shape != wrong.shape:
        return False
    return bool((np.abs(mine - wrong) <= WITHIN).all())


def _numbers(read: Callable[[str], Any], name: str) -> Array | None:
    try:
        values: npt.NDArray[np.float64] = np.asarray(read(name), dtype=float)
    except Exception:
        return None
    return values


def simulated_values() -> Iterator[tuple[str, str, dict[str, object]]]:
    """For `autograder verify`: a value's name, a mistake, and the values as it makes them."""
    for part in STANDARD.parts.values():
        for step, family in WRONG.items():
            name = f"{part.letter}_{step}"
            call = SimpleNamespace(part=part, before=_before(part, step))
            for each in family.misconceptions:
                values = _made(family, each, call)
                if values is not None and not _close(values, part.exact(step)):
                    yield name, each.id, {name: np.round(values, 3).tolist()}
    name, call = "c_masked_row", SimpleNamespace(before=np.array(STANDARD.masked_scores))
    for each in MASKED_ROW.misconceptions:
        yield name, each.id, {name: np.round(_made(MASKED_ROW, each, call), 3).tolist()}


MISTAKES = Mistakes(explain_value=explain_value, simulated_values=simulated_values)
