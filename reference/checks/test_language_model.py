"""Checks of `language_model`."""

import numpy as np
import pytest

from autograder.author import (
    Mismatch,
    draw_state,
    expect_close,
    expect_error,
    expect_follows,
    expect_gradients,
    expect_parts,
    expect_shape,
    expect_stateless,
    expect_unchanged_tensors,
)
from reference.asking import Asked
from reference.following import own_logits
from reference.masks import causal_mask

BLOCK, MODEL = "TransformerBlock", "SimpleLanguageModel"
ATTENTION = tuple(f"attention.W_{name}" for name in "qkvo")
SMALL = (11, 4, 2, 5, 7)
LEAST_CHANGE = 1e-3  # least change of the logits for another word


@pytest.fixture
def block(submission, modules):
    rng = np.random.default_rng(1)
    first = (((4, 2, 5), (draw(rng, 2, 3, 4),), block_state(rng, 4, 5)),)
    return Asked(submission, modules.TransformerBlock, BLOCK, first, ("the result",))


@pytest.fixture
def model(submission, modules):
    rng = np.random.default_rng(1)
    first = ((SMALL, (rng.integers(11, size=(2, 3)),), model_state(rng, SMALL)),)
    return Asked(submission, modules.SimpleLanguageModel, MODEL, first, ("the logits",))


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


def expect_one_result(run, name, what):
    if isinstance(run.value, list) and len(run.value) > 1:
        raise Mismatch(
            f"{name} returned {len(run.value)} results. It should return one tensor, {what}.",
            mistake="number-of-results",
        )


@pytest.mark.check(
    "TransformerBlock: its parts, and the shape of its result",
    points=1,
    grades=["parts of the block"],
    hints=(
        "What are the names of the four parts of the block?",
        "The four parts are attention, norm1, feed_forward and norm2. The block returns one "
        "tensor, (B, L, E).",
        "Compare your code with the text: nn.LayerNorm(d_model) twice, and nn.Sequential of "
        "Linear, ReLU, Linear.",
    ),
)
def test_block_parts(block, rng):
    run = block.run((4, 2, 5), (draw(rng, 2, 3, 4),), block_state(rng, 4, 5))
    expect_parts(run, BLOCK, (*ATTENTION, "norm1", "feed_forward", "norm2"), ATTENTION)
    expect_one_result(run, BLOCK, "the result")
    expect_shape(run.value, (2, 3, 4), "the result")


@pytest.mark.check(
    "TransformerBlock: the values",
    points=5,
    grades=["order"],
    hints=(
        "In which order does the block use attention, sum and normalisation?",
        "Two steps: add a part's result to its input x, then normalise the sum. In the second "
        "step, x is the result of the first step.",
        "First x = norm1(x + attention(x, mask)[0]), then norm2(x + feed_forward(x)).",
    ),
)
def test_block_values(block, rng):
    for batch, length, d_model, heads, d_ff in ((2, 3, 4, 1, 5), (1, 5, 6, 3, 7), (3, 4, 8, 2, 8)):
        state, x = block_state(rng, d_model, d_ff), draw(rng, batch, length, d_model)
        block.compare((d_model, heads, d_ff), (x,), state, condition=100.0)


@pytest.mark.check(
    "TransformerBlock: with a mask",
    points=2,
    grades=["mask of the block"],
    hints=(
        "If the block gets a mask, which mask does its attention get?",
        "Pass the mask to the attention unchanged. True in the mask means “may attend”.",
        "self.attention(x, mask)",
    ),
)
def test_block_mask(block, rng, note):
    state, x = block_state(rng, 6, 5), draw(rng, 2, 4, 6)
    causal = causal_mask(4)
    odd = np.array([[1, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 0, 1]])
    for mask in (causal, odd, causal.astype(np.float32)):
        block.compare_masked((6, 2, 5), (x,), mask, state, note)
    state, x = block_state(rng, 8, 5), draw(rng, 4, 4, 8)  # as many queries as sequences and heads
    block.compare_masked((8, 4, 5), (x,), odd, state, note)


