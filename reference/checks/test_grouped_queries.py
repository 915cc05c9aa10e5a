"""Checks of `grouped_queries`: shared kv heads, attention with them, and a window."""

import numpy as np
import pytest

from autograder.author import (
    Mismatch,
    StudentProblem,
    expect_close,
    expect_error,
    expect_results,
    graded_elsewhere,
    is_informative,
    values_agree,
)
from reference.checks.calls import expect_calls_follow, expect_no_side_effects, with_mask
from reference.grouped import grouped_attention, own_grouped_attention, repeat_heads, window_mask
from reference.matrices import grouped_qkv

NAMES = ("output", "weights")
SHARE = 0.2  # of the changes to keys and values; blocked keys change nothing, and values no weights


def expect_repeated(submission, *cases):
    for kv, heads in cases:
        expect_close(submission.repeat_heads(kv, heads), repeat_heads(kv, heads), "the heads")


def expect_attention(submission, note, which, *calls, condition=20.0):
    """Pass if the output (0) or the weights (1) are right, or follow from a wrong repeat_heads."""
    student = with_mask(submission.grouped_attention, 3)
    functions = student, grouped_attention, own_grouped_attention
    read = lambda answer: expect_results(answer, NAMES, "grouped_attention")[which]
    details = {"read": read, "condition": condition, "share": SHARE}
    what = f"the {NAMES[which]}"
    expect_calls_follow(functions, calls, what, "repeat_heads", submission, note, **details)


def expect_window(submission, *sizes):
    for n, w in sizes:
        expected = window_mask(n, w).astype(float)
        expect_close(submission.window_mask(n, w), expected, f"the mask for n = {n} and w = {w}")


@pytest.mark.check("repeat_heads: neighbours share a kv head", points=3, grades=["repeated heads"])
def test_repeated(submission, rng):
    """For two kv heads and four heads, which kv head do the heads 0, 1, 2 and 3 use?
    Head h should use kv head ⌊h / r⌋, where r is the number of heads for each kv head: 0, 0, 1, 1.
    The heads are on axis −3. np.repeat repeats each entry of an axis. np.tile repeats the whole
        axis.
    """
    small = np.array([5.0, 7.0]).reshape(2, 1, 1)
    drawn = rng.normal(size=(3, 4, 2)), rng.normal(size=(2, 2, 3, 2))
    expect_repeated(submission, (small, 4), (drawn[0], 6), (drawn[1], 6))


@pytest.mark.check("repeat_heads: multiples only", grades=["multiples only"])
def test_multiples(submission):
    """Can three heads share two kv heads evenly?
    If heads is not a multiple of the number of kv heads, raise a ValueError that names both
        numbers.
    Test heads % kv_heads first, and put both numbers into the message.
    """
    for kv_heads, heads in ((2, 3), (6, 47), (6, 4)):
        kv = np.ones((kv_heads, 1, 2))
        expect_error(
            submission.repeat_heads, kv, heads, type="ValueError", naming=(heads, kv_heads)
        )


@pytest.mark.check("grouped_attention: the weights", points=3, grades=["weights"])
def test_weights(submission, note, rng):
    """If there are four heads and two kv heads, which kv head has the keys for head 3?
    Each head of queries uses the keys of its kv head. Divide the scores by √d_k, and take the
        softmax over the keys.
    Print the shapes of q and of the repeated keys before you multiply them.
    """
    q = np.array([[[1.0, 0.0]], [[0.0, 1.0]]])
    k = np.array([[[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]]])
    cases = (q, k, k), (np.repeat(q, 2, 0), np.array([*k, *-k]), np.array([*k, *k]))
    drawn = grouped_qkv(rng, 6, 2, 3, 5, 4, 1), grouped_qkv(rng, 4, 2, 3, 3, 9, 2, batch=(3,))
    expect_attention(submission, note, 1, *cases, *drawn)
    expect_attention(submission, note, 1, (400 * cases[1][0], *cases[1][1:]), condition=1e4)


def follows_from_weights(submission, calls, values):
    """Return True if the outputs are the student's own weights times the repeated values."""
    for call, repeated in zip(calls, values, strict=True):
        output, weights = submission.aside().grouped_attention(*call)
        following = np.asarray(weights, float) @ repeated
        if not is_informative(following) or not values_agree(output, following):
            return False
    return True


