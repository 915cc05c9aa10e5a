"""Where no misconception matches: what is true of the answers, and where they are wrong."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from autograder.diagnosis.finding import Finding
from autograder.diagnosis.outcome import NOTHING, Outcome, Vector, agree
from autograder.diagnosis.recipe import Fact, Recipe
from autograder.diagnosis.replay import Replay
from autograder.diagnosis.sizes import named_factor
from autograder.report.values import shape
from autograder.text import are, capital, number

if TYPE_CHECKING:
    from autograder.diagnosis.examine import Answer

ENOUGH = 2  # a statement has to be true of so many wrong answers, and of all of them
Cells = npt.NDArray[np.bool_]


def stopped_everywhere(answers: "Sequence[Answer]") -> Finding | None:
    """The function stops with an error at every call."""
    said = next((answer.error for answer in answers if answer.error), "")
    return Finding(kind="error", says=said) if said else None


def always_the_same(replay: Replay, outcomes: Sequence[Outcome]) -> Finding | None:
    """The result does not depend on the arguments."""
    first = outcomes[0]
    expected = [replay.outcome(i) for i in range(len(outcomes))]
    if first.raised or first.signature == "None":
        return None
    if len({(each.signature, each.numbers.tobytes()) for each in expected}) <= ENOUGH:
        return None
    if not all(
        other.signature == first.signature
        and np.array_equal(other.numbers, first.numbers, equal_nan=True)
        for other in outcomes
    ):
        return None
    return Finding(
        kind="located",
        misconceptions=("hard-coded",),
        says="The result is the same whatever the function is given: it does not depend on its "
        "arguments.",
    )


def depends_on_something_else() -> Finding:
    """The same arguments gave two results."""
    return Finding(
        kind="located",
        misconceptions=("remembers",),
        says="Called twice with the same arguments, the function gives two different results: "
        "it depends on something outside, or on chance.",
    )


def locate(replay: Replay, answers: "Sequence[Answer]", right: Sequence[bool]) -> Finding | None:
    """The most telling statements that are true of every wrong answer."""
    recipe = replay.recipe
    states = [recipe.right(probe) for probe in replay.probes(2)[: len(answers)]]
    outcomes = [answer.outcome for answer in answers]
    wrong = [i for i, is_right in enumerate(right) if not is_right]
    said = [_traits(recipe, states, right, answers)]
    values = [i for i in wrong if not outcomes[i].raised]
    if any(_other_kind(outcomes[i], replay.outcome(i)) for i in values):
        return Finding("located", said[0]) if said[0] else None
    facts = _facts(recipe, states, outcomes, values)
    measured = _measured(recipe, states, outcomes, values)
    if measured is not None:
        return measured
    stops = next((answers[i].error for i in wrong if answers[i].error), "")
    if stops and values and not said[0]:
        said.append(f"Some calls stop with an error: {stops}")
    said += [fact.says for fact in facts]
    if recipe.comparison.is_exact:
        pairs = _pairs(replay, outcomes, values)
        wrong_parts = _wrong_parts(len(recipe.results), pairs)
        said.append(_results(recipe, wrong_parts))
        said.append(_relation(recipe, [states[i] for i in values], pairs, wrong_parts))
        said.append("" if pairs else _other_shape(replay, outcomes, values))
        said.append(_region(pairs))
    kept = [text for text in dict.fromkeys(said) if text][:3]
    if not kept:
        return Finding(kind="error", says=stops) if stops else None
    names = tuple(fact.id for fact in facts if fact.is_named)
    return Finding(kind="located", says=" ".join(kept), misconceptions=names[:1])


def _other_kind(answer: Outcome, expected: Outcome) -> bool:
    """Whether an answer is put together otherwise: a dict for an array, three parts for two."""
    array = answer.signature.startswith("(") and expected.signature.startswith("(")
    return not array and (
        len(answer.parts) != len(expected.parts) or answer.signature[0] != expected.signature[0]
    )


def _measured(
    recipe: Recipe, states: Sequence[Any], outcomes: Sequence[Outcome], values: Sequence[int]
) -> Finding | None:
    """A fact with a value, if that is the same expression in every wrong answer."""
    for fact in recipe.facts:
        words = _worded(fact, recipe, states, outcomes, values) if fact.has_value else ""
        if words:
            return Finding("named", fact.says.format(words), (fact.id,))
    return None


def _worded(
    fact: Fact,
    recipe: Recipe,
    states: Sequence[Any],
    outcomes: Sequence[Outcome],
    values: Sequence[int],
) -> str:
    """The value of a fact in words; empty where it is false of a wrong answer, or has no value."""
    numbers = []
    for i in values:
        try:
            with np.errstate(all="ignore"):
                numbers.append(float(fact.holds(states[i], _value(outcomes[i]))))
        except Exception:
            return ""
    known = [n for n in numbers if not np.isnan(n)]  # NaN: it cannot be seen in this answer
    if len(known) < ENOUGH or not all(np.isfinite(known)):
        return ""
    if max(known) - min(known) < 1e-5 * abs(known[0]):
        return f"{_rounded(known[0])}, the same in every call"
    seen = [i for i, number in zip(values, numbers, strict=True) if not np.isnan(number)]
    return named_factor(known, [recipe.axes(states[i]) for i in seen])


def _value(outcome: Outcome) -> Any:
    """An answer as facts see it: an array, or a list of arrays; as it is, where it has none."""
    if not outcome.parts:
        return outcome.whole
    parts = [part.astype(np.float64) for part in outcome.parts]
    return parts[0] if len(parts) == 1 else parts


def _traits(
    recipe: Recipe, states: Sequence[Any], right: Sequence[bool], answers: "Sequence[Answer]"
) -> str:
    """`It is right without a mask, and wrong with one`, where that is what divides the calls."""
    for exact in (True, False):
        for trait in recipe.traits:
            holds = [trait.of(state) for state in states]
            for wanted, when, otherwise in (
                (True, trait.when, trait.otherwise),
                (False, trait.otherwise, trait.when),
            ):
                inside = [i for i, held in enumerate(holds) if held == wanted]
                outside = [i for i, held in enumerate(holds) if held != wanted]
                failed = [i for i in inside if not right[i]]
                fine = [i for i in outside if not answers[i].outcome.raised]
                if len(failed) < ENOUGH or len(fine) < ENOUGH:
                    continue
                if not all(right[i] for i in outside) or (exact and len(failed) < len(inside)):
                    continue
                if not exact and 2 * len(failed) < len(inside):
                    continue
                if not exact:
                    return f"Of the calls tried, only some {when} went wrong."
                if not all(answers[i].error for i in failed):
                    return f"It is right {otherwise}, and wrong {when}."
                error = next(answers[i].error for i in failed)
                return f"It is right {otherwise}, and stops with an error {when}: {error}"
    return ""


def _facts(
    recipe: Recipe, states: Sequence[Any], outcomes: Sequence[Outcome], values: Sequence[int]
) -> list[Fact]:
    """The two most telling facts that hold of every wrong answer."""
    found = []
    for fact in (each for each in recipe.facts if not each.has_value):
        held = [_holds(fact.holds, states[i], outcomes[i]) for i in values]
        if len(held) >= ENOUGH and all(held):
            found.append(fact)
    return found[:2]


def _holds(test: Callable[[Any, Any], bool | float], state: Any, outcome: Outcome) -> bool:
    """Whether a fact holds of an answer; one that it cannot be tested on, it does not hold of."""
    try:
        with np.errstate(all="ignore"):
            return bool(test(state, _value(outcome)))
    except Exception:
        return False


def _pairs(
    replay: Replay, outcomes: Sequence[Outcome], values: Sequence[int]
) -> list[tuple[Outcome, Outcome]]:
    """Answer and right answer of the wrong probes, where the shapes are the same."""
    count = len(replay.recipe.results)
    pairs = [(outcomes[i], replay.outcome(i)) for i in values]
    alike = [
        (mine.in_parts(count), right.in_parts(count))
        for mine, right in pairs
        if mine.signature == right.signature
    ]
    return alike if len(alike) == len(pairs) and len(alike) >= ENOUGH else []


def _wrong_parts(count: int, pairs: Sequence[tuple[Outcome, Outcome]]) -> set[int]:
    """Which of a function's several results are wrong; none where that cannot be told."""
    if count < 2 or any(len(each.parts) != count for pair in pairs for each in pair):
        return set()
    return {
        place
        for mine, right in pairs
        for place in range(count)
        if not _same_cells(mine, right, place).all()
    }


