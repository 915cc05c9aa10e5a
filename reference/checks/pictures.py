"""Parts that checks of images share: the figure, its cells and their colours."""

import numpy as np

from autograder.author import Figure, Mismatch, expect_close
from reference.figures import curve_points, matrix_of, panels_in


def expect_figure(value, function):
    """Return a student's figure, if it is one."""
    if isinstance(value, Figure):
        return value
    what = "None." if value is None else "something else."
    raise Mismatch(
        f"{function} has to return the figure. It returned {what}",
        mistake="no-figure",
        code="nothing_returned" if value is None else "other_kind",
    )


def first_image(value, function):
    """Return a student's figure, and the axes with its first image."""
    figure = expect_figure(value, function)
    panels = panels_in(figure)
    if not panels:
        raise Mismatch("The figure shows no image.", mistake="no-image")
    return figure, panels[0]


def shown(axes, what):
    """Return the values of the only image on axes, if all its cells can be distinguished."""
    image = axes.images[-1]
    if len(axes.images) > 1:
        raise Mismatch(
            f"There are {len(axes.images)} images on the same axes ({what}), and one covers the "
            "other. Give each image its own axes.",
            mistake="images-over-one-another",
        )
    if not image.values:
        raise Mismatch(
            f"The image ({what}) is not a matrix of values. Pass the two-dimensional array itself "
            "to imshow.",
            mistake="no-matrix",
        )
    if image.hidden:
        raise Mismatch(
            f"{image.hidden} of {len(image.values)} cells ({what}) cannot be seen. They are "
            "outside the limits of the axes, too small, or covered by something else.",
            mistake="cells-out-of-view",
        )
    expect_colours(image)
    return matrix_of(image)


def expect_colours(image):
    """Pass if the colours of an image tell its values apart."""
    values = np.array([value for value in image.values if np.isfinite(value)])
    different = len(np.unique(np.round(values, 6)))
    if different > 1 and np.ptp(values) > 1e-9 and image.colours < 2:
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
    """Return the heights of a figure's curve at `steps`, its x values by rising size."""
    points = curve_points(expect_figure(value, function))
    if points is None:
        said = "The figure shows no curve that `plot`, `step` or `scatter` has drawn."
        raise Mismatch(said, mistake="no-curve")
    x, y = points.T
    if len(x) == len(steps) and np.allclose(np.sort(y), steps) and not np.allclose(x, steps):
        said = f"The axes are exchanged: {what} are on the y axis."
        raise Mismatch(said, mistake="axes-exchanged")
    expect_close(x, steps, f"the x values of the curve, which should be {what}")
    return y


def expect_labels(value, function):
    """Pass if the axes with a curve have both labels, and the figure has a title."""
    figure = expect_figure(value, function)
    used = [axes for axes in figure.axes if axes.series] or figure.axes
    parts = {
        "a label of the x axis": used and all(axes.x_label.strip() for axes in used),
        "a label of the y axis": used and all(axes.y_label.strip() for axes in used),
        "a title": figure.title.strip() or any(axes.title.strip() for axes in used),
    }
    lacking = [part for part, is_there in parts.items() if not is_there]
    if lacking:
        raise Mismatch(f"The figure lacks {' and '.join(lacking)}.", mistake="labels-missing")
