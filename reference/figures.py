"""What a student's figure shows, read back as numbers."""

from typing import Any

import numpy as np

from autograder.worker.codec import Axes, Figure, Image
from reference.attention import Array


def panels_in(figure: Figure) -> list[Axes]:
    """The axes with images, as one reads: from left to right, and then from top to bottom."""
    left_over = [axes for axes in figure.axes if axes.images]
    found: list[Axes] = []
    while left_over:
        _, _, _, top = max((axes.box for axes in left_over), key=lambda box: box[3])
        row = [axes for axes in left_over if axes.box[3] >= top - _height(axes) / 2]
        found += sorted(row, key=lambda axes: axes.box[0])
        left_over = [axes for axes in left_over if axes not in row]
    return found


def _height(axes: Axes) -> float:
    return axes.box[3] - axes.box[1]


def matrix_of(image: Image) -> Array:
    """The values of an image, row by row."""
    return np.array(image.values).reshape(image.rows, image.columns)


def panels_of(figure: Figure) -> list[Array]:
    """What each panel of a figure shows: its last image, which lies on the others."""
    return [matrix_of(axes.images[-1]) for axes in panels_in(figure)]


def panels_shown(value: Any) -> list[Array] | None:
    """The panels of a figure; None of what is none."""
    return panels_of(value) if isinstance(value, Figure) else None


def image_of(figure: Any) -> Array | None:
    """The only image of a figure, or its first."""
    panels = panels_of(figure) if isinstance(figure, Figure) else []
    return panels[0] if panels else None
