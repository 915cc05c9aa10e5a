"""Checks of `online_softmax`: three running numbers, attention in blocks, and a figure."""

import numpy as np
import pytest

from autograder.author import Mismatch, expect_close, expect_results, expect_shape
from reference.block_calls import MASKS, blocked_blocks, keys_of_merges, some_blocks
from reference.checks.calls import expect_calls_follow, expect_no_side_effects, with_mask
from reference.checks.pictures import expect_labels, expect_two_curves
from reference.matrices import qkv
from reference.online import (
    merge,
    merged,
    own_running,
    own_tiled_attention,
    running,
    sums_of_blocks,
    tiled_attention,
)

NAMES = ("m", "l", "o")
SHARE = 0.2  # of the changes to scores: many change no maximum, and blocked keys change nothing
SAID = ("the maximum", "the sum", "the weighted sum of the values")
# scores whose running sum falls while the maximum rises, so that no curve covers the other
APART = np.array([0.0, 0.0, 0.0, 1.0, -3.0, -3.0, 3.0, -2.0])


def expect_merged(submission, note, which, *cases):
    """Pass if merge's sum (1) or output (2) is right, or follows from the student's maximum."""
    for args in cases:
        answers, right = expect_results(submission.merge(*args), NAMES, "merge"), merge(*args)
        try:
            expect_close(answers[which], right[which], SAID[which])
        except Mismatch as wrong:
            own = np.asarray(expect_shape(answers[0], right[0].shape, SAID[0]), float)
            following = merged(own, *args)[which - 1]
            if np.allclose(own, right[0]) or not np.isfinite(following).all():
                raise
            if not np.allclose(np.asarray(answers[which], float), following, rtol=1e-6):
                raise wrong from None
            note("Right, from your maximum.")


@pytest.mark.check("merge: the maximum", points=2, grades=["maximum"])
def test_maximum(submission, rng):
    """If m is 2 and a new block has the scores 1 and 3, what is the new maximum?
    Each query has a maximum of its own: the larger of m and the largest score of the block.
    scores.max(axis=-1) has one number per query, and np.maximum compares it with m.
    """
    for args in some_blocks(rng):
        m, *_ = expect_results(submission.merge(*args), NAMES, "merge")
        expect_close(m, merge(*args)[0], "the maximum")


@pytest.mark.check("merge: the sum", points=2, grades=["sum"])
def test_sum(submission, note, rng):
    """In the example by hand, why does the sum 1.5 become 0.75 in the second block?
    The old sum is relative to the old maximum. The factor e^(m − m′) makes it relative to m′.
    Print the factor for the example by hand: it is 1/2.
    """
    expect_merged(submission, note, 1, *some_blocks(rng))


@pytest.mark.check("merge: the output", points=2, grades=["output"])
def test_output(submission, note, rng):
    """In the example by hand, why does the output 4.5 become 2.25 in the second block?
    The old output needs the same factor as the old sum. Then add e^(s − m′) times the values.
    The factor has one number per query, and o has d_v: factor[..., None] * o. Do not divide by l.
    """
    expect_merged(submission, note, 2, *some_blocks(rng))


def expect_state(submission, *calls):
    """Pass if all three results are right. The maximum may be −∞."""
    for args in calls:
        answers, right = expect_results(submission.merge(*args), NAMES, "merge"), merge(*args)
        m = expect_shape(answers[0], right[0].shape, SAID[0])
        unseen = np.isneginf(right[0])
        if (unseen & ~np.isneginf(m)).any():
            said = "All keys of a query are blocked so far, but the query's maximum is not −∞."
            raise Mismatch(said, SAID[0], m, right[0], unseen & ~np.isneginf(m))
        expect_close(np.where(unseen, 0.0, m), np.where(unseen, 0.0, right[0]), SAID[0])
        for answer, expected, said in zip(answers[1:], right[1:], SAID[1:], strict=True):
            expect_close(answer, expected, said)


@pytest.mark.check("merge: blocked keys", points=2, grades=["blocked keys"], needs=["test_maximum"])
def test_blocked(submission, rng):
    """For which queries does your code compute -np.inf - (-np.inf)?
    While all scores are −∞, m must stay −∞, and l and o must stay 0. A later blocked block must
        change nothing.
    Where a maximum is −∞, subtract 0 instead of it. Do not change m itself.
    """
    expect_state(submission, *blocked_blocks(rng))


def expect_tiled(submission, note, *calls, condition=20.0):
    """Pass if the outputs of tiled_attention are right, or follow from the student's own merge."""
    functions = with_mask(submission.tiled_attention, 4), tiled_attention, own_tiled_attention
    expect_calls_follow(
        functions, calls, "the output", "merge", submission, note, condition=condition, share=SHARE
    )


@pytest.mark.check("tiled_attention: any size of blocks", points=3, grades=["attention"])
def test_tiled(submission, note, rng):
    """For 7 keys and block = 3, how many keys has the last block?
    After the last block, the output should be o / l. The size of the blocks should not change the
        output.
    Begin with m = −∞, l = 0 and o = 0, and print the scores of each block.
    """
    small = np.ones((1, 1)), np.log([[1.0], [2.0], [4.0]]), np.array([[1.0], [4.0], [10.0]])
    drawn = qkv(rng, 2, 7, 4, 3)
    calls = [*((*small, block) for block in (3, 2, 1)), *((*drawn, block) for block in (3, 7, 10))]
    expect_tiled(submission, note, *calls, (*qkv(rng, 4, 6, 9, 2, batch=(2,)), 4))


