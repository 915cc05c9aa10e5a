"""Checks of `attention_gradient`: gradients of attention, central differences, and their error."""

import numpy as np
import pytest

from autograder.author import (
    Mismatch,
    expect_close,
    expect_follows,
    expect_independent_calls,
    expect_results,
    expect_unchanged_arguments,
    values_agree,
)
from reference.checks.calls import expect_calls_follow
from reference.checks.earlier import answer_aside, answers_right
from reference.checks.pictures import expect_curve, expect_figure, expect_labels
from reference.gradients import (
    attention_backward,
    attention_backward_from,
    gradient_of_cubes,
    largest_errors,
    softmax_backward,
    transposed,
    weights_of,
)
from reference.matrices import qkv

NAMES = ("dq", "dk", "dv")
SMALL = (
    np.array([[2.0, 0.0, 0.0, 0.0]]),
    np.array([[1.0, 2.0, 0.0, 0.0], [1.0, 0.0, 4.0, 0.0]]),
    np.array([[4.0], [0.0]]),
    None,
    np.array([[1.0]]),
)
ROWS = np.array([[0.5, 0.25, 0.25], [0.0, 0.25, 0.75]]), np.array([[4.0, 0, 8], [3, 4, 8]])
STEPS = np.array([0.5, 0.1, 0.02, 0.004])
X = np.array([1.0, 0.1, -2.0])
FUNCTIONS = """
import numpy as np
scalar = np.float64(3)
def cubes(x):
    return float((np.arange(1.0, np.size(x) + 1).reshape(np.shape(x)) * np.asarray(x) ** 3).sum())
"""


def drawn(rng, L_q, L_k, d, d_v, *batch, mask=None):
    q, k, v = qkv(rng, L_q, L_k, d, d_v, batch)
    return q, k, v, mask, rng.normal(size=(*batch, L_q, d_v))


TWO = drawn(np.random.default_rng(24), 2, 3, 2, 1)


def usual(rng):
    return SMALL, drawn(rng, 2, 3, 4, 5), drawn(rng, 3, 3, 3, 3)


def expect_softmax(submission, *cases):
    for p, dp in cases:
        p, dp = np.array(p), np.array(dp, dtype=float)
        answer = submission.softmax_backward(p, dp)
        expect_close(answer, softmax_backward(p, dp), "the gradient of the scores", condition=20.0)


def expect_gradient(submission, note, name, *cases):
    """Pass if the gradient `name` is right, or follows from the student's own softmax_backward."""

    def from_own(steps, q, k, v, mask, do):
        p = weights_of(q, k, mask)
        ds = steps.ask(lambda own, x: own.softmax_backward(p, x), do @ transposed(v))
        return attention_backward_from(q, k, p, ds, do)

    def read(answer):
        return expect_results(answer, NAMES, "attention_backward")[NAMES.index(name)]

    functions = submission.attention_backward, attention_backward, from_own
    what, details = f"the gradient {name}", {"read": read, "condition": 20.0}
    expect_calls_follow(functions, cases, what, "softmax_backward", submission, note, **details)


def right_ones(submission):
    """Return the names of the right gradients. If none is right, return all names."""
    answers = answer_aside(submission, "attention_backward", *TWO)
    if not isinstance(answers, list | tuple) or len(answers) != len(NAMES):
        return NAMES
    pairs = zip(NAMES, answers, attention_backward(*TWO), strict=True)
    return [name for name, answer, right in pairs if values_agree(answer, right)] or NAMES


@pytest.mark.check("softmax_backward: one row of weights", points=3, grades=["softmax"])
def test_softmax(submission, rng):
    """For p = [0.5, 0.5] and dp = [4, 0], what is ds?
    Subtract the mean of dp with the weights p from dp. Then multiply by p.
    Compute the weighted mean on a line of its own with keepdims=True, and print the mean.
    """
    text = [[0.5, 0.25, 0.25]], [[4.0, 0.0, 8.0]]
    three = rng.dirichlet(np.ones(4), size=3), rng.normal(size=(3, 4))
    expect_softmax(submission, ([[0.5, 0.5]], [[4.0, 0.0]]), text, ROWS, three)


@pytest.mark.check("attention_backward: dv", points=2, grades=["values"])
def test_values(submission, rng, note):
    """Two queries have the weights 0.5 and 0.1 for a key. What is the row of dv for this key?
    dv is the transposed weights times do. This product adds up the contributions of all queries.
    Compare your weights with those of attention first. Then look at the shapes of the product.
    """
    expect_gradient(submission, note, "dv", *usual(rng))


