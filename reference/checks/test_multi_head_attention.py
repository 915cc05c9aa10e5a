"""Checks of `multi_head_attention`."""

import numpy as np
import pytest

from autograder.author import (
    Raised,
    draw_state,
    expect_close,
    expect_error,
    expect_parts,
    expect_results,
    expect_shape,
    expect_stateless,
    expect_unchanged_tensors,
    graded_elsewhere,
)
from reference.asking import Asked
from reference.masks import causal_mask

NAME = "MultiHeadAttention"
MATRICES = ("W_q", "W_k", "W_v", "W_o")
CAUSAL = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]], bool)
ODD = np.array([[1, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 0, 1]], bool)


@pytest.fixture
def heads(submission, modules):
    rng = np.random.default_rng(1)
    first = (((8, 4), (draw(rng, 2, 3, 8),), state_of(rng, 8)),)
    return Asked(submission, modules.MultiHeadAttention, NAME, first)


def state_of(rng, d_model):
    return draw_state(rng, {f"{name}.weight": (d_model, d_model) for name in MATRICES})


def draw(rng, *sizes):
    return rng.normal(size=sizes).astype(np.float32)


def opposite_keys(x, state, count, most):
    """Return weights for which each key is its query times a negative number.

    So the lowest score of each query is at the query's position. The largest scaled score is
    ±`most`.
    """
    queries = (x @ state["W_q.weight"].T).reshape(*x.shape[:2], count, -1)
    largest = (queries**2).sum(-1).max() / np.sqrt(queries.shape[-1])
    return state | {"W_k.weight": state["W_q.weight"] * np.float32(-0.99 * most / largest)}


@pytest.mark.check(
    "Four matrices without a bias, two results",
    points=2,
    grades=["four matrices", "two results"],
    hints=(
        "Which four nn.Linear does the task ask for, with which names and sizes?",
        "Each nn.Linear makes d_model features from d_model features, without a bias. The "
        "attention weights have an axis for the heads: (B, H, L, L).",
        "Use nn.Linear(d_model, d_model, bias=False) four times. Return the output and the "
        "weights.",
    ),
)
def test_parameters_and_shapes(heads, rng, grading):
    grading("four matrices")
    run = heads.run((8, 4), (draw(rng, 2, 3, 8),), state_of(rng, 8))
    expect_parts(run, NAME, MATRICES, without_bias=MATRICES)
    grading("two results")
    output, weights = expect_results(run.value, ("output", "weights"), NAME)
    expect_shape(output, (2, 3, 8), "the output")
    expect_shape(weights, (2, 4, 3, 3), "the weights")


@pytest.mark.check(
    "One head: attention as before",
    points=2,
    grades=["heads"],
    hints=(
        "With a single head, which part of your code differs from plain self-attention?",
        "Make queries, keys and values with W_q, W_k and W_v. Then use attention, then W_o.",
        "Compare your code with your SelfAttention, line by line.",
    ),
)
def test_one_head(heads, rng):
    heads.compare((5, 1), (draw(rng, 2, 3, 5),), state_of(rng, 5))


