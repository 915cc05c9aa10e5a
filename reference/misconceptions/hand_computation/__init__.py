"""Misconceptions in attention by hand: a wrong step gives other numbers.

A step starts from the exact previous step or from the student's own previous step. The student's
numbers must match a mistake to at least two decimals.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.author import Family, Finding, Hints, Misconception, Mistakes, several
from reference.attention import Array
from reference.by_hand import (
    PRINTED_IN_S3,
    STANDARD,
    STEPS,
    WITHIN,
    HandPart,
    hand_problem,
    step_before,
)
from reference.hand_entries import by_entries, in_another_shape
from reference.hand_operations import made
from reference.hand_relations import as_written, with_later
from reference.misconceptions.hand_computation.steps import MASKED, MASKED_ROW, WRONG


def explain_value(name: str, read: Callable[[str], Any], variant: str = "") -> Finding | None:
    """Return the mistake that gives the student's numbers for `name`, if exactly one does."""
    problem = hand_problem(variant)
    if name == "c_masked_row":
        row = _numbers(read, name)
        if row is None:
            return None
        call = SimpleNamespace(before=np.array(problem.masked_scores))
        right = np.array(problem.masked_row)
        of_row = []
        for each in MASKED_ROW.misconceptions:
            wrong = _made(MASKED_ROW, each, call)
            if _made_by(row, wrong) and _is_sure_of_row(each, row, wrong, right):
                of_row.append((each.id, each.finding))
        of_row += [("copied-from-s3", S3)] if not variant and _printed(name, row) else []
        if not of_row:
            givens = SimpleNamespace(x=call.before, right=right, root=2.0)
            of_row = _by_operations("masked_row", row, givens)
        of_row = of_row or in_another_shape(row, right)
        return _named(name, of_row, MASKED) or _without_scores(name, row, right, MASKED)
    letter, step = name.split("_", 1)
    if letter not in problem.parts or step not in WRONG:
        return None
    trivial = _from_trivial_rows(problem.parts[letter], step, read)
    if trivial is not None:
        return trivial
    fitting = _fitting(problem.parts[letter], step, read)
    for other in problem.parts.values():  # if one part leaves it open, another part may decide
        also = _fitting(other, step, read) if other.letter != letter else {}
        fitting = {key: fitting[key] * also.get(key, 1.0) for key in fitting}
        if len(fitting) > 1:
            fitting = {key: p for key, p in fitting.items() if key in also} or fitting
    certain = [key for key, p in fitting.items() if p < CHANCE]
    is_rounded = any(mistake.startswith("rounded") for mistake, _ in certain)
    certain = certain or _of_part(problem.parts[letter], step, read)
    if not certain and (mine := _numbers(read, name)) is not None:
        certain = in_another_shape(mine, problem.parts[letter].exact(step))
    hints = WRONG[step].hints or ()
    found = _named(name, certain, DECIMALS if is_rounded else hints)
    if found is None and step == "weights":
        mine = _numbers(read, name)
        found = _without_scores(name, mine, problem.parts[letter].exact(step), hints)
    if found is None:
        return None
    steps = {each: _numbers(read, f"{letter}_{each}") for each in STEPS}
    return replace(found, says=with_later_steps(found.says, name, steps, variant))


def with_later_steps(
    text: str, name: str, steps: Mapping[str, Array | None], variant: str = ""
) -> str:
    letter, step = name.split("_", 1)
    part = hand_problem(variant).parts[letter]
    own = {
        each: values
        for each, values in steps.items()
        if values is not None and values.shape == part.shape(each) and np.isfinite(values).all()
    }
    before = own.get(step_before(step)) if step != "scores" else None
    if step not in own or (before is not None and part.follows(step, own[step], before).all()):
        return text

    def is_right(each: str) -> bool:
        return bool(_right(part, each, own[each]).all())

    return with_later(text, name, own, {"Q": part.Q, "K": part.K, "V": part.V}, is_right)


