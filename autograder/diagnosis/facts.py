"""True statements about wrong results that no misconception explains.

A statement describes the calls with wrong results, the shapes, or a relation between wrong and
right numbers, such as a factor. Each statement is true of all observed calls.
"""

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, permutations
from typing import Any, NamedTuple

import numpy as np

from autograder.checks.projection_hash import Vector
from autograder.course.text import join_names, number
from autograder.diagnosis.callers import ModuleCaller, UnfitShape
from autograder.diagnosis.examination import ENOUGH, Answer, Array, Observations
from autograder.diagnosis.finding import Finding, located, named_fact, sentence, stated
from autograder.diagnosis.outcome import Outcome, only_nan
from autograder.diagnosis.recipe import Fact, Recipe, Trait
from autograder.report.model import Statement

MOST = 3  # statements per finding
CHANCE = 0.05  # largest allowed probability that the wrong calls share a property by chance
SIZE_TOLERANCE = 1e-5
Sizes = Mapping[str, int]
Shape = tuple[int, ...]
Results = Sequence[tuple[Array, Array]]  # a returned value and the right value, in each call


def locate(seen: Observations) -> Finding | None:
    """Return the most informative true statements about all wrong results."""
    if seen.of_other_kind:
        shape, divided = _parameter_shape(seen), division(seen)
        if shape is not None:
            fact = stated("fact", id="parameter-shape", says=sentence(shape))
            return named_fact("fact", fact)
        return located("statements", divided) if divided else None
    statements, stop = true_statements(seen), seen.first_error
    if not statements:
        return stopping(stop) if stop is not None else None
    if statements[0].code == "measure":
        return named_fact("measure", statements[0])
    by_name = next((fact for fact in _facts(seen) if fact.is_named), None)
    if by_name is not None and stop is None:
        return named_fact("fact", _fact(by_name))
    return located("statements", *statements[:MOST], stops=stop is not None)


def stopping(answer: Answer) -> Finding:
    return located("error", stated("error", error=answer.error, line=str(answer.line)))


def true_statements(seen: Observations) -> list[Statement]:
    """Return all true statements about the wrong results, in the report's order."""
    measure, divided = measured(seen), division(seen)
    stop = seen.first_error if seen.values else None
    if stop is not None and divided is not None:
        return [divided, stated("also_stop", error=stop.error)]
    candidates = [
        measure,
        divided,
        stated("only_nan") if only_nan([case.answer.outcome for case in seen.cases]) else None,
        stated("some_stop", error=stop.error) if stop is not None else None,
        *(() if measure else map(_fact, _facts(seen))),
    ]
    if seen.recipe.comparison.is_exact:
        candidates += [_right_results(seen), relation(seen), *_about_each_result(seen)]
    found: dict[str, Statement] = {}
    for statement in candidates:
        if statement is not None:
            found.setdefault(sentence(statement), statement)
    return list(found.values())


def measured(seen: Observations) -> Statement | None:
    """Return the first fact of the course that gives the same number for every wrong result."""
    if len(seen.values) < ENOUGH or seen.of_other_kind:
        return None
    for fact in seen.recipe.facts:
        value = _named_value(fact, seen) if fact.has_value else ""
        if value:
            return stated("measure", id=fact.id, value=value, says=fact.says.format(value))
    return None


def _named_value(fact: Fact, seen: Observations) -> str:
    """Return, in words, the number that a fact gives for all wrong results, or ""."""
    numbers, sizes = [], []
    for case in seen.values:
        try:
            with np.errstate(all="ignore"):
                value = float(fact.holds(case.state, case.value))
        except Exception:
            return ""
        if not np.isnan(value):  # NaN: this answer does not show the number
            numbers.append(value)
            sizes.append(seen.recipe.axes(case.state))
    if len(numbers) < ENOUGH or not all(np.isfinite(numbers)):
        return ""
    if max(numbers) - min(numbers) < 1e-5 * abs(numbers[0]):
        of_all = " in every call" if len(numbers) == len(seen.values) else ""
        return "" if seems_one(numbers[0]) else f"{rounded(numbers[0])}{of_all}"
    return named_factor(numbers, sizes)


def _fact(fact: Fact) -> Statement:
    return stated("fact", id=fact.id, says=fact.says)


