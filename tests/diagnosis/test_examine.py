"""A function is asked about probes, and what is said of it is true, or nothing is said."""

from dataclasses import replace

import numpy as np
import pytest

from autograder.diagnosis import Fact, Family, Probe, Recipe, Trait
from autograder.diagnosis.errors import explain, named_shape
from autograder.diagnosis.examine import Answer, Examination
from autograder.diagnosis.outcome import RAISES, Outcome, outcome_of
from autograder.diagnosis.replay import Replay
from autograder.sandbox.problems import Raised
from autograder.worker.messages import CodePlace

HINTS = ("?", "the property", "where")


def wrong(id, **replaces):
    return Family(None, HINTS, {id: (f"It is {id}.", replaces)})


def probes(draw):
    rng = np.random.default_rng(draw)
    return [Probe((rng.normal(size=(n, n + 1)), 3.0 + n)) for n in (1, 2, 3, 4)] + [
        Probe((rng.normal(size=(2, 3)), -2.0)),
        Probe((rng.normal(size=(3, 3)), -5.0)),
    ]


RECIPE = Recipe(
    "shift_and_scale",
    probes,
    (
        wrong("not-shifted", shifted=lambda s: s.x),
        wrong("subtracted", shifted=lambda s: s.x - s.c),
        wrong("not-scaled", scaled=lambda s: s.shifted),
        wrong("squared", scaled=lambda s: s.shifted**2),
    ),
    steps={"shifted": lambda s: s.x + s.c, "scaled": lambda s: 2 * s.shifted},
    parameters=("x", "c"),
    traits=(Trait(lambda s: s.c < 0, "for a negative c", "for a positive c"),),
    facts=(Fact("too-large", lambda s, v: bool((v > 1e3).all()), "All are above a thousand."),),
    axes=lambda s: {"L": s.x.shape[0], "d": s.x.shape[1]},
)


def examine(function, recipe=RECIPE):
    def ask(probe):
        try:
            return Answer(outcome_of(function(*probe.args)))
        except ValueError as error:
            return Answer(Outcome(RAISES), f"It stopped with {error}.")

    return Examination(Replay(recipe), ask).diagnose()


def test_a_right_function_is_left_alone():
    assert examine(lambda x, c: 2 * (x + c)) is None
    assert examine(lambda x, c: (2 * (x + c)).tolist()) is None
    assert examine(lambda x, c: (2 * (x + c)).astype(np.float32)) is None


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (lambda x, c: 2 * x, ("not-shifted",)),
        (lambda x, c: x + c, ("not-scaled",)),
        (lambda x, c: x, ("not-shifted", "not-scaled")),
        (lambda x, c: (x - c) ** 2, ("subtracted", "squared")),
        (lambda x, c: None, ("nothing-returned",)),
        (lambda x, c: np.round(2 * (x + c), 3), ("rounded-3",)),
        (lambda x, c: (2 * (x + c)).T, ("transposed",)),
        (lambda x, c: [2 * (x + c)], ("wrapped",)),
    ],
)
def test_mistakes_are_named_alone_and_in_pairs(function, names):
    found = examine(function)
    assert found.kind == "named"
    assert set(found.misconceptions) == set(names)
    assert found.hints or len(names) > 1


def test_a_mistake_in_one_branch_is_named_with_its_branch():
    found = examine(lambda x, c: 2 * x if c < 0 else 2 * (x + c))
    assert found.misconceptions == ("not-shifted",)
    assert found.says == "For a negative c: it is not-shifted."


def test_a_mistake_that_is_on_no_list_gets_no_name():
    found = examine(lambda x, c: np.sin(x) + c)
    assert found is None or not found.misconceptions


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda x, c: 6 * (x + c), "Every number is 3 times the right one."),
        (lambda x, c: 2 * (x + c) * x.shape[1], "Every number is the right one times d."),
        (lambda x, c: 2 * (x + c) + 1, "Every number is the right one plus 1."),
        (lambda x, c: np.ones(2), "does not depend on its arguments"),
        (lambda x, c: 2 * (x + c) + 4000, "All are above a thousand."),
    ],
)
def test_what_is_true_of_all_wrong_answers_is_said(function, says):
    assert says in examine(function).says


