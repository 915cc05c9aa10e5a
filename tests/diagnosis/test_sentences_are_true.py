"""What is said of a set of calls is true of each of them: of names, of pairs, of statements.

The students here make one mistake of the course's, or two, or are wrong answers that people wrote,
or mutants of right ones.
Where a sentence makes a claim about results, as `The result is right for small numbers` does, it is tested on
every call that was asked, and on calls that were not.
"""

import contextlib
import importlib.util
import random
import re
import signal
import sys
from dataclasses import replace
from functools import cache
from types import ModuleType

import numpy as np
import pytest

from autograder.course.course_file import load_course
from autograder.diagnosis import facts
from autograder.diagnosis.examination import Answer, Examination
from autograder.diagnosis.finding import worded
from autograder.diagnosis.outcome import RAISES, Outcome, agree, outcome_of
from autograder.diagnosis.steps import SEEN, about_results, diagnose
from tests.conftest import ROOT
from tests.diagnosis.test_no_false_names import CASES, CATALOGUE
from tools.unseen.mutated import singles

FRESH = 2  # draws of calls beyond those of an examination
SAMPLE = 6  # of a function's pairs, and of its mistakes
MUTANTS = 4  # of an exercise
SECONDS = 2  # for all calls of a mutant: some have no end
PLAIN = [(e, f) for e, f in CASES if CATALOGUE.recipes(e)[f].caller is None]


def rows(case):
    """The weights of a call: the only result, or the second of two."""
    return np.asarray(case.answer.outcome.parts[-1], float)


def sums_to(total):
    return lambda case: np.allclose(rows(case).sum(), total)


def no_row_sums_to_1(case):
    sums = rows(case).sum(axis=getattr(case.state, "axis", -1))
    return not np.allclose(sums[np.isfinite(sums)], 1, rtol=1e-7) or not np.isfinite(sums).all()


def is_right(place):
    """Whether one of two results is right in a call."""

    def right(case):
        outcome = case.answer.outcome
        given, true = (each.parts[place].astype(float) for each in (outcome, case.expected))
        return bool(agree(given, true, outcome.precision, case.condition).all())

    return right


def in_parts(case, count):
    """A call with its answers split into `count` results."""
    answer = replace(case.answer, outcome=case.answer.outcome.in_parts(count))
    return replace(case, answer=answer, expected=case.expected.in_parts(count))


def largest_is_1(case):
    largest = rows(case).max(axis=getattr(case.state, "axis", -1))
    return np.allclose(largest[np.isfinite(largest)], 1)


def is_large(state):
    for name in ("array", "scaled", "scores", "embeddings", "masked"):
        numbers = np.asarray(getattr(state, name, 0.0), float)
        if np.abs(numbers[np.isfinite(numbers)]).max(initial=0) > 100:
            return True
    return False


def has_no_batch(state):
    return any(np.ndim(getattr(state, name, 0)) == 2 for name in ("Q", "X", "x", "scores"))


# For what a sentence claims: of which calls, and what then has to be true of each of them.
WRONG = "wrong"
CLAIMS = {
    r"right for small": (lambda case: not is_large(case.state), lambda case: case.right),
    r"Without a batch axis, (the result is right|these are the same)": (
        lambda case: has_no_batch(case.state),
        lambda case: case.right,
    ),
    r"right for floats": (
        lambda case: np.asarray(case.state.x).dtype.kind == "f",
        lambda case: case.right,
    ),
    r"The output is right": (WRONG, is_right(0)),
    r"The weights are right(?! for small|, with)": (WRONG, is_right(1)),  # of two results
    r"all (entries|weights) together sum to 1": (WRONG, sums_to(1)),
    r"no row sums to 1|row no longer sums to 1|rows (do not|no longer) sum to 1": (
        WRONG,
        no_row_sums_to_1,
    ),
    r"[Ll]argest (result|weight of each row) is 1": (WRONG, largest_is_1),
}
# What no sentence says of a mistake that has another one beside it.
OF_RESULTS = re.compile(
    r"(is|are) right\b|\b[Rr]ight (for|without|but|if|unless)|sums? to (1|100|its)\b|"
    r"together sum|[Ll]argest (result|weight of each row) is|[Yy]our numbers (?:are|match)"
)