def _same_cells(mine: Outcome, right: Outcome, place: int = 0) -> Cells:
    """Which cells of one of the results are right."""
    answer, expected = mine.parts[place].astype(float), right.parts[place].astype(float)
    return agree(answer, expected, mine.precision, 100.0)


def _results(recipe: Recipe, wrong: set[int]) -> str:
    """Which of several results is right."""
    good = [name for place, name in enumerate(recipe.results) if place not in wrong]
    bad = [name for place, name in enumerate(recipe.results) if place in wrong]
    if not good or not bad:
        return ""
    return f"{capital(good[0])} {are(good[0])} right; {bad[0]} {are(bad[0])} not."


def _other_shape(replay: Replay, outcomes: Sequence[Outcome], values: Sequence[int]) -> str:
    """The shape, where it is wrong in every wrong answer."""
    shapes = [
        (outcomes[i].parts[0].shape, replay.outcome(i).parts[0].shape)
        for i in values
        if len(outcomes[i].parts) == len(replay.outcome(i).parts) == 1
    ]
    if not ENOUGH <= len(shapes) == len(values) or any(mine == right for mine, right in shapes):
        return ""
    mine, right = shapes[0]
    return f"The shape is not the one asked for: {shape(mine)} in place of {shape(right)}."


def _relation(
    recipe: Recipe,
    states: Sequence[Any],
    pairs: Sequence[tuple[Outcome, Outcome]],
    wrong_parts: set[int],
) -> str:
    """What all answers have to do with the right ones: a factor, a constant, the order.

    Where one of several results alone is wrong, it is that one that is looked at.
    """
    of = ""
    if len(wrong_parts) == 1:
        (which,) = wrong_parts
        of = f" of {recipe.results[which]}"
        pairs = [(_only(mine, which), _only(right, which)) for mine, right in pairs]
    if any(not np.isfinite(mine.numbers).all() for mine, _ in pairs):
        return ""
    finite = [(m.numbers, r.numbers) for m, r in pairs if np.isfinite(r.numbers).all()]
    if len(finite) < ENOUGH:
        return ""
    factors = [_constant(_ratio(mine, right)) for mine, right in finite]
    if all(factor is not None for factor in factors):
        known = [factor for factor in factors if factor is not None]
        if max(known) - min(known) < 1e-6 * abs(known[0]):
            return f"Every number{of} is {_rounded(known[0])} times the right one."
        words = named_factor(known, [recipe.axes(state) for state in states])
        if words:
            return f"Every number{of} is the right one times {words}."
        return f"In each call, every number{of} is the right one times one and the same factor."
    offsets = [_constant(mine - right) for mine, right in finite]
    if all(offset is not None for offset in offsets):
        known = [offset for offset in offsets if offset is not None]
        if max(known) - min(known) < 1e-9:
            return f"Every number is the right one plus {_rounded(known[0])}."
        return "In each call, every number is the right one plus one and the same number."
    if all(np.allclose(np.sort(m), np.sort(r), rtol=1e-6, atol=1e-9) for m, r in finite):
        return "All the right numbers are there, but not in their places."
    if all(np.abs(m - r).max() <= 0.02 * max(1.0, np.abs(r).max()) for m, r in finite):
        most = max(float(np.abs(m - r).max()) for m, r in finite)
        return f"The numbers are close, but not precise: they are off by up to {most:.2g}."
    return ""