def test_a_function_that_remembers_is_found_out():
    calls = []

    def function(x, c):
        calls.append(1)
        return 2 * (x + c) + len(calls) * np.sin(x)

    assert examine(function).misconceptions == ("remembers",)


def test_an_error_in_some_calls_is_told_with_what_they_have_in_common():
    def function(x, c):
        if c < 0:
            raise ValueError("no")
        return 2 * (x + c)

    said = examine(function).says
    assert said.startswith("It is right for a positive c, and stops with an error")
    assert "It stopped with no." in said


def test_two_misconceptions_that_look_alike_have_no_name():
    twins = (
        wrong("this", scaled=lambda s: s.shifted),
        wrong("that", scaled=lambda s: 1 * s.shifted),
    )
    recipe = replace(RECIPE, families=twins)
    found = examine(lambda x, c: x + c, recipe)
    assert found is None or not found.misconceptions


def test_a_dict_in_place_of_an_array_is_not_measured_as_one():
    found = examine(lambda x, c: {"result": 2 * (x + c) + 4000})
    assert found is None or "thousand" not in found.says


def raised(message, line, **shapes):
    place = CodePlace("f.py", 3, line)
    return Raised(
        "f stopped", place, "ValueError", message, {k: list(v) for k, v in shapes.items()}
    )


SIZES = {"B": 7, "L_q": 2, "L_k": 3, "d_k": 4}


def test_shapes_are_named_by_their_axes():
    assert named_shape((2, 4), SIZES) == "(L_q, d_k) = (2, 4)"
    assert named_shape((2, 5), SIZES) == "(2, 5)"
    assert named_shape((3, 3), {"L": 3, "d": 3}) == "(3, 3)"


def test_a_product_that_does_not_fit_is_explained():
    error = raised(
        "matmul: Input operand 1 has a mismatch in its core dimension 0",
        "s = Q @ K",
        Q=(2, 4),
        K=(3, 4),
    )
    said = explain(error, SIZES)
    assert "Q has the shape (L_q, d_k) = (2, 4) and K (L_k, d_k) = (3, 4)" in said
    assert said.endswith("The last two axes of K still need swapping.")


def test_a_transpose_of_all_axes_is_explained():
    error = raised("mismatch in its core dimension", "s = Q @ K.T", Q=(7, 2, 4), K=(7, 3, 4))
    assert ".T turns all axes of K round" in explain(error, SIZES)


@pytest.mark.parametrize(
    ("message", "line", "says"),
    [
        ("operands could not be broadcast together", "x - x.max(axis=1)", "keepdims=True"),
        ("'numpy.ndarray' object is not callable", "y = sum(x)", "sum"),
        ("'list' object has no attribute 'max'", "x.max()", "np.asarray"),
        ("not enough values to unpack (expected 3, got 2)", "B, L, d = x.shape", "exactly 3 parts"),
        ("bad operand type for unary ~: 'float'", "~mask", "mask == 0"),
        ("axis 3 is out of bounds for array of dimension 2", "x.sum(3)", "counted from the end"),
        ("view size is not compatible with input tensor's size", "x.view(2)", "contiguous()"),
        ("name 'pd' is not defined", "pd.x", "pd"),
    ],
)
def test_usual_errors_are_explained(message, line, says):
    assert says in explain(raised(message, line, x=(2, 3)), SIZES)


def test_what_a_hostile_worker_says_of_shapes_stays_short_and_printable():
    names = {f"x{i}\x1b[2J" + "y" * 500: [1] * 40 for i in range(50)}
    said = explain(
        Raised("f stopped", CodePlace("f.py", 1, "y = x"), "ValueError", "?", names), SIZES
    )
    assert len(said) < 2000
    assert "\x1b" not in said


def test_a_mistake_that_is_seen_in_two_styles_is_no_pair():
    styled = replace(RECIPE, styles=({"scaled": lambda s: 2 * s.shifted + 1e-3},))
    pairs = Replay(styled).pairs
    assert any(len(pair) > 2 for pair in pairs)
    assert all(pair[0] is not pair[1] for pair in pairs)
    assert all(both.id for pair in pairs for both in pair[:2])
