"""Checks of `language_model`."""

import numpy as np
import pytest

from autograder.judge.carry import follows
from autograder.judge.expect import Mismatch, expect_close, expect_refusal, expect_shape
from autograder.judge.modules import (
    draw_state,
    expect_gradients,
    expect_same_tensors,
    pass_through,
    right_pass,
)

BLOCK, MODEL = "TransformerBlock", "SimpleLanguageModel"


def draw(rng, *sizes):
    return rng.normal(size=sizes).astype(np.float32)


def block_state(rng, d_model, d_ff, prefix=""):
    projections = {f"attention.W_{name}.weight": (d_model, d_model) for name in "qkvo"}
    network = {
        "feed_forward.0.weight": (d_ff, d_model),
        "feed_forward.2.weight": (d_model, d_ff),
    }
    state = draw_state(rng, projections | network)
    state["feed_forward.0.bias"] = draw(rng, d_ff)
    state["feed_forward.2.bias"] = draw(rng, d_model)
    for norm in ("norm1", "norm2"):
        state[f"{norm}.weight"] = 1 + 0.3 * draw(rng, d_model)
        state[f"{norm}.bias"] = 0.3 * draw(rng, d_model)
    return {prefix + name: value for name, value in state.items()}


def model_state(rng, sizes):
    vocab, d_model, _, d_ff, positions = sizes
    state = {
        "token_embedding.weight": draw(rng, vocab, d_model),
        "position_embedding.weight": draw(rng, positions, d_model),
        "output_projection.weight": draw(rng, vocab, d_model) / np.float32(np.sqrt(d_model)),
        "output_projection.bias": draw(rng, vocab),
    }
    return state | block_state(rng, d_model, d_ff, "block.")


def expect_one_result(passed, name, what):
    if isinstance(passed.value, list) and len(passed.value) > 1:
        raise Mismatch(
            f"{name} returned {len(passed.value)} results; expected one tensor, {what}.",
            mistake="number-of-results",
        )


def compare(submission, modules, name, sizes, inputs, state, what):
    passed = pass_through(submission, name, sizes, inputs, state)
    expect_one_result(passed, name, what)
    right = right_pass(getattr(modules, name), sizes, inputs, state)
    expect_close(passed.value, right.value, what, condition=100.0)


def expect_no_projection_bias(passed, prefix):
    for name in "qkvo":
        if f"{prefix}W_{name}.bias" in passed.state:
            raise Mismatch(
                f"W_{name} has a bias; the four projections of the attention have none.",
                mistake="projection-bias",
            )


@pytest.mark.check(
    "TransformerBlock: its parts, and the shape of its result",
    points=1,
    hints=(
        "What are the names of the four parts of the block?",
        "attention, norm1, feed_forward and norm2; the block returns one tensor, (B, L, E).",
        "Compare with the text: nn.LayerNorm(d_model) twice, and nn.Sequential of Linear, ReLU, "
        "Linear.",
    ),
)
def test_block_parts(submission, rng):
    x = draw(rng, 2, 3, 4)
    passed = pass_through(submission, BLOCK, (4, 2, 5), (x,), block_state(rng, 4, 5))
    expect_no_projection_bias(passed, "attention.")
    expect_one_result(passed, BLOCK, "the result")
    expect_shape(passed.value, (2, 3, 4), "the result")


@pytest.mark.check(
    "TransformerBlock: the values",
    points=5,
    needs=["test_block_parts"],
    hints=(
        "In which order do the attention, the sum and the normalisation come?",
        "Twice the same: x plus what a part makes of it, and the norm of that sum. The second time "
        "x is the result of the first.",
        "x = norm1(x + attention(x, mask)[0]), then norm2(x + feed_forward(x)).",
    ),
)
def test_block_values(submission, modules, rng):
    for batch, length, d_model, heads, d_ff in ((2, 3, 4, 1, 5), (1, 5, 6, 3, 7), (3, 4, 8, 2, 8)):
        state = block_state(rng, d_model, d_ff)
        inputs = (draw(rng, batch, length, d_model),)
        compare(submission, modules, BLOCK, (d_model, heads, d_ff), inputs, state, "the result")