def _facts(seen: Observations) -> list[Fact]:
    if len(seen.values) < ENOUGH:
        return []
    true = []
    for fact in seen.recipe.facts:
        with contextlib.suppress(Exception), np.errstate(all="ignore"):  # skip facts that raise
            if not fact.has_value and all(fact.holds(c.state, c.value) for c in seen.values):
                true.append(fact)
    return true[:2]


def _right_results(seen: Observations) -> Statement | None:
    names, wrong = seen.recipe.results, seen.wrong_parts
    good = join_names([name for place, name in enumerate(names) if place not in wrong])
    bad = join_names([name for place, name in enumerate(names) if place in wrong])
    if not good or not bad or len(seen.values) != len(seen.wrong):
        return None
    return stated("right_result", right=good, wrong=bad)


def _about_each_result(seen: Observations) -> Iterator[Statement]:
    """Yield statements about equal results or rows, and about wrong shapes, true of all calls."""
    calls = [seen.in_parts(case) for case in seen.values]
    names = seen.recipe.results or ("the result",)
    if len(calls) < ENOUGH or not all(calls):
        return
    by_name = dict(zip(names, zip(*calls, strict=True), strict=True))
    yield from _equalities(by_name)
    shapes = (_shape(seen, *each) for each in by_name.items())
    yield from islice(filter(None, shapes), 1)
    moved: dict[str, list[str]] = {}
    for name, results in by_name.items():
        codes = (code for code, holds in OF_SHAPES.items() if all(holds(*pair) for pair in results))
        if len(_unlike(results)) >= ENOUGH and (code := next(codes, "")):
            moved.setdefault(code, []).append(name)
    yield from (stated(code, result=join_names(each)) for code, each in moved.items())


def _equalities(by_name: Mapping[str, Results]) -> Iterator[Statement]:
    for (one, its), (other, others) in combinations(by_name.items(), 2):
        pairs = (zip(*calls, strict=True) for calls in zip(its, others, strict=True))
        if all(_equal(*own) and not _equal(*right) for own, right in pairs):
            yield stated("equal_results", first=one, second=other)
    for name, results in by_name.items():
        if all(_equal_rows(own) and not _equal_rows(right) for own, right in results):
            yield stated("equal_rows", what=name)


def _shape(seen: Observations, name: str, results: Results) -> Statement | None:
    """Return a statement about a wrong shape. It names sizes that fit every call: (L, d_k)."""
    unlike = _unlike(results)
    own, right = [[results[n][side].shape for n in unlike] for side in (0, 1)]
    if len(unlike) < ENOUGH or len({not shape for shape in right}) > 1:
        return None  # a number has no axes to compare
    some = " in some calls" if len(unlike) < len(seen.cases) else ""
    calls = [seen.recipe.axes(seen.values[n].state) for n in unlike]
    return in_names(name + some, own, right, calls)


def _unlike(results: Results) -> list[int]:
    return [n for n, (own, right) in enumerate(results) if own.shape != right.shape]


def _equal(one: Array, other: Array) -> bool:
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-6, atol=1e-9))


def _begins(long: Array, short: Array) -> bool:
    places = tuple(map(slice, short.shape))
    return long.ndim == short.ndim and short.size > 0 and _equal(long[places], short)


def _equal_rows(x: Array) -> bool:
    return x.ndim > 1 and x.shape[-2] > 1 and _equal(x[..., 1:, :], x[..., :-1, :])


# Relations of a result with a wrong shape to the right result, by the statement's code.
OF_SHAPES: Mapping[str, Callable[[Array, Array], bool]] = {
    "reshaped": lambda own, right: _equal(own.ravel(), right.ravel()),
    "rearranged": lambda own, right: _equal(np.sort(own, None), np.sort(right, None)),
    "cut": lambda own, right: _begins(right, own),
    "too_long": _begins,
}


def _parameter_shape(seen: Observations) -> Statement | None:
    """Return a statement about a parameter of a module with a wrong shape in all wrong calls."""
    caller = seen.recipe.caller
    given = [case.answer.outcome.whole for case in seen.wrong]
    unfit = [value.shapes for value in given if isinstance(value, UnfitShape)]
    if not isinstance(caller, ModuleCaller) or not ENOUGH <= len(unfit) == len(given):
        return None
    names = {name for name, *_ in unfit}
    own, right = [each[1] for each in unfit], [each[2] for each in unfit]
    calls = [{name: getattr(case.state, name) for name in caller.built_with} for case in seen.wrong]
    return in_names(names.pop(), own, right, calls) if len(names) == 1 else None


