"""Checks of `find_the_bug`: the repaired functions, and the student's own tests.

A student's test runs in a new process for each correct and each broken function. The tested
function runs in another process, so the test can call it but cannot see its source.
"""

import functools

import numpy as np
import pytest

from autograder.author import (
    MayFollow,
    Mismatch,
    NotJudged,
    NotWritten,
    OwnSteps,
    Raised,
    StudentProblem,
    expect_close,
    expect_follows,
    expect_independent_calls,
    expect_results,
    expect_shape,
    expect_unchanged_arguments,
    is_informative,
)
from reference.bugs import NAMES, SHOWN, implementations, right_answer
from reference.bugs.cases import BROKEN_IS_RIGHT, CASES, PARAMETERS, RESULTS
from reference.dropout import what_dropout_did
from reference.following import own_repaired, own_row_softmax
from reference.reading_tests import Fact, why_it_accepts, why_it_rejects

DROPOUT = "attention_with_dropout"
ACCEPTED = "passes-the-broken"
REPAIR = {
    "row_softmax": (
        "Does each row sum to 1, or only the whole array?",
        "Each row needs its own maximum and its own sum. So np.max and np.sum need an axis, and "
        "must keep it.",
        "Write axis=-1, keepdims=True in np.max and in np.sum.",
    ),
    "batched_attention": (
        "How many axes are listed in the transpose of the broken function?",
        "Exchange only the last two axes of K. There can be any number of axes before them.",
        "np.swapaxes(K, -1, -2)",
    ),
    "masked_heads": (
        "Counted from the last axis, which axis of the scores meets each axis of mask[:, None]?",
        "A mask (L, L) fits without a change, because broadcasting matches the last axes. A mask "
        "(B, L, L) needs an axis for the heads.",
        "Insert the axis only if mask.ndim is 3.",
    ),
    "multi_head_forward": (
        "Where does the broken function use the number of heads?",
        "The broken function uses the number of heads only in the scaling. Nothing is split, "
        "so there is one head with all features.",
        "Use reshape(B, L, H, d).transpose(0, 2, 1, 3) for Q, K and V. Undo both steps before W_o.",
    ),
    "attention_with_dropout": (
        "What is the sum of each row of the weights that the broken function returns?",
        "Multiply the weights after dropout by the values. Return the weights before dropout.",
        "Give the weights after dropout another name.",
    ),
}
DROP = (
    "What does dropout do to the weights that it keeps?",
    "Dropout sets each weight to 0 with probability p. It divides the other weights by 1 − p.",
    "With kept = rng.random(weights.shape) >= p, multiply weights * kept / (1 - p) by the values.",
)
WRITE = (
    "For which input can you calculate the right answer by hand?",
    "Choose sizes that are all different. The test should accept your function and reject the "
    "broken one.",
    "Calculate the answer with loops over positions, one number at a time. Compare both answers "
    "with np.allclose in an assert.",
)


NONSENSE_TEXT = """
def implementation(*args, **kwargs):
    given = right(*args, **kwargs)
    draw = np.random.default_rng(3).random
    nonsense = lambda x: {}
    return tuple(map(nonsense, given)) if isinstance(given, tuple) else nonsense(given)
"""
NONSENSE = (
    ("x * np.nan", "only NaN", "A comparison with `>` or `<` is false for NaN."),
    (
        "(lambda e: e / e.sum(axis=-1, keepdims=True))(draw(x.shape))",
        "random numbers from 0 to 1 whose rows sum to 1",
        "So it does not compare each number with the right one.",
    ),
    (
        "draw(x.shape)",
        "random numbers of the right shape",
        "So it does not compare each number with the right one.",
    ),
)


def each_function(points, title, grades, hints=None, needs=None):
    """Return a check for each of the five functions."""
    return pytest.mark.parametrize(
        "name",
        [
            pytest.param(
                name,
                id=name,
                marks=pytest.mark.check(
                    title.format(name),
                    points=points,
                    grades=grades,
                    hints=hints or REPAIR[name],
                    needs=[f"{needs}[{name}]"] if needs else [],
                ),
            )
            for name in NAMES
        ],
    )


@each_function(2, "{}, repaired", ["repair", "no side effects"])
def test_repaired(submission, rng, name, note, grading):
    grading("repair")
    if name == DROPOUT:
        compare_dropout(submission, rng, note, grading)
        return
    cases = CASES[name](rng)
    if name == "row_softmax":
        for (x,) in cases:
            expect_close(submission.row_softmax(x), right_answer(name, x), condition=20.0)
    else:
        expect_repaired(submission, name, cases, getattr(submission, name), note)
    grading("no side effects")
    for args in cases:
        expect_unchanged_arguments(getattr(submission, name), PARAMETERS[name], *args)
    calls = [(name, lambda s, args=args: getattr(s, name)(*args)) for args in cases[:3]]
    between = [lambda s, args=args: getattr(s, name)(*other_numbers(args)) for args in cases[:3]]
    expect_independent_calls(submission.fresh(), calls, between)


