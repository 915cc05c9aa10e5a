"""Checks of `cross_attention`: one head between two texts, a layer of a decoder, and a figure."""

import numpy as np
import pytest

from autograder.author import expect_close, expect_results
from reference.axis_labels import words
from reference.checks.calls import expect_calls_follow, expect_no_side_effects
from reference.checks.earlier import expect_different_numbers, is_right
from reference.checks.pictures import (
    both_axes,
    expect_image_labels,
    expect_tokens,
    first_image,
    shown,
)
from reference.decoders import cross_attention, decoder_layer, first_sum
from reference.figures import as_labelled
from reference.matrices import head, layer

SOURCE = frozenset(words("source src memory encoder encoded key keys input"))
TARGET = frozenset(words("target tgt decoder decoded query queries output"))
MATRICES = "W_q W_k W_v W_o"
LARGE = 50.0  # numbers of padding tokens
X, MEMORY = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 1.0], [1.0, 2.0], [9.0, 9.0]])
BY_HAND = tuple(np.array(each) for each in ([[1.0], [1.0]], [[1.0], [0.0]], [[0.0], [1.0]]))
CROSS = (*BY_HAND, np.array([[1.0, -1.0]]))
SELF = (np.zeros((2, 2)), np.eye(2), np.eye(2), np.eye(2))
IS_REAL = np.array([True, True, False])


def expect_cross(submission, *cases):
    for case in cases:
        answer = submission.cross_attention(*case)
        output, weights = expect_results(answer, ("output", "weights"), "cross_attention")
        expected, right = cross_attention(*case)
        expect_close(weights, right, "the weights", condition=20.0)
        expect_close(output, expected, "the output", condition=20.0)


@pytest.mark.check(
    "cross_attention: the target asks, the memory answers",
    points=4,
    grades=["queries, keys and values", "whole memory"],
)
def test_cross(submission, rng):
    """In the example by hand, which of W_q, W_k and W_v multiplies x?
    Queries come from x. Keys and values come from the memory, and every query sees all of them.
    Print the shapes: the weights have a row for each row of x, and a column for each row of memory.
    """
    square = head(rng, lengths=(3, 3), widths=(2, 2), inside=(2, 2))
    wide = head(rng, lengths=(3, 5), widths=(4, 6))
    expect_cross(submission, (X, MEMORY[:2], *CROSS), square, wide)


def padded(rng, is_real, *batch, **sizes):
    x, memory, *rest = head(rng, *batch, **sizes)
    memory[~is_real] *= LARGE
    return x, memory, *rest, is_real


def masks(rng, *shape):
    """Return a random mask with at least one real token and one padding token in each text."""
    mask = rng.random(shape) < 0.6
    mask[..., 0], mask[..., -1] = True, False
    return rng.permuted(mask, axis=-1)


@pytest.mark.check(
    "cross_attention: padding gets no weight", points=3, grades=["padding"], needs=["test_cross"]
)
def test_padding(submission, rng):
    """If you remove the padding from the memory, which of your numbers change?
    In each row, padding must get the weight 0, and the other weights must sum to 1.
    Apply the mask before the softmax. The mask needs an axis for the queries.
    """
    first = np.array([[False, True, True, False], [True, True, True, False]])
    as_many = masks(rng, 3, 4)  # as many texts as target tokens
    cases = (
        (X, MEMORY, *CROSS, IS_REAL),
        (X, MEMORY, *CROSS, IS_REAL[::-1].astype(int)),
        padded(rng, first, 2, lengths=(3, 4), widths=(3, 2)),
        padded(rng, as_many, 3, lengths=(3, 4), widths=(2, 5)),
    )
    expect_cross(submission, *cases)


def expect_layer(submission, note, *cases):
    """Pass if the result is right, or follows from the student's own cross_attention."""

    def from_own(steps, x, memory, inside, *rest):
        y = first_sum(x, inside)
        cross, *mask = rest
        ask = lambda own, asked: own.cross_attention(asked, memory, *cross, *mask)[0]
        return y + steps.ask(ask, y)

    functions = submission.decoder_layer, decoder_layer, from_own
    for case in cases:
        expect_calls_follow(
            functions, [case], "the result", "cross_attention", submission, note, condition=50.0
        )


@pytest.mark.check("decoder_layer: two sums", points=2, grades=["two sums"])
def test_two_sums(submission, note, rng):
    """Which two sums does decoder_layer compute?
    First compute y = x + self(x). Then add the cross-attention of y to y.
    Name the results of the two steps y and z, and look at each use of y and z.
    """
    one = X[:1], MEMORY[:2], SELF, CROSS
    expect_layer(submission, note, one, layer(rng, lengths=(1, 3)), layer(rng, lengths=(1, 1)))


@pytest.mark.check("decoder_layer: earlier tokens only", points=2, grades=["earlier tokens"])
def test_earlier_tokens(submission, note, rng):
    """In the self-attention, which tokens can the first target token see?
    Self-attention shows a token only itself and earlier ones. Cross-attention is not causal.
    Make the causal mask from the length of x. Only the self-attention uses it.
    """
    both = X, MEMORY[:2], SELF, CROSS
    alike = layer(rng, lengths=(4, 4), widths=(3, 3))
    expect_layer(submission, note, both, alike, layer(rng, lengths=(3, 5)))


