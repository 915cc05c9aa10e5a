"""A function is asked about probes, and what is said of it is true, or nothing is said."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from autograder.author import Comparison, Fact, Family, Probe, Recipe, Trait
from autograder.diagnosis.errors import explain, named_shape
from autograder.diagnosis.examination import Answer, Examination
from autograder.diagnosis.facts import locate, true_statements
from autograder.diagnosis.mistakes import known_mistakes
from autograder.diagnosis.outcome import RAISES, Outcome, outcome_of
from autograder.diagnosis.replay import Replay
from autograder.diagnosis.steps import diagnose
from autograder.grading.diagnoses import Catalogue, answer_to
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

    return diagnose(Examination(Replay(recipe), ask))


def examine_listed(exercise, name, function):
    """Diagnose a function with the course's list of mistakes."""

    def ask(probe):
        with np.errstate(all="ignore"):
            return Answer(outcome_of(function(*probe.args, **probe.kwargs)))

    return diagnose(Examination(Catalogue("reference").replay(exercise, name), ask))


def with_calls(*constants):
    """Return the recipe with one call for each constant. Only the first draw has all constants."""

    def calls(draw):
        rng = np.random.default_rng(draw)
        return [
            Probe((rng.normal(size=(2, 3)), float(constants[0] if draw else c))) for c in constants
        ]

    seldom = wrong("seldom", shifted=lambda s: s.x * s.c if s.c > 10 else s.x + s.c)
    return replace(RECIPE, probes=calls, families=(*RECIPE.families, seldom))


def test_two_calls_must_show_a_mistake():
    def seldom(x, c):
        return 2 * (x * c if c > 10 else x + c)

    assert examine(seldom, with_calls(1, 2, 3, 11, 12)).misconceptions == ("seldom",)
    found = examine(seldom, with_calls(1, 2, 3, 11))
    assert found is None or found.misconceptions == ()


def test_two_right_calls_must_show_that_a_mistake_needs_a_property():
    def unshifted_below(x, c):
        return 2 * (x if c < 0 else x + c)

    found = examine(unshifted_below, with_calls(-1, -2, -3, 4, 5))
    assert (found.code, found.misconceptions) == ("in_some_calls", ("not-shifted",))
    found = examine(unshifted_below, with_calls(-1, -2, -3, 4))
    assert found is None or found.code != "in_some_calls"


def test_a_measured_number_comes_before_other_true_statements():
    factor = Fact("factor", lambda s, v: float((v / s.scaled).mean()), "The factor is {}.")
    recipe = replace(RECIPE, facts=(factor,))
    examination = Examination(Replay(recipe), lambda probe: Answer(outcome_of(tripled(probe))))
    examination.draw(2)
    assert len(true_statements(examination.observed())) > 1
    assert locate(examination.observed()).code == "measure"


def tripled(probe):
    x, c = probe.args
    return 3 * (x + c)


def test_a_right_function_is_left_alone():
    assert examine(lambda x, c: 2 * (x + c)) is None
    assert examine(lambda x, c: (2 * (x + c)).tolist()) is None
    assert examine(lambda x, c: (2 * (x + c)).astype(np.float32)) is None


def test_a_trait_speaks_of_calls_without_it_only_where_that_says_something():
    def wrong_for_positive(x, c):
        return 2 * (x + c) if c < 0 else x * np.arange(len(x)) + 7 * c

    assert "For a negative c, it is right" in examine(wrong_for_positive).says
    trait = replace(RECIPE.traits[0], both_ways=False)
    found = examine(wrong_for_positive, replace(RECIPE, traits=(trait,)))
    assert found is None or "it is right" not in found.says


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (lambda x, c: 2 * x, ("not-shifted",)),
        (lambda x, c: x + c, ("not-scaled",)),
        (lambda x, c: None, ("nothing-returned",)),
        (lambda x, c: np.round(2 * (x + c), 3), ("rounded-3",)),
        (lambda x, c: (2 * (x + c)).T, ("transposed",)),
        (lambda x, c: [2 * (x + c)], ("wrapped",)),
    ],
)
def test_a_mistake_is_named(function, names):
    found = examine(function)
    assert found.kind == "named"
    assert set(found.misconceptions) == set(names)
    assert found.hints or len(names) > 1