def expect_repaired(submission, name, cases, call, note):
    """Pass if all results are right, or follow from the student's own row_softmax.

    Calls with a wrong row_softmax are left out, but at least one call must remain.
    """
    left_out = []
    for args in cases:
        try:
            expect_results_follow(submission, name, args, call(*args), note)
        except (Mismatch, Raised) as wrong:
            try:
                if gives_right_weights(submission, name, args):
                    raise
            except NotJudged:  # a student kit lacks the weights
                raise MayFollow(wrong, "row_softmax") from None
            left_out.append(wrong)
    if left_out:
        if len(left_out) == len(cases):
            raise left_out[0]
        note("This check used only scores for which your row_softmax is right.")


def expect_results_follow(submission, name, args, answer, note):
    expected, answers, words = right_answer(name, *args), (answer,), ("the result",)
    if isinstance(expected, tuple):
        answers, words = expect_results(answer, ("output", "weights"), name), RESULTS
    else:
        expected = (expected,)
    for place, (one, other, what) in enumerate(zip(answers, expected, words, strict=True)):
        expect_follows(
            one,
            other,
            lambda steps, place=place: own_repaired(steps, name, args)[place],
            what,
            note,
            "row_softmax",
            submission,
            condition=20.0,
            share=0.5,  # blocked scores do not matter
        )


def gives_right_weights(submission, name, args):
    """Return True if the student's own row_softmax is right for the scores of this call."""
    steps = OwnSteps(submission)
    try:
        own_repaired(steps, name, args)
        _, scores, own = steps.asked[-1]
        expect_close(own, right_answer("row_softmax", scores), condition=20.0)
    except (Mismatch, StudentProblem, ValueError, TypeError):
        return False
    return True


def other_numbers(args):
    return [x[::-1] + 1 if getattr(x, "dtype", None) == np.float64 else x for x in args]


def compare_dropout(submission, rng, note, grading):
    Q, K = rng.normal(size=(8, 32, 4)), rng.normal(size=(8, 16, 4))
    V = np.broadcast_to(np.hstack([np.eye(16)] * 2), (8, 16, 32)).copy()
    seed = int(rng.integers(2**31))
    no_axis, two_axes = (
        (Q.reshape(-1, 4), K[0], V[0]),
        [x.reshape(2, 4, *x.shape[1:]) for x in (Q, K, V)],
    )
    ways = [((Q, K, V), rate) for rate in (0.5, 0.2, 0.8, 0.0)]
    for args, rate in [*ways, (no_axis, 0.5), (two_axes, 0.5)]:
        sizes, outputs = args[0].shape[:-1], []
        for each in (seed, seed, seed + 1):
            own = submission.make("numpy.random.default_rng", each)
            answer = getattr(submission, DROPOUT)(*args, rate, own)
            output, weights = expect_results(answer, ("output", "weights"), DROPOUT)
            outputs.append(expect_shape(output, (*sizes, 32), "the output"))
            expect_shape(weights, (*sizes, 16), "the weights")
        seen = *map(one_batch, (*args[:2], outputs[0], weights)), rate
        found = what_dropout_did(*seen)
        if found is not None and follows(submission, args, seen, found):
            note("Right, given your row_softmax.")
        elif found is not None:
            hints = REPAIR[DROPOUT] if found.id == "dropped-weights-returned" else DROP
            raise Mismatch(found.finding, mistake=found.id, hints=hints)
        if not np.array_equal(*outputs[:2]):
            raise Mismatch(
                "Two generators with the same seed give different results. So some random numbers "
                "do not come from `rng`.",
                mistake="own-random-numbers",
            )
        if rate and np.array_equal(outputs[0], outputs[2]):
            raise Mismatch(
                "Two generators with different seeds drop the same weights. So the random numbers "
                "do not come from `rng`.",
                mistake="dropout-always-the-same",
            )
    large, own = (1000 * Q[:2], K[:2], V[:2]), submission.make("numpy.random.default_rng", seed)
    attend = lambda Q, K, V: getattr(submission, DROPOUT)(Q, K, V, 0.0, own)
    small = (Q[:2], K[:2], V[:2])
    expect_repaired(submission, "batched_attention", [large, small], attend, note)
    grading("no side effects")
    function = getattr(submission, DROPOUT)
    expect_unchanged_arguments(function, PARAMETERS[DROPOUT], Q, K, V, 0.5, own)


def follows(submission, args, seen, found):
    """Return True if dropout was right for the weights of the student's row_softmax."""
    Q, K = args[:2]
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    try:
        own = own_row_softmax(OwnSteps(submission), scores)
        return is_informative(own) and what_dropout_did(*seen, own=one_batch(own)) is None
    except NotJudged:
        raise MayFollow(Mismatch(found.finding, mistake=found.id), "row_softmax") from None
    except (Mismatch, StudentProblem, ValueError, TypeError):
        return False


def one_batch(x):
    x = np.asarray(x)
    return x.reshape(-1, *x.shape[-2:])


