"""Layout of a figure, if possible without matplotlib's `draw`.

matplotlib's `draw` sets the positions of axes and ticks and the colours of cells. Most of its time
goes into the sizes of texts, which this module does not need.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

# Formatters of matplotlib whose labels can contain mathematics.
OWN_LABELS = {"ScalarFormatter", "NullFormatter", "LogFormatterSciNotation", "LogFormatter"}

# Artists that are correct before their method `draw` runs. A subclass may need its `draw`, so
# subclasses do not count.
PLAIN = """
axes._axes.Axes axis.XAxis axis.YAxis collections.PathCollection collections.QuadMesh
collections.LineCollection image.AxesImage legend.Legend lines.Line2D patches.Rectangle spines.Spine
colorbar._ColorbarSpine text.Annotation text.Text
""".split()  # noqa: SIM905

_NOT_NEEDED = object()  # stands for a renderer, which this look-up of coordinates does not need


class TickLabel(NamedTuple):
    """Text at a place of an axis, and the tick with the text's style."""

    place: Any
    text: str
    tick: Any


def tick_labels(axis: Any) -> list[TickLabel]:
    """Return the labels at an axis' ticks: first major ticks, then minor ticks."""
    return [*_labels(axis, axis.major, "major"), *_labels(axis, axis.minor, "minor")]


def _labels(axis: Any, ticker: Any, which: str) -> list[TickLabel]:
    is_drawn = getattr(axis, "_tick_group_visible", None)  # newer versions skip hidden ticks
    is_hidden = is_drawn is not None and not is_drawn(getattr(axis, f"_{which}_tick_kw"))
    if is_hidden or type(ticker.locator).__name__ == "NullLocator":
        return []
    places = axis.get_ticklocs(minor=which == "minor")
    texts = ["" if text is None else str(text) for text in ticker.formatter.format_ticks(places)]
    if type(ticker.formatter).__name__ in OWN_LABELS and not any(texts):
        return []
    ticks = getattr(axis, f"{which}Ticks")
    styles = [*ticks, *ticks[:1] * (len(places) - len(ticks))]
    labels = [TickLabel(*parts) for parts in zip(places, texts, styles, strict=False)]
    # if a student's formatter gives too few labels, the remaining ticks keep their own labels
    left_over = ticks[len(labels) : len(places)]
    return labels + [TickLabel(tick.get_loc(), tick.label1.get_text(), tick) for tick in left_over]


def lay_out(figure: Any) -> dict[Any, list[TickLabel]]:
    """Update a figure's axes, ticks and colours. If it cannot be drawn, matplotlib raises."""
    figure.set_layout_engine("none")  # it reserves space for labels: slow, and not needed here
    if is_plain(figure):
        for axes in figure.axes:
            locator = axes.get_axes_locator()
            axes.apply_aspect(locator(axes, None) if locator else None)
        for axes in figure.axes:
            for collection in axes.collections:
                collection.update_scalarmappable()
        both = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
        labels = {axis: tick_labels(axis) for axis in both}
        if _place_texts(figure, labels):
            return labels
    figure.draw_without_rendering()
    return {}


def _place_texts(figure: Any, labels: dict[Any, list[TickLabel]]) -> bool:
    """Place annotations. If only `draw` can place them, return False."""
    for axis, own in labels.items():
        formatters = axis.get_major_formatter(), axis.get_minor_formatter()
        is_own = {type(formatter).__name__ for formatter in formatters} <= OWN_LABELS
        if not is_own and any("$" in label.text for label in own):
            return False
    for artist in _artists(figure):  # place annotations that are on the axes
        is_note = hasattr(artist, "anncoords") and artist.get_visible()
        if is_note and artist._check_xy(_NOT_NEEDED):
            artist.update_positions(_NOT_NEEDED)
    try:
        for artist in _artists(figure):
            if hasattr(artist, "get_usetex") and "$" in artist.get_text():
                artist.get_window_extent()
    except Exception:
        return False
    return True


def is_plain(figure: Any) -> bool:
    """Return True if `lay_out` can update the figure without drawing it."""
    if _kind(figure) != "figure.Figure" or figure.subfigs:
        return False
    if figure.canvas.callbacks.callbacks.get("draw_event"):
        return False
    return all(_kind(artist) in PLAIN and _is_simple(artist) for artist in _artists(figure))


def _artists(figure: Any) -> Iterator[Any]:
    for child in figure.get_children():
        yield child
        if child in figure.axes:
            yield from child.get_children()
            yield child.xaxis.label
            yield child.yaxis.label
            if child.get_legend() is not None:
                yield from child.get_legend().get_texts()
        elif hasattr(child, "get_texts"):
            yield from child.get_texts()


def _kind(artist: Any) -> str:
    return f"{type(artist).__module__}.{type(artist).__qualname__}".removeprefix("matplotlib.")


def _is_simple(artist: Any) -> bool:
    if artist.get_agg_filter() is not None or artist.get_path_effects():
        return False
    if getattr(artist, "child_axes", None) or artist.get_animated():
        return False
    if hasattr(artist, "anncoords"):  # no arrow, and not placed relative to another artist
        if artist.arrowprops is not None:
            return False
        if not isinstance(artist.xycoords, str) or not isinstance(artist.anncoords, str):
            return False
    return not (hasattr(artist, "get_usetex") and artist.get_usetex())
