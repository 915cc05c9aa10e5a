"""What is written at the ticks of an axis, without the ticks: matplotlib takes long to make one.

A tick that is not there yet would be a copy of the axis' first one, at another place.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

# Formatters whose labels with mathematics in them are matplotlib's own, and not a student's.
OWN_LABELS = {"ScalarFormatter", "NullFormatter", "LogFormatterSciNotation", "LogFormatter"}


class TickLabel(NamedTuple):
    """What is written at a place of an axis, and the tick that it looks like."""

    place: Any
    text: str
    tick: Any


def tick_labels(axis: Any) -> list[TickLabel]:
    """What is written at the ticks that an axis is drawn with; at the minor ones last, if at any.

    Raises:
        Exception: whatever matplotlib raises where it cannot place or label the ticks.
    """
    return [*_labels(axis, axis.major, "major"), *_labels(axis, axis.minor, "minor")]


def has_mathematics(labels: Sequence[TickLabel]) -> bool:
    """Whether a label may have mathematics in it."""
    return any("$" in label.text for label in labels)


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
    # of a formatter of one's own that has too few labels, the ticks left over stay as they are
    left_over = ticks[len(found) : len(places)]
    return found + [TickLabel(tick.get_loc(), tick.label1.get_text(), tick) for tick in left_over]


def _is_hidden(axis: Any, which: str) -> bool:
    """Whether matplotlib draws no ticks of this kind, as newer versions do if nothing shows."""
    shows = getattr(axis, "_tick_group_visible", None)
    return shows is not None and not shows(getattr(axis, f"_{which}_tick_kw"))
