"""Images and meshes of a figure's axes: their values, where the cells are, and how they look."""

from typing import Any, NamedTuple

import numpy as np

from .codec import MAX_CELLS, MAX_DRAWN, Image
from .in_view import FAINT, Floats, View, colour_over, colours_of

SMALL_CELL = 3.0  # pixels
ENOUGH = 0.4  # of a cell: half a cell cut off on two sides leaves 4 of 9 points
POINTS = (1 / 6, 1 / 2, 5 / 6)
SHADES = 64


class Picture(NamedTuple):
    """An image of axes: the artist, its data, and the colours of its cells, if it is a matrix."""

    item: Any
    image: Image
    values: Floats
    colours: Floats | None

    def colour_at(self, place: tuple[float, float], ground: Floats) -> Floats:
        """The colour at a place in the coordinates of the data; the ground beside the image."""
        row, column = self.image.cell_at(place)
        if self.colours is None or row is None or column is None:
            return ground
        return colour_over(self.colours[row, column], ground)


def pictures_of(axes: Any, view: View) -> list[Picture]:
    """The images that can be seen on axes, in the order in which they are drawn.

    One that another covers as a whole cannot be seen.
    """
    items = [*axes.get_images(), *(each for each in axes.collections if _is_mesh(each))]
    shown = sorted((each for each in items if view.has(each)), key=view.order)[-MAX_DRAWN:]
    found = [_picture(item, axes, view) for item in shown]
    return [
        each
        for place, each in enumerate(found)
        if place == len(found) - 1 or not 0 < each.image.hidden == len(each.image.values)
    ]


def same_colours(mappable: Any, picture: Picture) -> bool:
    """Whether a colour map gives the values of an image the colours that they have in it."""
    if picture.colours is None or not picture.values.size:
        return False
    theirs = colours_of(mappable, picture.values)
    return bool(np.abs(theirs[..., :3] - picture.colours[..., :3]).max() <= FAINT)


def _is_mesh(collection: Any) -> bool:
    return hasattr(collection, "get_coordinates") and collection.get_array() is not None


def _picture(item: Any, axes: Any, view: View) -> Picture:
    values: Floats = np.ma.filled(np.ma.asarray(item.get_array(), float), np.nan)
    corners, colours = view.cells(item)
    if values.ndim != 2 or not 0 < values.size <= MAX_CELLS or corners is None or colours is None:
        return _no_matrix(item)
    seen = _seen(corners, item, axes, view)
    inside = np.asarray(axes.transData.inverted().transform(corners.reshape(-1, 2)), float)
    grid = inside.reshape(corners.shape)
    if _along(grid[..., 0].T, grid[..., 1].T):  # its rows are columns on the page
        grid, values = grid.swapaxes(0, 1), values.T
        seen, colours = seen.T, colours.swapaxes(0, 1)
    if not _along(grid[..., 0], grid[..., 1]):
        return _no_matrix(item)
    ground = colour_over(axes.get_facecolor(), view.page)
    finite = values[np.isfinite(values)]
    steps = np.linspace(finite.min(), finite.max(), SHADES) if finite.size else finite
    in_order = np.argsort(values, axis=None)
    image = Image(
        values.shape[0],
        values.shape[1],
        values=[float(value) for value in values.ravel()],
        x_edges=[round(float(edge), 9) for edge in grid[0, :, 0]],
        y_edges=[round(float(edge), 9) for edge in grid[:, 0, 1]],
        hidden=int((~seen).sum()),
        colours=_different(colour_over(colours.reshape(-1, 4)[in_order], ground)),
        shades=_different(colour_over(colours_of(item, steps), ground)),
    )
    return Picture(item, image, values, colours)


def _no_matrix(item: Any) -> Picture:
    return Picture(item, Image(0, 0, []), np.zeros((0, 0)), None)


def _along(x: Floats, y: Floats) -> bool:
    """Whether columns follow each other along x, and rows along y, without lying on one another."""
    return all(
        np.isfinite(edges).all()
        and _close(edges, edges[:1], 1e-6 * (np.ptp(edges) or 1.0))
        and (bool((np.diff(edges[0]) > 0).all()) or bool((np.diff(edges[0]) < 0).all()))
        for edges in (x, y.T)
    )


def _close(one: Floats, other: Floats, apart: float) -> bool:
    """What np.allclose says of finite numbers; it takes far longer for a few."""
    return bool((np.abs(one - other) <= apart + 1e-5 * np.abs(other)).all())


def _seen(corners: Floats, item: Any, axes: Any, view: View) -> Any:
    """Which cells can be seen: enough of nine points of each, and not too small to be one."""
    first, right = corners[:-1, :-1], corners[:-1, 1:]
    low, last = corners[1:, :-1], corners[1:, 1:]
    places = np.stack(
        [
            upper + down * (low + across * (last - low) - upper)
            for across in POINTS
            for upper in [first + across * (right - first)]
            for down in POINTS
        ]
    )
    found = view.sees(places.reshape(-1, 2), item, axes).reshape(places.shape[:-1]).sum(axis=0)
    size = np.minimum(np.linalg.norm(right - first, axis=-1), np.linalg.norm(low - first, axis=-1))
    return (found >= ENOUGH * len(POINTS) ** 2) & (size >= SMALL_CELL)


def _different(colours: Floats) -> int:
    """How many colours follow one another that an eye tells apart."""
    count, last = 0, None
    for red, green, blue in colours.tolist():  # as plain numbers: numpy takes far longer for three
        if last is None or any(
            abs(one - other) > FAINT for one, other in zip((red, green, blue), last, strict=True)
        ):
            count, last = count + 1, (red, green, blue)
    return count