def claims_hold(says, cases):
    """The claims of a text that are false of some call."""
    false = []
    for pattern, (of, holds) in CLAIMS.items():
        if re.search(pattern, says):
            values = [case for case in cases if not case.answer.outcome.raised]
            chosen = [case for case in values if (not case.right if of == WRONG else of(case))]
            with np.errstate(all="ignore"):
                false += [
                    f"{pattern}: call {n}" for n, case in enumerate(chosen) if not holds(case)
                ]
    return false


def examined(replay, ask):
    """What is said of a function, and all calls: those that were asked, and fresh ones."""
    examination = Examination(replay, ask)
    finding = diagnose(examination)
    examination.draw(SEEN + FRESH)
    return finding, examination.observed()


def is_false(replay, finding, seen):
    """What a finding says that is not true of each call."""
    if finding is None:
        return []
    cases = [in_parts(case, len(seen.recipe.results)) for case in seen.cases]
    false = claims_hold(finding.says, cases)
    if finding.code == "statements":
        answers = [case.answer.outcome for case in seen.cases]
        still = [*facts.true_statements(seen), *about_results(replay, answers)]
        false += [str(each) for each in finding.statements if each not in still]
    for statement in finding.statements:
        if statement.code in {"right_and_wrong", "right_and_error"}:
            wrong = statement.values["wrong"]
            sides = facts.sides_of_traits(seen.recipe, [case.state for case in seen.cases])
            (calls,) = {side.calls for side in sides if side.words == wrong}
            false += [
                f"{wrong}: call {n}" for n, c in enumerate(seen.cases) if c.right == (n in calls)
            ]
    if finding.code in {"two_mistakes", "and_something_else"} and OF_RESULTS.search(finding.says):
        false.append(finding.says)
    return false


def replayed(replay, wrong):
    """A function that makes these mistakes."""

    def ask(probe):
        try:
            return Answer(outcome_of(replay.recipe.run(probe, wrong)))
        except Exception:
            return Answer(Outcome(RAISES), "The function stopped with an error.")

    return ask


def told_apart(replay, wrong):
    """Whether a mistake can be seen at all, and is not an error in every call."""
    calls = range(len(replay.probes(1)))
    return replay.telling(calls, wrong) > 1 and not all(
        replay.outcome(n, wrong).raised for n in calls
    )


def tried(exercise, function, wrongs):
    replay = CATALOGUE.replay(exercise, function)
    false = []
    for wrong in wrongs:
        if told_apart(replay, wrong):
            finding, seen = examined(replay, replayed(replay, wrong))
            names = [getattr(each, "id", "style") for each in wrong]
            false += [(names, finding.says, each) for each in is_false(replay, finding, seen)]
    return false


def sampled(wrongs, count):
    chosen = list(wrongs)
    random.Random(len(chosen)).shuffle(chosen)
    return chosen[:count]


@pytest.mark.one_in(24)
@pytest.mark.parametrize(("exercise", "function"), CASES)
def test_of_each_misconception(exercise, function, request):
    thorough = request.config.getoption("--thorough")
    replay = CATALOGUE.replay(exercise, function)
    assert not tried(exercise, function, sampled(replay.singles, None if thorough else SAMPLE))


@pytest.mark.one_in(72)
@pytest.mark.parametrize(("exercise", "function"), CASES)
def test_of_pairs(exercise, function, request):
    count = 20 * SAMPLE if request.config.getoption("--thorough") else SAMPLE
    pairs = sampled(CATALOGUE.replay(exercise, function).pairs, count)
    assert not tried(exercise, function, pairs)


CLAIMING = [
    ("softmax", "softmax", ("always-first-axis", "not-stable")),
    ("softmax", "softmax", ("no-exponential", "not-divided")),
    ("softmax", "softmax", ("over-everything", "not-divided")),
    ("scaled_dot_product_attention",) * 2 + (("divides-by-d-k", "all-axes-transposed"),),
    ("scaled_dot_product_attention",) * 2 + (("divides-by-d-k", "softmax-over-queries"),),
    ("scaled_dot_product_attention",) * 2 + (("no-scaling", "scores-returned"),),
    ("scaled_dot_product_attention",) * 2 + (("softmax-not-stable",),),
    ("scaled_dot_product_attention",) * 2 + (("all-axes-transposed",),),
    ("softmax", "softmax", ("without-keepdims",)),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("exercise", "function", "names"), CLAIMING)
