"""Conversion of a matplotlib figure to plain data on the visible parts."""

import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .codec import MAX_DRAWN, MAX_LETTERS, MAX_PANELS, MAX_POINTS, MAX_TEXTS, Axes, Figure, Series
from .figure_layout import lay_out, tick_labels
from .figure_view import (
    Floats,
    View,
    colour_over,
    is_inked,
    is_visible,
    pictures_of,
    reads,
    shows,
    tell_apart,
)

MARGIN = 1e-3  # a tick is still drawn if it is this fraction of the range outside the limits
_NOTHING = ("", " ", "None", "none", None)


class LegendEntry(NamedTuple):
    """Entry of a legend: a text, and a sample of a line or colour next to it."""

    text: str
    sample: Any


def describe_figure(figure: Any) -> Figure:
    """Return the data of a `matplotlib.figure.Figure`. Colour bars count as axes.

    The figure is closed, so the next call of pyplot starts a new figure, as in a notebook.
    """
    description = _Description(figure).figure()
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close(figure)
    return description


class _Description:
    def __init__(self, figure: Any) -> None:
        self.labels = lay_out(figure)
        self.view = View(figure)
        shown = self.view.axes[:MAX_PANELS]
        self.pictures = {
            axes: [] if _colorbar(axes) else pictures_of(axes, self.view) for axes in shown
        }
        self.legends = {axes: self.entries([axes.get_legend()]) for axes in shown}
        self.general = self.entries(self.view.legends)

    def figure(self) -> Figure:
        return Figure(
            title=self.joined(self.view.suptitles),
            legend=[entry.text for entry in self.general],
            axes=[self.axes(axes) for axes in self.pictures],
        )

    def axes(self, axes: Any) -> Axes:
        x_ticks, y_ticks = self.ticks(axes, axes.xaxis), self.ticks(axes, axes.yaxis)
        texts, pale = self.texts(axes)
        bar = _colorbar(axes)
        box = axes.bbox.transformed(axes.get_figure().figure.transFigure.inverted())
        return Axes(
            title=self.joined([axes.title, axes._left_title, axes._right_title]),
            x_label=self.label(axes, axes.xaxis, self.view.x_labels),
            y_label=self.label(axes, axes.yaxis, self.view.y_labels),
            x_scale=_letters(axes.get_xscale()),
            x_ticks=[label for label, _ in x_ticks],
            y_ticks=[label for label, _ in y_ticks],
            legend=[entry.text for entry in self.legends[axes]],
            texts=[text for text, _ in texts],
            series=self.series(axes),
            images=[picture.image for picture in self.pictures[axes]],
            x_places=[place for _, place in x_ticks],
            y_places=[place for _, place in y_ticks],
            text_places=[place for _, place in texts],
            is_bar=bool(bar and (x_ticks or y_ticks) and self.stands_for_image(bar)),
            box=(float(box.x0), float(box.y0), float(box.x1), float(box.y1)),
            y_scale=_letters(axes.get_yscale()),
            pale=[text for text, _ in pale],
            pale_places=[place for _, place in pale],
            limits=[*map(float, axes.get_xlim()), *map(float, axes.get_ylim())],
        )

    def joined(self, texts: list[Any]) -> str:
        return _letters(" ".join(text.get_text() for text in texts if reads(text, self.view.page)))

    def entries(self, legends: Iterable[Any]) -> list[LegendEntry]:
        entries = []
        for legend in legends:
            if legend is None or not self.view.has(legend):
                continue
            for text, sample in zip(legend.get_texts(), legend.legend_handles, strict=False):
                if sample is None or not is_visible(sample) or not reads(text, self.view.page):
                    continue
                if can_be_seen(sample, self.view.page):
                    entries.append(LegendEntry(text.get_text()[:MAX_LETTERS], sample))
        return entries[:MAX_DRAWN]

    def stands_for_image(self, bar: Any) -> bool:
        if bar.solids is not None and not self.view.has(bar.solids):
            return False
        return any(
            bar.mappable is picture.item or picture.has_colours_of(bar.mappable)
            for pictures in self.pictures.values()
            for picture in pictures
        )

    def has_axis(self, axes: Any, axis: Any) -> bool:
        return bool(axes.axison) and self.view.has(axis)

    def label(self, axes: Any, axis: Any, of_figure: list[Any]) -> str:
        own = self.joined([axis.label]) if self.has_axis(axes, axis) else ""
        return own if own or _colorbar(axes) else self.joined(of_figure)

    def ticks(self, axes: Any, axis: Any) -> list[tuple[str, float]]:
        if not self.has_axis(axes, axis):
            return []
        low, high = sorted(axis.get_view_interval())
        margin = MARGIN * (high - low)
        ticks = []
        legible: dict[Any, bool] = {}  # many labels have the style of one tick
        labels = self.labels[axis] if axis in self.labels else tick_labels(axis)
        for place, text, tick in labels[:MAX_TEXTS]:
            if tick not in legible:
                both = (tick.label1, tick.label2)
                legible[tick] = tick.get_visible() and any(shows(t, self.view.page) for t in both)
            if text.strip() and legible[tick] and low - margin <= float(place) <= high + margin:
                ticks.append((_letters(text), float(place)))
        return ticks

    def texts(self, axes: Any) -> tuple[list[Any], list[Any]]:
        """Return the legible texts, and the texts in nearly the colour of what is behind them."""
        texts: dict[bool, list[Any]] = {True: [], False: []}
        for text in [text for text in axes.texts if self.view.has(text)][:MAX_TEXTS]:
            pixels, place = _place(text, axes)
            if not self.view.sees(pixels, text, axes)[0]:
                continue
            behind = colour_over(axes.get_facecolor(), self.view.page)
            for picture in self.pictures[axes]:
                behind = picture.colour_at(place, behind)
            if text.get_bbox_patch() is not None:
                behind = colour_over(text.get_bbox_patch().get_facecolor(), behind)
            if text.get_text().strip() and is_inked(text):
                texts[shows(text, behind)].append((_letters(text.get_text()), place))
        return texts[True], texts[False]

    def series(self, axes: Any) -> list[Series]:
        ground = colour_over(axes.get_facecolor(), self.view.page)
        every = [*self.general, *(entry for own in self.legends.values() for entry in own)]
        entries = self.legends[axes] or every

        def shown(artists: Any) -> list[Any]:
            drawn = [artist for artist in artists if self.view.has(artist)]
            return [artist for artist in drawn if can_be_seen(artist, ground)][:MAX_DRAWN]

        def described(kind: str, artist: Any, points: Floats, transform: Any) -> Series:
            pixels = np.asarray(transform.transform(points[:MAX_POINTS]), float).reshape(-1, 2)
            points = points[:MAX_POINTS]
            if transform is not axes.transData:
                points = np.asarray(axes.transData.inverted().transform(pixels), float)
            x, y = points[self.view.sees(pixels, artist, axes)].T.tolist()
            return Series(kind, label_of(artist, entries), x, y)

        series = []
        for line in shown(axes.get_lines()):
            ends = line.get_xdata(orig=False), line.get_ydata(orig=False)
            points = np.column_stack([_floats(end).ravel() for end in ends])
            series.append(described("line", line, points, line.get_transform()))
        for dots in shown(c for c in axes.collections if type(c).__name__ == "PathCollection"):
            points = _floats(dots.get_offsets()).reshape(-1, 2)
            series.append(described("scatter", dots, points, dots.get_offset_transform()))
        return series


