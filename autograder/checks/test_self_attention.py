"""Checks of `self_attention`."""

import numpy as np
import pytest

from autograder.judge.expect import Mismatch, expect_close, expect_results, expect_shape
from autograder.judge.modules import (
    draw_state,
    expect_gradients,
    expect_same_tensors,
    pass_through,
    right_pass,
)
from reference.dropout import what_dropout_did

BARE, WHOLE = "ScaledDotProductAttention", "SelfAttention"
RESULTS = ("the output", "the weights")
BARE_NAMES = {"input 0": "query", "input 1": "key", "input 2": "value"}
WHOLE_NAMES = {"input 0": "x"}


def draw(rng, batch, l_q, l_k, d_k, d_v):
    sizes = ((*batch, l_q, d_k), (*batch, l_k, d_k), (*batch, l_k, d_v))
    return tuple(rng.normal(size=size).astype(np.float32) for size in sizes)


def state_of(rng, d_model, d_k=None, d_v=None):
    d_k, d_v = d_k or d_model, d_v or d_model
    return draw_state(
        rng,
        {
            "W_q.weight": (d_k, d_model),
            "W_k.weight": (d_k, d_model),
            "W_v.weight": (d_v, d_model),
            "W_o.weight": (d_model, d_v),
        },
    )


def two_results(passed, name):
    return expect_results(passed.value, ("output", "weights"), name)


def compare(submission, modules, name, made_with, inputs, state, condition=20.0):
    passed = pass_through(submission, name, made_with, inputs, state)
    answers = two_results(passed, name)
    right = right_pass(getattr(modules, name), made_with, inputs, state)
    for answer, expected, what in zip(answers, right.value, RESULTS, strict=True):
        expect_close(answer, expected, what, condition=condition)


def expect_two_alike(submission, name, made_with, inputs, state):
    """Two passes in evaluation, with other random numbers each time, give the same."""
    first, second = (
        two_results(pass_through(submission, name, made_with, inputs, state, seed=seed), name)
        for seed in (1, 2)
    )
    for one, two, what in zip(first, second, RESULTS, strict=True):
        if not np.array_equal(np.asarray(one), np.asarray(two), equal_nan=True):
            raise Mismatch(
                f"In evaluation (after eval()), two calls with the same arguments give different "
                f"results: {what} is random. Dropout acts while training only.",
                what,
                mistake="dropout-in-evaluation",
            )


@pytest.mark.check(
    "ScaledDotProductAttention: two results, in evaluation the same each time",
    points=1,
    hints=(
        "What does dropout do after model.eval(), and how does your module notice that call?",
        "nn.Dropout knows whether the module is training; F.dropout has to be told, with "
        "training=self.training.",
        "Keep an nn.Dropout(dropout) in __init__, and return the output and the weights, in this "
        "order.",
    ),
)
def test_bare_results(submission, rng):
    inputs = draw(rng, (), 3, 4, 2, 5)
    passed = pass_through(submission, BARE, (), inputs, {})
    output, weights = expect_results(passed.value, ("output", "weights"), BARE)
    expect_shape(output, (3, 5), "the output")
    expect_shape(weights, (3, 4), "the weights")
    expect_two_alike(submission, BARE, (0.5,), inputs, {})


@pytest.mark.check(
    "ScaledDotProductAttention: the values, with and without batch axes",
    points=2,
    needs=["test_bare_results"],
    hints=(
        "Which two axes of the key change places, and which stay where they are?",
        "Scores, divided by √d_k; a softmax over the last axis; the weights times the values.",
        "key.transpose(-2, -1) works for any number of batch axes; d_k is key.size(-1).",
    ),
)
def test_bare_values(submission, modules, rng):
    for sizes in (((), 3, 4, 2, 5), ((2,), 4, 3, 5, 1), ((2, 3), 2, 5, 9, 4)):
        compare(submission, modules, BARE, (), draw(rng, *sizes), {})