def _only(outcome: Outcome, place: int) -> Outcome:
    part = outcome.parts[place]
    numbers = part.astype(np.float64).ravel()
    return Outcome(str(part.shape), numbers, outcome.precision, parts=(part,))


def _ratio(mine: Vector, right: Vector) -> Vector:
    if not np.array_equal(mine == 0, right == 0):
        return NOTHING
    return np.asarray(mine[right != 0] / right[right != 0])


def _constant(numbers: npt.NDArray[Any]) -> float | None:
    if len(numbers) < ENOUGH or np.ptp(numbers) > 1e-6 * max(1e-3, float(np.abs(numbers).max())):
        return None
    return float(numbers.mean())


REGIONS: dict[str, Callable[[Cells], Cells]] = {
    "on the diagonal": lambda w: _index(w, -1) == _index(w, -2),
    "in the first row": lambda w: _index(w, -2) == 0,
    "in the last row": lambda w: _index(w, -2) == w.shape[-2] - 1,
    "in the first column": lambda w: _index(w, -1) == 0,
    "in the last column": lambda w: _index(w, -1) == w.shape[-1] - 1,
    "above the diagonal": lambda w: _index(w, -1) > _index(w, -2),
    "below the diagonal": lambda w: _index(w, -1) < _index(w, -2),
    "after the first item of the batch": lambda w: _index(w, 0) > 0,
}


def _index(cells: Cells, axis: int) -> npt.NDArray[np.int64]:
    """For each cell, its index along an axis."""
    if cells.ndim < 2 or (axis == 0 and cells.ndim < 3):
        raise ValueError("no such axis")
    sizes = [1] * cells.ndim
    sizes[axis] = cells.shape[axis]
    return np.broadcast_to(np.arange(cells.shape[axis]).reshape(sizes), cells.shape)


def _region(pairs: Sequence[tuple[Outcome, Outcome]]) -> str:
    """The part of the result that all wrong cells lie in."""
    if any(len(mine.parts) != 1 for mine, _ in pairs):
        return ""
    cells = [~_same_cells(mine, right) for mine, right in pairs]
    for words, region in REGIONS.items():
        try:
            inside = [bool((w <= region(w)).all() and not w.all()) for w in cells]
        except ValueError:
            continue
        if len(inside) >= ENOUGH and all(inside):
            return f"Wrong values stand only {words}."
    return ""


def _rounded(value: float) -> str:
    text = f"{value:.4g}" if abs(value) < 0.01 else number(round(value, 3))
    return text.replace("-", "−")
