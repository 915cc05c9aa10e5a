"""What a student's figure shows, read back as numbers."""

from typing import Any

import numpy as np

from autograder.worker.codec import Figure
from reference.attention import Array


def panels_of(figure: Figure) -> list[Array]:
    """The images of a figure, in the order in which they were made; colour bars are none."""
    return [
        np.array(image.values).reshape(image.rows, image.columns)
        for axes in figure.axes
        if not axes.is_bar
        for image in axes.images[:1]
    ]


def image_of(figure: Any) -> Array | None:
    """The only image of a figure, or its first."""
    panels = panels_of(figure) if isinstance(figure, Figure) else []
    return panels[0] if panels else None
