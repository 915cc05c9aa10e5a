"""Visible parts of a matplotlib figure: artists on its axes that are not transparent or covered.

The figure is not rendered. Visibility is computed from the artists' positions and drawing order.
"""

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .codec import MAX_CELLS, MAX_DRAWN, Image

Floats = npt.NDArray[np.float64]
Visible = npt.NDArray[np.bool_]
Grid = tuple[Floats | None, Floats | None]
Extent = tuple[Floats, Floats]

FAINT = 0.03  # smaller differences between two colours, each from 0 to 1, are invisible
OPAQUE = 0.9
SMALL_TEXT = 2.0  # points
PIXEL = 1.0  # tolerance
MAX_DEPTH = 8
MAX_PATHS = 64


class View:
    """Figure after its layout, with its artists in drawing order."""

    def __init__(self, figure: Any) -> None:
        self.page = colour_over(figure.get_facecolor(), (1.0, 1.0, 1.0))
        self.axes: list[Any] = []
        self.suptitles: list[Any] = []
        self.x_labels: list[Any] = []  # the figure's own labels, which all axes share
        self.y_labels: list[Any] = []
        self.legends: list[Any] = []
        self._drawn: list[Any] = []
        self._cells: dict[int, Grid] = {}
        self._on_axes: dict[int, Extent] = {}
        if is_visible(figure):
            self._walk(figure, 0)
        self._rank = {id(artist): rank for rank, artist in enumerate(self._drawn)}
        self._covers = list(self._opaque())

    def _walk(self, figure: Any, depth: int) -> None:
        for texts, text in (
            (self.suptitles, figure._suptitle),
            (self.x_labels, figure._supxlabel),
            (self.y_labels, figure._supylabel),
        ):
            if text is not None:
                texts.append(text)
        self.legends += figure.legends
        axes = {id(each) for each in figure.axes}
        for child in _in_order(figure, figure.patch):
            if id(child) in axes:
                self._walk_axes(child, depth)
            elif hasattr(child, "subfigs") and depth < MAX_DEPTH:
                self._walk(child, depth + 1)
            else:
                self._drawn.append(child)

    def _walk_axes(self, axes: Any, depth: int) -> None:
        self.axes.append(axes)
        if axes.axison and axes.get_frame_on():
            self._drawn.append(axes.patch)
        inner = {id(each) for each in axes.child_axes}
        for child in _in_order(axes, axes.patch):
            if id(child) in inner and depth < MAX_DEPTH:
                self._walk_axes(child, depth + 1)
            else:
                self._drawn.append(child)

    def order(self, artist: Any) -> int:
        """Return the artist's position in the drawing order, or -1 if it is not drawn."""
        return self._rank.get(id(artist), -1)

    def has(self, artist: Any) -> bool:
        """Return True if the artist is drawn and not fully transparent."""
        return self.order(artist) >= 0 and is_visible(artist)

    def sees(self, places: Floats, artist: Any, axes: Any) -> Visible:
        """Return True for each place (n, 2), in pixels, that is on the axes and not covered."""
        seen = _inside(places, [self._limits_of(axes), *map(_limits, clips(artist))])
        for rank, path, limits in self._covers:
            if rank > self.order(artist) and seen.any():
                seen &= ~(path.contains_points(places) & _inside(places, limits))
        return seen

    def _limits_of(self, axes: Any) -> Extent:
        """Return the limits of the area that can be seen: on the axes and on the page."""
        if id(axes) not in self._on_axes:
            self._on_axes[id(axes)] = _both([_limits(axes.bbox), _limits(axes.figure.bbox)])
        return self._on_axes[id(axes)]

    def _opaque(self) -> Iterator[tuple[int, Any, list[Extent]]]:
        """Yield drawing order, outline and limits of each artist that hides earlier ones."""
        for rank, artist in enumerate(self._drawn):
            if is_visible(artist):
                paths = list(self._opaque_paths(artist))
                limits = [_limits(box) for box in clips(artist)] if paths else []
                for path in paths:
                    yield rank, path, limits

    def cells(self, item: Any) -> Grid:
        """Return the corners and the colours of the cells of an image or a mesh."""
        if id(item) not in self._cells:
            corners = cell_corners(item)
            colours = None if corners is None else colours_of(item, item.get_array())
            self._cells[id(item)] = corners, colours
        return self._cells[id(item)]

    def _opaque_paths(self, artist: Any) -> Iterator[Any]:
        """Yield the outlines, in pixels, of an artist's filled areas: patch, image, polygons."""
        from matplotlib.path import Path

        if hasattr(artist, "get_patch_transform"):
            if artist.get_fill() and _alpha(artist.get_facecolor()) > OPAQUE:
                yield artist.get_transform().transform_path(artist.get_path())
            return
        corners, colours = self.cells(artist)
        if corners is not None:
            if _alpha(colours) > OPAQUE:
                ring = [corners[0], corners[1:, -1], corners[-1, -2::-1], corners[-2::-1, 0]]
                yield Path(np.concatenate(ring))
        elif hasattr(artist, "get_paths") and _alpha(artist.get_facecolor()) > OPAQUE:
            yield from _filled_paths(artist)


