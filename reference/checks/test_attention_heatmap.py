"""Checks of `attention_heatmap`: figures, graded by their images and texts."""

import itertools
import re

import numpy as np
import pytest

from autograder.author import (
    Mismatch,
    expect_close,
    expect_independent_calls,
    expect_unchanged_arguments,
    one_line,
    several,
)
from reference.axis_labels import are_a_pair, side_of
from reference.checks.pictures import (
    NEAR,
    at_each_cell,
    both_axes,
    expect_figure,
    expect_matrix,
    expect_tokens,
    first_image,
    shown,
    ticks,
)
from reference.figures import as_labelled, blank_as_zero, panels_in, tokens_for

TOKENS = ["the", "cat", "sat"]
REPEATED = ["the", "cat", "sat", "on", "the", "mat", "and", "the", "dog", "lay", "by", "it"]
ON_A_BORDER = 1e-3
LONGEST_NUMBER = 24


def weights_of(reference, rng, length):
    return reference.softmax(rng.normal(scale=1.5, size=(length, length)))


def draw(submission, weights, tokens, **title):
    value = submission.plot_attention(weights, tokens, **title)
    figure, axes = first_image(value, "plot_attention")
    return figure, as_labelled(axes, tokens)


@pytest.fixture
def example(submission, reference, rng):
    """Return weights of three tokens, their figure, and the axes with the image."""
    weights = weights_of(reference, rng, 3)
    return weights, *draw(submission, weights, TOKENS)


@pytest.mark.check(
    "plot_attention: an image of the weights, queries down, keys across",
    points=3,
    grades=["image"],
    hints=(
        "Which cell of your picture shows row 0 and column 1 of the weights?",
        "Cell (i, j) of the image should show entry [i][j] of the weights. Draw the weights "
        "unchanged: do not turn, scale or normalise them.",
        "Make new axes, and pass the unchanged weights to imshow of these axes.",
    ),
)
def test_image(submission, reference, rng):
    for weights, tokens in (
        (np.array([[0.9, 0.1], [0.4, 0.6]]), ["red", "car"]),
        (weights_of(reference, rng, 3), TOKENS),
    ):
        _, axes = draw(submission, weights, tokens)
        expect_close(shown(axes, "the weights"), weights, "the image")


@pytest.mark.check(
    "plot_attention: the tokens as tick labels of both axes",
    points=2,
    grades=["tick labels"],
    hints=(
        "Can a reader tell which row belongs to which token?",
        "Each row and each column should have a tick with its token, in the order of the tokens.",
        "Set ticks and labels in one call: ax.set_xticks(range(len(tokens)), tokens). Call "
        "set_yticks in the same way.",
    ),
)
def test_tick_labels(submission, reference, rng, example):
    _, _, axes = example
    for axis, labels, places, edges in both_axes(axes):
        expect_tokens(axis, labels, places, edges, TOKENS)
    _, axes = draw(submission, weights_of(reference, rng, len(REPEATED)), REPEATED)
    for axis, labels, places, edges in both_axes(axes):
        found = ticks(labels, places, edges)
        if at_each_cell(found, edges, REPEATED):
            continue
        several_times = sorted(found.values()) == sorted(set(REPEATED))
        raise Mismatch(
            f"Of the tokens {', '.join(REPEATED)}, “the” occurs three times. Each cell of the "
            f"{axis} axis needs its own label, even if its token is the same as another one."
            if several_times
            else f"The {axis} axis has {len(REPEATED)} tokens ({', '.join(REPEATED)}), and "
            f"{several(len(found), 'tick label')}. Each cell needs one label, its token.",
            mistake="repeated-tokens-merged" if several_times else "wrong-ticks-if-many",
        )


