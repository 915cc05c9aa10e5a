"""Checks of `attention_heatmap`: figures, graded on what is drawn and written in them."""

import re

import numpy as np
import pytest

from autograder.judge.expect import Mismatch, expect_close, expect_unchanged
from autograder.judge.purity import expect_no_trace
from autograder.text import one_line
from autograder.worker.codec import Figure
from reference.figures import image_of, panels_of

TOKENS = ["the", "cat", "sat"]
REPEATED = ["the", "cat", "the", "mat"]


def weights_of(reference, rng, length):
    return reference.softmax(rng.normal(scale=1.5, size=(length, length)))


def expect_figure(value, function):
    if isinstance(value, Figure):
        return value
    what = "None; is a `return` missing?" if value is None else "something else."
    raise Mismatch(f"{function} has to return the figure. It returned {what}", mistake="no-figure")


def draw(submission, weights, tokens, **title):
    figure = expect_figure(submission.plot_attention(weights, tokens, **title), "plot_attention")
    drawn = [axes for axes in figure.axes if axes.images and not axes.is_bar]
    if not drawn:
        raise Mismatch("There is no image in the figure.", mistake="no-image")
    expect_colours(drawn[0].images[0])
    return figure, drawn[0]


def expect_colours(image):
    values = np.array(image.values)
    if np.ptp(values) > 1e-9 and np.ptp(np.clip(values, image.low, image.high)) < 1e-9:
        raise Mismatch(
            "All cells have the same colour: the colours begin or end (vmin, vmax) beyond the "
            "values.",
            mistake="one-colour",
        )


@pytest.fixture
def example(submission, reference, rng):
    """Weights of three tokens, the figure of them, and the axes that hold the image."""
    weights = weights_of(reference, rng, 3)
    return weights, *draw(submission, weights, TOKENS)


@pytest.mark.check(
    "plot_attention: an image of the weights, queries down, keys across",
    points=3,
    hints=(
        "Which row of the matrix is the top row of your picture?",
        "Row i of the weights is row i of the image, and column j is column j: nothing is turned, "
        "scaled or normalised.",
        "Hand the weights to imshow as they are.",
    ),
)
def test_image(submission, reference, rng):
    for weights, tokens in (
        (np.array([[0.9, 0.1], [0.4, 0.6]]), ["red", "car"]),
        (weights_of(reference, rng, 3), TOKENS),
    ):
        figure, _ = draw(submission, weights, tokens)
        expect_close(image_of(figure), weights, "the image")


def ticks(labels, places):
    """Label by place, of the ticks that have one."""
    return {
        round(place, 6): label.strip()
        for label, place in zip(labels, places, strict=False)
        if label.strip()
    }


def at_each_cell(found, tokens):
    """Whether each cell has its token; cells of an image lie around 0, 1, 2, of a mesh between."""
    return any(
        [found.get(i + offset) for i in range(len(tokens))] == tokens for offset in (0.0, 0.5)
    )


def expect_tokens(axis, labels, places, tokens):
    found = ticks(labels, places)
    if at_each_cell(found, tokens):
        return
    said = ", ".join(one_line(label, 20) for label in list(found.values())[:8]) or "none"
    backwards = list(found.values()) == tokens[::-1]
    raise Mismatch(
        f"The tick labels of the {axis} axis are {said}; expected the tokens, one at each cell: "
        f"{', '.join(tokens)}.",
        mistake="ticks-backwards" if backwards else "ticks-are-not-tokens",
    )


