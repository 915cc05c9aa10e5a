"""A name is never false: what is named gives the same answers on calls that were not asked.

The students here make three mistakes at once, which no search looks for, or mistakes that are on
no list. Whatever is named all the same has to be the same function.
"""

from itertools import combinations, islice

import numpy as np
import pytest

from autograder.course.course_file import load_course
from autograder.diagnosis.examination import Answer, Examination
from autograder.diagnosis.general import families, generals
from autograder.diagnosis.outcome import RAISES, Outcome, outcome_of, same
from autograder.diagnosis.recipe import Alternative, fit_together
from autograder.diagnosis.steps import diagnose
from autograder.grading.diagnoses import Catalogue
from tests.conftest import ROOT
from tools.unseen.oracle import OF_ALL_CALLS

CATALOGUE = Catalogue("reference")
FRESH = (5, 6)  # draws that an examination never asks for
TRIPLES = 60
CASES = [
    (exercise, function)
    for exercise in load_course(ROOT / "course.yml").exercises
    for function, recipe in CATALOGUE.recipes(exercise).items()
    if recipe.comparison.is_exact
]


def outcome(recipe, probe, wrong, change=lambda value: value):
    try:
        return outcome_of(change(recipe.run(probe, wrong)))
    except Exception:
        return Outcome(RAISES)


def examined(exercise, function, wrong, change=lambda value: value):
    replay = CATALOGUE.replay(exercise, function)
    return diagnose(
        Examination(replay, lambda probe: Answer(outcome(replay.recipe, probe, wrong, change)))
    )


def ways(recipe, ids):
    """All ways to make the named mistakes, in every style."""
    combined = [()]
    for name in ids:
        made = [
            each
            for each in (*recipe.misconceptions, *generals(recipe), *families(recipe))
            if each.id == name
        ]
        combined = [(*some, each) for some in combined for each in made]
    styles = [Alternative(steps) for steps in recipe.alternatives]
    fitting = [
        (*some, way)
        for some in combined
        for way in styles
        if all(fit_together(e, way) for e in some)
    ]
    return combined + fitting


def is_true(recipe, finding, wrong, change=lambda value: value):
    """Whether what is named gives the student's answers on fresh calls, or on those that differ."""
    probes = [probe for draw in FRESH for probe in recipe.calls(draw)]
    mine = [outcome(recipe, probe, wrong, change) for probe in probes]
    right = [outcome(recipe, probe, ()) for probe in probes]
    for way in ways(recipe, finding.misconceptions):
        theirs = [outcome(recipe, probe, way) for probe in probes]
        everywhere = all(
            same(a, b, p.condition) for a, b, p in zip(mine, theirs, probes, strict=True)
        )
        where_wrong = all(
            same(a, b, p.condition)
            or same(a, r, p.condition)
            or (a.raised and finding.code == "and_errors")
            for a, b, r, p in zip(mine, theirs, right, probes, strict=True)
        )
        if everywhere or (finding.code not in OF_ALL_CALLS and where_wrong):
            return True
    return False


def threes(exercise, function):
    """Three misconceptions at a time that touch different steps."""
    listed = CATALOGUE.recipes(exercise)[function].misconceptions
    rng = np.random.default_rng(4)
    for _ in range(TRIPLES * 20):
        some = tuple(listed[i] for i in rng.integers(len(listed), size=3))
        if all(fit_together(a, b) for a, b in combinations(some, 2)):
            yield some


COMBINING = [case for case in CASES if next(threes(*case), None)]


@pytest.mark.thorough
@pytest.mark.parametrize(("exercise", "function"), COMBINING)
def test_of_three_mistakes_none_gets_a_false_name(request, exercise, function):
    recipe = CATALOGUE.recipes(exercise)[function]
    named = 0
    count = TRIPLES if recipe.caller is None else TRIPLES // 4  # modules and trainings are slow
    count //= 1 if request.config.getoption("--thorough") else 3
    for some in islice(threes(exercise, function), count):
        finding = examined(exercise, function, some)
        if not by_name(finding) or finding.code == "and_something_else":
            continue
        named += 1
        assert is_true(recipe, finding, some), (finding, [each.id for each in some])
    assert named  # or nothing was tested