@pytest.mark.check(
    "TransformerBlock: with a mask",
    points=2,
    needs=["test_block_values"],
    hints=(
        "What does the attention inside get when a mask is handed to the block?",
        "The mask goes on to the attention as it is; True there means “may attend”.",
        "self.attention(x, mask)",
    ),
)
def test_block_mask(submission, modules, rng):
    state, x = block_state(rng, 6, 5), draw(rng, 2, 4, 6)
    causal = np.tril(np.ones((4, 4), bool))
    odd = np.array([[1, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 0, 1]])
    for mask in (causal, odd, causal.astype(np.float32)):
        compare(submission, modules, BLOCK, (6, 2, 5), (x, mask), state, "the result")


@pytest.mark.check(
    "SimpleLanguageModel: its parts, and one logit for each word",
    points=1,
    hints=(
        "What are the names of the four parts of the model, and how large is each?",
        "token_embedding (vocab_size, d_model), position_embedding (max_seq_length, d_model), "
        "block, output_projection from d_model to vocab_size.",
        "Two nn.Embedding, your TransformerBlock, and an nn.Linear with its bias.",
    ),
)
def test_model_parts(submission, rng):
    sizes = (11, 4, 2, 5, 7)
    tokens = rng.integers(11, size=(2, 3))
    passed = pass_through(submission, MODEL, sizes, (tokens,), model_state(rng, sizes))
    expect_no_projection_bias(passed, "block.attention.")
    expect_one_result(passed, MODEL, "the logits")
    expect_shape(passed.value, (2, 3, 11), "the logits")
    length = submission.SimpleLanguageModel.kept(*sizes).value("max_seq_length")
    if length != 7:
        raise Mismatch(
            f"The attribute max_seq_length is {length!r:.40}; expected 7, the number it was made "
            f"with.",
            mistake="max-seq-length",
        )


@pytest.mark.check(
    "SimpleLanguageModel: the logits",
    points=4,
    needs=["test_model_parts"],
    hints=(
        "What is added to a word's own vector, and what is done with the logits?",
        "Token plus position, then the block with a causal mask, then the output projection, and "
        "no softmax.",
        "Positions count from 0: torch.arange(tokens.size(1)). The mask is the lower triangle with "
        "its diagonal.",
    ),
)
def test_model_values(submission, modules, rng, note):
    for sizes, batch, length in (((7, 4, 1, 5, 6), 2, 1), ((9, 6, 3, 4, 8), 3, 5)):
        tokens = rng.integers(sizes[0], size=(batch, length))
        state = model_state(rng, sizes)
        answer = pass_through(submission, MODEL, sizes, (tokens,), state).value
        right = right_pass(modules.SimpleLanguageModel, sizes, (tokens,), state).value
        follows(
            answer,
            right,
            lambda steps: logits_of_own_block(steps, sizes, tokens, state),
            "the logits",
            note,
            BLOCK,
            submission,
            condition=100.0,
        )


def logits_of_own_block(steps, sizes, tokens, state):
    """What a right model makes of the student's own block: one mistake costs once."""
    _, d_model, heads, d_ff, _ = sizes
    x = state["token_embedding.weight"][tokens]
    x = x + state["position_embedding.weight"][: tokens.shape[1]]
    causal = np.tril(np.ones((tokens.shape[1],) * 2, bool))
    own = {
        name.removeprefix("block."): value
        for name, value in state.items()
        if name.startswith("block.")
    }
    sizes = (d_model, heads, d_ff)
    found = steps.ask(lambda mine, x: pass_through(mine, BLOCK, sizes, (x, causal), own).value, x)
    weight = state["output_projection.weight"].astype(float)
    return found @ weight.T + state["output_projection.bias"]