def _from_trivial_rows(part: HandPart, step: str, read: Callable[[str], Any]) -> Finding | None:
    """Return the reason why a step after a wrong earlier step earns nothing, if there is one."""
    name, before = f"{part.letter}_{step}", f"{part.letter}_{step_before(step)}"
    mine, own = _numbers(read, name), _numbers(read, before)
    if step == "scores" or mine is None or own is None or mine.shape != part.shape(step):
        return None
    follows = part.follows(step, mine, own)
    if _close(mine, part.exact(step)) or not (_right(part, step, mine) | follows).all():
        return None
    lost = follows & ~part.earned(step, mine, own) & ~_right(part, step, mine)
    rows = np.flatnonzero(lost.any(-1))
    for trivial in part.trivial_rows(step, mine, own) if rows.size else ():
        if trivial.row in rows:
            says = (
                f"{name} follows from your {before}, but it earns no point: row {trivial.row} of "
                f"your {part.letter}_{trivial.step} is {trivial.words}, and the correct row is "
                "not."
            )
            hints = WRONG[trivial.step].hints or ()
            return Finding("named", says, ("follows-from-trivial-row",), hints)
    return None


def _without_scores(name: str, mine: Array | None, right: Array, hints: Hints) -> Finding | None:
    """Return a finding if every wrong row has equal shares, or a single 1 among zeros."""
    if mine is None or mine.shape != right.shape:
        return None
    pairs = zip(np.atleast_2d(mine), np.atleast_2d(right), strict=True)
    wrong = [row for row, correct in pairs if not _close(row, correct)]
    if wrong and all(np.ptp(row) < WITHIN for row in wrong):
        mistake, says = "equal-shares", "equal shares. The scores have no effect"
    elif wrong and all((np.sort(row) == np.eye(len(row))[-1]).all() for row in wrong):
        mistake, says = (
            "all-or-nothing",
            "a single 1 among zeros. e to the power of a score is never 0, so its weight is not 0",
        )
    else:
        return None
    where = "" if mine.ndim == 1 else " of every wrong row"
    return Finding("named", f"{name}: the numbers{where} are {says}.", (mistake,), hints)


def _right(part: HandPart, step: str, mine: Array) -> npt.NDArray[np.bool_]:
    return np.abs(mine - part.exact(step)) <= WITHIN


S3 = (
    "the printed numbers of this example. The printed numbers are wrong: they do not follow from "
    "the matrices of the example"
)


CHANCE = 0.001  # a mistake is named only if chance fits its numbers less often than this
DECIMALS: Hints = (
    "How many decimals does the text ask for?",
    "An entry may differ from the exact number by 0.002. A number with two decimals can differ by "
    "0.005 and more.",
    "Work with all decimals that you have. Round to three decimals at the end.",
)
Fitting = dict[tuple[str, str], float]  # (id, finding): chance of a fit


def _named(name: str, fitting: list[tuple[str, str]], hints: Hints) -> Finding | None:
    """Return a finding with the mistake's name, or with two names if their numbers are the same."""
    if not 1 <= len(fitting) <= 2:
        return None
    says = f"{name}: your numbers are {fitting[0][1]}."
    if len(fitting) == 2:
        says += f" They are also {fitting[1][1]}."
    return Finding("named", says, tuple(mistake for mistake, _ in fitting), hints)


def _fitting(part: HandPart, step: str, read: Callable[[str], Any]) -> Fitting:
    name = f"{part.letter}_{step}"
    mine = _numbers(read, name)
    if mine is None or _close(mine, part.exact(step)):
        return {}
    before = [_before(part, step)]
    if step != "scores":
        own = _numbers(read, _name_before(part, step))
        if own is not None and own.shape == before[0].shape:
            if _close(mine, part.following(step, own)):
                return {}
            before.insert(0, own)
    found: Fitting = {}
    for previous in before:  # first the student's own numbers
        found = found or _rounded(part, step, mine, previous)
        for each in WRONG[step].misconceptions if not found else ():
            wrong = _made(WRONG[step], each, SimpleNamespace(part=part, before=previous))
            if wrong is not None and _made_by(mine, wrong):
                copied = step != "scores" and np.array_equal(wrong, previous)
                chance = 0.0 if copied else _chance(step, mine, wrong, part.exact(step))
                found[each.id, each.finding] = chance
        certain = {key: p for key, p in found.items() if p == 0}
        found = certain or {key: p for key, p in found.items() if p < CHANCE} or found
    if part in STANDARD.parts.values() and _printed(name, mine):
        found["copied-from-s3", S3] = 0.0
    return found