@pytest.mark.check(
    "plot_attention: labels that tell queries and keys apart",
    points=1,
    grades=["axis labels"],
    hints=(
        "From your picture alone, how can a reader tell which axis has the queries?",
        "The label of the y axis should name the queries (attending from). The label of the x "
        "axis should name the keys (attending to).",
        "Set both labels, with ax.set_xlabel and ax.set_ylabel.",
    ),
)
def test_axis_labels(example):
    _, _, axes = example
    x, y = axes.x_label.strip(), axes.y_label.strip()
    if not x or not y:
        raise Mismatch(
            f"The {'x' if not x else 'y'} axis has no label.",
            mistake="no-axis-label",
            separate=True,
        )
    if x == y:
        raise Mismatch(
            "Both axes have the same label, so a reader cannot tell queries and keys apart.",
            mistake="same-axis-labels",
            separate=True,
        )
    across, down = side_of(x), side_of(y)
    if (across == "query" and down != "query") or (down == "key" and across != "key"):
        says = "The labels are exchanged"
        if (across, down) != ("query", "key"):
            axis, side = ("x", "queries") if across == "query" else ("y", "keys")
            says = f"The label of the {axis} axis names the {side}"
        raise Mismatch(
            f"{says}: the y axis should have the queries (rows), and the x axis the keys "
            "(columns).",
            mistake="axis-labels-exchanged",
            separate=True,
        )
    if (across, down) not in {("key", "query"), ("key", None), (None, "query")} and not are_a_pair(
        x, y
    ):
        raise Mismatch(
            f"From the labels (x: {one_line(x, 40)}, y: {one_line(y, 40)}), a reader cannot tell "
            "which axis has the queries and which has the keys. You can choose the words.",
            mistake="axis-labels-say-neither",
            separate=True,
        )


@pytest.mark.check(
    "plot_attention: a colour bar",
    points=1,
    grades=["colour bar"],
    hints=(
        "How can a reader tell from the colour of a cell whether its weight is 0.5 or 0.9?",
        "The figure should have a colour bar. It shows which colour belongs to which weight.",
        "Store the result of imshow in a variable, and pass it to figure.colorbar.",
    ),
)
def test_colour_bar(example):
    _, figure, _ = example
    if not any(axes.is_bar for axes in figure.axes):
        raise Mismatch("The figure has no colour bar.", mistake="no-colour-bar", separate=True)


def number_in(text):
    """Return a weight as written, and half a unit of its last decimal.

    For a text that is no weight, return None.
    """
    if len(text) > LONGEST_NUMBER:
        return None
    plain = text.replace("$", "").replace("\\%", "%").replace("−", "-")  # also as mathematics
    found = re.fullmatch(r"([+-]?(?:\d+\.?|\d*\.\d+))\s?(%?)", plain.strip())
    if not found:
        return None
    decimals = len(found[1].partition(".")[2])
    value, unit = float(found[1]), 10.0**-decimals
    return (value / 100, unit / 100) if found[2] else (value, unit)


@pytest.mark.check(
    "plot_attention: the weight as a number in each cell",
    points=2,
    grades=["cell text"],
    hints=(
        "Which number does a reader see in the cell of row 0 and column 1?",
        "Write the weight of each cell into the cell, as a fraction or in percent.",
        "ax.text takes the column first (x) and then the row (y). Format the weight with two "
        "decimals.",
    ),
)
def test_cell_texts(example):
    weights, _, axes = example
    expect_matrix(axes.images[-1], "the weights")
    problems = []
    for lean in (-ON_A_BORDER, ON_A_BORDER):  # a number on a border may be in either cell
        try:
            expect_numbers_in_cells(axes, numbers_by_cell(axes, lean), weights)
            return
        except Mismatch as mismatch:
            problems.append(mismatch)
    raise problems[0]


def numbers_by_cell(axes, lean):
    image = axes.images[-1]
    written = {}
    texts, places = [*axes.texts, *axes.pale], [*axes.text_places, *axes.pale_places]
    for text, place in zip(texts, places, strict=False):
        cell = image.cell_at(place, lean)
        number = number_in(text)
        if number is not None and None not in cell:
            written.setdefault(cell, []).append(number)
    return written