@pytest.mark.check(
    "SimpleLanguageModel: a word changes nothing before it",
    points=2,
    needs=["test_model_parts"],
    hints=(
        "Which words may the logits of position t depend on?",
        "On those up to t, and on none after it: the model makes a causal mask itself.",
        "torch.ones(L, L).tril() is true where a position may look; hand it to the block.",
    ),
)
def test_model_causality(submission, rng):
    sizes = (9, 6, 2, 5, 8)
    state, tokens = model_state(rng, sizes), rng.integers(9, size=(2, 8))
    passed = pass_through(submission, MODEL, sizes, (tokens,), state)
    whole = expect_shape(passed.value, (2, 8, 9), "the logits")
    for place in (1, 4, 7):
        changed = tokens.copy()
        changed[:, place:] = (changed[:, place:] + 1) % 9
        passed = pass_through(submission, MODEL, sizes, (changed,), state)
        after = expect_shape(passed.value, (2, 8, 9), "the logits")
        where = f"the logits before position {place}, where the words were changed,"
        expect_close(after[:, :place], whole[:, :place], where)
        if np.allclose(after[:, place], whole[:, place]):
            raise Mismatch(
                f"Another word at position {place} leaves the logits of that position as they "
                f"were.",
                mistake="sees-no-present",
            )


@pytest.mark.check(
    "SimpleLanguageModel: too many tokens are refused",
    points=1,
    needs=["test_model_parts"],
    hints=(
        "How many positions have a vector of their own?",
        "A sequence longer than max_seq_length raises ValueError; one just as long is fine.",
        "Compare tokens.size(1) with self.max_seq_length before anything else, and name both "
        "numbers in the error.",
    ),
)
def test_too_long(submission, rng):
    sizes = (9, 4, 2, 5, 6)
    state = model_state(rng, sizes)
    pass_through(submission, MODEL, sizes, (rng.integers(9, size=(1, 6)),), state)
    tokens = rng.integers(9, size=(2, 13))
    expect_refusal(
        lambda: submission.forward(MODEL, sizes, (tokens,), state),
        f"{MODEL} with 13 tokens and 6 positions",
        "ValueError",
        naming=(13, 6),
    )


@pytest.mark.check(
    "The gradient reaches every part",
    points=3,
    needs=["test_model_values"],
    hints=(
        "Which part is cut off from the logits, or takes no part in them?",
        "A gradient flows back along every operation of torch between a weight and the logits.",
        "Look for detach(), .data, torch.no_grad() and tensors made anew with torch.tensor(…).",
    ),
)
def test_gradients(submission, modules, rng):
    sizes = (7, 4, 2, 5, 6)
    state, tokens = model_state(rng, sizes), rng.integers(7, size=(2, 5))
    toward = (draw(rng, 2, 5, 7),)
    passed = pass_through(submission, MODEL, sizes, (tokens,), state, toward=toward)
    right = right_pass(modules.SimpleLanguageModel, sizes, (tokens,), state, toward)
    expect_gradients(passed, right, {})


@pytest.mark.hidden
@pytest.mark.check(
    "Other sizes, while training too, arguments that stay as they are",
    points=3,
    needs=["test_block_values", "test_model_values"],
)
def test_other_sizes(submission, modules, rng):
    sizes = (20, 12, 4, 10, 9)
    state, tokens = model_state(rng, sizes), rng.integers(20, size=(4, 9))
    compare(submission, modules, MODEL, sizes, (tokens,), state, "the logits")
    right = right_pass(modules.SimpleLanguageModel, sizes, (tokens,), state)
    passed = pass_through(submission, MODEL, sizes, (tokens,), state, training=True)
    expect_close(passed.value, right.value, "the logits while training", condition=100.0)
    expect_same_tensors(passed, (tokens,), ("tokens",))
    state, x = block_state(rng, 10, 3), draw(rng, 1, 6, 10)
    compare(submission, modules, BLOCK, (10, 5, 3), (x,), state, "the result")
    passed = pass_through(submission, BLOCK, (10, 5, 3), (x,), state)
    expect_same_tensors(passed, (x,), ("x",))
