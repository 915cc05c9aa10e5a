"""What a legend says of a line: the entry that has the line's colour and style."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .codec import MAX_DRAWN, MAX_LETTERS
from .in_view import Floats, View, colour_over, is_visible, reads, tell_apart

_NOTHING = ("", " ", "None", "none", None)


class LegendEntry(NamedTuple):
    """One entry of a legend: what it says, and the sample beside it."""

    text: str
    sample: Any


def entries(legends: Iterable[Any], view: View) -> list[LegendEntry]:
    """The entries of these legends that can be read, with a sample that can be seen."""
    found = []
    for legend in legends:
        if legend is None or not view.has(legend):
            continue
        for text, sample in zip(legend.get_texts(), legend.legend_handles, strict=False):
            shown = sample is not None and is_visible(sample) and can_be_seen(sample, view.page)
            if shown and reads(text, view.page):
                found.append(LegendEntry(text.get_text()[:MAX_LETTERS], sample))
    return found[:MAX_DRAWN]


def label_of(artist: Any, found: list[LegendEntry]) -> str:
    """What the legend says of a line or a scatter; nothing if it cannot be told."""
    left = found
    for trait in (_colour, _dashes, _marker, _width):
        mine = trait(artist)
        alike = [entry for entry in left if trait(entry.sample) == mine]
        left = alike or left
    texts = {entry.text for entry in left}
    if (len(texts) == 1 and len(found) > 1) or len(found) == 1:
        return left[0].text
    own = str(artist.get_label())[:MAX_LETTERS]
    return own if own in texts else ""


def can_be_seen(artist: Any, ground: Floats) -> bool:
    """Whether a line or a marker leaves something on this ground."""
    if hasattr(artist, "get_marker"):
        line = artist.get_linestyle() not in _NOTHING and artist.get_linewidth() > 0
        dots = artist.get_marker() not in _NOTHING and artist.get_markersize() > 0
        if not line and not dots:
            return False
    colours = _colours(artist)
    return any(tell_apart(colour_over(each, ground), ground) for each in colours)


def _colours(artist: Any) -> list[Floats]:
    """All colours of a line, a marker or a patch, with their opacity."""
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


def _colour(artist: Any) -> tuple[float, ...]:
    for colour in _colours(artist):
        if colour[3] > 0:
            return tuple(round(float(part), 2) for part in colour[:3])
    return ()


def _dashes(artist: Any) -> object:
    return str(artist.get_linestyle()) if hasattr(artist, "get_linestyle") else None


def _marker(artist: Any) -> object:
    return str(artist.get_marker()) if hasattr(artist, "get_marker") else None


def _width(artist: Any) -> object:
    return str(artist.get_linewidth()) if hasattr(artist, "get_linewidth") else None
