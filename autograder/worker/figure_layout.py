"""Layout of a figure: the updates that `draw` makes, without a call of `draw` if possible.

matplotlib's `draw` sets the positions of the axes, their ticks and the colours of their cells. It
spends most of its time on the measurement of texts, which is not needed here.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

# Formatters of matplotlib whose labels can contain mathematics.
OWN_LABELS = {"ScalarFormatter", "NullFormatter", "LogFormatterSciNotation", "LogFormatter"}


class TickLabel(NamedTuple):
    """Text at a place of an axis, and the tick that gives the text its style."""

    place: Any
    text: str
    tick: Any


def tick_labels(axis: Any) -> list[TickLabel]:
    """Return the labels at an axis' ticks. The labels of minor ticks, if any, come last.

    Raises:
        Exception: matplotlib cannot place or label the ticks.
    """
    return [*_labels(axis, axis.major, "major"), *_labels(axis, axis.minor, "minor")]


def _labels(axis: Any, ticker: Any, which: str) -> list[TickLabel]:
    if type(ticker.locator).__name__ == "NullLocator" or _is_hidden(axis, which):
        return []
    places = axis.get_ticklocs(minor=which == "minor")
    texts = ["" if text is None else str(text) for text in ticker.formatter.format_ticks(places)]
    if type(ticker.formatter).__name__ in OWN_LABELS and not any(texts):
        return []
    ticks = getattr(axis, f"{which}Ticks")
    looks = [*ticks, *ticks[:1] * (len(places) - len(ticks))]
    found = [TickLabel(*each) for each in zip(places, texts, looks, strict=False)]
    # if a student's formatter gives too few labels, the remaining ticks keep their own labels
    left_over = ticks[len(found) : len(places)]
    return found + [TickLabel(tick.get_loc(), tick.label1.get_text(), tick) for tick in left_over]


def _is_hidden(axis: Any, which: str) -> bool:
    """Return True if matplotlib draws no ticks of this kind. Newer versions skip hidden ticks."""
    shows = getattr(axis, "_tick_group_visible", None)
    return shows is not None and not shows(getattr(axis, f"_{which}_tick_kw"))


Ticks = dict[int, list[TickLabel]]  # from the id of an axis to its labels

# Artists that are drawn correctly without updates which only their `draw` makes. A subclass may
# need such updates, so subclasses do not count.
_PLAIN = {
    "matplotlib.axes._axes.Axes",
    "matplotlib.axis.XAxis",
    "matplotlib.axis.YAxis",
    "matplotlib.collections.PathCollection",
    "matplotlib.collections.QuadMesh",
    "matplotlib.collections.LineCollection",
    "matplotlib.image.AxesImage",
    "matplotlib.legend.Legend",
    "matplotlib.lines.Line2D",
    "matplotlib.patches.Rectangle",
    "matplotlib.spines.Spine",
    "matplotlib.colorbar._ColorbarSpine",
    "matplotlib.text.Annotation",
    "matplotlib.text.Text",
}

_NOT_NEEDED = object()  # stands for a renderer, which this look-up of coordinates does not need


def lay_out(figure: Any) -> Ticks:
    """Update a figure's axes, ticks and colours, and return the ticks that are already computed.

    Raises:
        Exception: matplotlib cannot draw the figure.
    """
    figure.set_layout_engine("none")  # it reserves space for labels: slow, and not needed here
    ticks: Ticks = {}
    if is_plain(figure) and _settled(figure.axes, ticks):
        for artist in _artists(figure):  # place annotations that are on the axes
            is_note = hasattr(artist, "anncoords") and artist.get_visible()
            if is_note and artist._check_xy(_NOT_NEEDED):
                artist.update_positions(_NOT_NEEDED)
        if _can_be_set(figure):
            return ticks
    figure.draw_without_rendering()
    return {}


def _settled(several_axes: list[Any], ticks: Ticks) -> bool:
    """Make the updates of drawing, and fill `ticks`. Return True if these updates are enough."""
    for axes in several_axes:
        locator = axes.get_axes_locator()
        axes.apply_aspect(locator(axes, None) if locator else None)
    own = True
    for axes in several_axes:
        for collection in axes.collections:
            collection.update_scalarmappable()
        for axis in (axes.xaxis, axes.yaxis):
            found = ticks[id(axis)] = tick_labels(axis)
            kinds = {type(axis.get_major_formatter()), type(axis.get_minor_formatter())}
            if not {kind.__name__ for kind in kinds} <= OWN_LABELS:
                own = own and not any("$" in label.text for label in found)
    return own


def _can_be_set(figure: Any) -> bool:
    """Return True if all formulas in texts are valid. Otherwise drawing reports the error later."""
    try:
        for text in _artists(figure):
            if hasattr(text, "get_usetex") and "$" in text.get_text():
                text.get_window_extent()
    except Exception:
        return False
    return True


def is_plain(figure: Any) -> bool:
    """Return True if every update that drawing makes is also possible without drawing."""
    if _kind(figure) != "matplotlib.figure.Figure" or figure.subfigs:
        return False
    if figure.canvas.callbacks.callbacks.get("draw_event"):
        return False
    return all(_kind(artist) in _PLAIN and _is_simple(artist) for artist in _artists(figure))


def _artists(figure: Any) -> Iterator[Any]:
    """Yield all artists whose drawing may fail or change something."""
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
    return f"{type(artist).__module__}.{type(artist).__qualname__}"


def _is_simple(artist: Any) -> bool:
    """Return True if an artist uses no filter, no path effect and no TeX."""
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
