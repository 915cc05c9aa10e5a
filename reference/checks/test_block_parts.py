"""Checks of `block_parts`: two normalisations, a gate and a residual."""

import numpy as np
import pytest

from autograder.author import (
    Mismatch,
    expect_close,
    expect_independent_calls,
    expect_unchanged_arguments,
)
from reference.blocks import layer_norm, pre_norm_of, rms_norm, swiglu

TINY = 1e-4  # next to such features, the place of eps decides
NEAR = 1e-3  # allowed error where eps is not graded: its place changes other tokens less
F, NORM = np.array([1.0, 0.0, 0.0]), np.array([0.5, 1.0])  # h² and h/2 + 1
FUNCTIONS = """
calls = []
norm = lambda h: calls.append("norm") or h / 2 + 1
f = lambda h: calls.append("f") or h * h
same = lambda h: h
"""


def expect_right(submission, right, *cases, within=None, **eps):
    """Pass if the student's function gives the results of `right`, a function of the same name."""
    for case in cases:
        answer = getattr(submission, right.__name__)(*case, **eps)
        what = "the result" if right is swiglu else "the normalised tokens"
        expect_close(answer, right(*case, **eps), what, condition=20.0, within=within)


def with_gain(rng, *sizes):
    return rng.normal(size=sizes), rng.normal(size=sizes[-1]), rng.normal(size=sizes[-1])


def with_matrices(rng, *sizes, hidden):
    shapes = sizes, (sizes[-1], hidden), (sizes[-1], hidden), (hidden, sizes[-1])
    return tuple(rng.normal(size=shape) for shape in shapes)


@pytest.mark.check("layer_norm: each token by itself", points=2, grades=["layer norm"])
def test_layer_norm(submission):
    """For the token [1, 7], what is the variance? Compute it by hand.
    Each token has its own mean and its own variance. The sum of squares is divided by d.
    Look at the axis of each mean, and at the divisor of your variance.
    """
    ones, zeros = np.ones(2), np.zeros(2)
    tokens = np.array([[1.0, 7.0], [2.0, 2.5], [-3.0, 1.0]])
    wide = np.array([[2.0, 4.0, 6.0, 8.0], [0.0, 1.0, 0.0, 0.0]]), np.ones(4), np.zeros(4)
    cases = (tokens[:1], ones, zeros), (tokens, ones, zeros), wide
    expect_right(submission, layer_norm, *cases, within=NEAR)


@pytest.mark.check("layer_norm: gain and shift", grades=["layer norm"], needs=["test_layer_norm"])
def test_gain_and_shift(submission, rng):
    """If g = [2, 10] and b = [0, 5], what is the result for the normalised token [-1, 1]?
    First each feature is multiplied by its gain, and then its shift is added.
    g and b have one entry per feature: they broadcast along the last axis.
    """
    small = np.array([[1.0, 7.0]]), np.array([2.0, 10.0]), np.array([0.0, 5.0])
    cases = small, with_gain(rng, 3, 4), with_gain(rng, 4, 4)
    expect_right(submission, layer_norm, *cases, within=NEAR)


@pytest.mark.check("layer_norm: eps", grades=["epsilon"], needs=["test_layer_norm"])
def test_layer_norm_epsilon(submission):
    """For x = [-0.0001, 0.0001], which is larger: the variance or eps?
    The divisor is the root of (variance + eps).
    Add the argument eps before you take the root.
    """
    tiny = TINY * np.array([[-1.0, 1.0]]), np.ones(2), np.zeros(2)
    expect_right(submission, layer_norm, tiny, (np.full((1, 3), 2.0), np.ones(3), np.ones(3)))
    expect_right(submission, layer_norm, tiny, eps=1e-8)
    expect_right(submission, layer_norm, (np.array([[1.0, 7.0]]), np.ones(2), np.zeros(2)), eps=7.0)


