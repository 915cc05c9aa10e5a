"""Steps of a diagnosis, in a fixed order.

The first finding ends the diagnosis. docs/maintainers/diagnosis.md explains the claim of each step,
and how the claim could be refuted. A mistake *explains* a call if it gives the student's result in
this call.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from autograder.diagnosis import facts
from autograder.diagnosis.callers import Unfit
from autograder.diagnosis.examination import ENOUGH, TELLING, Examination
from autograder.diagnosis.finding import Finding, located, named, named_fact, stated, worded
from autograder.diagnosis.general import GENERAL, NOTHING_RETURNED, PRINTED
from autograder.diagnosis.kept_state import REMEMBERS
from autograder.diagnosis.outcome import Outcome, only_nan, outcome_of, same
from autograder.diagnosis.recipe import Misconception, Probe, fit_together
from autograder.diagnosis.replay import Pair, Replay, Wrong, reasons_of_results
from autograder.report.model import DiagnosisCode, Statement

DRAWS = 2  # a name must be found again after this many draws of calls
SEEN = 6  # a sentence without a name must be true for this many draws of calls
MAX_PAIRS = 12
MOST_FIRSTS, CALLS = 6, 3  # first mistakes to try, and calls in which to look for a generic change
NEW = 3  # so many numbers do not agree by chance: 1e-5 ** 3, times 1e5 pairs, is below 0.001
FAR = 1e-5  # answers closer than this may be equal apart from rounding errors
LARGE = 1e3  # the least condition of a call with large numbers
LEAST_BESIDE_ERRORS = 3  # a name beside errors needs this many wrong results in each draw
IN_WRONG_CALLS = "in the calls that go wrong"


class Step(NamedTuple):
    """One step of a diagnosis."""

    find: Callable[[Examination], Finding | None]
    exact_only: bool = False  # whether the step is skipped for a function with random results
    confirmed: bool = False  # whether `find` must return the finding again after `DRAWS` draws


def diagnose(examination: Examination) -> Finding | None:
    """Return the finding about a function, or None if all results are right."""
    examination.draw(1)
    if all(examination.right):
        return None
    if all(outcome.raised for outcome in examination.outcomes):
        stop = next((answer for answer in examination.answers if answer.error), None)
        return facts.stopping(stop) if stop is not None else None
    steps: Sequence[Step] = STEPS
    if only_nan(examination.outcomes):  # many different mistakes give only NaN
        steps = (Step(order_dependence, exact_only=True), Step(true_statements))
    exact = examination.replay.recipe.comparison.is_exact
    for step in steps:
        finding = step.find(examination) if exact or not step.exact_only else None
        if finding is not None and step.confirmed and exact:
            examination.draw(DRAWS)
            finding = step.find(examination)
        if finding is not None:
            return finding
    return None


def order_dependence(examination: Examination) -> Finding | None:
    """Return a finding if calls have different results in another order.

    This step comes first, because no other statement is safe if results depend on earlier calls.
    """
    probes, answers = examination.replay.probes(1), examination.answers
    ask = examination.alone() if examination.alone else examination.ask
    order = sorted(range(len(probes)), key=lambda n: (n != examination.wrong[-1], -n))
    if all(same(answers[n].outcome, ask(probes[n]).outcome, probes[n].condition) for n in order):
        return None
    finding = located("order_dependent", stated("order_dependent"), names=(REMEMBERS,))
    new = examination.alone or (lambda: examination.ask)
    alone = Examination(examination.replay, lambda probe: new()(probe))  # noqa: PLW0108  each anew
    alone.draw(DRAWS)
    other = None if all(alone.right) else one_misconception(alone) or two_misconceptions(alone)
    return finding.with_more(stated("other_alone", says=other.says)) if other else finding


def one_misconception(examination: Examination) -> Finding | None:
    """Return a misconception that explains all calls, if no other explains all except one."""
    found, near = _fitting(examination)
    if found and near:
        examination.draw(DRAWS)
        found, near = _fitting(examination)
        found = [] if near else found
    return _one_name(examination, found)


def one_in_one_kind(examination: Examination) -> Finding | None:
    """Return a misconception that explains one kind of calls, or only the wrong calls."""
    recipe, probes, wrong = examination.replay.recipe, _first_probes(examination), examination.wrong
    kinds = [
        (sorted(side.calls), side.words)
        for side in facts.sides_of_traits(recipe, [recipe.right(probe) for probe in probes])
        if side.is_safe and side.calls >= {*wrong} and len(probes) - len(side.calls) >= TELLING
    ]
    if finding := _in_one_kind(examination, kinds, "in_some_calls"):
        return finding
    kinds = [(wrong, IN_WRONG_CALLS)] if len(wrong) < len(probes) else []
    return _in_one_kind(examination, kinds, "in_wrong_calls")


def always_the_same(examination: Examination) -> Finding | None:
    """Return a finding if the result does not depend on the arguments."""
    first = examination.outcomes[0]
    expected = [examination.replay.outcome(i) for i in examination.everywhere]
    different = {(outcome.signature, outcome.numbers.tobytes()) for outcome in expected}
    has_no_result = first.raised or first.signature == "None" or isinstance(first.whole, Unfit)
    if has_no_result or len(different) <= ENOUGH:
        return None
    is_same = len({(o.signature, (o.numbers + 0.0).tobytes()) for o in examination.outcomes}) == 1
    return located("always_same", stated("always_same"), names=("hard-coded",)) if is_same else None


def two_misconceptions(examination: Examination) -> Finding | None:
    """Return two misconceptions in different steps that together explain all calls.

    No single change may explain all calls, and `_shown_apart` must be true of the pair.
    """
    pairs = _fitting_pairs(examination)
    if not pairs or len(pairs) > MAX_PAIRS:
        return None
    is_exact = examination.replay.recipe.comparison.is_exact
    if is_exact and (one := _one_change(examination, _changes_near(examination))):
        return one
    mistakes = _in_all_pairs(examination, pairs)
    if not mistakes:
        return None
    return named("two_mistakes" if len(mistakes) == 2 else "and_something_else", *mistakes)


def one_measure(examination: Examination) -> Finding | None:
    """Return a fact, such as a factor, that has the same value for every wrong result."""
    if facts.measured(examination.observed()) is None:
        return None
    examination.draw(SEEN)
    measure = facts.measured(examination.observed())
    return None if measure is None else named_fact("measure", measure)


def one_generic_change(examination: Examination) -> Finding | None:
    """Return a generic change that explains all calls, or at least all wrong results."""
    near = [] if _is_constant(examination) else _changes_near(examination)
    if one := _one_change(examination, near):
        return one
    found = examination.giving(near, examination.wrong)
    apart, everywhere = examination.replay.apart, examination.everywhere
    if any(apart(everywhere, found[0], other) for other in found[1:]):
        return None
    return _one_name(examination, found[:1], "in_wrong_calls", IN_WRONG_CALLS)


def one_beside_another(examination: Examination) -> Finding | None:
    """Return a mistake that explains some wrong calls, and another one, or a fact, for the rest.

    The second explains all calls if the first is in the correct code. One of them is listed.
    """
    if not examination.replay.recipe.steps:
        return None  # a student kit has no code of mistakes
    examination.draw(DRAWS)
    listed = _firsts(examination, examination.replay.combined)
    if finding := _two_names(examination, listed):
        return finding
    pairs = [pair for pair in _pairs_by_results(examination) if fit_together(*pair[:2])]
    pairs = examination.replay.giving(pairs, examination.outcomes, examination.wrong_first)
    if len({pair[0].id for pair in pairs}) == 1:
        return named("two_mistakes", *pairs[0][:2])
    for first in listed[:1]:
        examination.draw(SEEN)
        rest = examination.with_built_in(first)
        fact = facts.locate(rest.observed()) if _has_numbers(rest, rest.wrong) else None
        if fact is not None and fact.kind == "named":
            other = Misconception(fact.misconceptions[0], fact.says, (), {})
            return named("two_mistakes", first[0], other)
    near = dict.fromkeys(
        w for n in examination.wrong[:CALLS] for w in _changes_near(examination, n)
    )
    return _two_names(examination, _firsts(examination, [*near]))


def one_in_each_result(examination: Examination) -> Finding | None:
    """Return a finding that names two misconceptions, one for each of two wrong return values."""
    reasons = two_reasons(examination.replay, examination.outcomes)
    exchanged = not all(reason.replaces for reason in reasons)
    is_open = exchanged and _fitting_pairs(examination)  # other pairs give these results too
    return named("two_mistakes", *reasons) if reasons and not is_open else None


def one_beside_errors(examination: Examination) -> Finding | None:
    """Return a misconception that explains the wrong results, if other calls raise errors."""
    values = [n for n in examination.wrong if not examination.outcomes[n].raised]
    draws = len(examination.answers) // len(examination.replay.probes())
    if not draws * LEAST_BESIDE_ERRORS <= len(values) < len(examination.wrong):
        return None
    return _in_one_kind(
        examination, [(values, "in the calls that give a wrong result")], "and_errors"
    )


def true_statements(examination: Examination) -> Finding | None:
    """Return true statements that name no mistake. Calls with more random inputs confirm them."""
    examination.draw(SEEN)
    finding = facts.locate(examination.observed())
    is_exact = examination.replay.recipe.comparison.is_exact
    of_results = about_results(examination.replay, examination.outcomes) if is_exact else []
    if not of_results or (finding is not None and finding.code != "statements"):
        return finding
    return located("statements", *(finding.statements if finding else ()), *of_results)


STEPS = (
    Step(order_dependence, exact_only=True),
    Step(one_misconception, confirmed=True),
    Step(one_in_one_kind, confirmed=True),
    Step(two_misconceptions),
    Step(always_the_same, exact_only=True),
    Step(one_measure),
    Step(one_generic_change, exact_only=True, confirmed=True),
    Step(one_beside_another, exact_only=True),
    Step(one_in_each_result, exact_only=True, confirmed=True),
    Step(one_beside_errors, exact_only=True, confirmed=True),
    Step(true_statements),
)


def _fitting(examination: Examination) -> tuple[list[Wrong], bool]:
    """Return misconceptions that explain all calls, and True if another explains all except one."""
    replay, outcomes, everywhere = examination.replay, examination.outcomes, examination.everywhere
    fitting: list[Wrong] = []
    missing_once: set[str] = set()
    for wrong in replay.singles:
        misses = (i for i in everywhere if not replay.fits(i, outcomes[i], wrong))
        match len(list(islice(misses, 2))):
            case 0:
                fitting.append(wrong)
            case 1:
                missing_once.add(wrong[0].id)
    near = not missing_once <= {wrong[0].id for wrong in fitting}
    return examination.telling(fitting, everywhere), near


def _in_one_kind(
    examination: Examination, kinds: Iterable[tuple[list[int], str]], code: DiagnosisCode
) -> Finding | None:
    wrong = examination.wrong
    for inside, calls in kinds:  # many mistakes give equal results for large numbers
        shows = any(n in wrong and examination.replay.condition(n) < LARGE for n in inside)
        found = examination.giving(examination.replay.singles, inside) if shows else []
        if finding := _one_name(examination, found, code, calls):
            return finding
    return None


def _one_name(
    examination: Examination, found: Sequence[Wrong], code: DiagnosisCode = "named", calls: str = ""
) -> Finding | None:
    if len({wrong[0].id for wrong in found}) != 1:
        return None
    misconception = found[0][0]
    if misconception is NOTHING_RETURNED and any(a.printed for a in examination.answers):
        misconception = PRINTED
    stops = any(examination.outcomes[number].raised for number in examination.wrong)
    return named(code, misconception, calls=calls, stops=stops)


def _first_probes(examination: Examination) -> Sequence[Probe]:
    return examination.replay.probes(DRAWS)[: len(examination.answers)]


def _fitting_pairs(examination: Examination) -> list[Pair]:
    outcomes, wrong, replay = examination.outcomes, examination.wrong, examination.replay
    if not _has_numbers(examination, wrong):
        return []  # many of the thousands of pairs also give only NaN
    wrong_first = sorted(examination.everywhere, key=lambda i: (outcomes[i].raised, i not in wrong))
    pairs = examination.giving(replay.pairs, wrong_first)
    if pairs:  # one of the thousands of pairs may fit by chance
        examination.draw(DRAWS)
        pairs = replay.giving(pairs, examination.outcomes, examination.everywhere)
    return pairs


def _in_all_pairs(examination: Examination, pairs: Sequence[Pair]) -> list[Misconception]:
    """Return the mistakes that are in all of these pairs.

    The pairs give the same result for every probe, so each of them may be true. A pair does not
    count if it needs both mistakes at once in far more calls than another pair. If there are pairs
    in which each mistake changes one returned value, only these pairs count.
    """
    shown = [pair for pair in pairs if _shown_apart(examination, pair)]
    if not shown:
        return []
    together = {pair: len(_needing(examination, *pair[:2])) for pair in pairs}
    best = min(shown, key=together.__getitem__)
    most = 2 * max(together[best], TELLING)
    rivals = [pair for pair in pairs if together[pair] <= most]
    separate = [pair for pair in rivals if pair in shown and _in_two_results(examination, pair)]
    common = set.intersection(*({pair[0].id, pair[1].id} for pair in separate or rivals))
    return [wrong for wrong in (separate or [best])[0][:2] if wrong.id in common]


def _ways(examination: Examination, half: Misconception) -> list[Wrong]:
    """Return a mistake, and the mistake combined with each alternative."""
    return [each for each in examination.replay.singles if each[0] is half]


def _needing(examination: Examination, *halves: Misconception) -> set[int]:
    """Return the calls with wrong results that none of these mistakes explains alone."""
    replay, outcomes = examination.replay, examination.outcomes
    ways = [each for half in halves for each in _ways(examination, half)]
    return {n for n in examination.wrong if not any(replay.fits(n, outcomes[n], e) for e in ways)}


def _shown_apart(examination: Examination, pair: Pair) -> bool:
    """Return True if calls show that a pair is two separate mistakes.

    Either a call shows only one of the two, or `NEW` numbers in the results need both.
    """
    replay, outcomes, wrong = examination.replay, examination.outcomes, examination.wrong
    first, second, *_ = pair
    needed = _needing(examination, second), _needing(examination, first)
    ways = [*_ways(examination, first), *_ways(examination, second)]
    if min(map(len, needed)) < TELLING:
        return False
    if first in GENERAL or second in GENERAL:
        return True  # it changes the result at the end, which is always visible
    return any(replay.shows_alone(n, outcomes[n], each) for each in ways for n in wrong) or (
        _acts(examination, first, needed[0])
        and _acts(examination, second, needed[1])
        and len(_new_numbers(examination, ways)) >= NEW
    )


def _acts(examination: Examination, half: Misconception, needed: set[int]) -> bool:
    """Return True if a mistake alone changes most calls in `needed`, but none that are right."""
    replay, ways = examination.replay, _ways(examination, half)
    acts = {
        n
        for n in examination.everywhere
        if not any(replay.is_right(n, replay.outcome(n, each)) for each in ways)
    }
    return 2 * len(needed & acts) >= len(needed) and acts.issubset(examination.wrong)


def _new_numbers(examination: Examination, alone: Sequence[Wrong]) -> set[float]:
    """Return the fractions in wrong results that no single mistake gives and no argument has."""
    replay, found = examination.replay, set[float]()
    for n in examination.wrong if replay.recipe.comparison.is_exact else ():
        probe, numbers = _first_probes(examination)[n], examination.outcomes[n].numbers
        given = outcome_of([*probe.args, *probe.kwargs.values()])
        known = [given.numbers, *(replay.outcome(n, each).numbers for each in [(), *alone])]
        new = numbers[np.isfinite(numbers) & (numbers != np.round(numbers))]
        is_known = np.isclose(new[:, None], np.concatenate(known), rtol=FAR, atol=FAR).any(axis=-1)
        found.update(np.round(new[~is_known], 4).tolist())
    return found


def _in_two_results(examination: Examination, pair: Pair) -> bool:
    """Return True if each mistake alone changes only one returned value, and not the same one."""
    first, second = (_changed_results(examination, half) for half in pair[:2])
    return len(first) == len(second) == 1 and first != second


def _changed_results(examination: Examination, half: Misconception) -> set[int]:
    """Return the positions of returned values that a mistake changes, if their structure stays."""
    replay, (plain, *_), changed = examination.replay, _ways(examination, half), set[int]()
    for n in examination.everywhere:
        made, right = replay.outcome(n, plain), replay.outcome(n)
        if made.signature == right.signature:
            equal = replay.equal_results(n, made, right)
            changed.update(place for place, is_equal in enumerate(equal) if not is_equal)
    return changed


def _pairs_by_results(examination: Examination) -> list[Pair]:
    """Return pairs of a mistake in one returned value and a change that explains the others."""
    replay, outcomes, wrong = examination.replay, examination.outcomes, examination.wrong
    both = next((n for n in wrong if replay.results_off(n, outcomes[n], ())[1:]), None)
    if both is None or any(outcomes[n].raised for n in wrong):
        return []
    listed: dict[int, list[Wrong]] = {}
    for each in replay.singles:
        if len(each) == 1 and len(places := _changed_results(examination, each[0])) == 1:
            listed.setdefault(places.pop(), []).append(each)
    return [
        (mistake[0], change[0])
        for change in replay.families
        if len(change) == 1 and len(off := replay.results_off(both, outcomes[both], change)) == 1
        for mistake in listed.get(off[0], ())
        if min(
            sum(not replay.fits(n, outcomes[n], alone) for n in wrong)
            for alone in (mistake, change)
        )
        >= TELLING
    ]


def _is_constant(examination: Examination) -> bool:
    """Return True if each wrong value has only one number, the same in all calls.

    Many changes lead to a constant. For example, an entropy is 0 for all rounded weights.
    """
    answers = examination.outcomes
    right = [examination.replay.outcome(n) for n in examination.everywhere]
    if len({each.signature for each in (*answers, *right)}) != 1:
        return False
    parts = (zip(*(each.parts for each in side), strict=True) for side in (answers, right))
    return all(
        np.unique(np.concatenate([*map(np.ravel, own)])).size == 1
        for own, true in zip(*parts, strict=True)
        if not all(map(np.allclose, own, true))
    )


def _one_change(examination: Examination, near: Sequence[Wrong]) -> Finding | None:
    return _one_name(examination, examination.giving(near, examination.wrong_first)[:1])


def two_reasons(replay: Replay, answers: Sequence[Outcome]) -> list[Misconception]:
    """Return a misconception for each of two wrong return values, or an empty list."""
    reasons = reasons_of_results(replay, answers)
    known = {reason.id: reason for reason in reasons if reason is not None}
    return [*known.values()] if len(known) == 2 and None not in reasons else []


def about_results(replay: Replay, answers: Sequence[Outcome]) -> list[Statement]:
    """Return a statement for each of several returned values that a single mistake gives."""
    reasons = {r.id: r for r in reasons_of_results(replay, answers) if r is not None}
    return [
        stated("fact", id=id, says=worded("in_some_calls", reason.finding))
        for id, reason in reasons.items()
    ]


def _two_names(examination: Examination, firsts: Sequence[Wrong]) -> Finding | None:
    found: dict[frozenset[str], tuple[Misconception, Misconception]] = {}
    for first in firsts:
        rest = examination.with_built_in(first)
        for wrong in _second(rest, first in examination.replay.singles):
            found[frozenset({first[0].id, wrong.id})] = first[0], wrong
    return named("two_mistakes", *found.popitem()[1]) if len(found) == 1 else None


def _firsts(examination: Examination, candidates: Sequence[Wrong]) -> list[Wrong]:
    """Return mistakes that explain several wrong calls, sorted by the number of these calls."""
    replay, outcomes = examination.replay, examination.outcomes
    calls = [n for n in examination.wrong if np.isfinite(outcomes[n].numbers).any()]
    one_draw = range(len(replay.probes(1)))
    groups = [n for n in calls if n in one_draw], [n for n in calls if n not in one_draw]
    explained = dict.fromkeys(candidates, 0)
    for least, group in zip((0, TELLING), groups, strict=True):
        for wrong in [each for each in candidates if explained[each] >= least]:
            explained[wrong] += sum(replay.fits(n, outcomes[n], wrong) for n in group)
    fitting = [wrong for wrong in candidates if explained[wrong] >= DRAWS * TELLING]
    return sorted(fitting, key=explained.__getitem__, reverse=True)[:MOST_FIRSTS]


def _second(rest: Examination, first_is_listed: bool) -> set[Misconception]:
    if not _has_numbers(rest, rest.wrong):
        return set()
    found = rest.giving(rest.replay.combined, rest.wrong_first)
    if not found and first_is_listed:
        changes = [*rest.replay.singles, *_changes_near(rest)]
        found = rest.giving(changes, rest.wrong_first)[:1]
    return {found[0][0]} if len({wrong[0].id for wrong in found}) == 1 else set()


def _has_numbers(examination: Examination, calls: Sequence[int]) -> bool:
    """Return True if enough of these results have a finite number, or no numbers at all."""
    numbers = [examination.outcomes[n].numbers for n in calls]
    return sum(not len(x) or bool(np.isfinite(x).any()) for x in numbers) >= TELLING


def _changes_near(examination: Examination, call: int | None = None) -> list[Wrong]:
    """Return general changes that give this call's result, or the first with a wrong number.

    NaN alone shows no change: many changes give NaN in the same place.
    """
    replay, outcomes = examination.replay, examination.outcomes

    def has_a_wrong_number(call: int) -> bool:
        answer, right = outcomes[call].numbers, replay.outcome(call).numbers
        if outcomes[call].signature != replay.outcome(call).signature:
            return not outcomes[call].raised
        finite = np.isfinite(answer)
        return not np.allclose(answer[finite], right[finite], rtol=1e-6, atol=1e-9)

    values = [n for n in examination.wrong if has_a_wrong_number(n)]
    first = [n for n in values if call in {n, None}][:1]
    found = replay.giving(replay.families, outcomes, first) if first and values[1:] else []
    return found + replay.in_alternatives(found)
