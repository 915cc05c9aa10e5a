"""Checks of `multi_head_attention`."""

import numpy as np
import pytest

from autograder.judge.expect import (
    Mismatch,
    expect_close,
    expect_refusal,
    expect_results,
    expect_shape,
)
from autograder.judge.modules import (
    draw_state,
    expect_gradients,
    expect_same_tensors,
    pass_through,
    right_pass,
)

NAME = "MultiHeadAttention"
RESULTS = ("the output", "the weights")


def state_of(rng, d_model):
    return draw_state(rng, {f"W_{name}.weight": (d_model, d_model) for name in "qkvo"})


def draw(rng, *sizes):
    return rng.normal(size=sizes).astype(np.float32)


def compare(submission, modules, made_with, inputs, state):
    passed = pass_through(submission, NAME, made_with, inputs, state)
    answers = expect_results(passed.value, ("output", "weights"), NAME)
    right = right_pass(modules.MultiHeadAttention, made_with, inputs, state)
    for answer, expected, what in zip(answers, right.value, RESULTS, strict=True):
        expect_close(answer, expected, what, condition=20.0)


@pytest.mark.check(
    "Four matrices without a bias, two results",
    points=2,
    hints=(
        "What are the names and the sizes of the four nn.Linear of the task?",
        "Each leads from d_model to d_model, without a bias; the weights have an axis for the "
        "heads: (B, H, L, L).",
        "nn.Linear(d_model, d_model, bias=False) four times; return the output and the weights.",
    ),
)
def test_parameters_and_shapes(submission, rng):
    state = state_of(rng, 8)
    passed = pass_through(submission, NAME, (8, 4), (draw(rng, 2, 3, 8),), state)
    for name in state:
        if name.replace("weight", "bias") in passed.state:
            raise Mismatch(
                f"{name.removesuffix('.weight')} has a bias; the four projections have none "
                f"(bias=False).",
                mistake="projection-bias",
            )
    output, weights = expect_results(passed.value, ("output", "weights"), NAME)
    expect_shape(output, (2, 3, 8), "the output")
    expect_shape(weights, (2, 4, 3, 3), "the weights")


@pytest.mark.check(
    "One head: attention as before",
    points=2,
    needs=["test_parameters_and_shapes"],
    hints=(
        "With a single head nothing is split. Which part of plain self-attention differs?",
        "Queries, keys and values by W_q, W_k and W_v; attention; then W_o.",
        "Compare line by line with your SelfAttention.",
    ),
)
def test_one_head(submission, modules, rng):
    compare(submission, modules, (5, 1), (draw(rng, 2, 3, 5),), state_of(rng, 5))


@pytest.mark.check(
    "Several heads",
    points=4,
    needs=["test_one_head"],
    hints=(
        "Which features of a word does head 1 get, and by what are its scores divided?",
        "Each head has neighbouring features, d_model / num_heads of them, and is scaled by the "
        "root of that number.",
        "view(B, L, H, d).transpose(1, 2) splits; transpose(1, 2).reshape(B, L, E) merges again.",
    ),
)
def test_heads(submission, modules, rng):
    for batch, length, features, heads in ((2, 3, 8, 2), (1, 5, 6, 3), (3, 4, 4, 4), (2, 2, 12, 3)):
        x = draw(rng, batch, length, features)
        compare(submission, modules, (features, heads), (x,), state_of(rng, features))


@pytest.mark.check(
    "Masks of (L, L), (B, L, L) and (B, 1, L, L)",
    points=4,
    needs=["test_heads"],
    hints=(
        "Which axis of the scores does each axis of the mask meet when they broadcast?",
        "Axes are matched from the last. The scores have the axes (B, H, L, L), a mask of three "
        "axes has none for the heads.",
        "If the mask has three axes, put one in at position 1; with two or four it fits as it is.",
    ),
)
def test_masks(submission, modules, rng):
    x = draw(rng, 2, 4, 6)
    state = state_of(rng, 6)
    causal = np.tril(np.ones((4, 4), bool))
    odd = np.array([[1, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 0, 1]], bool)
    each = np.stack([causal, odd])
    for mask in (causal, odd.astype(int), each, each.astype(np.float32), each[:, None]):
        compare(submission, modules, (6, 3), (x, mask), state)
        compare(submission, modules, (6, 2), (x, mask), state)  # as many heads as sequences


@pytest.mark.check(
    "A number of heads that does not fit is refused",
    points=1,
    hints=(
        "What should happen for 10 features and 4 heads?",
        "The constructor notices by itself that the features cannot be shared out evenly.",
        "Before anything else compare d_model % num_heads with 0, and raise a ValueError with both "
        "numbers in its text.",
    ),
)
def test_refuses(submission):
    for sizes in ((10, 4), (21, 8)):
        expect_refusal(
            lambda: submission.MultiHeadAttention.kept(*sizes),
            f"{NAME}({sizes[0]}, {sizes[1]})",
            "ValueError",
            naming=sizes,
        )


@pytest.mark.check(
    "The gradient reaches x and all four matrices",
    points=2,
    needs=["test_heads"],
    hints=(
        "Which of the four matrices has no part in the output, or is cut off from it?",
        "A gradient flows back along every operation of torch between a weight and the output.",
        "Look for detach(), .data, torch.no_grad() and tensors made anew with torch.tensor(…).",
    ),
)
def test_gradients(submission, modules, rng):
    state, x = state_of(rng, 6), draw(rng, 2, 4, 6)
    inputs = (x, np.tril(np.ones((4, 4), bool)))
    toward = (draw(rng, 2, 4, 6), None)
    passed = pass_through(submission, NAME, (6, 3), inputs, state, toward=toward)
    right = right_pass(modules.MultiHeadAttention, (6, 3), inputs, state, toward)
    expect_gradients(passed, right, {"input 0": "x"})


@pytest.mark.hidden
@pytest.mark.check(
    "Other sizes, causality, arguments that stay as they are", points=3, needs=["test_heads"]
)
def test_other_sizes(submission, modules, rng):
    state, x = state_of(rng, 12), draw(rng, 3, 7, 12)
    for heads in (1, 2, 3, 6, 12):
        compare(submission, modules, (12, heads), (x,), state)
    causal = np.tril(np.ones((7, 7), np.float32))
    passed = pass_through(submission, NAME, (12, 4), (x, causal), state)
    expect_same_tensors(passed, (x, causal), ("x", "mask"))
    changed = x.copy()
    changed[:, 4:] -= 1
    again = pass_through(submission, NAME, (12, 4), (changed, causal), state)
    before, after = (
        expect_shape(
            expect_results(each.value, ("output", "weights"), NAME)[0], x.shape, "the output"
        )
        for each in (passed, again)
    )
    expect_close(after[:, :4], before[:, :4], "the output before a change")
