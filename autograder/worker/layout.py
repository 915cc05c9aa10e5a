"""Laying out a figure: what drawing brings up to date, without the drawing where that is possible.

matplotlib settles in `draw` where axes stand, which ticks they have and which colours their cells.
Most of its time goes to measuring texts, which nobody asks for here.
"""

from collections.abc import Iterator
from typing import Any

# What is drawn of these depends on nothing that only their `draw` settles. Of a class of one's own
# nobody knows; a text with mathematics in it may turn out to be none.
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
    "matplotlib.text.Text",
}


# Formatters whose labels with mathematics in them are matplotlib's own, and not a student's.
_OWN_LABELS = {"ScalarFormatter", "NullFormatter", "LogFormatterSciNotation", "LogFormatter"}


def lay_out(figure: Any) -> None:
    """Bring a figure's axes, ticks and colours up to date.

    Raises:
        Exception: whatever matplotlib raises of a figure that cannot be drawn.
    """
    figure.set_layout_engine("none")  # room for labels is not looked at, and slow to work out
    if not _is_plain(figure) or not _settled(figure.axes):
        figure.draw_without_rendering()


def _settled(several_axes: list[Any]) -> bool:
    """Settle what drawing would; whether that was all."""
    for axes in several_axes:
        locator = axes.get_axes_locator()
        axes.apply_aspect(locator(axes, None) if locator else None)
    own = True
    for axes in several_axes:
        for collection in axes.collections:
            collection.update_scalarmappable()
        for axis in (axes.xaxis, axes.yaxis):
            labels = axis.get_ticklabels(which="both")
            kinds = {type(axis.get_major_formatter()), type(axis.get_minor_formatter())}
            if not {kind.__name__ for kind in kinds} <= _OWN_LABELS:
                own = own and not any("$" in label.get_text() for label in labels)
    return own


def _is_plain(figure: Any) -> bool:
    if _kind(figure) != "matplotlib.figure.Figure" or figure.subfigs:
        return False
    if figure.canvas.callbacks.callbacks.get("draw_event"):
        return False
    return all(_kind(artist) in _PLAIN and _is_simple(artist) for artist in _artists(figure))


def _artists(figure: Any) -> Iterator[Any]:
    """All artists whose drawing may fail, or change something."""
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
    """Whether it has nothing that acts on drawing: a filter, an effect, mathematics to be read."""
    if artist.get_agg_filter() is not None or artist.get_path_effects():
        return False
    if getattr(artist, "child_axes", None) or artist.get_animated():
        return False
    if not hasattr(artist, "get_usetex"):
        return True
    return not artist.get_usetex() and "$" not in artist.get_text()
