"""Functions that checks of figures share: for curves, images, cells, colours and labels."""

import itertools

import numpy as np

from autograder.author import Figure, Mismatch, expect_close, one_line
from reference.axis_labels import words
from reference.figures import curve_points, drawn_series, matrix_of, panels_in

NEAR = 1e-6


def expect_figure(value, function):
    if isinstance(value, Figure):
        return value
    what = "None." if value is None else "something else."
    raise Mismatch(
        f"{function} has to return the figure. It returned {what}",
        mistake="no-figure",
        code="nothing_returned" if value is None else "other_kind",
    )


def first_image(value, function):
    figure = expect_figure(value, function)
    panels = panels_in(figure)
    if not panels:
        raise Mismatch("The figure shows no image.", mistake="no-image")
    return figure, panels[0]


def shown(axes, what):
    """Return the values of the only image on the axes, which must show each value as a colour."""
    image = axes.images[-1]
    if len(axes.images) > 1:
        raise Mismatch(
            f"There are {len(axes.images)} images on the same axes ({what}), and one covers the "
            "other. Give each image its own axes.",
            mistake="images-over-one-another",
        )
    expect_matrix(image, what)
    if image.hidden:
        raise Mismatch(
            f"{image.hidden} of {len(image.values)} cells ({what}) cannot be seen whole. "
            f"{cut_by_limits(axes) or 'They are too small, or covered by something else.'}",
            mistake="cells-out-of-view",
        )
    expect_colours(image)
    return matrix_of(image)


def expect_matrix(image, what):
    """Pass if an image shows a matrix of values, not colours: only then its cells are known."""
    if not image.values:
        raise Mismatch(
            f"The image ({what}) is not a matrix of values. Pass the two-dimensional array itself "
            "to imshow.",
            mistake="no-matrix",
        )


def cut_by_limits(axes):
    """Return a sentence about the first axis whose limits cut off cells, or ""."""
    image = axes.images[-1]
    for name, limits, edges in (
        ("x", axes.limits[:2], image.x_edges),
        ("y", axes.limits[2:], image.y_edges),
    ):
        low, high, first, last = min(limits), max(limits), min(edges), max(edges)
        if low > first + NEAR or high < last - NEAR:
            return (
                f"The {name} axis goes from {low:.4g} to {high:.4g}, but the cells go from "
                f"{first:.4g} to {last:.4g}. So the limits of the axis cut cells off."
            )
    return ""


def expect_colours(image):
    values = np.array([value for value in image.values if np.isfinite(value)])
    different = len(np.unique(np.round(values, 6)))
    is_faint = image.shades > 1 and np.ptp(values) < 0.1  # nearly equal values may look equal
    if different > 1 and np.ptp(values) > 1e-9 and image.colours < 2 and not is_faint:
        raise Mismatch(
            "All cells have the same colour, so the colours do not show the values. Look at the "
            "colour map, and at the values where its colours begin and end (vmin, vmax).",
            mistake="one-colour",
        )
    if different > 2 and image.shades < 3:
        raise Mismatch(
            "The cells have only two colours, although there are more than two values. Look at "
            "the colour map, and at the values where its colours begin and end (vmin, vmax).",
            mistake="two-colours",
        )


def expect_curve(value, function, steps, what):
    """Return the heights of a figure's curve at `steps`, the x values in rising order."""
    points = curve_points(expect_figure(value, function))
    if points is None:
        said = "The figure shows no curve that `plot`, `step` or `scatter` has drawn."
        raise Mismatch(said, mistake="no-curve")
    x, y = points.T
    if len(x) == len(steps) and np.allclose(np.sort(y), steps) and not np.allclose(x, steps):
        said = f"The axes are exchanged: {what} are on the y axis."
        raise Mismatch(said, mistake="axes-exchanged")
    expect_close(x, steps, f"the x values of the curve (right are {what})")
    return y


def expect_two_curves(value, function, points, what):
    """Return the heights of the curves that have a point at each of 1, 2, … `points`.

    A figure needs at least two such curves.
    """
    places, drawn = np.arange(1, points + 1), drawn_series(expect_figure(value, function))
    right = [y for x, y in drawn if len(x) == points and np.allclose(x, places)]
    if len(right) < 2 <= sum(len(x) == points for x, _ in drawn):
        said = f"The curves are at other x values. The {what} should be at 1, 2, 3, …"
        raise Mismatch(said, mistake="x-not-from-1")
    if len(right) < 2:
        raise Mismatch(
            f"For {points} {what}, the figure has {len(right)} curves with a point at each of 1 "
            f"to {points}. There should be two, drawn with plot or scatter."
        )
    return right


