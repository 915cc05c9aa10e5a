"""Parts that checks of images share: the figure, its cells and their colours."""

import numpy as np

from autograder.author import Figure, Mismatch
from reference.figures import matrix_of, panels_in


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
