"""Checks of `scaled_dot_product_attention`."""

import numpy as np
import pytest

from autograder.author import (
    MayFollow,
    Mismatch,
    NotJudged,
    StudentProblem,
    expect_close,
    expect_follows,
    expect_independent_calls,
    expect_results,
    expect_shape,
    expect_unchanged_arguments,
)
from reference.following import own_attention, own_attention_with_zeros
from reference.large_scores import LOW_SCORES, about_large_scores, with_scores_up_to
from reference.mask_shapes import broadcast_masks, expect_no_weight
from reference.masks import causal_mask

NAMES = ("output", "attention_weights")
RESULTS = ("the output", "the attention weights")
BASIC = ["test_weights_by_hand"]
SIZES = {  # all sizes of a case differ, so that no two axes can be confused
    "one sequence": ((), 3, 5, 2, 4),
    "a batch": ((2,), 3, 4, 5, 1),
    "two batch axes": ((2, 3), 4, 5, 1, 6),
}


def call(function, Q, K, V, *mask):
    return function(Q, K, V, **dict(zip(["mask"], mask, strict=False)))


def draw(rng, batch, l_q, l_k, d_k, d_v):
    return (
        rng.normal(size=(*batch, l_q, d_k)),
        rng.normal(size=(*batch, l_k, d_k)),
        rng.normal(size=(*batch, l_k, d_v)),
    )


def run(submission, *args):
    result = call(submission.scaled_dot_product_attention, *args)
    return expect_results(result, NAMES, "scaled_dot_product_attention")


@pytest.fixture
def compare(submission, reference, note):
    """Pass if output and weights are right, or follow from the student's own softmax."""

    def own_softmax_is_right(asked, weights, condition):
        """Return True if the student's softmax gives the right weights.

        With a right softmax, there is no follow-through.
        """
        try:
            expect_close(submission.own().softmax(asked), weights, "", condition=condition)
        except (Mismatch, StudentProblem):
            return False
        return True

    def follow(answer, right, place, what, condition, args):

        def given(of_own, *changed):
            """Return a function that calls `of_own` with the student's softmax from `place`."""
            return lambda steps: of_own(steps, place, *changed)

        Q, K, V, *masks = args
        others = [given(own_attention, Q * np.sqrt(Q.shape[-1]), *args[1:])]
        for mask in masks:
            others += [
                given(own_attention, Q, K, V),
                given(own_attention_with_zeros, Q, K, V, mask),
            ]
        expect_follows(
            answer,
            right,
            given(own_attention, *args),
            what,
            note,
            "softmax",
            submission,
            condition=condition,
            unlike=[each for each in others if np.abs(each(None) - right).max() > 0.01],
        )

    def compare(*args, condition=20.0, results=("the attention weights", "the output")):
        answers = dict(zip(RESULTS, run(submission, *args), strict=True))
        right = dict(zip(RESULTS, reference.attention(*args), strict=True))
        Q, K, _, *mask = args
        asked = reference.asked_of_softmax(Q, K, *mask)
        for what in results:
            try:
                expect_close(answers[what], right[what], what, condition=condition)
                if mask and what == RESULTS[1]:
                    expect_no_weight(answers[what], right[what], what)
            except Mismatch as wrong:
                weights = right["the attention weights"]
                if not submission.borrows("softmax") or own_softmax_is_right(
                    asked, weights, condition
                ):
                    raise
                try:
                    follow(answers[what], right[what], RESULTS.index(what), what, condition, args)
                except NotJudged:  # its consequences are not recorded
                    raise MayFollow(wrong, "softmax", is_sibling=True) from None

    return compare


@pytest.mark.check(
    "Two results: the output, then the weights, in the right shapes",
    points=2,
    grades=["two results"],
    hints=(
        "Which results should the function return, and in which order?",
        "The output has a row for each query and d_v columns. The weights have a row for each "
        "query and a column for each key.",
        "End with `return output, attention_weights`.",
    ),
)
def test_two_results(submission, rng):
    Q, K, V = draw(rng, (), 2, 3, 4, 5)
    output, weights = run(submission, Q, K, V)
    expect_shape(output, (2, 5), "the output")
    expect_shape(weights, (2, 3), "the attention weights")