def _of_part(part: HandPart, step: str, read: Callable[[str], Any]) -> list[tuple[str, str]]:
    mine = _numbers(read, f"{part.letter}_{step}")
    if mine is None or _close(mine, part.exact(step)):
        return []
    own = None if step == "scores" else _numbers(read, _name_before(part, step))
    of_own = own is not None and own.shape == part.shape(step_before(step))
    if of_own and _close(mine, part.following(step, own)):
        return []
    for x in (own, _before(part, step)) if of_own else (_before(part, step),):
        right = part.following(step, x)
        scores, scaled = (_numbers(read, f"{part.letter}_{each}") for each in STEPS[:2])
        givens = SimpleNamespace(
            **{each: np.array(getattr(part, each), float) for each in "QKV"},
            **{"x": x, "right": right, "scores": scores, "scaled": scaled},
            **{"d_k": part.d_k, "root": part.d_k**0.5},
        )
        if not _close(mine, right) and (found := _by_operations(step, mine, givens)):
            return found
    return []


def _by_operations(step: str, mine: Array, givens: SimpleNamespace) -> list[tuple[str, str]]:
    """Return the smallest set of wrong operations that gives the student's numbers.

    The more chains of operations are tried, the more evidence each chain needs.
    """
    with np.errstate(all="ignore"):
        every = list(made(step, givens, mine))
    for count in sorted({len(each.wrong) for each in every}):
        alike = [each for each in every if len(each.wrong) <= count]
        fitting = {each.words: each for each in alike if _made_by(mine, each.numbers)}
        exact = {words: each for words, each in fitting.items() if not each.fitted}
        if fitting := exact or fitting:
            kind = "weights" if step == "masked_row" else step
            likely = max(
                _chance(kind, mine, each.numbers, givens.right, each.fitted)
                for each in fitting.values()
            )
            if likely * len(alike) < CHANCE:
                return [("-".join(e.wrong), e.words) for e in fitting.values()]
    return by_entries(step, mine, givens)


def _rounded(part: HandPart, step: str, mine: Array, previous: Array) -> Fitting:
    """Return the mistake "rounded too early", if the numbers are otherwise right."""
    right = part.following(step, previous)
    own = not _close(previous, _before(part, step))
    ones = (
        (f"the numbers that follow from your {_name_before(part, step)},")
        if own
        else "the right numbers"
    )
    for digits in (1, 2) if mine.shape == right.shape else ():
        decimals, words = several(digits, "decimal"), ""
        if np.allclose(mine, np.round(right, digits), atol=1e-9):
            words = f"{ones} rounded to {decimals}"
        elif not own and _is_cut(step, mine, right, 10.0**-digits):
            words = f"{ones} to within {10.0**-digits}, with {decimals}"
        if words:
            return {(f"rounded-{digits}", f"{words}. The task asks for three decimals"): 0.0}
    return {}


def _is_cut(step: str, mine: Array, right: Array, unit: float) -> bool:
    """Return True if the numbers are right except that decimals were cut off."""
    free = mine.size - len(mine) * (step == "weights")
    chance = (2 * unit / max(1.0, float(np.ptp(right)))) ** free
    has_decimals = np.allclose(mine, np.round(mine / unit) * unit, atol=1e-9)
    return chance < CHANCE and has_decimals and bool((np.abs(mine - right) < unit - 1e-9).all())


