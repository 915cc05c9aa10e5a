"""Conversion of a matplotlib figure to plain data, which describe its visible parts."""

import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .codec import MAX_DRAWN, MAX_LETTERS, MAX_PANELS, MAX_POINTS, MAX_TEXTS, Axes, Figure, Series
from .figure_layout import Ticks, lay_out, tick_labels
from .figure_view import (
    Floats,
    Picture,
    View,
    colour_over,
    is_legible,
    is_visible,
    pictures_of,
    reads,
    same_colours,
    shows,
    tell_apart,
)

MARGIN = 1e-3  # a tick is still drawn if it is this fraction of the range outside the limits
_NOTHING = ("", " ", "None", "none", None)


class LegendEntry(NamedTuple):
    """Entry of a legend: the text, and the sample of line or colour next to it."""

    text: str
    sample: Any


def entries(legends: Iterable[Any], view: View) -> list[LegendEntry]:
    """Return the legends' entries with a readable text and a visible sample."""
    found = []
    for legend in legends:
        if legend is None or not view.has(legend):
            continue
        for text, sample in zip(legend.get_texts(), legend.legend_handles, strict=False):
            shown = sample is not None and is_visible(sample) and can_be_seen(sample, view.page)
            if shown and reads(text, view.page):
                found.append(LegendEntry(text.get_text()[:MAX_LETTERS], sample))
    return found[:MAX_DRAWN]


def label_of(artist: Any, entries: list[LegendEntry]) -> str:
    """Return the legend's text for a line or a scatter plot, or an empty text if unclear."""
    left = entries
    for name in ("colour", "get_linestyle", "get_marker", "get_linewidth"):
        own_trait = _trait(artist, name)
        left = [entry for entry in left if _trait(entry.sample, name) == own_trait] or left
    texts = {entry.text for entry in left}
    if len(texts) == 1:
        return left[0].text
    own = str(artist.get_label())[:MAX_LETTERS]
    return own if own in texts else ""


def _trait(artist: Any, name: str) -> object:
    if name != "colour":
        return str(getattr(artist, name)()) if hasattr(artist, name) else None
    colour = next((colour for colour in _colours(artist) if colour[3] > 0), None)
    return None if colour is None else tuple(round(float(part), 2) for part in colour[:3])


def can_be_seen(artist: Any, ground: Floats) -> bool:
    """Return True if a line or a marker is visible on a background of this colour."""
    if hasattr(artist, "get_marker"):
        line = artist.get_linestyle() not in _NOTHING and artist.get_linewidth() > 0
        dots = artist.get_marker() not in _NOTHING and artist.get_markersize() > 0
        if not line and not dots:
            return False
    return any(tell_apart(colour_over(colour, ground), ground) for colour in _colours(artist))


def _colours(artist: Any) -> list[Floats]:
    """Return all colours of a line, a marker or a patch, with their opacity."""
    from matplotlib.colors import to_rgba_array

    found: list[Floats] = []
    is_line = hasattr(artist, "get_marker")
    names = ["get_color"] if not is_line or artist.get_linestyle() not in _NOTHING else []
    names += ["get_markerfacecolor", "get_markeredgecolor", "get_facecolor", "get_edgecolor"]
    for name in names:
        if hasattr(artist, name):
            alpha = artist.get_alpha()
            colours = to_rgba_array(getattr(artist, name)(), alpha if np.ndim(alpha) == 0 else None)
            found += list(np.asarray(colours, float)[:MAX_DRAWN])
    return found


def describe_figure(figure: Any) -> Figure:
    """Return the data of `figure`, a `matplotlib.figure.Figure`. Colour bars also count as axes.

    The figure is closed, so that the next call of pyplot starts a new figure, as in a notebook.
    """
    ticks = lay_out(figure)
    view = View(figure)
    shown = view.axes[:MAX_PANELS]
    pictures = {id(axes): pictures_of(axes, view) for axes in shown if not _colorbar(axes)}
    by_axes = {id(axes): entries([axes.get_legend()], view) for axes in shown}
    general = entries(view.legends, view)
    every = [*general, *(entry for axes in shown for entry in by_axes[id(axes)])]
    all_pictures = [picture for found in pictures.values() for picture in found]
    described = Figure(
        title=_joined(view.suptitles, view),
        legend=[entry.text for entry in general],
        axes=[
            _axes(
                axes,
                view,
                ticks,
                pictures.get(id(axes), []),
                _series(axes, view, by_axes[id(axes)] or every),
                by_axes[id(axes)],
                all_pictures,
            )
            for axes in shown
        ],
    )
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close(figure)
    return described


def _axes(
    axes: Any,
    view: View,
    ticks: Ticks,
    pictures: list[Picture],
    series: list[Series],
    entries: list[LegendEntry],
    bars_of: list[Picture],
) -> Axes:
    x_ticks, y_ticks = (_ticks(axes, each, view, ticks) for each in (axes.xaxis, axes.yaxis))
    texts = _texts(axes, view, pictures)
    bar = _colorbar(axes)
    box = axes.bbox.transformed(axes.get_figure().figure.transFigure.inverted())
    return Axes(
        title=_joined([axes.title, axes._left_title, axes._right_title], view),
        x_label=_label(axes, axes.xaxis, view, view.x_labels),
        y_label=_label(axes, axes.yaxis, view, view.y_labels),
        x_scale=_letters(axes.get_xscale()),
        x_ticks=[label for label, _ in x_ticks],
        y_ticks=[label for label, _ in y_ticks],
        legend=[entry.text for entry in entries],
        texts=[text for text, _ in texts],
        series=series,
        images=[picture.image for picture in pictures],
        x_places=[place for _, place in x_ticks],
        y_places=[place for _, place in y_ticks],
        text_places=[place for _, place in texts],
        is_bar=bool(bar and (x_ticks or y_ticks) and _stands_for(bar, view, bars_of)),
        box=(float(box.x0), float(box.y0), float(box.x1), float(box.y1)),
    )