@pytest.mark.check(
    "plot_attention: the tokens as tick labels of both axes",
    points=2,
    hints=(
        "Can a reader tell which row is which word?",
        "Each row and each column has a tick with its token, in the order of the tokens.",
        "Give the ticks and their labels together: ax.set_xticks(range(len(tokens)), tokens), and "
        "the same for y.",
    ),
)
def test_tick_labels(submission, reference, rng, example):
    _, _, axes = example
    expect_tokens("x", axes.x_ticks, axes.x_places, TOKENS)
    expect_tokens("y", axes.y_ticks, axes.y_places, TOKENS)
    _, axes = draw(submission, weights_of(reference, rng, len(REPEATED)), REPEATED)
    for axis, labels, places in (
        ("x", axes.x_ticks, axes.x_places),
        ("y", axes.y_ticks, axes.y_places),
    ):
        if not at_each_cell(ticks(labels, places), REPEATED):
            raise Mismatch(
                f"Of the tokens {', '.join(REPEATED)}, “the” occurs twice. Each cell of the {axis} "
                f"axis needs its own label, also where the token is the same as another one.",
                mistake="repeated-tokens-merged",
            )


def says_query(label):
    return re.search(r"quer|\bfrom\b", label.lower()) is not None


def says_key(label):
    return re.search(r"\bkeys?\b|\bto\b|attended", label.lower()) is not None


@pytest.mark.check(
    "plot_attention: labels that tell queries and keys apart",
    points=1,
    hints=(
        "Someone sees only your picture: how do they know which axis looks at which?",
        "The y axis names the queries (attending from), the x axis the keys (attending to).",
        "Set both labels, with ax.set_xlabel and ax.set_ylabel.",
    ),
)
def test_axis_labels(example):
    _, _, axes = example
    x, y = axes.x_label.strip(), axes.y_label.strip()
    if not x or not y:
        raise Mismatch(f"The {'x' if not x else 'y'} axis has no label.", mistake="no-axis-label")
    if x == y:
        raise Mismatch(
            "Both axes have the same label, so queries and keys cannot be told apart.",
            mistake="same-axis-labels",
        )
    if says_query(x) and says_key(y) and not says_key(x) and not says_query(y):
        raise Mismatch(
            "The labels are exchanged: the rows are queries (y axis), the columns keys (x axis).",
            mistake="axis-labels-exchanged",
        )


@pytest.mark.check(
    "plot_attention: a colour bar",
    points=1,
    hints=(
        "What does a dark cell mean: 0.5, or 0.9?",
        "A colour bar says which colour stands for which weight.",
        "Keep what imshow returns, and hand it to figure.colorbar.",
    ),
)
def test_colour_bar(example):
    _, figure, _ = example
    if not any(axes.is_bar for axes in figure.axes):
        raise Mismatch("The figure has no colour bar.", mistake="no-colour-bar")


def number_in(text):
    """A weight as it is written, and half of its last place; None if it is not a number."""
    found = re.fullmatch(r"([+-]?\d*\.?\d+)\s*(%?)", text.strip().replace("−", "-"))
    if not found:
        return None
    decimals = len(found[1].partition(".")[2])
    value, unit = float(found[1]), 10.0**-decimals
    return (value / 100, unit / 100) if found[2] else (value, unit)


@pytest.mark.check(
    "plot_attention: each cell says its weight",
    points=2,
    hints=(
        "In which cell stands the number for row 0 and column 1?",
        "Every cell has its own weight written in it, as a fraction or in percent.",
        "ax.text takes the column first (x) and then the row (y); format the weight with two "
        "decimals.",
    ),
)
def test_cell_texts(example):
    weights, _, axes = example
    written = {}
    for text, (x, y) in zip(axes.texts, axes.text_places, strict=False):
        if number_in(text) is not None and np.isfinite([x, y]).all():
            written[round(y - 0.01), round(x - 0.01)] = number_in(text)
    cells = [(i, j) for i in range(3) for j in range(3)]
    absent = [cell for cell in cells if cell not in written]
    if absent:
        i, j = absent[0]
        raise Mismatch(
            f"{len(absent)} of 9 cells have no number in them; the first is [{i}][{j}].",
            mistake="cells-without-numbers",
        )
    if all(matches(written[i, j], weights[j, i]) for i, j in cells):
        raise Mismatch(
            "The number in each cell is that of the cell across the diagonal: rows and columns "
            "have changed places in the texts.",
            mistake="numbers-transposed",
        )
    for i, j in cells:
        if not matches(written[i, j], weights[i, j]):
            raise Mismatch(
                f"Cell [{i}][{j}] says {written[i, j][0]:g}; its weight is {weights[i, j]:.4f}.",
                mistake="other-numbers",
            )