@pytest.mark.check("grouped_attention: the output", points=3, grades=["output"])
def test_output(submission, note, rng):
    """In the example by hand, why is the output of head 1 equal to 3?
    The weights of head h should multiply the values of kv head ⌊h / r⌋.
    Repeat the values in the same way as the keys.
    """
    q, k = np.zeros((4, 1, 1)), np.ones((2, 2, 1))
    small = q, k, np.array([2.0, 4.0, 10.0, 30.0]).reshape(2, 2, 1)
    drawn = grouped_qkv(rng, 6, 2, 3, 5, 4, 1), grouped_qkv(rng, 4, 2, 3, 3, 3, 3, batch=(2,))
    values = [repeat_heads(v, q.shape[-3]) for q, _, v in drawn]
    try:
        expect_attention(submission, note, 0, small, *drawn)
    except Mismatch as wrong:
        with graded_elsewhere(Mismatch, StudentProblem, TypeError, ValueError):
            if follows_from_weights(submission, drawn, values):
                note("Right, from your weights.")
                return
        raise wrong from None


@pytest.mark.check("grouped_attention: a mask", points=2, grades=["mask"], needs=["test_weights"])
def test_mask(submission, note, rng):
    """Which number must replace a blocked score to make its weight 0?
    The mask is true (or 1) where a query may attend. The mask broadcasts to the shape of the
        scores.
    Use np.where(mask, scores, -np.inf) before the softmax.
    """
    rows = np.array([[1, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]])
    by_head = np.stack([rows, rows[::-1], rows > -1, rows])
    for mask in (rows == 1, rows[:1].astype(float), by_head):
        args = *grouped_qkv(rng, 4, 2, 3, 4, 3, 2, batch=(2,)), mask
        expect_attention(submission, note, 1, args)
        expect_attention(submission, note, 0, args)
    expect_attention(submission, note, 1, (*grouped_qkv(rng, 6, 3, 5, 5, 2, 1), window_mask(5, 2)))


@pytest.mark.check("window_mask: the last w positions", points=2, grades=["window"])
def test_window(submission):
    """For w = 2, which positions does query 3 see?
    Query i should see key j if i − w < j ≤ i. So it sees itself and the w − 1 positions before it.
    For w = 1, only the diagonal is true. Print your mask for n = 4 and w = 2.
    """
    expect_window(submission, (4, 2), (3, 1), (6, 3), (4, 4), (3, 5))


@pytest.mark.check("window_mask: no empty window", grades=["no empty window"])
def test_empty_window(submission):
    """With w = 0, how many positions would a query see?
    If w is less than 1, window_mask should raise a ValueError.
    if w < 1: raise ValueError("…")
    """
    for w in (0, -1):
        expect_error(submission.window_mask, 4, w, type="ValueError")


@pytest.mark.check(
    "Other sizes, and arguments that stay as they are", grades=["sizes", "no side effects"]
)
def test_others(submission, note, rng, grading):
    """Which lines count axes from the front or change an argument?
    Any number of axes may be in front of the heads, and all sizes from 1 on are possible.
    Count axes from the end: −3, −2 and −1. Make new arrays: write x = x + y instead of x += y.
    """
    grading("sizes")
    kv = rng.normal(size=(2, 1, 4, 3, 5))
    expect_repeated(submission, (kv, 4), (kv, 8), (kv[:, :, :1], 7))
    wide = [grouped_qkv(rng, *sizes) for sizes in ((3, 1, 2, 4, 3, 2), (2, 2, 4, 1, 1, 3))]
    mask = rng.random((2, 1, 1, 3, 4)) < 0.5
    mask[..., 0] = True
    masked = *grouped_qkv(rng, 4, 2, 3, 4, 5, 6, batch=(2, 3)), mask
    expect_attention(submission, note, 0, *wide, masked)
    n, w = int(rng.integers(20, 40)), int(rng.integers(4, 19))
    expect_window(submission, (1, 1), (1, 3), (n, w), (n, n + 7))
    grading("no side effects")
    q, k, v, mask = *grouped_qkv(rng, 4, 2, 3, 3, 5, 2), np.tril(np.ones((3, 3)))
    calls = {
        "repeat_heads": ("kv heads", (k, 4)),
        "grouped_attention": ("q k v mask", (q, k, v, mask)),
        "window_mask": ("n w", (5, 2)),
    }
    between = [
        ("repeat_heads", k + 1, 2),
        ("grouped_attention", q + 1, k, v),
        ("window_mask", 5, 3),
    ]
    expect_no_side_effects(submission, calls, between)
