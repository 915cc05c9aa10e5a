"""Checks of `sampling`: temperature, top-k, top-p, the choice of a token, and a figure."""

import numpy as np
import pytest

from autograder.author import (
    Mismatch,
    expect_close,
    expect_equal,
    expect_follows,
    expect_shape,
)
from reference.checks.calls import expect_calls_follow, expect_no_side_effects
from reference.checks.earlier import answers_right
from reference.checks.pictures import expect_curve, expect_labels
from reference.choosing import draw, is_kept, kept_curve, temperature, top_k, top_p

PETS = np.log([0.25, 0.5, 0.1, 0.15])
CALLS = {
    "temperature": ("logits t", (PETS, 0.5)),
    "top_k": ("logits k", (PETS, 3)),
    "top_p": ("logits p", (PETS + 1, 0.7)),
    "draw": ("probabilities u", (np.array([0.25, 0.5, 0.1, 0.15]), 0.6)),
    "plot_kept": ("logits", (PETS,)),
}
TWINS = np.array([1.0, 3.0, 2.0, 3.0, 2.0, 2.0])
PLOTTED = np.log([0.13, 0.405, 0.055, 0.21, 0.2])  # no sum is near a multiple of 0.01
STEPS = np.linspace(0, 1, 101)
KEPT = "1 for each token that stays, and 0 for −∞"


def expect_probabilities(submission, *cases):
    for logits, t in cases:
        condition = np.abs(logits[np.isfinite(logits)]).max() / t if t else 1.0
        answer = submission.temperature(logits, t)
        expect_close(answer, temperature(logits, t), "the probabilities", condition=condition)


def kept_entries(answer, logits):
    """Return 1 for each kept logit and 0 for each −∞. Other values are a mismatch."""
    answer = expect_shape(answer, logits.shape, "the logits")
    wrong = ~np.isclose(answer, logits, rtol=1e-5, atol=1e-6) & (answer != -np.inf)
    if wrong.any():
        said = "An entry is neither −∞ nor the logit that the argument has there."
        raise Mismatch(said, "the logits", answer, np.where(wrong, logits, answer), wrong)
    return np.isfinite(answer).astype(float)


def expect_kept(submission, right, *cases):
    """Pass if the student's function keeps the right logits."""
    for case in cases:
        answer = kept_entries(getattr(submission, right.__name__)(*case), case[0])
        expect_close(answer, np.isfinite(right(*case)), KEPT)


def expect_set(submission, note, *cases):
    """Pass if top_p keeps the right logits, or follows from the student's `temperature`."""

    def from_own(steps, logits, p):
        chances = steps.ask(lambda own, x: own.temperature(x, 1), logits)
        return is_kept(chances, p) * np.isfinite(logits)

    functions = (
        lambda logits, p: kept_entries(submission.top_p(logits, p), logits),
        lambda logits, p: np.isfinite(top_p(logits, p)).astype(float),
        from_own,
    )
    expect_calls_follow(functions, cases, KEPT, "temperature", submission, note)


def working(submission, *functions):
    """Return the names of the functions that are right for the text's example.

    If no function is right, return all names.
    """
    names = {function.__name__: function for function in functions}
    right = (name for name, f in names.items() if answers_right(submission, f, *CALLS[name][1]))
    return list(right) or list(names)


@pytest.mark.check("temperature: the softmax of logits / t", points=2, grades=["temperature"])
def test_temperature(submission, rng):
    """For logits [1, 0] and t = 1/2, which numbers go through the softmax?
    Divide the logits by t, and then take the softmax. The result should sum to 1.
    Compare your result for t = 1 with a softmax. Then look at the line that uses t.
    """
    pairs = (np.array([1.0, 0.0]), 1), (np.array([1.0, 0.0]), 0.5), (PETS, 2.0)
    expect_probabilities(submission, *pairs, (rng.normal(size=5), 0.7))