def expect_labels(value, function, curves=1):
    """Pass if the axes with curves have labels, and the figure has a title.

    Two curves on the same axes need a legend. Two y axes may share the label of the x axis.
    """
    figure = expect_figure(value, function)
    used = [axes for axes in figure.axes if axes.series] or figure.axes
    legend = {text.strip() for axes in figure.axes for text in [*axes.legend, *figure.legend]}
    x_labels = [bool(axes.x_label.strip()) for axes in used]
    each = "each" if len(used) > 1 else "the"
    parts = {
        "a label of the x axis": any(x_labels) if curves > 1 else used and all(x_labels),
        f"a label of {each} y axis": used and all(axes.y_label.strip() for axes in used),
        "a title": figure.title.strip() or any(axes.title.strip() for axes in used),
        "a legend that names both curves": curves < 2 or len(used) != 1 or len(legend - {""}) > 1,
    }
    expect_parts(parts)


def expect_parts(parts):
    """Pass if a figure has all `parts`. This dict maps names to True or False."""
    lacking = [part for part, is_there in parts.items() if not is_there]
    if lacking:
        raise Mismatch(f"The figure lacks {' and '.join(lacking)}.", mistake="labels-missing")


def both_axes(axes):
    image = axes.images[-1]
    expect_matrix(image, "its cells")
    return (
        ("x", axes.x_ticks, axes.x_places, image.x_edges),
        ("y", axes.y_ticks, axes.y_places, image.y_edges),
    )


def ticks(labels, places, edges):
    """Return the labels in the order of the columns or rows."""
    ahead = edges[0] <= edges[-1] if edges else True
    found = {}
    for place, label in sorted(zip(places, labels, strict=False), reverse=not ahead):
        if label.strip():
            found.setdefault(round(place, 6), label.strip())
    return found


def at_each_cell(found, edges, tokens):
    """Return True if each cell has exactly one label, its token, between the edges of the cell."""
    return (
        list(found.values()) == tokens
        and len(edges) == len(tokens) + 1
        and all(
            min(pair) - NEAR <= place <= max(pair) + NEAR
            for place, pair in zip(found, itertools.pairwise(edges), strict=True)
        )
    )


def expect_tokens(axis, labels, places, edges, tokens):
    found = ticks(labels, places, edges)
    if at_each_cell(found, edges, tokens):
        return
    said = ", ".join(one_line(label, 20) for label in list(found.values())[:8]) or "none"
    if list(found.values()) == tokens:
        raise Mismatch(
            f"The tick labels of the {axis} axis are the tokens, but the ticks are not at the "
            "cells of the image.",
            mistake="ticks-beside-cells",
        )
    backwards = list(found.values()) == tokens[::-1]
    raise Mismatch(
        f"The {axis} axis shows the tick labels {said}; expected the tokens, one at "
        f"each cell: {', '.join(tokens)}.",
        mistake="ticks-backwards" if backwards else "ticks-are-not-tokens",
    )


def expect_image_labels(figure, axes, across, up):
    """Pass if a figure has a title, a colour bar and labels that distinguish its axes.

    `across` and `up` are dicts with one entry: the quantity along x or y, and words for this
    quantity.
    """
    x, y = axes.x_label.strip(), axes.y_label.strip()
    parts = {
        "a label of the x axis": x,
        "a label of the y axis": y,
        "a title": f"{figure.title}{axes.title}".strip(),
        "a colour bar": any(each.is_bar for each in figure.axes),
    }
    expect_parts(parts)
    ((column, columns),), ((row, rows),) = across.items(), up.items()
    if x == y:
        said = f"Both axes have the same label, so {row} and {column} cannot be told apart."
        raise Mismatch(said, mistake="same-axis-labels")
    along, high = set(words(x)), set(words(y))
    if along & rows - columns and high & columns and not (along & columns or high & rows):
        raise Mismatch(
            f"The labels are exchanged: x is labelled {one_line(x, 40)!r} and y "
            f"{one_line(y, 40)!r}, but the {column} are along x and the {row} along y.",
            mistake="axis-labels-exchanged",
        )
