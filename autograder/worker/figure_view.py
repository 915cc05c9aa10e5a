"""Visible parts of a matplotlib figure: artists that are neither transparent nor covered.

The module computes visibility from the artists' positions and drawing order, without rendering.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .codec import MAX_CELLS, MAX_DRAWN, Image

Floats = npt.NDArray[np.float64]
Box = tuple[Floats, Floats]  # the smallest and the largest place

FAINT = 0.03  # smaller differences between two colours, each from 0 to 1, are invisible
LEGIBLE = 0.45  # smallest distance between the colours of a text and of what is behind it
OPAQUE = 0.9
SMALL_TEXT = 2.0  # points
PIXEL = 1.0  # tolerance
MAX_DEPTH = 8
MAX_PATHS = 64
SMALL_CELL = 3.0  # pixels
ENOUGH = 7  # of a cell's 9 test points; 6 stay visible if half of the cell is cut off
POINTS = (1 / 6, 1 / 2, 5 / 6)
SHADES = 64


class View:
    """Figure after its layout, with artists in drawing order."""

    def __init__(self, figure: Any) -> None:
        self.page = colour_over(figure.get_facecolor(), (1.0, 1.0, 1.0))
        self.axes: list[Any] = []
        self.suptitles: list[Any] = []
        self.x_labels: list[Any] = []  # the figure's own labels, which all axes share
        self.y_labels: list[Any] = []
        self.legends: list[Any] = []
        self._drawn: list[Any] = []
        if is_visible(figure):
            self._walk(figure, 0)
        self._rank = {artist: rank for rank, artist in enumerate(self._drawn)}
        self._covers: list[tuple[int, Any, list[Box]]] = []
        for artist, rank in self._rank.items():
            paths = list(opaque_paths(artist)) if is_visible(artist) else []
            boxes = [_box(box) for box in clips(artist)] if paths else []
            self._covers += [(rank, path, boxes) for path in paths]

    def _walk(self, parent: Any, depth: int) -> None:
        if hasattr(parent, "subfigs"):
            inner = {*parent.axes, *parent.subfigs}
            self.suptitles.append(parent._suptitle)
            self.x_labels.append(parent._supxlabel)
            self.y_labels.append(parent._supylabel)
            self.legends += parent.legends
        else:
            inner = {*parent.child_axes}
            self.axes.append(parent)
            if parent.axison and parent.get_frame_on():
                self._drawn.append(parent.patch)
        children = [child for child in parent.get_children() if child is not parent.patch]
        for child in sorted(children, key=lambda artist: artist.get_zorder()):
            if child.get_visible() and child in inner and depth < MAX_DEPTH:
                self._walk(child, depth + 1)
            elif child.get_visible():
                self._drawn.append(child)

    def order(self, artist: Any) -> int:
        """Return the artist's position in the drawing order. If it is not drawn, return -1."""
        return self._rank.get(artist, -1)

    def has(self, artist: Any) -> bool:
        """Return True if the artist is drawn and not fully transparent."""
        return self.order(artist) >= 0 and is_visible(artist)

    def sees(self, places: Floats, artist: Any, axes: Any) -> npt.NDArray[np.bool_]:
        """Return True for each place (pixels, of shape (n, 2)) that no other artist covers."""
        seen = _inside(places, [_box(box) for box in (axes.bbox, axes.figure.bbox, *clips(artist))])
        for rank, path, boxes in self._covers:
            if rank > self.order(artist) and seen.any():
                seen &= ~(path.contains_points(places) & _inside(places, boxes))
        return seen


def is_visible(artist: Any) -> bool:
    """Return True if an artist is set to be drawn with an opacity above 0."""
    alpha = artist.get_alpha()
    return bool(artist.get_visible()) and (alpha is None or bool(np.max(alpha) > FAINT))


def clips(artist: Any) -> Iterator[Any]:
    if artist.get_clip_on():
        if artist.get_clip_box() is not None:
            yield artist.get_clip_box()
        if artist.get_clip_path() is not None:
            path, transform = artist.get_clip_path().get_transformed_path_and_affine()
            yield path.get_extents(transform)


def _box(box: Any) -> Box:
    corners = np.asarray(box.get_points(), float)
    return corners.min(axis=0) - PIXEL, corners.max(axis=0) + PIXEL


def _inside(places: Floats, boxes: list[Box]) -> npt.NDArray[np.bool_]:
    inside = np.ones(len(places), bool)
    with np.errstate(invalid="ignore"):
        for least, largest in boxes:
            inside &= ((places >= least) & (places <= largest)).all(axis=-1)
    return inside


def opaque_paths(artist: Any) -> Iterator[Any]:
    """Yield the outlines of an artist's filled areas in pixels: patch, image, polygons."""
    from matplotlib.path import Path

    if hasattr(artist, "get_patch_transform"):
        if artist.get_fill() and _opacity(artist.get_facecolor()) > OPAQUE:
            yield artist.get_transform().transform_path(artist.get_path())
    elif (corners := cell_corners(artist)) is not None:
        if _opacity(colours_of(artist, artist.get_array())) > OPAQUE:
            ring = [corners[0], corners[1:, -1], corners[-1, -2::-1], corners[-2::-1, 0]]
            yield Path(np.concatenate(ring))
    elif hasattr(artist, "get_paths") and _opacity(artist.get_facecolor()) > OPAQUE:
        yield from _filled_paths(artist)


def _filled_paths(collection: Any) -> Iterator[Any]:
    """Yield the outlines of a collection in pixels: all of its paths, moved by their offsets."""
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


def _opacity(colours: Any) -> float:
    colours = np.asarray(colours, float)
    return float(colours[..., 3].min()) if colours.size else 0.0