@pytest.mark.check("attention_backward: dq", points=2, grades=["queries and keys"])
def test_queries(submission, rng, note):
    """In the example of the text, what is dq?
    dP is do times v transposed. softmax_backward turns dP into dS. Then dq is dS times k / √d.
    Print the shapes of dP, dS and dq. Divide by √d in the scores and again in dq.
    """
    expect_gradient(submission, note, "dq", *usual(rng))


@pytest.mark.check("attention_backward: dk", points=2, grades=["queries and keys"])
def test_keys(submission, rng, note):
    """In the example of the text, which rows does dk have?
    dk is dS transposed times q, divided by √d. Row j of dk is a sum over all queries.
    Compare the line of dk with the line of dq.
    """
    expect_gradient(submission, note, "dk", *usual(rng))


@pytest.mark.check("attention_backward: masks", points=2, grades=["mask"])
def test_mask(submission, rng, note):
    """If no query may see a key, how does the output depend on the value of this key?
    Blocked scores should become −∞ before the softmax. Then their weights and gradients are 0.
    Print the weights that you compute with the mask, and look for the zeros.
    """
    unseen, unequal = np.array([[True, True, False]]), np.array([[1, 1, 0], [1, 0, 0]]) > 0
    first, second = drawn(rng, 1, 3, 2, 1, mask=unseen), drawn(rng, 2, 3, 4, 5, mask=unequal)
    causal = drawn(rng, 4, 4, 2, 3, mask=np.tri(4) > 0)
    for name in right_ones(submission):
        expect_gradient(submission, note, name, first, second, causal)


@pytest.mark.check(
    "Batch axes, one axis, and large scores", points=2, grades=["any axes", "large scores"]
)
def test_axes(submission, rng, note, grading):
    """Which lines of your code work only for two axes or for small scores?
    Exchange only the last two axes. Subtract the largest score of a row before the exponential.
    np.swapaxes(x, -1, -2) exchanges the last two axes. `x.T` exchanges all.
    """
    grading("any axes")
    drawn_rows = rng.dirichlet(np.ones(4), size=(2, 3)), rng.normal(size=(2, 3, 4))
    if answers_right(submission, softmax_backward, *ROWS):
        expect_softmax(submission, ([0.25, 0.75], [4.0, 8.0]), drawn_rows)
    mask = rng.random((2, 3, 4, 5)) < 0.6
    mask[..., 0] = True
    cases = drawn(rng, 4, 5, 3, 2, 2), drawn(rng, 4, 5, 6, 2, 2, 3, mask=mask)
    names = right_ones(submission)
    for name in names:
        expect_gradient(submission, note, name, *cases)
    grading("large scores")
    keys = 25 * np.array([[1.0, 1, 1, 1], [1, 1, 1, 0.999], [-1, -1, -1, -1]])
    _, _, v, _, do = drawn(rng, 1, 3, 4, 2)
    for name in names:
        expect_gradient(submission, note, name, (np.full((1, 4), 20.0), keys, v, None, do))


def cubes_of(submission):
    return submission.define("functions", FUNCTIONS).part("cubes")


def expect_numeric(submission, *cases):
    """Pass if numeric_gradient is right for x₀³ + 2·x₁³ + …"""
    f = cubes_of(submission)
    for x, h in cases:
        args = (f, x) if h is None else (f, x, h)
        answer, expected = submission.numeric_gradient(*args), gradient_of_cubes(x, h or 1e-5)
        expect_close(answer, expected, "the gradient of x₀³ + 2·x₁³ + 3·x₂³ + …")


@pytest.mark.check(
    "numeric_gradient: central differences", points=3, grades=["central differences"]
)
def test_central(submission, rng):
    """For f(x) = x³ at x = 2 with h = 0.5, what is the result?
    Change one entry at a time, first by h and then by −h. Divide the difference of f by 2h.
    Print the two arrays that f gets for the first entry. Only one entry differs from x.
    """
    one = np.array([2.0])
    cases = (one, 0.5), (one, 0.01), (X, 0.5), (one, None), (rng.normal(size=4), None)
    expect_numeric(submission, *cases)


@pytest.mark.check("numeric_gradient: any shape, and whole numbers", grades=["any array"])
def test_any_array(submission, rng, note):
    """In an array of integers, what is x + h if x is changed in place?
    The result should have the shape of x, even if x has no axis. An array of integers would round
        the steps.
    Copy x into an array of floats first. np.ndindex(x.shape) goes through the entries of any array.
    """
    defined = submission.define("functions", FUNCTIONS)

    def from_own(steps, x, _):
        ask = lambda own, flat: own.numeric_gradient(cubes_of(own), flat, 0.1)
        return np.reshape(steps.ask(ask, 1.0 * x.ravel()), x.shape)

    functions = (
        lambda _, sent: submission.numeric_gradient(defined.part("cubes"), sent, 0.1),
        lambda x, _: gradient_of_cubes(x, 0.1),
        from_own,
    )
    arrays = rng.normal(size=(2, 3)), np.array([[1, -2], [3, 0]]), np.array(2.0)
    calls = [*zip(arrays, arrays, strict=True), (np.array(3.0), defined.part("scalar"))]
    what = "the gradient of x₀³ + 2·x₁³ + 3·x₂³ + …"
    expect_calls_follow(functions, calls, what, "result for one axis", submission, note)