@pytest.mark.check("temperature: t = 0", grades=["zero"])
def test_zero(submission):
    """At t = 0, how many tokens have a probability above 0?
    At t = 0, the first of the largest logits should have the probability 1. Do not divide by t.
    np.argmax gives the first index of the largest entry.
    """
    cases = np.array([1.0, 3.0, 2.0]), TWINS, np.array([2.0, 2.0]), np.array([-1.0])
    expect_probabilities(submission, *((logits, 0) for logits in cases))


@pytest.mark.check("top_k: the k largest logits stay", points=2, grades=["top-k"])
def test_top_k(submission, rng):
    """For the logits [1, 3, 2] and k = 2, which entries become −∞?
    The k largest should keep their values and their places. All others should be −∞.
    Count the finite entries of your result. Compare them with the entries of the argument.
    """
    small = np.array([1.0, 3.0, 2.0])
    sizes = (small, 2), (small, 1), (PETS, 3), (small, 3), (small, 7)
    expect_kept(submission, top_k, *sizes, (rng.permutation(9) / 2 - 2, 4))


@pytest.mark.check("top_p: the smallest set that reaches p", points=2, grades=["top-p"])
def test_top_p(submission, note):
    """For the four tokens of the text and p = 0.7, which is the first sum that reaches p?
    Add up probabilities from the likeliest token on. The token that crosses p should stay, too.
    Print the sorted probabilities, their sums, and the number of tokens that you keep.
    """
    wide = np.log([0.02, 0.3, 0.08, 0.25, 0.15, 0.2])
    cases = (PETS, 0.7), (PETS, 0.3), (PETS, 0.8), (PETS + 2, 0.95), (wide, 0.6), (wide, 0.95)
    expect_set(submission, note, *cases)


@pytest.mark.check("top_p: p = 0, and p = 1 or more", grades=["ends"])
def test_ends(submission, note):
    """How many tokens does your function keep for p = 1?
    p = 0 should keep the likeliest token. p = 1 or more should keep all tokens.
    Look at the first and the last comparison with p. Rounded sums may stay below 1.
    """
    far = np.array([0.0, 60.0, 1.0])
    cases = (PETS, 0.0), (far, 1.0), (PETS, 1.0), (far, 0.0), (np.array([3.0, -50.0]), 1.5)
    expect_set(submission, note, *cases)


@pytest.mark.check("Equal logits at the border", grades=["ties"])
def test_ties(submission, note):
    """For the logits [2, 2, 2] and k = 2, which two tokens stay?
    Exactly k tokens should stay. Of equal logits, those with lower indices should stay.
    A stable sort of the negative logits keeps the order of equal logits.
    """
    equal, many = np.full(3, 2.0), np.tile([1.0, 3.0, 2.0, 3.0], 50)
    names = working(submission, top_k, top_p)
    if "top_k" in names:
        expect_kept(submission, top_k, (equal, 2), (TWINS, 3), (TWINS, 4), (many, 60))
    if "top_p" in names:
        expect_set(submission, note, (equal, 0.5), (TWINS, 0.2), (TWINS, 0.82), (many, 0.3))


def expect_drawn(submission, *cases):
    for probabilities, u in cases:
        chances = np.asarray(probabilities, dtype=float)
        expect_equal(submission.draw(chances, u), draw(chances, u), "the index")


@pytest.mark.check("draw: the first sum that is larger than u", grades=["draw"])
def test_draw(submission, rng):
    """For the probabilities [0.25, 0.75], which token does u = 0.3 choose?
    Add up the probabilities in the order of the vocabulary. The first sum above u decides.
    Print np.cumsum(probabilities) and compare each entry with u.
    """
    halves, pets = [0.25, 0.75], [0.25, 0.5, 0.125, 0.125]
    cases = [(halves, 0.2), (halves, 0.3), (pets, 0.6), (pets, 0.9), ([1.0], 0.5)]
    chances = rng.dirichlet(np.ones(9))
    expect_drawn(submission, *cases, *((chances, float(u)) for u in rng.uniform(size=6)))