@pytest.mark.check(
    "ScaledDotProductAttention: a mask of True and False, or of 0 and 1",
    points=2,
    needs=["test_bare_values"],
    hints=(
        "Here True means “may attend”. What becomes of a score whose mask entry is False?",
        "Blocked weights are 0 and each row still sums to 1, so the mask acts on the scores.",
        "scores.masked_fill(mask == 0, float('-inf')) is right for every kind of mask; ~mask for "
        "bool alone.",
    ),
)
def test_bare_mask(submission, modules, rng):
    mask = np.array(
        [[True, False, True, True], [False, True, False, True], [True, True, True, False]]
    )
    each = np.stack([mask, mask[::-1]])
    for allowed in (mask, mask.astype(int), mask.astype(float), mask[:1], each):
        inputs = (*draw(rng, (2,), 3, 4, 5, 2), allowed)
        compare(submission, modules, BARE, (), inputs, {})


@pytest.mark.check(
    "ScaledDotProductAttention: dropout acts on the weights while training",
    points=3,
    needs=["test_bare_values"],
    hints=(
        "Which numbers does dropout set to 0, and which of your two results shows it?",
        "The values are mixed with the weights after dropout; returned are the weights before it.",
        "Give the dropped weights a name of their own, or return self.dropout(weights) @ value, "
        "weights.",
    ),
)
def test_dropout(submission, rng):
    query, key = draw(rng, (8,), 32, 16, 4, 1)[:2]
    eye = np.eye(16, dtype=np.float32)
    value = np.broadcast_to(np.concatenate([eye, eye], axis=1), (8, 16, 32)).copy()
    for rate in (0.5, 0.2, 0.0):
        inputs = (query, key, value)
        passed = pass_through(submission, BARE, (rate,), inputs, {}, training=True, seed=3)
        output, weights = expect_results(passed.value, ("output", "weights"), BARE)
        answer = expect_shape(output, (8, 32, 32), "the output")
        kept = expect_shape(weights, (8, 32, 16), "the weights")
        found = what_dropout_did(query, key, np.asarray(answer), np.asarray(kept), rate)
        if found is not None:
            raise Mismatch(found.finding, mistake=found.id)


@pytest.mark.check(
    "ScaledDotProductAttention: the gradient reaches query, key and value",
    points=2,
    needs=["test_bare_values"],
    hints=(
        "Which of your operations does PyTorch not know how to differentiate, or not see?",
        "Tensors stay tensors from the inputs to the output: no NumPy, no .data, no detach().",
        "Use torch's own operations throughout; a fill of −∞ with masked_fill has a gradient "
        "without NaN.",
    ),
)
def test_bare_gradients(submission, modules, rng):
    mask = np.array(
        [[True, False, True, True], [True, True, False, True], [True, True, True, False]]
    )
    inputs = (*draw(rng, (2,), 3, 4, 5, 2), mask)
    toward = (rng.normal(size=(2, 3, 2)).astype(np.float32), None)
    passed = pass_through(submission, BARE, (), inputs, {}, toward=toward)
    right = right_pass(modules.ScaledDotProductAttention, (), inputs, {}, toward)
    expect_gradients(passed, right, BARE_NAMES)


@pytest.mark.check(
    "SelfAttention: the four matrices, without a bias",
    points=1,
    hints=(
        "What are the names and the sizes of the four nn.Linear of the task?",
        "nn.Linear(n, m, bias=False) keeps a weight of shape (m, n), from n features to m.",
        "W_q and W_k lead from d_model to d_k, W_v to d_v, and W_o from d_v back to d_model.",
    ),
)
def test_parameters(submission, rng):
    for sizes in ((4,), (6, 2, 3)):
        state = state_of(rng, *sizes)
        x = rng.normal(size=(2, 3, sizes[0])).astype(np.float32)
        passed = pass_through(submission, WHOLE, sizes, (x,), state)
        for name in state:
            bias = name.replace("weight", "bias")
            if bias in passed.state:
                raise Mismatch(
                    f"{name.removesuffix('.weight')} has a bias; the four projections have none "
                    f"(bias=False).",
                    mistake="projection-bias",
                )


@pytest.mark.check(
    "SelfAttention: output and weights",
    points=3,
    needs=["test_parameters"],
    hints=(
        "From what are queries, keys and values made, and what is done with the mixture?",
        "x goes through W_q, W_k and W_v; then attention; then W_o on the output alone.",
        "The weights are returned as attention gave them; only the output goes through W_o.",
    ),
)
def test_values(submission, modules, rng):
    for batch in ((), (2,), (2, 3)):
        x = rng.normal(size=(*batch, 3, 4)).astype(np.float32)
        compare(submission, modules, WHOLE, (4,), (x,), state_of(rng, 4))