def why_no_number(axes, cell):
    """Return a sentence on why no number can be read in a cell."""
    image = axes.images[-1]
    for text, place in zip(axes.pale, axes.pale_places, strict=False):
        if image.cell_at(place) == cell:
            return f"The colour of its text “{one_line(text, 20)}” hardly differs from the cell's."
    cells = [image.cell_at(place) for place in axes.text_places]
    inside = [text for text, each in zip(axes.texts, cells, strict=False) if each == cell]
    outside = sum(None in each for each in cells)
    if inside:
        return f"Its text is “{one_line(inside[0], 20)}”. It should be only a number."
    if outside:
        return f"{several(outside, 'text')} can be seen outside of all cells."
    if len(set(cells)) < len(cells):
        return "In another cell, there is more than one text."
    return (
        "A number must be inside its cell, large enough, and in a colour that clearly differs "
        "from the cell's."
        if cells
        else "No text can be seen in the image: a text must be inside its cell, large enough, and "
        "in a colour that clearly differs from the cell's."
    )


def expect_numbers_in_cells(axes, written, weights):
    cells = list(np.ndindex(*weights.shape))
    pale = {axes.images[-1].cell_at(place) for place in axes.pale_places}
    unread = [cell for cell in cells if cell not in written or cell in pale]
    mismatch = None
    try:
        expect_right_numbers(written, weights, [cell for cell in cells if cell in written])
    except Mismatch as other:
        mismatch = other
    if unread:
        i, j = unread[0]
        finding = (
            f"In {len(unread)} of {len(cells)} cells, no number can be read. The first of these "
            f"cells is [{i}][{j}]. {why_no_number(axes, unread[0])}"
        )
        names = ("cells-without-numbers", *([mismatch.mistake] if mismatch else []))
        more = [mismatch.finding] if mismatch else []
        raise Mismatch(" ".join([*more, finding]), mistake=names)
    if mismatch:
        raise mismatch


def expect_right_numbers(written, weights, cells):
    """Pass if each of these cells has the number of its weight, in any colour."""
    if all(matches(written[i, j], weights[i, j]) for i, j in cells):
        return
    if all(matches(written[i, j], weights[j, i]) for i, j in cells):
        raise Mismatch(
            "Each cell shows the number of the cell across the diagonal. Rows and columns of the "
            "numbers are exchanged.",
            mistake="numbers-transposed",
        )
    i, j = next((i, j) for i, j in cells if not matches(written[i, j], weights[i, j]))
    if all(unit == 1.0 for numbers in written.values() for _, unit in numbers):
        hundredths = all(abs(written[cell][0][0] - 100 * weights[cell]) <= 0.51 for cell in cells)
        kind = "percentages without the sign %" if hundredths else "whole numbers"
        raise Mismatch(
            f"All numbers in the cells are {kind}. The weight of cell [{i}][{j}] is "
            f"{weights[i, j]:.3f}. Show at least one decimal, or a percentage.",
            mistake="whole-numbers",
        )
    said = " and ".join(f"{value:g}" for value, _ in written[i, j][:3])
    raise Mismatch(
        f"Cell [{i}][{j}] says {said}. Its weight is {weights[i, j]:.3f}.",
        mistake="other-numbers",
    )


def matches(numbers, weight):
    return all(unit <= 0.1 and abs(value - weight) <= 0.51 * unit + 1e-9 for value, unit in numbers)