def _colorbar(axes: Any) -> Any:
    """Return the colour bar that fills these axes, or None."""
    return getattr(axes, "_colorbar", None)


def _stands_for(bar: Any, view: View, pictures: list[Picture]) -> bool:
    """Return True if a colour bar shows the colours of one of these images."""
    if bar.solids is not None and not view.has(bar.solids):
        return False
    return any(
        bar.mappable is picture.item or same_colours(bar.mappable, picture) for picture in pictures
    )


def _has(axes: Any, axis: Any, view: View) -> bool:
    return bool(axes.axison) and view.has(axis)


def _label(axes: Any, axis: Any, view: View, of_figure: list[Any]) -> str:
    """Return an axis' own label, or else the label that the figure has for all axes."""
    own = _joined([axis.label] if _has(axes, axis, view) else [], view)
    return own if own or _colorbar(axes) else _joined(of_figure, view)


def _ticks(axes: Any, axis: Any, view: View, known: Ticks) -> list[tuple[str, float]]:
    """Return the readable labels of an axis' ticks, each with its position."""
    if not _has(axes, axis, view):
        return []
    low, high = sorted(axis.get_view_interval())
    margin = MARGIN * (high - low)
    found = []
    labels = known[id(axis)] if id(axis) in known else tick_labels(axis)
    legible: dict[int, bool] = {}
    for label in labels[:MAX_TEXTS]:
        place, tick = float(label.place), label.tick
        if id(tick) not in legible:
            both = (tick.label1, tick.label2)
            legible[id(tick)] = tick.get_visible() and any(shows(each, view.page) for each in both)
        if label.text.strip() and legible[id(tick)] and low - margin <= place <= high + margin:
            found.append((_letters(label.text), place))
    return found


def _texts(axes: Any, view: View, pictures: list[Picture]) -> list[tuple[str, tuple[float, float]]]:
    """Return the readable texts, each with its position in data coordinates.

    Texts that have the same colour as their cell are returned too, if there are only a few. If most
    texts have the colour of their cell, only the readable texts are returned.
    """
    found, readable = [], []
    ground = colour_over(axes.get_facecolor(), view.page)
    for text in [each for each in axes.texts if view.has(each)][:MAX_TEXTS]:
        pixels, place = _place(text, axes)
        says = text.get_text().strip() and is_legible(text)
        if says and view.sees(pixels, text, axes)[0]:
            behind = ground
            for picture in pictures:
                behind = picture.colour_at(place, behind)
            if text.get_bbox_patch() is not None:
                behind = colour_over(text.get_bbox_patch().get_facecolor(), behind)
            found.append((_letters(text.get_text()), place))
            readable.append(reads(text, behind))
    if 2 * sum(readable) >= len(found):
        return found
    return [each for each, can_be_read in zip(found, readable, strict=True) if can_be_read]


def _place(text: Any, axes: Any) -> tuple[Floats, tuple[float, float]]:
    """Return a text's position in pixels and in data coordinates."""
    x, y = text.get_position()
    given = np.array([[float(text.convert_xunits(x)), float(text.convert_yunits(y))]])
    pixels = text.get_transform().transform(given)
    if text.get_transform() is not axes.transData:
        given = axes.transData.inverted().transform(pixels)
    return pixels, (float(given[0, 0]), float(given[0, 1]))


def _series(axes: Any, view: View, entries: list[LegendEntry]) -> list[Series]:
    ground = colour_over(axes.get_facecolor(), view.page)

    def shown(artists: Any) -> list[Any]:
        seen = [artist for artist in artists if view.has(artist) and can_be_seen(artist, ground)]
        return seen[:MAX_DRAWN]

    found = []
    for line in shown(axes.get_lines()):
        ends = line.get_xdata(orig=False), line.get_ydata(orig=False)
        points, label = (
            np.column_stack([_floats(end).ravel() for end in ends]),
            label_of(line, entries),
        )
        seen = _in_view(points, line, line.get_transform(), axes, view)
        found.append(Series("line", label, *seen))
    for dots in shown(c for c in axes.collections if type(c).__name__ == "PathCollection"):
        points = _floats(dots.get_offsets()).reshape(-1, 2)
        label = label_of(dots, entries)
        seen = _in_view(points, dots, dots.get_offset_transform(), axes, view)
        found.append(Series("scatter", label, *seen))
    return found


def _in_view(
    points: Floats, artist: Any, transform: Any, axes: Any, view: View
) -> tuple[list[float], list[float]]:
    """Return the visible points in data coordinates: a list of all x and a list of all y."""
    points = points[:MAX_POINTS]
    pixels = np.asarray(transform.transform(points), float).reshape(-1, 2)
    if transform is not axes.transData:
        points = np.asarray(axes.transData.inverted().transform(pixels), float)
    seen = points[view.sees(pixels, artist, axes)]
    return [float(x) for x in seen[:, 0]], [float(y) for y in seen[:, 1]]


def _floats(values: Any) -> Floats:
    return np.asarray(np.ma.filled(np.ma.asarray(values, float), np.nan), float)


def _letters(text: object) -> str:
    return str(text)[:MAX_LETTERS]


def _joined(texts: list[Any], view: View) -> str:
    """Return the readable texts among `texts`, joined to one text."""
    shown = [text.get_text() for text in texts if reads(text, view.page)]
    return _letters(" ".join(shown))