def _in_order(parent: Any, background: Any) -> list[Any]:
    children = [each for each in parent.get_children() if each is not background]
    return sorted((each for each in children if each.get_visible()), key=lambda a: a.get_zorder())


def is_visible(artist: Any) -> bool:
    """Return True if an artist is set to be drawn and its opacity is not 0."""
    alpha = artist.get_alpha()
    return bool(artist.get_visible()) and (alpha is None or bool(np.max(alpha) > FAINT))


def clips(artist: Any) -> Iterator[Any]:
    """Yield the boxes that clip an artist."""
    if artist.get_clip_on():
        if artist.get_clip_box() is not None:
            yield artist.get_clip_box()
        if artist.get_clip_path() is not None:
            path, transform = artist.get_clip_path().get_transformed_path_and_affine()
            yield path.get_extents(transform)


def _limits(box: Any) -> Extent:
    """Return the smallest and the largest place in a box, with a pixel of tolerance."""
    corners = np.asarray(box.get_points(), float)
    return corners.min(axis=0) - PIXEL, corners.max(axis=0) + PIXEL


def _both(several: list[Extent]) -> Extent:
    """Return the limits of the intersection of these boxes."""
    least, largest = zip(*several, strict=True)
    return functools.reduce(np.maximum, least), functools.reduce(np.minimum, largest)


def _inside(places: Floats, several: list[Extent]) -> Visible:
    """Return True for each place that is finite and lies within all of these limits."""
    if not several:
        return np.ones(len(places), bool)
    least, largest = _both(several)
    with np.errstate(invalid="ignore"):
        return np.asarray(((places >= least) & (places <= largest)).all(axis=-1), bool)


def _filled_paths(collection: Any) -> Iterator[Any]:
    """Yield the outlines of a collection in pixels: its paths, each moved by its offset."""
    from matplotlib.transforms import Affine2D

    paths, transforms = collection.get_paths()[:MAX_PATHS], collection.get_transforms()
    offsets = collection.get_offset_transform().transform(collection.get_offsets())[:MAX_PATHS]
    for number in range(max(len(paths), len(offsets)) if paths else 0):
        path = paths[number % len(paths)]
        if len(transforms):
            path = path.transformed(Affine2D(transforms[number % len(transforms)]))
        path = collection.get_transform().transform_path(path)
        if len(offsets):
            path = path.transformed(Affine2D().translate(*offsets[number % len(offsets)]))
        yield path


def _alpha(colours: Any) -> float:
    """Return the smallest opacity of these colours, or 0 if there are none."""
    colours = np.asarray(colours, float)
    last = colours[..., 3] if colours.ndim else colours
    return float(last.min()) if last.size else 0.0


def cell_corners(item: Any) -> Floats | None:
    """Return the corners of the cells of an image or a mesh, in pixels: (rows + 1, columns + 1, 2).

    Return None for other artists, and for a mesh that has a colour for each corner.
    """
    array = item.get_array() if hasattr(item, "get_array") else None
    if array is None:
        return None
    if hasattr(item, "get_coordinates"):
        corners = np.asarray(item.get_coordinates(), float)
        if array.ndim < 2 or corners.shape[:2] != (array.shape[0] + 1, array.shape[1] + 1):
            return None
    elif hasattr(item, "get_extent") and array.ndim >= 2:
        left, right, low, high = item.get_extent()
        first, last = (high, low) if item.origin == "upper" else (low, high)
        x = np.linspace(left, right, array.shape[1] + 1)
        y = np.linspace(first, last, array.shape[0] + 1)
        corners = np.stack(np.meshgrid(x, y), axis=-1)
    else:
        return None
    moved = item.get_transform().transform(corners.reshape(-1, 2))
    return np.asarray(moved, float).reshape(corners.shape)


def colours_of(item: Any, values: Any) -> Floats:
    """Return the colours (…, 4) that an image gives to `values`."""
    alpha = item.get_alpha()
    if alpha is not None and np.shape(alpha) not in {(), np.shape(values)}:
        alpha = float(np.mean(alpha))
    return np.asarray(item.to_rgba(values, alpha=alpha), float)


def colour_over(colour: Any, behind: Any) -> Floats:
    """Return the visible colours (…, 3) if `colour` (…, 4) is drawn over the colour `behind`."""
    from matplotlib.colors import to_rgba

    front = np.asarray(to_rgba(colour) if not isinstance(colour, np.ndarray) else colour, float)
    alpha = front[..., 3:]
    return np.asarray(front[..., :3] * alpha + np.asarray(behind)[..., :3] * (1 - alpha), float)