@pytest.mark.check(
    "plot_attention: the title, if there is one",
    points=1,
    grades=["title"],
    hints=(
        "Where does your code use the parameter `title`?",
        "Show the given title above the picture. If no title is given, show none.",
        "Set the title only if it is not None.",
    ),
)
def test_title(submission, reference, rng):
    weights = weights_of(reference, rng, 3)
    figure, axes = draw(submission, weights, TOKENS, title="Layer 3, head 1")
    if "Layer 3, head 1" not in f"{figure.title} {axes.title}":
        said = one_line(f"{figure.title} {axes.title}".strip(), 40)
        other = f"title is “{said}” instead of" if said else "figure has no title. It should have"
        raise Mismatch(f"The {other} the given title.", mistake="title-missing", separate=True)
    figure, axes = draw(submission, weights, TOKENS)
    said = f"{figure.title} {axes.title}".strip()
    if said:
        raise Mismatch(
            "The argument title is missing in this call, but the figure has the title "
            f"“{one_line(said, 40)}”. It should have no title.",
            mistake="title-none" if "None" in said else "title-always",
            separate=True,
        )


@pytest.mark.check(
    "plot_mask_effect: mask, weights without it, weights with it",
    points=3,
    grades=["mask effect"],
    hints=(
        "What does each of the three pictures show, from left to right?",
        "The first picture should show the mask. The second should show the softmax of the "
        "scores. For the third, make the blocked scores very low, and then take the softmax. Do "
        "not scale the scores again.",
        "Print the three matrices before you draw them from left to right.",
    ),
)
def test_mask_effect(submission, reference, rng):
    causal, other = reference.causal_mask(3), np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]])
    for mask in (causal, other):
        scores = rng.normal(size=mask.shape)
        value = submission.plot_mask_effect(scores, mask)
        figure = expect_figure(value, "plot_mask_effect")
        panels = panels_in(figure)
        if len(panels) != 3:
            raise Mismatch(
                f"{several(len(panels), 'image')} can be seen in the figure. There should be "
                "three.",
                mistake="number-of-images",
            )
        if not are_side_by_side(panels):
            raise Mismatch(
                "The three images are not side by side, from left to right in one row.",
                mistake="not-side-by-side",
            )
        right = (mask, reference.softmax(scores), reference.masked_weights(scores, mask))
        names = ("the mask (first image)", "the weights without the mask (second image)",
                 "the weights with the mask (third image)")  # fmt: skip
        for name, axes, expected in zip(names, panels, right, strict=True):
            values = blank_as_zero(shown(axes, name), expected)
            expect_close(values, expected, name, condition=10.0)


def are_side_by_side(panels):
    """Return True if the panels are in one row, from left to right."""
    boxes = [axes.box for axes in panels]
    return all(
        left[2] <= right[0] + NEAR and max(left[1], right[1]) < min(left[3], right[3])
        for left, right in itertools.pairwise(boxes)
    )


@pytest.mark.check(
    "Other sizes, and unchanged arguments",
    points=1,
    grades=["figures", "no side effects"],
    hints=(
        "Which figures and arrays does your function use that it has not made itself?",
        "plt.imshow and plt.gca() can draw on the axes of an earlier call. `weights[...] = …` "
        "changes the caller's own array.",
        "Begin each function with plt.subplots(…), and draw only on the axes that it returns.",
    ),
)
def test_other_sizes(submission, reference, rng, grading):
    grading("figures")
    weights = weights_of(reference, rng, 5)
    tokens = tokens_for(5)
    _, axes = draw(submission, weights, tokens)
    expect_close(shown(axes, "the weights"), weights, "the image")
    grading("no side effects")
    scores, mask = rng.normal(size=(4, 4)), reference.causal_mask(4)
    calls = [
        (name, lambda s, name=name, each=each: expect_unchanged_arguments(getattr(s, name), *each))
        for name, each in (
            ("plot_attention", (["weights", "tokens"], weights, tokens)),
            ("plot_mask_effect", (["scores", "mask"], scores, mask)),
        )
    ]
    between = [  # figures that stay open, as in a script
        lambda s: s.plot_attention.kept(weights[:2, :2], tokens[:2], title="another"),
        lambda s: s.plot_mask_effect.kept(scores[:3, :3] + 1, mask[:3, :3]),
    ]
    expect_independent_calls(submission.fresh(), calls, between)