@pytest.mark.check(
    "The weights of a small example",
    points=3,
    grades=["values"],
    needs=["test_two_results"],
    hints=(
        "Which three steps lead from Q and K to the weights?",
        "Scores are dot products of queries with keys, divided by √d_k. Then each row gets a "
        "softmax.",
        "Use Q @ K.T, then / np.sqrt(d_k) with d_k the last axis of K, then the softmax along the "
        "last axis.",
    ),
)
def test_weights_by_hand(compare):
    Q = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 2.0, 0.0, 1.0]])
    K = np.array([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0], [2.0, 0.0, 1.0, 1.0]])
    V = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]])
    compare(Q, K, V, results=["the attention weights"])


@pytest.mark.check(
    "The output of a small example",
    points=2,
    grades=["values"],
    needs=BASIC,
    hints=(
        "Which rows does row i of the output mix?",
        "Row i of the output is the mean of the rows of V, weighted by row i of the weights.",
        "The output is the weights times V, as a matrix product.",
    ),
)
def test_output_by_hand(compare):
    Q = np.array([[1.0, 0.0], [0.0, 1.0]])
    K = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 2.0]])
    V = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 3.0], [0.0, 1.0, 5.0]])
    compare(Q, K, V, results=["the output"])


@pytest.mark.check(
    "Scaled by √d_k, whatever d_k is",
    points=2,
    grades=["values"],
    needs=["test_two_results"],
    hints=(
        "What are your scores before the softmax, and your weights after it?",
        "The divisor is the square root of d_k, the number of columns of Q and K.",
        "Take d_k from the last axis of K (K.shape[-1]), and divide the scores by np.sqrt(d_k).",
    ),
)
def test_scaling(compare, rng):
    for d_k in (1, 2, 9, 16, 64):
        Q, K, V = draw(rng, (), 2, 3, d_k, 2)
        compare(Q, K, V)


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param(
            name,
            id=name.replace(" ", "_"),
            marks=pytest.mark.check(
                f"L_q, L_k, d_k and d_v may all differ: {name}",
                points=1,
                grades=["sizes"],
                needs=BASIC,
                hints=(
                    "Which axes and sizes does each line of your code use?",
                    "Only the last two axes take part in the products. All axes before them are "
                    "batch axes.",
                    "np.swapaxes(K, -1, -2) exchanges the last two axes; K.T reverses all axes. "
                    "The softmax runs along axis=-1.",
                ),
            ),
        )
        for name in SIZES
    ],
)
def test_sizes(compare, rng, sizes):
    compare(*draw(rng, *SIZES[sizes]))
    if sizes == "one sequence":  # one mistake costs one check
        compare(*draw(rng, (), 4, 4, 3, 2))  # as many keys as queries
        compare(*draw(rng, (), 3, 1, 2, 4))  # one key
        compare(*draw(rng, (), 1, 3, 4, 2))  # one query
    if sizes == "a batch":
        compare(*draw(rng, (2,), 3, 3, 4, 4))  # Q, K and V of the same shape


@pytest.mark.check(
    "A mask: blocked keys get the weight 0, and each row still sums to 1",
    points=2,
    grades=["mask"],
    needs=BASIC,
    hints=(
        "Which scores does your code block, and what is each score just before your softmax?",
        "Blocked weights must be 0, and each row must still sum to 1. So the mask has to act "
        "before the softmax.",
        "Where the mask is false, replace the scaled score by −np.inf (or −1e9). Then take the "
        "softmax.",
    ),
)
def test_mask(compare, rng):
    Q, K, V = draw(rng, (), 2, 3, 4, 1)
    compare(Q, K, V, np.array([[True, False, True], [False, True, True]]))
    for batch in ((), (2,), (2, 3)):
        Q, K, V = draw(rng, batch, 4, 4, 3, 2)
        compare(Q, K, V, causal_mask(4))
    one = np.array([[True, False, True, False]])
    compare(*draw(rng, (), 1, 4, 3, 2), one)
    compare(*draw(rng, (2,), 3, 1, 4, 2), one[:, :1])
    compare(*draw(rng, (), 4, 4, 3, 3), causal_mask(4))
    # an allowed score of 0 is no blocked one
    Q, K = np.eye(2), np.array([[1.0, 1.0], [0.0, 2.0], [2.0, 0.0]])
    compare(Q, K, K, np.array([[True, True, False], [True, False, True]]))