def in_names(
    name: str, own: Sequence[Shape], right: Sequence[Shape], calls: Sequence[Sizes]
) -> Statement | None:
    squeezed = [tuple(size for size in shape if size != 1) for shape in right]
    if [*own] == squeezed:
        return None  # if only axes of size 1 are lost, other calls may have the right shape
    leads, first = ("", ""), 0
    if len({*map(len, right)}) > 1:
        leads, first = ("…, ", "…, "), min(map(len, right))
        if [*own] == [(math.prod(shape[:-1]), shape[-1]) for shape in right]:
            leads, first, own = ("…·", "…, "), 2, right
        if [(len(o), o[:-first]) for o in own] != [(len(r), r[:-first]) for r in right]:
            return None
    ends = [shape_in_names([shape[-first:] for shape in each], calls) for each in (own, right)]
    words = [f"({lead}{end})" for lead, end in zip(leads, ends, strict=True)]
    said = stated("shape_in_names", what=name, shape=words[0], expected=words[1])
    return said if all(ends) else None


def shape_in_names(shapes: Sequence[Shape], calls: Sequence[Sizes]) -> str:
    """Return the shape of each call as one text with names of sizes, such as "L, 2·d_k".

    If the number of axes differs, or if not exactly one expression fits an axis, return "".
    """
    if len({*map(len, shapes)}) != 1:
        return ""
    common = [name for name in calls[0] if all(name in sizes for sizes in calls)]
    of = {name: np.array([sizes[name] for sizes in calls]) for name in common}
    made = {f"{a}·{b}": of[a] * of[b] for a, b in combinations(of, 2)}
    for name, sizes in of.items():
        made |= {f"2·{name}": 2 * sizes, f"{name} − 1": sizes - 1, f"{name} + 1": sizes + 1}
    words = []
    for axis in zip(*shapes, strict=True):
        tiers = [
            [text for text in known if np.array_equal(known[text], axis)] for known in (of, made)
        ]
        fitting = tiers[0] or tiers[1] or ([str(axis[0])] if len({*axis}) == 1 else [])
        if len(fitting) != 1:
            return ""
        words += fitting
    return ", ".join(words)


class Side(NamedTuple):
    """Calls with a property, or without it. `words` describes them, `otherwise` all other calls."""

    trait: Trait
    calls: frozenset[int]
    words: str
    otherwise: str
    is_safe: bool


def sides_of_traits(recipe: Recipe, states: Sequence[Any]) -> list[Side]:
    sides = []
    for trait in recipe.traits:
        values = [trait.of(state) for state in states]
        held, others = (
            frozenset(number for number, value in enumerate(values) if value is side)
            for side in (True, False)
        )
        sides.append(Side(trait, held, trait.when, trait.otherwise, is_safe=True))
        sides.append(Side(trait, others, trait.otherwise, trait.when, trait.both_ways))
    return sides


def division(seen: Observations) -> Statement | None:
    """Return a statement about a property of all calls with wrong results, and of no other call."""
    failed = frozenset(number for number, case in enumerate(seen.cases) if not case.right)
    if min(len(failed), len(seen.cases) - len(failed)) < ENOUGH:
        return None
    sides = sides_of_traits(seen.recipe, [case.state for case in seen.cases])
    equal = [side for side in sides if side.is_safe and side.calls == failed]
    if equal:
        return _one_property(equal, seen)
    kinds = _kinds(failed, seen)
    for side in sides if relation(seen) is None else ():
        chance = (_kinds(side.calls, seen) / seen.kinds) ** kinds
        if side.trait.both_ways and failed < side.calls and chance < CHANCE:
            return stated("wrong_only", wrong=side.words)
    return None


def _kinds(calls: Iterable[int], seen: Observations) -> int:
    return len({number % seen.kinds for number in calls})