def tell_apart(one: Any, other: Any) -> bool:
    """Return True if an eye sees a difference between two colours."""
    return bool(np.abs(np.asarray(one) - np.asarray(other)).max() > FAINT)


def is_legible(text: Any) -> bool:
    """Return True if a text is not tiny and not transparent."""
    from matplotlib.colors import to_rgba

    if not is_visible(text) or text.get_fontsize() < SMALL_TEXT:
        return False
    return bool(to_rgba(text.get_color(), text.get_alpha())[3] > FAINT)


def reads(text: Any, behind: Any) -> bool:
    """Return True if a text is not empty and can be read in front of a colour."""
    return bool(text.get_text().strip()) and shows(text, behind)


def shows(text: Any, behind: Any) -> bool:
    """Return True if a text, even an empty one, could be read in front of a colour."""
    from matplotlib.colors import to_rgba

    if not is_legible(text):
        return False
    colour = to_rgba(text.get_color(), text.get_alpha())
    return tell_apart(colour_over(colour, behind), behind)


SMALL_CELL = 3.0  # pixels
ENOUGH = 0.4  # share of a cell's 9 test points; 4 are left if half is cut off on two sides
POINTS = (1 / 6, 1 / 2, 5 / 6)
SHADES = 64


class Picture(NamedTuple):
    """Image on axes: the artist, its data, and the colours of its cells if it shows a matrix."""

    item: Any
    image: Image
    values: Floats
    colours: Floats | None

    def colour_at(self, place: tuple[float, float], ground: Floats) -> Floats:
        """Return the colour at a place in data coordinates, or `ground` outside the image."""
        row, column = self.image.cell_at(place)
        if self.colours is None or row is None or column is None:
            return ground
        return colour_over(self.colours[row, column], ground)


def pictures_of(axes: Any, view: View) -> list[Picture]:
    """Return the visible images on axes, in drawing order.

    An image is left out if another image covers it completely.
    """
    meshes = (c for c in axes.collections if hasattr(c, "get_coordinates"))
    items = [*axes.get_images(), *(mesh for mesh in meshes if mesh.get_array() is not None)]
    shown = sorted((item for item in items if view.has(item)), key=view.order)[-MAX_DRAWN:]
    pictures = [_picture(item, axes, view) for item in shown]
    return [
        picture
        for picture in pictures
        if picture is pictures[-1] or not 0 < picture.image.hidden == len(picture.image.values)
    ]


def same_colours(mappable: Any, picture: Picture) -> bool:
    """Return True if a colour map gives an image's values the same colours as the image."""
    if picture.colours is None or not picture.values.size:
        return False
    theirs = colours_of(mappable, picture.values)
    return bool(np.abs(theirs[..., :3] - picture.colours[..., :3]).max() <= FAINT)


def _picture(item: Any, axes: Any, view: View) -> Picture:
    values: Floats = np.ma.filled(np.ma.asarray(item.get_array(), float), np.nan)
    corners, colours = view.cells(item)
    no_matrix = Picture(item, Image(0, 0, []), np.zeros((0, 0)), None)
    if values.ndim != 2 or not 0 < values.size <= MAX_CELLS or corners is None or colours is None:
        return no_matrix
    seen = _visible_cells(corners, item, axes, view)
    inside = np.asarray(axes.transData.inverted().transform(corners.reshape(-1, 2)), float)
    grid = inside.reshape(corners.shape)
    if _along(grid[..., 0].T, grid[..., 1].T):  # the rows of the data are columns on the page
        grid, values = grid.swapaxes(0, 1), values.T
        seen, colours = seen.T, colours.swapaxes(0, 1)
    if not _along(grid[..., 0], grid[..., 1]):
        return no_matrix
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


def _along(x: Floats, y: Floats) -> bool:
    """Return True if columns follow each other along x, and rows along y, without overlap."""
    return all(
        np.isfinite(edges).all()
        and np.allclose(edges, edges[:1], atol=1e-6 * (np.ptp(edges) or 1.0))
        and (bool((np.diff(edges[0]) > 0).all()) or bool((np.diff(edges[0]) < 0).all()))
        for edges in (x, y.T)
    )


def _visible_cells(corners: Floats, item: Any, axes: Any, view: View) -> Any:
    """Return True for each cell that is large enough and has enough visible test points."""
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
    """Return the number of different colours; neighbours that look the same count once."""
    count, last = 0, None
    for red, green, blue in colours.tolist():  # numpy is slower for only three numbers
        if last is None or any(
            abs(one - other) > FAINT for one, other in zip((red, green, blue), last, strict=True)
        ):
            count, last = count + 1, (red, green, blue)
    return count