PAIRS = (
    (lambda x, c: x, ("not-shifted", "not-scaled")),
    (lambda x, c: (x - c) ** 2, ("subtracted", "squared")),
)


@pytest.mark.parametrize(("function", "names"), PAIRS)
def test_a_pair_is_named_where_some_calls_show_one_half_alone(function, names):
    """With c = 0, the first half changes nothing."""
    shown = replace(RECIPE, probes=lambda draw: [*probes(draw), Probe((np.eye(2) + draw, 0.0))])
    found = examine(function, shown)
    assert found.code == "two_mistakes" and found.misconceptions == names


def test_a_pair_is_named_where_its_numbers_need_both_halves():
    """No call shows one half alone, but no single mistake gives (x − c)²."""
    function, names = PAIRS[1]
    found = examine(function)
    assert found.code == "two_mistakes" and found.misconceptions == names


def test_a_pair_may_have_a_generic_change_as_its_second_half():
    """For whole numbers, only the sum is wrong. For a single row, only the decimals are lost."""

    def function(x, axis=-1):
        x = np.trunc(x)
        e = np.exp(x - x.max(axis=axis, keepdims=True))
        return e / e.sum()

    found = examine_listed("softmax", "softmax", function)
    assert found.code == "two_mistakes"
    assert found.misconceptions == ("sum-over-everything", "x-whole")


def test_lost_decimals_are_named_beside_a_listed_mistake():
    """For a list with one axis, axis 0 is right, so only the decimals are lost."""

    def function(x, axis=0):
        x = np.asarray(x)
        shares, e = np.empty_like(x), np.exp(x - x.max(axis=axis, keepdims=True))
        shares[...] = e / e.sum(axis=axis, keepdims=True)
        return shares

    found = examine_listed("softmax", "softmax", function)
    assert found.code == "two_mistakes"
    assert found.misconceptions == ("first-axis-by-default", "stored-as-whole")


def test_a_wrong_result_is_explained_beside_another_of_a_wrong_shape():
    def function(X, W_Q, W_K, W_V):
        return X[..., :1, :] @ W_Q, X @ W_K, np.abs(X @ W_V)

    found = examine_listed("qkv_projection", "project_qkv", function)
    assert found.says == (
        "The shape of Q is (…, 1, d_k). It should be (…, L, d_k). The numbers of Q are right, but "
        "the last ones along an axis are missing. Your numbers match V as absolute values."
    )


def _accumulated(X, W_Q, W_K, W_V):
    both = X @ W_Q + X @ W_K
    return both, both, X @ W_V


def _cut_in_three(X, W_Q, W_K, W_V):
    side_by_side = X @ np.hstack([W_Q, W_K, W_V])
    third = side_by_side.shape[-1] // 3
    return tuple(np.split(side_by_side, [third, 2 * third], axis=-1))


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (
            lambda X, *matrices: tuple((X @ W)[np.newaxis, np.newaxis] for W in matrices),
            "All numbers of Q, K and V are right and in the right order. Only the shape is wrong.",
        ),
        (
            lambda X, *matrices: tuple(np.moveaxis(X @ W, -1, 0)[np.newaxis] for W in matrices),
            "All the right numbers of Q, K and V are there, but in another shape and in other places.",
        ),
        (_accumulated, "Q and K are equal in every wrong call, like one array."),
        (_cut_in_three, "Side by side, your three results are the right numbers, but cut into"),
        (
            lambda X, W_Q, W_K, W_V: (X @ W_K, X @ W_Q, X @ W_V[:, :1]),
            "There are two mistakes. 1: Your results Q and K are exchanged. 2: Your code has the "
            "effect of V with only the first entry along the last axis.",
        ),
    ],
)
def test_results_of_other_shapes_and_equal_results_are_described(function, says):
    assert says in examine_listed("qkv_projection", "project_qkv", function).says


def test_a_pair_that_may_be_one_mistake_is_not_named():
    """`return x` is one thing: nothing shows that it is a shift and a factor that are missing."""
    function, names = PAIRS[0]
    found = examine(function)
    assert found is None or found.misconceptions != names