def test_where_a_sentence_makes_a_claim(exercise, function, names):
    replay = CATALOGUE.replay(exercise, function)
    if len(names) == 1:
        wrongs = [wrong for wrong in replay.singles if wrong[0].id == names[0]]
    else:
        wrongs = [pair for pair in replay.pairs if {pair[0].id, pair[1].id} == set(names)]
    assert wrongs
    assert not tried(exercise, function, wrongs[:2])


def test_where_calls_stop_nothing_is_claimed_of_their_results():
    """As `weights * V` does where the shapes do not fit: the weights may be wrong as well."""
    replay = CATALOGUE.replay("scaled_dot_product_attention", "scaled_dot_product_attention")
    (wrong,) = (wrong for wrong in replay.singles if wrong[0].id == "entry-by-entry")
    says = examined(replay, replayed(replay, wrong))[0].says
    assert says == (
        "The output is weights and V multiplied entry by entry. It should be their matrix product."
    )


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("exercise", "function"), CASES)
def test_beside_another_a_sentence_claims_nothing_about_the_results(exercise, function):
    for wrong in CATALOGUE.replay(exercise, function).recipe.misconceptions:
        for code in ("named", "in_wrong_calls", "two_mistakes"):
            said = worded(code, wrong.finding)
            assert said and not re.search(r"[{}|]", said)
        assert not OF_RESULTS.search(said), (wrong.id, wrong.finding)
        noun = wrong.finding.removeprefix("Your numbers match ")
        assert noun == wrong.finding or said.startswith("Your code has the effect of "), said


def examined_file(exercise, function, module):
    """What is false of what is said of a function in a module; the sentence with it."""
    replay = CATALOGUE.replay(exercise, function)

    def ask(probe):
        called = replay.recipe.as_called(probe)
        try:
            with np.errstate(all="ignore"):
                return Answer(outcome_of(getattr(module, function)(*called.args, **called.kwargs)))
        except Exception as error:
            return Answer(Outcome(RAISES), f"{function} stopped with {type(error).__name__}.")

    finding, seen = examined(replay, ask)
    return [(finding.says, each) for each in is_false(replay, finding, seen)]


FILES = [
    (path.parent.name, function, path)
    for folder in (ROOT / "examples" / "wrong", ROOT / "tests" / "diagnosis" / "wild")
    for path in sorted(folder.glob("*/*.py"))
    for exercise, function in PLAIN
    if exercise == path.parent.name
]


@cache
def module_of(path):
    spec = importlib.util.spec_from_file_location(f"wrong_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(ROOT / "solutions"))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(ROOT / "solutions"))
    return module


@pytest.mark.one_in(240)
@pytest.mark.parametrize(
    ("exercise", "function", "path"), FILES, ids=lambda value: getattr(value, "stem", value)
)
def test_of_wrong_answers_that_people_wrote(exercise, function, path):
    try:
        module = module_of(path)
    except Exception:
        pytest.skip("it cannot be loaded")
    assert not hasattr(module, function) or not examined_file(exercise, function, module)


class NoEndError(BaseException):
    """A mutant runs on and on."""


def stop(*_):
    raise NoEndError


@pytest.mark.thorough
@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # stopped in a callback
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="some mutants have no end")
@pytest.mark.parametrize("exercise", sorted({exercise for exercise, _ in PLAIN}))
def test_of_mutants(exercise, request):
    pytest.importorskip("cosmic_ray")
    thorough = request.config.getoption("--thorough")
    course = load_course(ROOT / "course.yml")
    before = signal.signal(signal.SIGALRM, stop)
    false = []
    try:
        for mutant in singles(course, exercise, 30 * MUTANTS if thorough else MUTANTS):
            module = ModuleType(exercise)
            signal.setitimer(signal.ITIMER_REAL, SECONDS, 1)  # again, if a callback swallows it
            with contextlib.suppress(NoEndError):
                try:
                    exec(compile(mutant.text, exercise, "exec"), module.__dict__)
                except Exception:
                    continue
                for name, function in PLAIN:
                    if name == exercise and hasattr(module, function):
                        false += examined_file(exercise, function, module)
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not false
