"""Functions that read numbers from students' figures."""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from autograder.author import Axes, Figure, Image
from reference.attention import Array


def panels_in(figure: Figure) -> list[Axes]:
    """Return the axes with images, from left to right, then from top to bottom."""
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
    return np.array(image.values).reshape(image.rows, image.columns)


def as_labelled(axes: Axes, tokens: Sequence[str], across: Sequence[str] | None = None) -> Axes:
    """Return the axes with the image in the order of the tokens, if the labels are tokens.

    `tokens` name the rows. `across` names the columns. By default, both have the same names.
    """
    image = axes.images[-1]
    down = _step(axes.y_ticks, axes.y_places, image.y_edges, tokens)
    right = _step(axes.x_ticks, axes.x_places, image.x_edges, across or tokens)
    read = msgspec.structs.replace(
        image,
        values=matrix_of(image)[::down, ::right].ravel().tolist(),
        y_edges=image.y_edges[::down],
        x_edges=image.x_edges[::right],
    )
    return msgspec.structs.replace(axes, images=[*axes.images[:-1], read])


def _step(
    labels: Sequence[str], places: Sequence[float], edges: Sequence[float], tokens: Sequence[str]
) -> int:
    falling = bool(edges) and edges[0] > edges[-1]
    in_order = sorted(zip(places, labels, strict=False), reverse=falling)
    named = [label.strip() for _, label in in_order if label.strip()]
    return -1 if named != list(tokens) and named[::-1] == list(tokens) else 1


def blank_as_zero(shown: Array, expected: Array) -> Array:
    """Return the values of an image. Blank cells become 0 if 0 is expected."""
    if shown.shape != expected.shape:
        return shown
    return np.where(np.isnan(shown) & (np.asarray(expected) == 0), 0.0, shown)


def panels_of(figure: Figure) -> list[Array]:
    """Return the values of the top image in each panel of a figure."""
    return [matrix_of(axes.images[-1]) for axes in panels_in(figure)]


def panels_shown(value: Any) -> list[Array] | None:
    return panels_of(value) if isinstance(value, Figure) else None


def tokens_for(length: int) -> list[str]:
    """Return tokens that contain their position, so that labels show the order."""
    return [f"w{i}" for i in range(length)]


def image_of(figure: Any) -> Array | None:
    """Return the image of a figure that shows `tokens_for`, in the order of the tokens."""
    panels = panels_in(figure) if isinstance(figure, Figure) else []
    if not panels:
        return None
    image = panels[0].images[-1]
    tokens = tokens_for(image.rows), tokens_for(image.columns)
    return matrix_of(as_labelled(panels[0], *tokens).images[-1])


def cells_by_place(image: Image) -> Array:
    """Return the values of an image as a matrix: rows by rising y, columns by rising x."""
    down = -1 if image.y_edges[0] > image.y_edges[-1] else 1
    across = -1 if image.x_edges[0] > image.x_edges[-1] else 1
    return np.asarray(matrix_of(image)[::down, ::across])


def image_by_place(value: Any) -> Array | None:
    """Return the image of a figure: rows by rising y, columns by rising x.

    For a value that is not a figure with an image, return None.
    """
    panels = panels_in(value) if isinstance(value, Figure) else []
    image = panels[0].images[-1] if panels else None
    return cells_by_place(image) if image is not None and image.values else None


def curve_points(value: Any) -> Array | None:
    """Return the points of the longest curve of a figure, sorted by x.

    For a value that is not a figure with a curve, return None.
    """
    if not isinstance(value, Figure):
        return None
    curves = [series for axes in value.axes for series in axes.series]
    longest = max(curves, key=lambda series: len(series.x), default=None)
    return np.array(sorted(zip(longest.x, longest.y, strict=True))) if longest else None


def drawn_series(value: Any) -> list[Array]:
    """Return the lines and dots of a figure without duplicates.

    Each has two rows: the x values in rising order, and their y values.
    """
    found: dict[bytes, Array] = {}
    for axes in value.axes if isinstance(value, Figure) else ():
        for series in axes.series:
            points = np.array(sorted(zip(series.x, series.y, strict=True))).reshape(-1, 2).T
            found.setdefault(np.round(points, 9).tobytes(), points)
    return list(found.values())


def image_figure(
    images: Sequence[Any],
    labels: tuple[str, str] = ("", ""),
    title: str = "",
    columns: Sequence[str] = (),
    rows: Sequence[str] = (),
) -> Any:
    """Return a matplotlib figure with images side by side, as a student's function would."""
    from matplotlib.figure import Figure

    figure = Figure()
    for place, values in enumerate(images, 1):
        axes = figure.add_subplot(1, len(images), place)
        figure.colorbar(axes.imshow(np.asarray(values, dtype=float)))
        axes.set(xlabel=labels[0], ylabel=labels[1], title=title)
        if columns:
            axes.set_xticks(range(len(columns)), columns)
            axes.set_yticks(range(len(rows)), rows)
    return figure