def test_whole_numbers_alone_are_no_evidence_of_a_pair():
    """Many functions give small whole numbers such as 4 and 9."""
    function, names = PAIRS[1]
    shapes = ((1, 2), (2, 3), (3, 3))

    def whole(draw):
        rng = np.random.default_rng(draw)
        return [Probe((rng.integers(9, size=shape).astype(float), 3.0)) for shape in shapes]

    found = examine(function, replace(RECIPE, probes=whole))
    assert found is None or found.misconceptions != names


def test_mistakes_that_undo_each_other_are_not_named():
    """For a positive c, the answers are right, and each half alone is wrong."""
    recipe = Recipe(
        "plus_one",
        probes,
        (
            wrong("times", product=lambda s: s.x * s.c * (-1 if s.c > 0 else 3)),
            wrong("by-sign", result=lambda s: 1 + (-s.product if s.c > 0 else s.product**2)),
        ),
        steps={"product": lambda s: s.x * s.c, "result": lambda s: s.product + 1},
        parameters=("x", "c"),
    )
    found = examine(lambda x, c: 1 + (x * c if c > 0 else 9 * (x * c) ** 2), recipe)
    assert found is None or found.code != "two_mistakes"


def test_a_mistake_that_acts_mostly_beside_another_is_not_named():
    """The wrong shift alone changes no result for a positive c. The student has no shift at all."""
    recipe = Recipe(
        "centred",
        probes,
        (
            wrong("no-shift", shift=lambda s: 0 if s.c > 0 else 5),
            wrong("not-centred", result=lambda s: 2 * s.shifted + 1),
        ),
        steps={
            "shift": lambda s: s.x.mean(),
            "shifted": lambda s: s.x - s.shift,
            "result": lambda s: s.shifted - (s.shifted.mean() if s.c > 0 else 0),
        },
        parameters=("x", "c"),
    )
    found = examine(lambda x, c: 2 * (x - (0 if c > 0 else 5)) + 1, recipe)
    assert found is None or found.code != "two_mistakes"


def test_of_pairs_that_give_the_same_answers_only_a_common_mistake_is_named():
    """Beside `no-sum`, half of x and half of the product are one."""
    recipe = Recipe(
        "product_and_sum",
        probes,
        (
            wrong("half-of-x", half=lambda s: s.x / 2),
            wrong("half-of-product", product=lambda s: s.half * s.c / 2),
            wrong("no-sum", result=lambda s: s.product**3),
        ),
        steps={
            "half": lambda s: s.x,
            "product": lambda s: s.half * s.c,
            "result": lambda s: s.product + s.half.sum(),
        },
        parameters=("x", "c"),
    )
    found = examine(lambda x, c: (x * c / 2) ** 3, recipe)
    assert found.code == "and_something_else" and found.misconceptions == ("no-sum",)


def test_a_pair_that_mostly_acts_together_does_not_hide_a_pair_that_acts_apart():
    """Without the shift, a sum over the first axis gives a softmax along the first axis."""
    replay = Replay(known_mistakes("reference", "softmax").recipes["softmax"])

    def answer(probe):
        exponentials = np.exp(probe.args[0])
        return Answer(outcome_of(exponentials / exponentials.sum(axis=0)))

    with np.errstate(all="ignore"):
        found = diagnose(Examination(replay, answer))
    assert found.code == "two_mistakes"
    assert found.misconceptions == ("always-first-axis", "not-stable")


def test_two_mistakes_in_random_results_are_named_where_a_number_shows_one_alone():
    """A mean over 400 samples is not exact. The allowed error decides which mistake it shows."""

    def spread(s):
        return {name: float(value) for name, value in s.result.items()}, dict.fromkeys("abc", 0.1)

    recipe = Recipe(
        "means",
        probes,
        (
            wrong("doubled", first=lambda s: 2 * s.c),
            wrong("tripled", second=lambda s: 3 * s.c),
        ),
        steps={
            "first": lambda s: s.c,
            "second": lambda s: s.c,
            "result": lambda s: {"a": s.first, "b": s.second, "c": s.first * s.second},
        },
        parameters=("x", "c"),
        comparison=Comparison(spread=spread),
    )
    rng = np.random.default_rng(0)
    right = {"a": 2.0, "b": 3.0, "c": 6.0}
    found = examine(
        lambda x, c: {
            name: times * (c**2 if name == "c" else c) + rng.uniform(-0.09, 0.09)
            for name, times in right.items()
        },
        recipe,
    )
    assert found.code == "two_mistakes" and found.misconceptions == ("doubled", "tripled")