def expect_errors(submission, note, x, gradient):
    """Pass if the curve is right, or follows from the student's own numeric_gradient."""
    figure = submission.plot_error(cubes_of(submission), gradient, x, STEPS)
    heights = expect_curve(figure, "plot_error", np.sort(STEPS), "the step sizes")
    if (heights <= 0).any():
        said = "The curve has heights of 0 or below. They should be the errors themselves."
        raise Mismatch(said)

    def from_own(_):
        own = submission.own()
        f = cubes_of(own)
        answers = [np.asarray(own.numeric_gradient(f, x, float(h))) for h in np.sort(STEPS)]
        return np.log10([np.abs(answer - gradient).max() for answer in answers])

    expected = np.log10(largest_errors(gradient, x, np.sort(STEPS)))
    what = "the heights of the curve, as powers of 10"
    expect_follows(
        np.log10(heights), expected, from_own, what, note, "numeric_gradient", submission
    )


@pytest.mark.check("plot_error: the largest error for each step", grades=["error curve"])
def test_curve(submission, note):
    """Which error do you draw for one step size?
    Subtract `gradient` from numeric_gradient with this step. Take the largest absolute value.
    Print the errors before you draw them. No error should be negative.
    """
    expect_errors(submission, note, X, gradient_of_cubes(X))
    expect_errors(submission, note, X, gradient_of_cubes(X) + np.array([0.0, 0.9, -0.2]))


@pytest.mark.check(
    "plot_error: logarithmic axes, labels and a title", grades=["logarithmic axes and labels"]
)
def test_labels(submission):
    """Could a reader see the smallest errors on linear axes?
    Both axes should be logarithmic. Both axes need labels, and the figure needs a title.
    Use the methods loglog, set_xlabel, set_ylabel and set_title of the axes.
    """
    figure = submission.plot_error(cubes_of(submission), gradient_of_cubes(X), X, STEPS)
    used = [axes for axes in expect_figure(figure, "plot_error").axes if axes.series]
    for name, scales in (("x", [a.x_scale for a in used]), ("y", [a.y_scale for a in used])):
        if scales and "log" not in scales:
            raise Mismatch(f"The {name} axis is not logarithmic.", mistake="axis-not-logarithmic")
    expect_labels(figure, "plot_error")


@pytest.mark.check("The arguments stay as they are", grades=["x stays", "no side effects"])
def test_unchanged(submission, rng, grading):
    """Is an entry exactly the same after you add h and subtract h again?
    The caller's arrays should stay unchanged. Each result should depend only on the arguments.
    Compute x + step instead of writing into x.
    """
    grading("x stays")
    f, x = cubes_of(submission), rng.normal(size=(2, 3))
    for h in (1e-5, 0.3):
        expect_unchanged_arguments(submission.numeric_gradient, ["f", "x", "h"], f, x, h)
    names = ["f", "gradient", "x", "steps"]
    expect_unchanged_arguments(submission.plot_error, names, f, x - 1, x, STEPS)
    case = drawn(rng, 3, 3, 2, 2, mask=np.tri(3) > 0)
    expect_unchanged_arguments(submission.attention_backward, ["q", "k", "v", "mask", "do"], *case)
    p, dp = rng.dirichlet(np.ones(3), size=2), rng.normal(size=(2, 3))
    expect_unchanged_arguments(submission.softmax_backward, ["p", "dp"], p, dp)
    grading("no side effects")
    calls = [
        ("softmax_backward", lambda s: s.softmax_backward(p, dp)),
        ("attention_backward", lambda s: s.attention_backward(*case)),
        ("numeric_gradient", lambda s: s.numeric_gradient(cubes_of(s), X, 0.1)),
        ("plot_error", lambda s: s.plot_error(cubes_of(s), X, X, STEPS)),
    ]
    between = [
        lambda s: s.softmax_backward(p[:, :2], dp[:, :2]),
        lambda s: s.plot_error.kept(cubes_of(s), X, X, STEPS[:2]),
    ]
    expect_independent_calls(submission.fresh(), calls, between)