def _chance(step: str, mine: Array, wrong: Array, right: Array, fitted: int = 0) -> float:
    """Return the probability that numbers in the same range match a mistake by chance.

    Right rows, rows of 0 and 1, rows of equal shares, and one number for all entries do not count
    as evidence. In a row that sums to 1, the last entry does not count. The best `fitted` entries
    do not count either, because the mistake's numbers were read off them.
    """
    digits = next(n for n in range(16) if n == 15 or (np.round(mine, n) == mine).all())
    rounded = np.abs(mine - wrong) <= 0.5 * 10.0**-digits + 1e-9
    off = 2 * as_written(mine)
    size = max(1.0, float(np.ptp(np.append(wrong, 0))))
    if (wrong == np.round(wrong)).all():
        each = np.full(wrong.shape, 1 / (size + 1))
    else:
        each = np.where(rounded, 1 / (size * 10.0**digits + 1), off / size)
        each = np.where(np.abs(mine - wrong) < 1e-9, off / size, each)
    right = right if right.shape == wrong.shape else np.full(wrong.shape, np.inf)
    chances: list[float] = []
    for row, correct, likely in zip(*map(np.atleast_2d, (wrong, right, each)), strict=True):
        shares = step == "weights" and abs(row.sum() - 1) < WITHIN
        is_right = step != "scores" and _close(row, correct)
        if is_right or (shares and np.ptp(row[row > WITHIN]) < WITHIN):
            continue
        told = likely[row > WITHIN] if shares else likely
        chances += sorted(told)[: len(told) - shares]
    is_evidence = len(chances) > fitted and np.ptp(mine) >= WITHIN
    return float(np.prod(sorted(chances)[fitted:])) if is_evidence else 1.0


def _is_sure_of_row(wrong: Misconception, row: Array, made: Array, right: Array) -> bool:
    """Return True if the row shows this mistake: what is said of equal shares is visible."""
    is_visible = wrong.id == "equal-shares" and not _close(row, right)
    return is_visible or _chance("weights", row, made, right) < CHANCE


def _name_before(part: HandPart, step: str) -> str:
    return f"{part.letter}_{STEPS[STEPS.index(step) - 1]}"


def _before(part: HandPart, step: str) -> Array:
    """Return the exact numbers of the previous step. For the first step, return an empty array."""
    return np.zeros(0) if step == "scores" else part.exact(STEPS[STEPS.index(step) - 1])


def _made(family: Family, wrong: Misconception, call: SimpleNamespace) -> Any:
    try:
        return wrong.replaces[str(family.target)](call)
    except ValueError:
        return None


def _printed(name: str, mine: Array | None) -> bool:
    """Return True if the wrong numbers are those that the source S3 prints."""
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


def _made_by(mine: Array, wrong: Array) -> bool:
    """Return True if the mistake gives the student's numbers in all decimals."""
    allowed = as_written(mine)
    return mine.shape == wrong.shape and bool((np.abs(mine - wrong) <= allowed + 1e-9).all())


def _numbers(read: Callable[[str], Any], name: str) -> Array | None:
    try:
        values = np.asarray(read(name))
        return None if values.dtype.kind in "US" else values.astype(float)  # text is no number
    except Exception:
        return None


def simulated_values() -> Iterator[tuple[str, str, dict[str, object]]]:
    """Yield, for `verify`, a value's name, a mistake in it, and the values that the mistake gives.

    Values that may occur by chance are left out.
    """
    for part in STANDARD.parts.values():
        for step, family in WRONG.items():
            name = f"{part.letter}_{step}"
            call = SimpleNamespace(part=part, before=_before(part, step))
            for each in family.misconceptions:
                values, right = _made(family, each, call), part.exact(step)
                if values is None or _close(values, right):
                    continue
                if _chance(step, np.round(values, 3), values, right) < CHANCE:
                    yield name, each.id, {name: np.round(values, 3).tolist()}
    nothing = np.zeros(STANDARD.parts["b"].shape("scores")).tolist()
    yield "b_scaled", "follows-from-trivial-row", {"b_scores": nothing, "b_scaled": nothing}
    name, call = "c_masked_row", SimpleNamespace(before=np.array(STANDARD.masked_scores))
    right = np.array(STANDARD.masked_row)
    for each in MASKED_ROW.misconceptions:
        row = np.round(_made(MASKED_ROW, each, call), 3)
        if _is_sure_of_row(each, row, _made(MASKED_ROW, each, call), right):
            yield name, each.id, {name: row.tolist()}


MISTAKES = Mistakes(explain_value=explain_value, simulated_values=simulated_values)