def test_one_change_that_gives_the_answers_is_preferred_to_a_pair():
    """The student uses x for c as well; so do two mistakes together."""
    recipe = Recipe(
        "both",
        lambda draw: [
            Probe((np.random.default_rng([draw, n]).normal(size=3), np.arange(3.0) + n))
            for n in range(4)
        ],
        (
            wrong("sum-of-x", total=lambda s: s.x + s.x),
            wrong("x-times", product=lambda s: s.total * s.x),
        ),
        steps={"total": lambda s: s.x + s.c, "product": lambda s: s.total * s.c},
        parameters=("x", "c"),
        labels={"total": "the sums", "product": "the products"},
    )
    found = examine(lambda x, c: (x + x) * x, recipe)
    assert found.misconceptions == ("x-for-c",)
    assert found.says == "Your numbers match a call with x instead of c everywhere."


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
        (lambda x, c: 6 * (x + c), "Every number is 3 times the right number."),
        (lambda x, c: 2 * (x + c) * x.shape[1], "match the right results multiplied by d."),
        (lambda x, c: np.ones(2), "the result is the same, whatever the arguments are"),
        (lambda x, c: 2 * (x + c) + 4000, "All are above a thousand."),
        (
            lambda x, c: np.repeat(2 * np.cos(x[:, :1] + c), 7, axis=1),
            "The shape of the result is (L, 7). It should be (L, d).",
        ),
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
    assert said.startswith(
        "The grader also tried 36 other inputs. For a negative c, your code stops with an error "
        "each time. For a positive c, it is right each time. "
    )
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
    return Raised("raised", "f", message, place, "ValueError", shapes=shapes)


def test_the_advice_on_a_tilde_names_what_it_is_applied_to():
    """It named `np` in `~np.broadcast_to(mask, x.shape)`."""
    line = "x[~np.broadcast_to(mask, x.shape)] = -1e9"
    place = CodePlace("f.py", 3, line, column=2, end=line.index("]"))
    message = "ufunc 'invert' not supported for the input types"
    said = explain(Raised("raised", "f", message, place, "TypeError"), {})
    assert "`(np.broadcast_to(mask, x.shape) == 0)` works" in said
    said = explain(raised(message, line), {})
    assert "A comparison with 0 works" in said


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
    assert "Q has the shape (L_q, d_k) = (2, 4) and K has the shape (L_k, d_k) = (3, 4)" in said
    assert said.endswith("as long as the second-last axis of the second.")
    error = raised(error.message, "s = Q @ K.transpose(-2, -1)", Q=(3, 2), K=(3, 3))
    assert "Q has the shape" in explain(error, SIZES)


def test_a_transpose_of_all_axes_is_explained():
    error = raised("mismatch in its core dimension", "s = Q @ K.T", Q=(7, 2, 4), K=(7, 3, 4))
    assert explain(error, SIZES).endswith("K.T reverses all axes: (7, 3, 4) becomes (4, 3, 7).")


@pytest.mark.parametrize(
    ("message", "line", "says"),
    [
        ("operands could not be broadcast together", "x - x.max(axis=1)", "keepdims=True"),
        ("'numpy.ndarray' object is not callable", "y = sum(x)", "like a function"),
        ("'list' object has no attribute 'max'", "x.max()", "np.asarray"),
        ("not enough values to unpack (expected 3, got 2)", "B, L, d = x.shape", "exactly 3 parts"),
        ("axis 3 is out of bounds for array of dimension 2", "x.sum(3)", "the last is −1"),
        ("view size is not compatible with input tensor's size", "x.view(2)", "contiguous()"),
        ("name 'pd' is not defined", "pd.x", "pd"),
        ("'function' object has no attribute 'max'", "x.max()", "A function is used there"),
        ("Cannot interpret '3' as a data type", "np.ones(3, 3)", "The shape is one argument"),
        (
            "batch1 must be a 3D tensor",
            "torch.bmm(x, y)",
            "(2, 3). torch's bmm takes",
        ),
        ("no loop with signature matching types (dtype('<U32'), …)", "x.max()", "text instead"),
    ],
)
def test_usual_errors_are_explained(message, line, says):
    assert says in explain(raised(message, line, x=(2, 3)), SIZES)