@pytest.mark.check(
    "SimpleLanguageModel: its parts, and one logit for each token of the vocabulary",
    points=1,
    grades=["embeddings", "one block", "output projection"],
    hints=(
        "Which sizes does each of the four parts of the model have?",
        "token_embedding (vocab_size, d_model), position_embedding (max_seq_length, d_model), "
        "block, output_projection from d_model to vocab_size.",
        "Use two nn.Embedding, your TransformerBlock, and an nn.Linear with its bias.",
    ),
)
def test_model_parts(model, submission, rng):
    run = model.run(SMALL, (rng.integers(11, size=(2, 3)),), model_state(rng, SMALL))
    parts = ("token_embedding", "position_embedding", "block", "output_projection")
    expect_parts(run, MODEL, parts, graded_apart=("block",))
    expect_one_result(run, MODEL, "the logits")
    expect_shape(run.value, (2, 3, 11), "the logits")
    length = submission.SimpleLanguageModel.kept(*SMALL).value("max_seq_length")
    if length != 7:
        raise Mismatch(
            f"The attribute max_seq_length is {length!r}. It should be 7, as in the call that "
            "made the model.",
            mistake="max-seq-length",
        )


@pytest.mark.check(
    "SimpleLanguageModel: the logits",
    points=4,
    grades=["embeddings", "output projection"],
    hints=(
        "What does your model do between the tokens and the logits?",
        "Add token and position embedding. Then use the block with a causal mask, and the output "
        "projection. Take no softmax.",
        "Positions count from 0: torch.arange(tokens.size(1)). The mask is the lower triangle with "
        "its diagonal.",
    ),
)
def test_model_values(model, block, rng, note):
    cases = (((7, 4, 1, 5, 6), 2, 1), ((9, 6, 3, 4, 8), 3, 5), ((5, 8, 4, 3, 4), 4, 4))
    cases += (((6, 4, 2, 3, 5), 1, 3),)
    for sizes, batch, length in cases:
        tokens = every_token(rng, sizes[0], batch, length)
        compare_model(model, block, sizes, tokens, model_state(rng, sizes), note)


def every_token(rng, vocab, batch, length):
    """Return random tokens. Each word of the vocabulary occurs, if there is room."""
    return rng.permutation(batch * length).reshape(batch, length) % vocab


def compare_model(model, block, sizes, tokens, state, note):
    """Pass if the logits are right, or follow from the student's own block."""
    run = model.run(sizes, (tokens,), state)
    right = model.right_beside(run, sizes, (tokens,)).value
    expect_follows(
        model.answers(run.value, right)[0],
        right,
        lambda steps: own_logits(steps, block, sizes, tokens, run.state),
        "the logits",
        note,
        BLOCK,
        block.submission,
        condition=100.0,
    )


@pytest.mark.check(
    "SimpleLanguageModel: a token does not change the logits before it",
    points=2,
    grades=["causal"],
    hints=(
        "Which tokens can the logits of position t depend on?",
        "The logits of position t depend only on the tokens up to t. So the model makes a "
        "causal mask itself.",
        "torch.ones(L, L).tril() is true where a token may look. Pass it to the block.",
    ),
)
def test_model_causality(model, rng):
    sizes = (9, 6, 2, 5, 8)
    state, tokens = model_state(rng, sizes), rng.integers(9, size=(2, 8))
    whole = model.output(sizes, (tokens,), state)
    for place in (1, 4, 7):
        changed = tokens.copy()
        changed[:, place:] = (changed[:, place:] + 1) % 9
        after = model.output(sizes, (changed,), state)
        where = f"the logits before the changed position {place}"
        expect_close(after[:, :place], whole[:, :place], where)
        if (np.abs(after[:, place] - whole[:, place]).max(-1) < LEAST_CHANGE).any():
            raise Mismatch(
                f"Another token at position {place} does not change the logits of that position.",
                mistake="sees-no-present",
            )


@pytest.mark.check(
    "SimpleLanguageModel: too many tokens are refused",
    points=1,
    grades=["too many tokens"],
    hints=(
        "For how many positions does the model have a vector?",
        "A sequence longer than max_seq_length raises ValueError. A sequence of max_seq_length "
        "tokens does not.",
        "First of all, compare tokens.size(1) with self.max_seq_length.",
    ),
)
def test_too_long(model, rng):
    sizes = (9, 4, 2, 5, 6)
    state = model_state(rng, sizes)
    model.run(sizes, (rng.integers(9, size=(1, 6)),), state)
    for length in (13, 7):
        tokens = rng.integers(9, size=(2, length))
        expect_error(
            lambda tokens=tokens: model.submission.forward(MODEL, sizes, (tokens,)).value,
            type="ValueError",
            name=f"{MODEL} with {length} tokens and 6 positions",
        )