def stopped_by(submission, name, chosen):
    """Return each implementation's error in the student's test. If there is none, return None."""
    untried = [each for each in chosen if (name, each.id) not in submission.shared]
    seen = submission.shared.setdefault(("calls of", name), set())
    note = lambda args, kwargs: seen.add(property_of(name, args, kwargs))
    functions = [submission.elsewhere(each.text, "implementation", note) for each in untried]
    for each, function in zip(untried, functions, strict=True):
        submission.shared[name, each.id] = outcome(submission, name, function)
    return {each.id: submission.shared[name, each.id] for each in chosen}


def property_of(name, args, kwargs):
    """Return the property of a call that decides if the shown broken function is right."""
    parameter, of, *_ = BROKEN_IS_RIGHT[name]
    given = dict(zip(PARAMETERS[name], args, strict=False)) | kwargs
    try:
        return of(given[parameter])
    except (KeyError, TypeError, ValueError):
        return None


def outcome(submission, name, function):
    """Return the error of the student's test with one function. If the test passes, return None."""
    try:
        getattr(submission.fresh(), f"test_{name}").kept(function)
    except NotWritten:
        raise
    except Raised as error:
        return error
    return None


@pytest.mark.graded_when_handed_in  # the test needs correct functions
@each_function(
    1,
    "test_{}: accepts right functions, and rejects the broken one",
    ["right functions"],
    hints=WRITE,
)
def test_of_shown(submission, name):
    known = implementations(name)
    chosen = [each for each in known if not each.wrong or each.id == SHOWN]
    said = stopped_by(submission, name, chosen)
    refused = [each for each in chosen if not each.wrong and said[each.id] is not None]
    if refused and said[SHOWN] is None:
        raise Mismatch(
            f"test_{name} is the wrong way round: it rejects a right function, and accepts the "
            "broken function.",
            mistake="wrong-way-round",
        )
    if refused:
        error, every = said[refused[0].id], stopped_by(submission, name, known)
        taken = [each.wrong for each in known if each.wrong and every[each.id] is None]
        who = f"test_{name}"
        if taken:
            who += f" accepts a function with this mistake: {taken[0]}. It"
        says = f"{who} rejects a function that is right: {error.finding}"
        line = error.place.line if error.place is not None else 0
        reason = functools.partial(why_it_rejects, line=line)
        raise with_reason(says, "stops-the-right", submission, name, reason)
    if said[SHOWN] is None:
        says = f"test_{name} accepts the broken function."
        raise with_reason(says, ACCEPTED, submission, name)


def with_reason(says, mistake, submission, name, reason=why_it_accepts, more=""):
    """Return a mismatch that also says what is wrong in the student's test."""
    found = submission.definition(f"test_{name}")
    fact = reason(*found, definition=submission.definition) if found is not None else None
    *_, value, calls = BROKEN_IS_RIGHT[name]
    if fact is None and mistake == ACCEPTED and submission.shared["calls of", name] == {value}:
        fact = Fact("tests-one-kind-of-call", f"{calls} For these calls, that function is right.")
    if fact is None and mistake in {ACCEPTED, "finds-too-little"}:
        fact = accepted_nonsense(submission, name)
    names = (mistake,) if fact is None else (fact.mistake,)
    return Mismatch(says + (f" {fact.says}" if fact is not None else "") + more, mistake=names)


def accepted_nonsense(submission, name):
    """Return a fact if the test accepts a function that never returns right numbers."""
    right = next(each.text for each in implementations(name) if not each.wrong)
    for made, numbers, why in NONSENSE:
        if "rows" in numbers and name != "row_softmax":
            continue
        text = right.replace("def implementation", "def right") + NONSENSE_TEXT.format(made)
        function = submission.elsewhere(text, "implementation", lambda *_: None)
        if outcome(submission, name, function) is None:
            return Fact(
                "accepts-nonsense", f"It accepts even a function that returns {numbers}. {why}"
            )
    return None


def others(submission, name):
    """Return the broken functions that the test accepts, and the number of broken functions.

    The broken function that students see is left out.
    """
    known = implementations(name)
    said = stopped_by(submission, name, known)
    broken = [each for each in known if each.wrong and each.id != SHOWN]
    if any(said[each.id] is not None for each in known if not each.wrong):
        raise Mismatch(
            f"test_{name} does not accept every right function: its outcome depends on chance.",
            mistake="stops-the-right",
        )
    return [each for each in broken if said[each.id] is None], len(broken)


def expect_most(passed, count, allowed, submission, name):
    if len(passed) > allowed:
        says = f"Of {count} other broken functions, test_{name} accepts {len(passed)}."
        more = f" The mistake of one of these functions: {passed[0].wrong}."
        raise with_reason(says, "finds-too-little", submission, name, more=more)


@pytest.mark.graded_when_handed_in
@each_function(
    1,
    "test_{}: rejects half of the other broken functions",
    ["half of the others"],
    hints=WRITE,
    needs="test_of_shown",
)
def test_of_half(submission, name):
    passed, count = others(submission, name)
    expect_most(passed, count, count // 2, submission, name)


@pytest.mark.graded_when_handed_in
@each_function(
    1,
    "test_{}: rejects all other broken functions",
    ["all of the others"],
    hints=WRITE,
    needs="test_of_half",
)
def test_of_all(submission, name):
    passed, count = others(submission, name)
    expect_most(passed, count, 0, submission, name)