def label_of(artist: Any, entries: list[LegendEntry]) -> str:
    """Return the legend's text for a line or a scatter plot. If it is unclear, return ""."""
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
    """Return True if a line or a marker is visible on this background colour."""
    if hasattr(artist, "get_marker"):
        line = artist.get_linestyle() not in _NOTHING and artist.get_linewidth() > 0
        dots = artist.get_marker() not in _NOTHING and artist.get_markersize() > 0
        if not line and not dots:
            return False
    return any(tell_apart(colour_over(colour, ground), ground) for colour in _colours(artist))


def _colours(artist: Any) -> list[Floats]:
    from matplotlib.colors import to_rgba_array

    colours: list[Floats] = []
    is_line = hasattr(artist, "get_marker")
    names = ["get_color"] if not is_line or artist.get_linestyle() not in _NOTHING else []
    names += ["get_markerfacecolor", "get_markeredgecolor", "get_facecolor", "get_edgecolor"]
    alpha = artist.get_alpha()
    for name in names:
        if hasattr(artist, name):
            own = to_rgba_array(getattr(artist, name)(), alpha if np.ndim(alpha) == 0 else None)
            colours += list(np.asarray(own, float)[:MAX_DRAWN])
    return colours


def _colorbar(axes: Any) -> Any:
    return getattr(axes, "_colorbar", None)


def _place(text: Any, axes: Any) -> tuple[Floats, tuple[float, float]]:
    x, y = text.get_position()
    place = np.array([[float(text.convert_xunits(x)), float(text.convert_yunits(y))]])
    pixels = text.get_transform().transform(place)
    if text.get_transform() is not axes.transData:
        place = axes.transData.inverted().transform(pixels)
    return pixels, (float(place[0, 0]), float(place[0, 1]))


def _floats(values: Any) -> Floats:
    return np.asarray(np.ma.filled(np.ma.asarray(values, float), np.nan), float)


def _letters(text: object) -> str:
    return str(text)[:MAX_LETTERS]