@pytest.mark.check(
    "The gradient reaches every part",
    points=3,
    grades=["gradient"],
    hints=(
        "Which part of the model gets no gradient from the logits?",
        "The gradient goes back from the logits to a weight only through torch's own operations.",
        "Look for detach(), .data, torch.no_grad(), and new tensors from torch.tensor(…).",
    ),
)
def test_gradients(model, rng):
    sizes = (7, 4, 2, 5, 6)
    state, inputs = model_state(rng, sizes), (every_token(rng, 7, 2, 5),)
    toward = draw(rng, 2, 5, 7)
    run = model.run(sizes, inputs, state, toward=(toward,))
    right = model.right_beside(run, sizes, inputs, (toward,))
    expect_every_row_learns(run, right)
    total = model.total(sizes, inputs, state, toward)
    elsewhere = model.gradients_elsewhere(sizes, inputs, state, (toward,))
    expect_gradients(run, right, {}, total, elsewhere)


def expect_every_row_learns(run, right):
    """Pass if all rows of an embedding have a gradient. `padding_idx` would prevent this."""
    for name in ("token_embedding.weight", "position_embedding.weight"):
        wanted, found = right.gradients[name], np.asarray(run.gradients.get(name, ()), float)
        if found.shape != wanted.shape or not found.any():
            continue
        for row in np.flatnonzero(wanted.any(-1) & ~found.any(-1)):
            raise Mismatch(
                f"In this call, no gradient reaches row {row} of {name}. Possible causes are "
                f"padding_idx={row}, or that the model does not use this row here.",
                mistake="embedding-row-never-learns",
            )


@pytest.mark.check(
    "TransformerBlock: other sizes, unchanged arguments, independent calls",
    points=1,
    grades=["order", "no side effects"],
    hints=(
        "What differs between a first call in evaluation and a second call in training?",
        "Without dropout, training and evaluation give the same result. A value that forward "
        "stores in self is still there in the next call.",
        "Do not use nn.Dropout in the block or in its attention, and store nothing in forward.",
    ),
)
def test_block_other_sizes(block, rng, grading):
    block = block.of(block.submission.fresh())
    grading("order")
    state, x = block_state(rng, 10, 3), draw(rng, 1, 6, 10)
    longer = draw(rng, 5, 6, 10)
    # before values that another mistake makes wrong
    block.expect_no_dropout((10, 5, 3), (longer,), state, "order")
    block.compare((10, 5, 3), (x,), state, condition=100.0)
    grading("no side effects")
    expect_unchanged_tensors(block.run((10, 5, 3), (x,), state), (x,), ("x",))
    causal = causal_mask(6).astype(np.float32)
    others = ((draw(rng, 1, 6, 10), causal), (draw(rng, 2, 4, 10),))
    for inputs in ((x,), (x, causal.T)):
        expect_stateless(
            lambda inputs=inputs, **more: block.output((10, 5, 3), inputs, state, **more),
            others,
            "the results",
        )


@pytest.mark.check(
    "SimpleLanguageModel: other sizes, also in training, independent calls",
    points=2,
    grades=["no dropout", "no side effects"],
    hints=(
        "What differs between a first call in evaluation and a second call in training?",
        "Without dropout, training and evaluation give the same result. A value that forward "
        "stores in self is still there in the next call.",
        "Do not use nn.Dropout. Make the mask in forward, for the length of these tokens.",
    ),
)
def test_model_other_sizes(model, block, rng, note, grading):
    fresh = model.submission.fresh()
    model, block = model.of(fresh), block.of(fresh)
    sizes = (20, 12, 4, 10, 9)
    state, tokens = model_state(rng, sizes), rng.integers(20, size=(4, 9))
    # before values that another mistake makes wrong
    model.expect_no_dropout(sizes, (tokens,), state, "no dropout")
    compare_model(model, block, sizes, tokens, state, note)
    model.expect_to_follow(sizes, (tokens,), state)
    grading("no side effects")
    expect_unchanged_tensors(model.run(sizes, (tokens,), state), (tokens,), ("tokens",))
    others = ((rng.integers(20, size=(2, 3)),), (rng.integers(20, size=(1, 5)),), (tokens[::-1],))
    expect_stateless(
        lambda **more: model.output(sizes, (tokens,), state, **more), others, "the logits"
    )