def test_a_class_that_is_called_in_place_of_its_object_is_named():
    message = "Attention.__init__() takes from 1 to 2 positional arguments but 5 were given"
    assert "`Attention(…)`, with brackets" in explain(raised(message, "self.inner(q, k)"), SIZES)
    assert explain(raised(message, "self.inner = Attention(q, k)"), SIZES) == ""
    assert "Make it in `__init__`" in explain(raised(message, "o, w = Attention(q, k, v)"), SIZES)


def test_a_transpose_that_changes_nothing_is_named():
    """It is a habit of torch, where `K.transpose(-2, -1)` exchanges the two axes."""
    numpy = "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature"
    torch = "mat1 and mat2 shapes cannot be multiplied (2x4 and 3x4)"
    for message, is_numpy in ((numpy, True), (torch, False)):
        said = explain(raised(message, "Q @ K.transpose(-2, -1)", Q=(2, 4), K=(3, 4)), SIZES)
        assert ("It changes nothing here" in said) == is_numpy


def test_what_a_hostile_worker_says_of_shapes_stays_short_and_printable():
    names = {f"x{i}\x1b[2J" + "y" * 500: [1] * 40 for i in range(50)}
    said = explain(
        Raised("raised", "f", "?", CodePlace("f.py", 1, "y = x"), "ValueError", shapes=names), SIZES
    )
    assert len(said) < 2000
    assert "\x1b" not in said


def test_a_mistake_that_is_seen_in_two_styles_is_no_pair():
    styled = replace(RECIPE, alternatives=({"scaled": lambda s: 2 * s.shifted + 1e-3},))
    pairs = Replay(styled).pairs
    assert any(len(pair) > 2 for pair in pairs)
    assert all(pair[0] is not pair[1] for pair in pairs)
    assert all(both.id for pair in pairs for both in pair[:2])


def test_a_product_is_explained_only_if_it_is_the_one_that_fails():
    line = "return self.W_o(merge(weights @ value)), weights"
    shapes = {"weights": (1, 1, 3, 3), "value": (1, 1, 3, 4)}
    message = "mat1 and mat2 shapes cannot be multiplied (1x12 and 4x4)"
    assert "In a product" not in explain(raised(message, line, **shapes), SIZES)
    fails = {"weights": (1, 1, 3, 3), "value": (1, 1, 4, 3)}
    assert "In a product" in explain(raised(message, line, **fails), SIZES)


def test_a_shape_hint_is_given_only_where_a_shape_is_taken_apart():
    message = "too many values to unpack (expected 2)"
    assert "for each axis" in explain(raised(message, "n, d = x.shape"), SIZES)
    assert "for each axis" not in explain(raised(message, "a, b = layers"), SIZES)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda x, c: 2 * (np.abs(x) + c), "match x as absolute values, before any other step"),
        (
            lambda x, c: np.sort(2 * (x + c), axis=-1),
            "the right results sorted along the last axis",
        ),
        (
            lambda x, c: (2 * (x + c)).mean(axis=-1),
            "the right results averaged along the last axis",
        ),
        (lambda x, c: 2 * (x + c) + np.cumsum(2 * (x + c), -1) * (c < 0), None),
    ],
)
def test_what_may_be_done_to_any_argument_or_result_is_named(function, says):
    found = examine(function)
    if says is None:
        assert found is None or found.kind != "named"
    else:
        assert found.kind == "named" and says in found.says


def test_two_families_that_differ_somewhere_give_no_name():
    def function(x, c):
        return np.sort(2 * (x + c), axis=-1) if c > 0 else (2 * (x + c))[..., ::-1]

    found = examine(function)
    assert found is None or found.kind != "named"


TWO_RESULTS = Recipe(
    "f",
    probes,
    (
        wrong("unscaled", scores=lambda s: s.x),
        Family(
            "both",
            HINTS,
            {
                "scores-returned": (
                    "{The output is right; }in place of the weights the scores are returned.",
                    lambda s: (s.weights.sum(axis=0), s.scores),
                )
            },
        ),
    ),
    steps={
        "scores": lambda s: s.x * s.c,
        "weights": lambda s: np.tanh(s.scores),
        "both": lambda s: (s.weights.sum(axis=0), s.weights),
    },
    parameters=("x", "c"),
    results=("the output", "the weights"),
)