def cell_corners(item: Any) -> Floats | None:
    """Return the corners of an image's or a mesh's cells in pixels.

    The shape is (rows + 1, columns + 1, 2). For other artists, and for a mesh with a colour per
    corner, return None.
    """
    array = item.get_array() if hasattr(item, "get_array") else None
    if array is None or array.ndim < 2:
        return None
    rows, columns = array.shape[:2]
    if hasattr(item, "get_coordinates"):
        corners = np.asarray(item.get_coordinates(), float)
        if corners.shape[:2] != (rows + 1, columns + 1):
            return None
    elif hasattr(item, "get_extent"):
        left, right, low, high = item.get_extent()
        first, last = (high, low) if item.origin == "upper" else (low, high)
        x, y = np.linspace(left, right, columns + 1), np.linspace(first, last, rows + 1)
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
    """Return the visible colours (…, 3) of `colour` (…, 4) in front of the colour `behind`."""
    from matplotlib.colors import to_rgba

    front = np.asarray(to_rgba(colour) if not isinstance(colour, np.ndarray) else colour, float)
    alpha = front[..., 3:]
    return np.asarray(front[..., :3] * alpha + np.asarray(behind)[..., :3] * (1 - alpha), float)


def tell_apart(one: Any, other: Any) -> bool:
    return bool(np.abs(np.asarray(one) - np.asarray(other)).max() > FAINT)


def reads(text: Any, behind: Any) -> bool:
    """Return True if a non-empty text is readable in front of a colour."""
    return text is not None and bool(text.get_text().strip()) and shows(text, behind)


def shows(text: Any, behind: Any) -> bool:
    """Return True if a text is neither tiny nor transparent, and clearly differs from `behind`."""
    contrast = np.linalg.norm(colour_over(_ink(text), behind) - np.asarray(behind)[..., :3])
    return is_inked(text) and bool(contrast > LEGIBLE)


def is_inked(text: Any) -> bool:
    return bool(text.get_fontsize() >= SMALL_TEXT and _ink(text)[3] > FAINT) and is_visible(text)


def _ink(text: Any) -> tuple[float, float, float, float]:
    from matplotlib.colors import to_rgba

    return to_rgba(text.get_color(), text.get_alpha())


class Picture(NamedTuple):
    """Image on axes: artist, data, and colours of cells if the image shows a matrix."""

    item: Any
    image: Image
    values: Floats
    colours: Floats | None

    def colour_at(self, place: tuple[float, float], ground: Floats) -> Floats:
        """Return the image's colour at a place in data coordinates. Outside, return `ground`."""
        row, column = self.image.cell_at(place)
        if self.colours is None or row is None or column is None:
            return ground
        return colour_over(self.colours[row, column], ground)

    def has_colours_of(self, mappable: Any) -> bool:
        """Return True if the colours of an image are those that its colour map gives its values."""
        if self.colours is None or not self.values.size:
            return False
        colours = colours_of(mappable, self.values)
        return bool(np.abs(colours[..., :3] - self.colours[..., :3]).max() <= FAINT)


def pictures_of(axes: Any, view: View) -> list[Picture]:
    """Return the visible images on axes in drawing order, without covered images."""
    meshes = [item for item in axes.collections if hasattr(item, "get_coordinates")]
    items = [*axes.get_images(), *(mesh for mesh in meshes if mesh.get_array() is not None)]
    shown = sorted((item for item in items if view.has(item)), key=view.order)[-MAX_DRAWN:]
    pictures = [_picture(item, axes, view) for item in shown]
    return [
        picture
        for picture in pictures
        if picture is pictures[-1] or not 0 < picture.image.hidden == len(picture.image.values)
    ]


def _picture(item: Any, axes: Any, view: View) -> Picture:
    values: Floats = np.ma.filled(np.ma.asarray(item.get_array(), float), np.nan)
    corners = cell_corners(item)
    no_matrix = Picture(item, Image(0, 0, []), np.zeros((0, 0)), None)
    if values.ndim != 2 or not 0 < values.size <= MAX_CELLS or corners is None:
        return no_matrix
    colours = colours_of(item, item.get_array())
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
        shades=len({tuple(colour) for colour in colours_of(item, steps).round(6).tolist()}),
    )
    return Picture(item, image, values, colours)


def _along(x: Floats, y: Floats) -> bool:
    return all(
        np.isfinite(edges).all()
        and np.allclose(edges, edges[:1], atol=1e-6 * (np.ptp(edges) or 1.0))
        and (bool((np.diff(edges[0]) > 0).all()) or bool((np.diff(edges[0]) < 0).all()))
        for edges in (x, y.T)
    )


def _visible_cells(corners: Floats, item: Any, axes: Any, view: View) -> Any:
    first, right = corners[:-1, :-1], corners[:-1, 1:]
    low, last = corners[1:, :-1], corners[1:, 1:]
    places = []
    for across in POINTS:
        upper, lower = first + across * (right - first), low + across * (last - low)
        places += [upper + down * (lower - upper) for down in POINTS]
    seen = view.sees(np.reshape(places, (-1, 2)), item, axes).reshape(len(places), *first.shape[:2])
    size = np.minimum(np.linalg.norm(right - first, axis=-1), np.linalg.norm(low - first, axis=-1))
    return (seen.sum(axis=0) >= ENOUGH) & (size >= SMALL_CELL)


def _different(colours: Floats) -> int:
    count, last = 0, None
    for colour in colours.tolist():  # numpy is slower for only three numbers
        if last is None or max(abs(a - b) for a, b in zip(colour, last, strict=True)) > FAINT:
            count, last = count + 1, colour
    return count