@pytest.mark.check(
    "SelfAttention: d_k and d_v that differ from d_model",
    points=2,
    needs=["test_values"],
    hints=(
        "Which of your numbers is the width of the keys, and which the width of the model?",
        "The scores are divided by √d_k, whatever d_model is; the mixture is d_v wide.",
        "Take d_k from the last axis of the key, not from d_model.",
    ),
)
def test_widths(submission, modules, rng):
    for sizes in ((6, 2, 3), (3, 9, 5), (4, None, 2), (4, 2, None)):
        x = rng.normal(size=(2, 5, sizes[0])).astype(np.float32)
        compare(submission, modules, WHOLE, sizes, (x,), state_of(rng, *sizes))


@pytest.mark.check(
    "SelfAttention: with a causal mask, the future changes nothing before it",
    points=2,
    needs=["test_values"],
    hints=(
        "What reaches the attention inside when a mask is handed to the module?",
        "The mask goes on to the attention; True there means “may attend”.",
        "Pass mask along in forward, and leave out any mask of your own.",
    ),
)
def test_causality(submission, modules, rng):
    causal = np.tril(np.ones((5, 5), bool))
    state = state_of(rng, 4)
    x = rng.normal(size=(2, 5, 4)).astype(np.float32)
    for mask in (causal, causal.astype(int), causal.astype(np.float32)):
        compare(submission, modules, WHOLE, (4,), (x, mask), state)
    changed = x.copy()
    changed[:, 3:] += 1
    before, after = (
        two_results(pass_through(submission, WHOLE, (4,), (each, causal), state), WHOLE)[0]
        for each in (x, changed)
    )
    before, after = (expect_shape(each, (2, 5, 4), "the output") for each in (before, after))
    expect_close(after[:, :3], before[:, :3], "the output before a change")


@pytest.mark.check(
    "SelfAttention: the gradient reaches x and all four matrices",
    points=2,
    needs=["test_values"],
    hints=(
        "Which of the four matrices has no part in the output, or is cut off from it?",
        "A gradient flows back along every operation of torch between a weight and the output.",
        "Look for detach(), .data, torch.no_grad() and tensors made anew with torch.tensor(…).",
    ),
)
def test_gradients(submission, modules, rng):
    state = state_of(rng, 4, 3, 2)
    x = rng.normal(size=(2, 3, 4)).astype(np.float32)
    toward = (rng.normal(size=(2, 3, 4)).astype(np.float32), None)
    passed = pass_through(submission, WHOLE, (4, 3, 2), (x,), state, toward=toward)
    right = right_pass(modules.SelfAttention, (4, 3, 2), (x,), state, toward)
    expect_gradients(passed, right, WHOLE_NAMES)


@pytest.mark.hidden
@pytest.mark.check(
    "Other sizes, large scores, arguments that stay as they are", points=2, needs=["test_values"]
)
def test_other_sizes(submission, modules, rng):
    inputs = draw(rng, (2,), 1, 7, 3, 2)
    compare(submission, modules, BARE, (), inputs, {})
    query, key, value = draw(rng, (2,), 3, 5, 4, 2)
    compare(submission, modules, BARE, (), (query * 40, key * 40, value), {}, condition=1e4)
    mask = np.tril(np.ones((3, 5)))
    inputs = (query, key, value, mask.astype(np.float32))
    passed = pass_through(submission, BARE, (), inputs, {})
    expect_same_tensors(passed, inputs, ("query", "key", "value", "mask"))
    x = rng.normal(size=(1, 6, 8)).astype(np.float32)
    state = state_of(rng, 8, 5, 3)
    compare(submission, modules, WHOLE, (8, 5, 3), (x,), state)
    passed = pass_through(submission, WHOLE, (8, 5, 3), (x,), state, training=True)
    training = two_results(passed, WHOLE)[0]
    right = right_pass(modules.SelfAttention, (8, 5, 3), (x,), state).value[0]
    expect_close(training, right, "the output while training", condition=20.0)
    passed = pass_through(submission, WHOLE, (8, 5, 3), (x,), state)
    expect_same_tensors(passed, (x,), ("x",))