@pytest.mark.check("rms_norm: each token by itself", points=2, grades=["rms norm"])
def test_rms_norm(submission, rng):
    """For the token [1, 7], what is the mean of the squares?
    Square each feature, take the mean over the features of one token, and then the root.
    Look at the axis of your mean. No mean is subtracted from x, and there is no shift.
    """
    tokens, ones = np.array([[1.0, 7.0], [3.0, -4.0], [0.5, 0.0]]), np.ones(2)
    cases = (tokens[:1], ones), (tokens, ones), (tokens[:1], np.array([2.0, 10.0]))
    drawn = with_gain(rng, 3, 4)[:2], with_gain(rng, 5, 5)[:2]
    expect_right(submission, rms_norm, *cases, *drawn, within=NEAR)


@pytest.mark.check("rms_norm: eps", grades=["epsilon"], needs=["test_rms_norm"])
def test_rms_norm_epsilon(submission):
    """For x = [0.0001, 0.0001], which is larger: the mean square or eps?
    The divisor is the root of (mean square + eps).
    Add the argument eps before you take the root.
    """
    tiny = TINY * np.array([[1.0, -1.0, 3.0]]), np.ones(3)
    expect_right(submission, rms_norm, tiny, (np.zeros((1, 2)), np.ones(2)))
    expect_right(submission, rms_norm, tiny, eps=1e-8)
    expect_right(submission, rms_norm, (np.array([[1.0, 7.0]]), np.ones(2)), eps=24.0)


@pytest.mark.check("swiglu: (silu(x W) ∘ x V) W2", points=2, grades=["gate"])
def test_gate(submission, rng):
    """For x = [1, 2] in the text, which of x W and x V goes through silu?
    silu(z) = z·σ(z). The two hidden vectors are multiplied entry by entry, before W2.
    Print silu([0, 1, -1]): it is [0, 0.731, -0.269].
    """
    column = np.array([[1.0], [0.0]])
    small = np.array([[1.0, 2.0]]), column, np.ones((2, 1)), np.array([[1.0, 2.0]])
    expect_right(submission, swiglu, small, with_matrices(rng, 3, 2, hidden=4))
    expect_right(submission, swiglu, with_matrices(rng, 4, 3, hidden=3))


def large_gate():
    """Return arguments with large entries of x W and small entries of x V."""
    x = np.array([[1000.0, 1.0], [-1000.0, 1.0], [1.0, 0.5], [-800.0, 2.0]])
    V = np.array([[0.0, 0.001], [1.0, 0.0]])
    return x, np.array([[1.0, -1.0], [0.0, 0.0]]), V, np.array([[1.0, 0.5], [0.0, 1.0]])


@pytest.mark.check("swiglu: large numbers", grades=["large numbers"], needs=["test_gate"])
def test_large_gate(submission):
    """In NumPy, what is np.exp(1000) / np.exp(1000)?
    σ(1000) is 1 and σ(−1000) is 0. Your formula has to give both.
    An exponential of a negative number never overflows: use e^(−|z|).
    """
    expect_right(submission, swiglu, large_gate())


@pytest.mark.check("swiglu: no overflow", grades=["no overflow"], needs=["test_large_gate"])
def test_no_overflow(submission):
    """For which z does np.exp(z) overflow?
    np.where computes both of its choices, so np.exp(1000) still overflows in a choice that it
        drops.
    Take exponentials only of numbers that are not positive, such as −|z|.
    """
    strict = submission.fresh()
    strict.define("strict", "import warnings\nwarnings.simplefilter('error', RuntimeWarning)")
    expect_right(strict, swiglu, large_gate())


def call_pre_norm(submission, x):
    """Return the result of pre_norm for f and norm, and the names of the called functions."""
    functions = submission.define("functions", FUNCTIONS)
    answer = submission.pre_norm(x, functions.part("f"), functions.part("norm"))
    return answer, functions.value("calls")


def expect_pre_norm(submission, *cases):
    what = "the result for norm(h) = h/2 + 1 and f(h) = h²"
    for x in cases:
        expect_close(call_pre_norm(submission, x)[0], pre_norm_of(x, F, NORM), what)