def by_name(finding):
    return (
        finding is not None
        and finding.kind == "named"
        and finding.misconceptions[0] != "another-factor"
    )


def numbers(value, change):
    if isinstance(value, tuple):
        return tuple(change(np.asarray(part, float)) for part in value)
    if isinstance(value, dict):
        return {key: change(np.asarray(part, float)) for key, part in value.items()}
    return change(np.asarray(value, float))


UNLISTED = {
    "sine added": lambda x: x + 0.01 * np.sin(np.arange(x.size)).reshape(x.shape),
    "cubed": lambda x: x**3 + 0.1,
    "shuffled": lambda x: x.ravel()[np.random.default_rng(x.size).permutation(x.size)].reshape(
        x.shape
    ),
    "cut": lambda x: np.minimum(x, 0.35),
    "doubled when large": lambda x: np.where(np.abs(x) > 0.4, 2.2 * x, x),
}


@pytest.mark.one_in(128)
@pytest.mark.parametrize("change", UNLISTED)
@pytest.mark.parametrize(("exercise", "function"), CASES)
def test_mistakes_on_no_list_get_no_false_name(exercise, function, change):
    recipe = CATALOGUE.recipes(exercise)[function]

    def changed(value):
        try:
            return numbers(value, UNLISTED[change])
        except (TypeError, ValueError):
            return value

    finding = examined(exercise, function, (), changed)
    assert not by_name(finding) or is_true(recipe, finding, (), changed), finding


@pytest.mark.parametrize(("exercise", "function"), CASES)
def test_each_draw_has_as_many_calls(exercise, function):
    """An examination finds the calls of a draw by their number."""
    recipe = CATALOGUE.recipes(exercise)[function]
    assert len(recipe.calls(0)) == len(recipe.calls(1))


@np.errstate(all="ignore")
def test_a_softmax_that_overflows_in_float32_is_named():
    """Between e⁸⁸ and e⁷⁰⁹, only float32 overflows. A replay in float64 gave other numbers."""
    replay = CATALOGUE.replay("self_attention", "ScaledDotProductAttention")

    def ask(probe):
        Q, K, V, mask = (*(np.asarray(each, np.float32) for each in probe.args[:3]), None)
        if len(probe.args) > 3:
            mask = np.asarray(probe.args[3]) == 0
        scores = Q @ K.swapaxes(-1, -2) / np.float32(np.sqrt(K.shape[-1]))
        shares = np.exp(scores if mask is None else np.where(mask, np.float32(-np.inf), scores))
        weights = shares / shares.sum(-1, keepdims=True)
        return Answer(outcome_of((weights @ V, weights)))

    finding = diagnose(Examination(replay, ask))
    assert finding.misconceptions == ("softmax-not-stable",)


def test_an_array_with_the_dtype_of_whole_numbers_is_named():
    """It was named a maximum: 1 for the largest input, and 0 for all others."""
    replay = CATALOGUE.replay("softmax", "softmax")

    def softmax(x, axis=-1):
        x = np.asarray(x)
        made = np.empty_like(x)
        made[...] = np.exp(x - x.max(axis, keepdims=True))
        return made / made.sum(axis, keepdims=True)

    finding = diagnose(Examination(replay, lambda p: Answer(outcome_of(softmax(*p.args)))))
    assert finding.misconceptions == ("stored-as-whole",)
    assert "the decimals of the exponentials are cut off" in finding.says


@pytest.mark.parametrize("added", [1e-2, 1e-3, 1e-7, 1e-9])
def test_a_number_added_inside_a_logarithm_is_measured(added):
    replay = CATALOGUE.replay("train_and_generate", "next_token_loss")

    def ask(probe):
        logits, tokens = (np.asarray(each) for each in probe.args)
        e = np.exp(logits[:, :-1] - logits[:, :-1].max(-1, keepdims=True)).astype(np.float32)
        shares = np.take_along_axis(e / e.sum(-1, keepdims=True), tokens[:, 1:, None], -1)
        loss = -np.log(shares + np.float32(added)).mean(dtype=np.float32)
        return Answer(outcome_of(np.asarray(loss)))

    finding = diagnose(Examination(replay, ask))
    assert finding.misconceptions == ("large-epsilon",)
    assert f"{added:g}".replace("e-0", "e-").replace("-", "−") in finding.says