@pytest.mark.check(
    "Several heads",
    points=4,
    grades=["heads"],
    hints=(
        "Which features of a token does head 1 get?",
        "Each head has d_model / num_heads neighbouring features. Its scores are divided by the "
        "root of that number.",
        "view(B, L, H, d).transpose(1, 2) splits. transpose(1, 2).reshape(B, L, E) merges again.",
    ),
)
def test_heads(heads, rng, note):
    for batch, length, width, count in ((2, 3, 8, 2), (1, 5, 6, 3), (3, 4, 4, 4), (2, 2, 12, 3)):
        state, one_head = state_of(rng, width), (width // count, 1)
        heads.compare_scaled(
            (width, count), (draw(rng, batch, length, width),), state, one_head, note
        )


@pytest.mark.check(
    "A mask of (L, L)",
    points=2,
    grades=["masks"],
    hints=(
        "What does your code do to a score whose mask entry is False?",
        "True in the mask means “may attend”. In every head, blocked weights must be 0, and each "
        "row must still sum to 1.",
        "Use scores.masked_fill(mask == 0, float('-inf')) before the softmax.",
    ),
)
def test_mask(heads, rng, note):
    x, state = draw(rng, 2, 4, 6), state_of(rng, 6)
    for mask in (CAUSAL, ODD.astype(int), ODD.astype(np.float32)):
        heads.compare_masked((6, 3), (x,), mask, state, note)
        heads.compare_masked((6, 2), (x,), mask, state, note)
    x, state = draw(rng, 4, 4, 8), state_of(rng, 8)  # as many queries as sequences and heads
    heads.compare_masked((8, 4), (x,), ODD, state, note)
    if heads.is_right((8, 4), (x, ODD), state):  # each query sees only its lowest score
        heads.compare((8, 4), (x, np.eye(4, dtype=bool)), opposite_keys(x, state, 4, 1000))


@pytest.mark.check(
    "Masks of (B, L, L) and (B, 1, L, L)",
    points=2,
    grades=["masks"],
    hints=(
        "In broadcasting, which axis of the scores is matched with each axis of the mask?",
        "Broadcasting matches the last axes first. The scores have the axes (B, H, L, L); a "
        "mask of three axes lacks the axis for the heads.",
        "If the mask has three axes, insert an axis at position 1. A mask with two or four axes "
        "fits.",
    ),
)
def test_masks(heads, rng, note):
    x, state = draw(rng, 2, 4, 6), state_of(rng, 6)
    each = np.stack([CAUSAL, ODD])
    for mask in (each, each.astype(np.float32), each[:, None]):
        heads.compare_masked((6, 3), (x,), mask, state, note)
        heads.compare_masked((6, 2), (x,), mask, state, note)  # as many heads as sequences


@pytest.mark.check(
    "A number of heads that does not fit is refused",
    points=1,
    grades=["error"],
    hints=(
        "What should happen if the features cannot be shared equally among the heads?",
        "The constructor itself should check whether all heads get the same number of features.",
        "First of all, check d_model % num_heads. If it is not 0, raise a ValueError.",
    ),
)
def test_refuses(submission):
    for sizes in ((10, 4), (21, 8)):
        expect_error(
            submission.MultiHeadAttention.kept,
            *sizes,
            type="ValueError",
            name=f"{NAME}({sizes[0]}, {sizes[1]})",
        )


@pytest.mark.check(
    "The gradient reaches x and all four matrices",
    points=2,
    grades=["gradient"],
    hints=(
        "Which of the four matrices gets no gradient from the output?",
        "The gradient goes back from the output to a weight only through torch's own operations.",
        "Look for detach(), .data, torch.no_grad(), and new tensors from torch.tensor(…).",
    ),
)
def test_gradients(heads, rng, note):
    state, inputs = state_of(rng, 6), (draw(rng, 2, 4, 6),)
    toward = draw(rng, 2, 4, 6)
    heads.compare_gradients((6, 3), inputs, state, toward, CAUSAL, {"input 0": "x"}, note)


@pytest.mark.check(
    "Other sizes, causality, unchanged arguments, independent calls",
    points=3,
    grades=["heads", "four matrices", "masks", "no side effects"],
    hints=(
        "What differs between a first call in evaluation and a second call in training?",
        "Without dropout, training and evaluation give the same result. A value that forward "
        "stores in self is still there in the next call.",
        "Do not use nn.Dropout. Take all sizes from x, and store nothing in forward.",
    ),
)
def test_other_sizes(heads, rng, note, grading):
    heads = heads.of(heads.submission.fresh())
    grading("heads")
    state, x = state_of(rng, 12), draw(rng, 3, 7, 12)
    # first, what does not depend on values: another mistake may make them wrong
    heads.expect_no_dropout((12, 4), (x,), state, "four matrices")
    causal = causal_mask(7).astype(np.float32)
    grading("no side effects")
    expect_unchanged_tensors(heads.run((12, 4), (x, causal), state), (x, causal), ("x", "mask"))
    each = np.stack([causal] * 3)
    for mask in (each, each[:, None]):
        with graded_elsewhere(Raised):  # test_masks grades it
            run = heads.run((12, 3), (x, mask), state)
            expect_unchanged_tensors(run, (x, mask), ("x", "mask"))
    others = ((draw(rng, 3, 7, 12), causal), (draw(rng, 2, 4, 12),))
    for inputs in ((x,), (x, causal.T)):
        expect_stateless(
            lambda inputs=inputs, **more: heads.output((12, 4), inputs, state, **more),
            others,
            "the outputs",
        )
    grading("heads")
    for count in (1, 2, 3, 6, 12):
        heads.compare_scaled((12, count), (x,), state, (12, count), note)
    changed = x.copy()
    changed[:, 4:] -= 1
    heads.right((12, 4), (changed, causal), state)  # else a kit cannot tell x @ W from x @ W.T
    before, after = (heads.output((12, 4), (each, causal), state) for each in (x, changed))
    grading("masks")
    expect_close(
        after[:, :4],
        before[:, :4],
        "the output before a change",
        finding="A change of the last tokens also changed the output of earlier tokens.",
    )