def matches(written, weight):
    value, unit = written
    return unit <= 0.1 and abs(value - weight) <= 0.51 * unit + 1e-9


@pytest.mark.check(
    "plot_attention: the title, if there is one",
    points=1,
    hints=(
        "What becomes of the parameter `title` in your code?",
        "A title that is given stands above the picture; without one there is none.",
        "Set the title only if it is not None.",
    ),
)
def test_title(submission, reference, rng):
    weights = weights_of(reference, rng, 3)
    figure, axes = draw(submission, weights, TOKENS, title="Layer 3, head 1")
    if "Layer 3, head 1" not in f"{figure.title} {axes.title}":
        raise Mismatch("The title that is given is not in the figure.", mistake="title-missing")
    figure, axes = draw(submission, weights, TOKENS)
    if "None" in f"{figure.title} {axes.title}":
        raise Mismatch("Without a title, the figure is titled “None”.", mistake="title-none")


@pytest.mark.check(
    "plot_mask_effect: mask, weights without it, weights with it",
    points=3,
    hints=(
        "What are the three pictures, and in which order do they stand?",
        "The mask; then the softmax of the scores; then the softmax of the scores in which blocked "
        "entries are very low. The scores are scaled already.",
        "Make the three matrices first and print them; then draw them from left to right.",
    ),
)
def test_mask_effect(submission, reference, rng):
    causal, other = np.tril(np.ones((3, 3), bool)), np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]])
    for mask in (causal, other):
        scores = rng.normal(size=mask.shape)
        value = submission.plot_mask_effect(scores, mask)
        figure = expect_figure(value, "plot_mask_effect")
        found = panels_of(figure)
        for axes in figure.axes:
            for image in axes.images:
                expect_colours(image)
        if len(found) != 3:
            raise Mismatch(
                f"There are {len(found)} images in the figure; expected three.",
                mistake="number-of-images",
            )
        right = (mask, reference.softmax(scores), reference.masked_weights(scores, mask))
        names = ("the mask (first image)", "the weights without the mask (second image)",
                 "the weights with the mask (third image)")  # fmt: skip
        for name, mine, expected in zip(names, found, right, strict=True):
            expect_close(mine, expected, name, condition=10.0)


@pytest.mark.hidden
@pytest.mark.check("Other sizes, and arguments that stay as they are", points=1)
def test_other_sizes(submission, reference, rng):
    weights = weights_of(reference, rng, 5)
    tokens = [f"w{i}" for i in range(5)]
    figure, _ = draw(submission, weights, tokens)
    expect_close(image_of(figure), weights, "the image")
    _, (after, *_) = submission.plot_attention.with_arguments(weights, tokens)
    expect_unchanged(weights, after, "weights")
    scores, mask = rng.normal(size=(4, 4)), reference.causal_mask(4)
    _, after = submission.plot_mask_effect.with_arguments(scores, mask)
    expect_unchanged(scores, after[0], "scores")
    expect_unchanged(mask, after[1], "mask")
    calls = [
        ("plot_attention", lambda s: s.plot_attention(weights, tokens)),
        ("plot_mask_effect", lambda s: s.plot_mask_effect(scores, mask)),
    ]
    between = [  # figures that stay open, as in a script
        lambda s: s.plot_attention.kept(weights[:2, :2], tokens[:2], title="another"),
        lambda s: s.plot_mask_effect.kept(scores[:3, :3] + 1, mask[:3, :3]),
    ]
    expect_no_trace(submission.fresh(), calls, between)