@pytest.mark.check(
    "decoder_layer: the mask of the memory", grades=["padding"], needs=["test_two_sums"]
)
def test_layer_padding(submission, note, rng):
    """In decoder_layer, which of the two attentions uses memory_mask?
    memory_mask belongs to the memory, so only cross-attention should use it.
    Look at the arguments of your call of cross_attention.
    """
    half = np.array([True, False, True, False])
    batch = layer(rng, 2, lengths=(3, 4), mask=np.array([half, ~half]))
    expect_layer(submission, note, layer(rng, lengths=(4, 4), widths=(3, 3), mask=half), batch)


def weights_of(rng, *sizes):
    drawn = rng.random(sizes) + 0.01
    return drawn / drawn.sum(axis=-1, keepdims=True)


def draw(submission, weights, source, target):
    """Return the figure, and the axes with the image in the order of the tokens."""
    figure, axes = first_image(submission.plot_alignment(weights, source, target), "plot_alignment")
    return figure, as_labelled(axes, target, source)


@pytest.mark.check("plot_alignment: an image of the weights", points=2, grades=["picture"])
def test_picture(submission, rng):
    """Which cell of your picture shows row 0 and column 1 of the weights?
    Each row is a target token, and each column a source token. The values stay unchanged.
    Make new axes, and pass `weights` unchanged to the imshow of these axes.
    """
    small = np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]]), ["das", "rote", "Haus"], ["red", "house"]
    for weights, source, target in (small, (weights_of(rng, 3, 2), ["a", "b"], ["c", "d", "e"])):
        _, axes = draw(submission, weights, source, target)
        expect_close(shown(axes, "the weights"), weights, "the image")


@pytest.mark.check("plot_alignment: the tokens as tick labels", grades=["tokens"])
def test_tokens(submission, rng):
    """Does every row of your picture show its token, even if a token occurs twice?
    Each row needs a tick with its target token, and each column a tick with its source token.
    Set places and labels in one call, such as axes.set_xticks(range(len(source)), source).
    """
    source, target = ["the", "cat", "the", "mat"], ["le", "chat", "le"]
    _, axes = draw(submission, weights_of(rng, 3, 4), source, target)
    for (axis, *ticks), tokens in zip(both_axes(axes), (source, target), strict=True):
        expect_tokens(axis, *ticks, tokens)


@pytest.mark.check("plot_alignment: both axis labels, a title and a colour bar", grades=["labels"])
def test_labels(submission, rng):
    """Without your code, what does a reader need to understand your picture?
    The x axis needs a label for the source, and the y axis one for the target. The figure also
        needs a title and a colour bar.
    Use the methods set_xlabel, set_ylabel and set_title of the axes, and colorbar of the figure.
    """
    figure, axes = draw(submission, weights_of(rng, 2, 3), ["a", "b", "c"], ["d", "e"])
    expect_image_labels(figure, axes, {"source tokens": SOURCE}, {"target tokens": TARGET})


@pytest.mark.check(
    "Other sizes, and arguments that stay as they are",
    points=2,
    grades=["sizes", "no side effects"],
)
def test_others(submission, note, rng, grading):
    """Which lines change an argument or work only for one number of axes?
    Any number of batch axes may be in front of the last two. `memory[...] = …` and `x += …` change
        the caller's own arrays.
    Count axes from the end (-1 and -2), and make new arrays. Begin the figure with plt.subplots().
    """
    grading("sizes")
    deep = padded(rng, masks(rng, 2, 3, 5), 2, 3, lengths=(4, 5), widths=(3, 2))
    alone = padded(rng, masks(rng, 1, 4), 1, lengths=(1, 4), widths=(1, 3), inside=(1, 1))
    simple = (X, MEMORY[:2], *CROSS), (X, MEMORY, *CROSS, IS_REAL)
    if is_right(submission, lambda s: expect_cross(s, *simple)):
        expect_cross(submission, deep, alone, head(rng, 2, 2, lengths=(2, 1), widths=(2, 2)))
    else:
        answer = submission.cross_attention(*deep)
        output, _ = expect_results(answer, ("output", "weights"), "cross_attention")
        expect_different_numbers(output, "the output")
    many = layer(rng, 2, 3, lengths=(4, 6), mask=masks(rng, 2, 3, 6))
    if is_right(submission, lambda s: expect_layer(s, note, (X, MEMORY, SELF, CROSS, IS_REAL))):
        expect_layer(submission, note, many)
    grading("no side effects")
    drawing = weights_of(rng, 2, 2), ["a", "b"], ["c", "d"]
    other = weights_of(rng, 1, 3), ["e", "f", "g"], ["h"]
    calls = {
        "cross_attention": (f"x memory {MATRICES} memory_mask", deep),
        "decoder_layer": (f"x memory {MATRICES} {MATRICES} memory_mask", many),
        "plot_alignment": ("weights source target", drawing),
    }
    between = [
        ("cross_attention", *deep[:6]),
        ("decoder_layer", *many[:4]),
        ("plot_alignment", *other),
    ]
    expect_no_side_effects(submission, calls, between)