def _one_property(sides: Sequence[Side], seen: Observations) -> Statement | None:
    side = sides[0]
    if len(sides) > 1:  # if two properties fit, the cause is unknown
        return None
    state = " (in evaluation)" if isinstance(seen.recipe.caller, ModuleCaller) else ""
    both = {"right": side.otherwise + state, "wrong": side.words, "count": str(len(seen.cases))}
    errors = [case.answer.error for case in seen.wrong]
    if all(errors):
        return stated("right_and_error", **both, error=errors[0])
    return stated("right_and_wrong", **both)


def relation(seen: Observations) -> Statement | None:
    """Return a statement about the first relation that is true of all wrong results.

    If only one of several returned values is wrong, compare only this value.
    """
    which = next(iter(seen.wrong_parts)) if len(seen.wrong_parts) == 1 else None

    def numbers(outcome: Outcome) -> Vector:
        whole = outcome.numbers
        return whole if which is None else outcome.parts[which].astype(whole.dtype).ravel()

    pairs = []
    for _, *both in seen.of_right_shape:
        answer, right = map(numbers, both)
        if not np.isfinite(answer).all():
            return None
        if np.isfinite(right).all():
            pairs.append((answer, right))
    if len(pairs) < ENOUGH:
        return None
    code, values = _relation(pairs)
    result = "" if which is None else seen.recipe.results[which]
    return stated(code, **values, result=result) if code else None


def _relation(pairs: Sequence[tuple[Vector, Vector]]) -> tuple[str, dict[str, str]]:
    """Return the code and values of a relation that is true of all pairs, or the code ""."""
    if all(np.array_equal(answer == 0, right == 0) for answer, right in pairs):
        ratios = np.concatenate([answer[right != 0] / right[right != 0] for answer, right in pairs])
        factor = rounded(float(ratios.mean())) if len(ratios) >= ENOUGH else "1"
        if factor != "1" and np.ptp(ratios) <= 1e-6 * max(1e-3, np.abs(ratios).max()):
            return "times_number", {"factor": factor}
    apart = np.concatenate([answer - right for answer, right in pairs])
    if len(apart) >= ENOUGH and 1e6 * np.ptp(apart) < abs(apart[0]) > 1e-3:
        return "plus_number", {"amount": f"{apart[0]:+.4g}".replace("-", "− ").replace("+", "+ ")}
    moved = not any(np.allclose(a, right, rtol=1e-4, atol=1e-4) for a, right in pairs)
    if moved and all(
        np.allclose(np.sort(a), np.sort(right), rtol=1e-6, atol=1e-9) for a, right in pairs
    ):
        return "other_order", {}
    return "", {}


def seems_one(factor: float) -> bool:
    """Return True if a factor is not 1, but a report would round it to 1."""
    return rounded(factor) == "1" and abs(factor - 1) > 1e-5


def rounded(value: float) -> str:
    """Return a number as text with four digits, or with two decimals if it is large."""
    text = f"{value:.4g}" if abs(value) < 1000 else number(value)
    return text.replace("e-0", "e-").replace("-", "−")


POWERS: tuple[tuple[str, float], ...] = (("{}", 1.0), ("√{}", 0.5), ("{}²", 2.0))


def named_factor(factors: Sequence[float], calls: Sequence[Sizes]) -> str:
    """Return an expression such as √d_k that computes the factors from the calls' sizes.

    If no expression fits, or if all factors are the same number, return "".
    """
    if len(factors) < 2 or max(factors) - min(factors) < SIZE_TOLERANCE * max(map(abs, factors)):
        return ""
    inverse = ""
    for words, values in _expressions(calls):
        pairs = list(zip(values, factors, strict=True))
        if all(abs(v - f) <= SIZE_TOLERANCE * abs(f) for v, f in pairs):
            return words
        if not inverse and all(abs(v * f - 1) <= SIZE_TOLERANCE for v, f in pairs):
            inverse = f"1 / {words}"
    return inverse


def _expressions(calls: Sequence[Sizes]) -> Iterator[tuple[str, list[float]]]:
    names = [name for name in calls[0] if all(name in sizes for sizes in calls)]
    for words, power in POWERS:
        for name in names:
            yield words.format(name), [float(sizes[name]) ** power for sizes in calls]
    for one, other in permutations(names, 2):
        yield f"{one} / {other}", [sizes[one] / sizes[other] for sizes in calls]