def test_of_two_mistakes_neither_says_that_what_the_other_spoils_is_right():
    alone = examine(lambda x, c: (np.tanh(x * c).sum(axis=0), x * c), TWO_RESULTS)
    assert alone.says.startswith("The output is right; ")
    both = examine(lambda x, c: (np.tanh(x).sum(axis=0), x), TWO_RESULTS)
    assert set(both.misconceptions) == {"unscaled", "scores-returned"}
    assert "The output is right" not in both.says
    assert "In place of the weights the scores are returned." in both.says


def test_what_holds_nothing_to_compare_is_not_taken_for_none():
    class Submission:
        _session = SimpleNamespace(has_printed=False)
        draw = SimpleNamespace(with_arguments=lambda *given: ("figure.png", given))

    unread = Comparison(read=lambda value: None)
    recipe = Recipe("draw", probes, parameters=("x", "c"), comparison=unread)
    answer = answer_to(Submission(), recipe, probes(0)[0])
    assert answer.outcome.signature not in {"None", RAISES}


def test_a_shape_is_said_only_of_an_array():
    def ask(probe):
        x, c = probe.args
        return Answer(outcome_of([2 * (x + c), np.sin(x)]), is_array=False)

    found = diagnose(Examination(Replay(RECIPE), ask))
    assert found is None or "shape" not in found.says


def test_numbers_under_other_keys_are_not_measured():
    holds_always = (Fact("close", lambda s, v: True, "All numbers are close."),)
    steps = {"result": lambda s: {1: s.x * s.c, 2: s.x + s.c}}
    recipe = Recipe("f", probes, steps=steps, parameters=("x", "c"), facts=holds_always)
    found = examine(lambda x, c: {1: x * c, 2: x - np.sin(c)}, recipe)
    assert "All numbers are close." in found.says
    found = examine(lambda x, c: {"1": x * c, "2": x + c}, recipe)
    assert found is None or "close" not in found.says


def test_answers_without_a_number_are_no_pair_of_mistakes():
    """Two mistakes that end in NaN together are not what every function does that gives NaN."""
    recipe = Recipe(
        "roots",
        lambda rng: [(rng.random(size) + 0.1,) for size in (2, 3, 4)],
        (
            Family("lowered", ("?",), {"less": ("Less.", lambda s: s.x - 9)}),
            Family("scaled", ("?",), {"more": ("More.", lambda s: np.sqrt(s.lowered) * 3)}),
        ),
        steps={"lowered": lambda s: s.x, "scaled": lambda s: s.lowered * 2},
        parameters=("x",),
    )

    def ask(probe):
        return Answer(outcome_of(np.full_like(probe.args[0], np.nan)))

    with np.errstate(invalid="ignore"):
        found = diagnose(Examination(Replay(recipe), ask))
    assert found is None or len(found.misconceptions) < 2


def test_a_name_needs_two_probes_that_tell_it_from_a_right_answer():
    """One call in which a mistake shows may go wrong for any other reason."""

    def late(number):
        return float(number + (number == 5))

    recipe = Recipe(
        "count",
        lambda _: [Probe((number,)) for number in range(6)],
        (wrong("late", counted=lambda s: late(s.number)),),
        steps={"counted": lambda s: float(s.number)},
        parameters=("number",),
    )
    found = examine(late, recipe)
    assert found is None or found.kind != "named"


def test_numbers_that_are_a_tenth_off_are_not_called_close():
    def function(x, c):
        return 2 * (x + c) * (1 + 0.1 * np.sin(np.arange(x.size)).reshape(x.shape))

    found = examine(function)
    assert found is None or "close" not in found.says


def test_the_three_most_telling_statements_are_made():
    facts = tuple(Fact(name, lambda s, v: True, f"{name} holds.") for name in ("one", "two"))
    found = examine(lambda x, c: 2 * (x + c) * (7.5 if c < 0 else 1), replace(RECIPE, facts=facts))
    assert [each.code for each in found.statements] == ["right_and_wrong", "fact", "fact"]