@pytest.mark.check("pre_norm: x + f(norm(x))", points=2, grades=["pre-norm"])
def test_pre_norm(submission, rng):
    """If norm(h) is h/2 + 1 and f(h) is h², what is the result for x = 2?
    x itself is added, without a normalisation. f gets what norm returns.
    Write the three parts in this order: norm, f, the sum.
    """
    expect_pre_norm(submission, np.array([[2.0, 4.0]]), rng.normal(size=(3, 4)))


@pytest.mark.check("pre_norm: one call each", grades=["one call each"], needs=["test_pre_norm"])
def test_one_call_each(submission):
    """How often does one call of your function call f and norm?
    Your function should call f once and norm once, because each call costs time.
    Store the result of a call in a variable if you need the result twice.
    """
    _, calls = call_pre_norm(submission, np.array([[2.0, 4.0]]))
    for name in ("norm", "f"):
        if calls.count(name) != 1:
            said = f"One call of pre_norm calls {name} {calls.count(name)} times."
            raise Mismatch(said, mistake="called-more-than-once")


@pytest.mark.check("Other sizes", grades=["any axes", "epsilon", "large numbers"])
def test_axes(submission, rng, grading):
    """Which lines of your code work only for one shape of x?
    The features are on the last axis. Any number of axes may be in front of it, or none.
    Use axis=-1 with keepdims=True, and the operator @.
    """
    grading("any axes")
    sizes = (5,), (4, 3), (2, 3, 4), (2, 4, 3, 5), (3, 3, 3), (1, 2)
    drawn = [with_gain(rng, *each) for each in sizes]
    expect_right(submission, layer_norm, *drawn, within=NEAR)
    expect_right(submission, rms_norm, *(each[:2] for each in drawn), within=NEAR)
    expect_right(submission, swiglu, *(with_matrices(rng, *each, hidden=6) for each in sizes))
    expect_pre_norm(submission, *(rng.normal(size=each) for each in sizes[:4]))
    grading("epsilon")
    x, g, b = with_gain(rng, 2, 3, 4)
    for right, rest in ((layer_norm, (g, b)), (rms_norm, (g,))):
        expect_right(submission, right, (TINY * x, *rest))
        expect_right(submission, right, (x, *rest), eps=float(rng.uniform(0.5, 2.0)))
    grading("large numbers")
    x, *matrices = large_gate()
    expect_right(submission, swiglu, (x[::-1] * 0.9, *matrices))


@pytest.mark.check("The arguments stay as they are", grades=["no side effects"])
def test_unchanged(submission, rng):
    """Which lines of your code change an array that another function has made?
    `x -= …`, `x += …` and `x[...] = …` change the caller's own array. `f` and `norm` may return
        their own argument.
    Make new arrays: write x = x + y instead of x += y.
    """
    (x, g, b), gated = with_gain(rng, 2, 3, 4), with_matrices(rng, 2, 3, 4, hidden=5)
    calls = {"layer_norm": (x, g, b), "rms_norm": (x, g), "swiglu": gated}
    for function, args in calls.items():
        names = "x W V W2" if function == "swiglu" else "x g b"
        given = names.split()[: len(args)]
        expect_unchanged_arguments(getattr(submission, function), given, *args)
    functions = submission.define("functions", FUNCTIONS)
    for f, norm in (("f", "norm"), ("same", "same"), ("f", "same"), ("same", "norm")):
        passed = functions.part(f), functions.part(norm)
        expect_unchanged_arguments(submission.pre_norm, ["x", "f", "norm"], x, *passed)
    again = [("pre_norm", lambda s: call_pre_norm(s, x)[0])]
    between = [lambda s: call_pre_norm(s, x[0] + 1)]
    for function, args in calls.items():
        again.append((function, lambda s, f=function, a=args: getattr(s, f)(*a)))
        between.append(lambda s, f=function, a=args: getattr(s, f)(2 * a[0][0], *a[1:]))
    expect_independent_calls(submission.fresh(), again, between)