@pytest.mark.check(
    "draw: probabilities of 0, sums equal to u, and sums below 1",
    grades=["draw", "rounded sums"],
    needs=["test_draw"],
)
def test_rounded(submission, grading):
    """If all sums are at most u, what does your function return?
    Choose only tokens with a probability above 0: if no sum is larger than u, the last of them.
    Try u = 0 with [0, 1], and u = 0.99 with [0.5, 0.4, 0].
    """
    grading("draw")
    expect_drawn(submission, ([0.25, 0.75], 0.25), ([0.0, 1.0], 0.0), ([0.5, 0.0, 0.5], 0.5))
    grading("rounded sums")
    expect_drawn(submission, ([0.5, 0.4, 0.0], 0.99), ([0.333, 0.333, 0.333], 0.9995))


def expect_counts(submission, logits, note):
    """Pass if the curve is right, or follows from the student's own top_p."""
    points = expect_curve(submission.plot_kept(logits), "plot_kept", STEPS, "the values of p")

    def from_own(_):
        own = submission.own()
        answers = [np.asarray(own.top_p(logits, float(p)), dtype=float) for p in STEPS]
        return np.array([np.isfinite(answer).sum() for answer in answers])

    right = kept_curve(logits)
    expect_follows(points, right, from_own, "the heights", note, "top_p", submission)


@pytest.mark.check("plot_kept: the number of tokens over p", grades=["curve"])
def test_curve(submission, note):
    """How high is your curve for p = 0?
    For each p, the height should be the number of logits that top_p leaves finite.
    Print the 101 numbers before you draw them. They begin with 1 and never fall.
    """
    expect_counts(submission, PLOTTED, note)


@pytest.mark.check("plot_kept: both axis labels and a title", grades=["labels"])
def test_labels(submission):
    """Without your code, what does a reader need to understand your picture?
    The x axis should name p, and the y axis the number of tokens. The figure should have a title.
    Use the methods set_xlabel, set_ylabel and set_title of the axes.
    """
    expect_labels(submission.plot_kept(PLOTTED), "plot_kept")


@pytest.mark.check(
    "Large and removed logits, other sizes, and arguments that stay as they are",
    grades=["large numbers", "removed tokens", "sizes", "no side effects"],
)
def test_others(submission, rng, note, grading):
    """For which inputs does a function of your file fail?
    Subtract the largest logit before the exponential. `logits /= …` changes the caller's array.
    Compute everything from the arguments. Write only into new arrays.
    """
    names = working(submission, temperature, top_k, top_p)
    large, many = np.array([1e4, -1e4, 9999.0]), rng.permutation(2000) / 50
    removed = np.array([-np.inf, 1.0, -np.inf, 2.0, 0.0])
    if "temperature" in names:
        grading("large numbers")
        expect_probabilities(submission, (large, 1), (np.array([1, 1.001, 0.999]), 0.001))
        grading("removed tokens")
        expect_probabilities(submission, (removed, 0.5), (removed, 0))
        grading("sizes")
        expect_probabilities(submission, (many, 3), (many[:1], 0.5))
    if "top_k" in names:
        grading("removed tokens")
        expect_kept(submission, top_k, (removed, 2), (removed, 4))
        grading("sizes")
        expect_kept(submission, top_k, (many, 40), (many[:1], 1))
    if "top_p" in names:
        grading("large numbers")
        expect_set(submission, note, (large, 0.8))
        grading("removed tokens")
        expect_set(submission, note, (removed, 0.8), (removed, 1.0))
        grading("sizes")
        expect_set(submission, note, (many[:300], 0.85 + 0.01 * rng.uniform()))
        expect_counts(submission, PLOTTED[::-1] + 5, note)
    grading("no side effects")
    between = [("temperature", TWINS, 2.0), ("top_k", TWINS, 3), ("plot_kept", TWINS)]
    expect_no_side_effects(submission, CALLS, between)