@pytest.mark.check("tiled_attention: one call of merge per block", grades=["blocks"])
def test_blocks(submission, rng):
    """For 7 keys and block = 3, how many calls of merge do you expect?
    There should be as few blocks as possible, each with at most `block` keys. Call merge once for
        each block.
    range(0, keys, block) gives the first key of each block.
    """
    cases = [(7, 3), (6, 2), (3, 5), (5, 5)]
    calls = [(*qkv(rng, 2, l_k, 3, 1), block) for l_k, block in cases]
    for (l_k, block), sizes in zip(cases, keys_of_merges(submission, calls), strict=True):
        blocks = -(-l_k // block)
        asked = f"For {l_k} keys and block = {block}, "
        if len(sizes) != blocks:
            said = f"{asked}your code calls merge {len(sizes)} times. There are {blocks} blocks."
            raise Mismatch(said, mistake="number-of-merges")
        if max(sizes) > block:
            said = f"{asked}a call of merge has {max(sizes)} keys."
            raise Mismatch(said, mistake="large-blocks")


@pytest.mark.check("tiled_attention: a mask", points=2, grades=["mask"], needs=["test_tiled"])
def test_mask(submission, note, rng):
    """For block = 2, which columns of the mask belong to the second block?
    Blocked scores must be −∞ before merge. Each block of keys has its own columns of the mask.
    The mask may have an axis of length 1. It may contain 0 and 1 instead of False and True.
    """
    calls = [(*qkv(rng, 3, 5, 4, 2), 2, mask) for mask in MASKS]
    both = np.stack([MASKS[0], MASKS[0][::-1]]).astype(int)
    expect_tiled(submission, note, *calls, (*qkv(rng, 3, 5, 2, 1, batch=(2,)), 3, both))


def far(*scores):
    """Return a query, keys and values that give these scores."""
    values = np.array([[1.0, 2.0], [4.0, 0.0], [10.0, 5.0]])
    return np.array([[50.0]]), np.array(scores).reshape(-1, 1) / 50, values


@pytest.mark.check("tiled_attention: large scores", grades=["large scores"], needs=["test_tiled"])
def test_large_scores(submission, note):
    """What is np.exp(-2500) in NumPy?
    All exponentials should be relative to the largest score so far. At the start, m should be −∞,
        not 0.
    Print m after the first block: for scores near −2,500 it is near −2,500.
    """
    cases = [far(-2500.0, -2501.0, -2499.0), far(5000.0, 4999.0, 5001.0), far(-5000.0, 0.0, 5000.0)]
    expect_tiled(submission, note, *((*args, 2) for args in cases), condition=1e4)


def drawn_curves(submission, scores, block):
    """Return the two curves that are nearest to the maximum and the sum."""
    expected, alone = running(scores, block), sums_of_blocks(scores, block)
    figure = submission.plot_running(scores, block)
    curves = expect_two_curves(figure, "plot_running", len(alone), "blocks")
    if any(np.allclose(curve, alone) for curve in curves):
        said = "The curve of the sum has the sum of each block by itself, not the sum so far."
        raise Mismatch(said, mistake="sum-of-block")
    found = []
    for right in expected:
        distances = [np.abs(curve - right).max() for curve in curves]
        found.append(curves.pop(int(np.argmin(distances))))
    return np.array(found)


@pytest.mark.check("plot_running: two curves", grades=["curves"])
def test_curves(submission, note, rng):
    """For three blocks, at which x are the points of your curves?
    After each block, one curve should have the maximum so far. The other curve should have the sum
        so far.
    Call merge for each block, and append m and l to two lists.
    """
    other = np.repeat([0.0, 2.0, -1.0, 3.0], [4, 1, 3, 1]) + 0.1 * rng.normal(size=9)
    functions = (lambda *args: drawn_curves(submission, *args)), running, own_running
    said = "the curves: the maximum, then the sum"
    calls = (APART, 3), (other, 4)
    expect_calls_follow(functions, calls, said, "merge", submission, note, share=SHARE)


@pytest.mark.check("plot_running: labels, a title and a legend", grades=["labels"])
def test_labels(submission):
    """Without your code, how does a reader know which curve is the sum?
    The x axis and each y axis need a label. The figure needs a title. Two curves on the same axes
        need a legend.
    Use set_xlabel, set_ylabel, set_title and legend of the axes.
    """
    expect_labels(submission.plot_running(APART, 3), "plot_running", curves=2)


@pytest.mark.check(
    "Other sizes, and arguments that stay as they are",
    grades=["sizes", "blocked keys", "no side effects"],
)
def test_others(submission, note, rng, grading):
    """Which lines count axes from the front or change m, l or o?
    Any number of axes may be in front of the queries. `o *= factor` and `m[...] = …` change the
        caller's own array.
    Count axes from the end. Make new arrays: write x = x * y instead of x *= y.
    """
    grading("sizes")
    q, k, v = qkv(rng, 3, 8, 5, 2, batch=(2, 3))
    expect_tiled(submission, note, (q, k, v, 3), (*qkv(rng, 1, 2, 1, 4), 1))
    grading("blocked keys")
    mask = rng.random((3, 1, 8)) < 0.5
    mask[..., :3] = False
    mask[..., 3 + rng.integers(5)] = True
    expect_tiled(submission, note, (q, k, v, 3, mask))
    grading("no side effects")
    *_, state = some_blocks(rng)
    calls = {
        "merge": ("m l o scores v", state),
        "tiled_attention": ("q k v block mask", (q, k, v, 3, mask.astype(int))),
        "plot_running": ("scores block", (rng.normal(size=5), 2)),
    }
    between = [
        ("merge", *(x + 1 for x in state)),
        ("tiled_attention", q + 1, k, v, 2),
        ("plot_running", rng.normal(size=6), 3),
    ]
    expect_no_side_effects(submission, calls, between)