@pytest.mark.check(
    "Masks of 0 and 1, and masks that broadcast",
    points=1,
    grades=["kinds of masks"],
    needs=["test_mask"],
    hints=(
        "Which kinds of masks does your code accept?",
        "A mask may have fewer axes than the scores, or axes of size 1. It broadcasts to the "
        "shape of the scores.",
        "np.where(mask, …, …) takes 0 as false and 1 as true, and it broadcasts.",
    ),
)
def test_mask_kinds(compare, rng):
    Q, K, V = draw(rng, (2,), 3, 4, 5, 2)
    rows = np.array([[1, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]])
    for mask in (rows, rows.astype(float), rows[:1].astype(bool), rows[np.newaxis, :, :]):
        compare(Q, K, V, mask)
    *_, each = broadcast_masks(rng, 2, 3, 4)
    compare(Q, K, V, each)
    compare(*draw(rng, (3,), 3, 4, 5, 2), rows)  # as many queries as sequences
    compare(*draw(rng, (2, 2), 3, 4, 5, 2), each)  # as many heads as sequences
    for batch in ((), (2,), (2, 3)):
        for mask in broadcast_masks(rng, *batch, 3, 4):
            compare(*draw(rng, batch, 3, 4, 5, 2), mask)


@pytest.mark.check(
    "Large scores, and unchanged arguments",
    points=1,
    grades=["large scores", "sizes", "mask", "no side effects"],
    needs=BASIC,
    hints=(
        "Which line of your code can overflow or change an argument?",
        "e to the power of 2000 overflows, so subtract the largest score of the row first. `x /= "
        "2` changes the caller's own array. `x = x / 2` makes a new array.",
        "Use np.exp(scores - scores.max(axis=-1, keepdims=True)). Do not use `+=`, `/=` or `[...] "
        "=` on an argument.",
    ),
)
def test_large_scores_and_unchanged_arguments(submission, compare, rng, grading):
    Q, K, V = draw(rng, (2,), 3, 5, 4, 2)
    grading("sizes")
    compare(*draw(rng, (3,), 1, 1, 2, 4))
    grading("large scores")
    with about_large_scores():
        compare(*with_scores_up_to(10_000, Q, K), V, condition=1e5)
    grading("mask")
    Q_low, K_low, some = LOW_SCORES
    with about_large_scores():
        compare(Q_low, K_low, V[0, :3], some, condition=1e4)
    grading("large scores")
    far = np.array([[100.0, 1.0], [0.1, 0.0]]), np.array([[100.0, 0.0], [90.0, 3.0], [0.0, 1.0]])
    with about_large_scores():
        compare(*far, V[0, :3], condition=1e5)
    grading("no side effects")
    mask = np.tril(np.ones((3, 5), bool))
    for each in (mask, mask.astype(float)):
        function = submission.scaled_dot_product_attention
        expect_unchanged_arguments(function, ["Q", "K", "V"], Q, K, V, mask=each)
    attend = lambda *args: lambda s: call(s.scaled_dot_product_attention, *args)
    calls = [
        ("a call without a mask", attend(Q, K, V)),
        ("a call with a mask", attend(Q, K, V, mask)),
    ]
    narrow = attend(*draw(rng, (2,), 3, 5, 3, 2))  # other keys have another scale
    expect_independent_calls(submission.fresh(), calls, between=[narrow, attend(K, Q, Q)])
