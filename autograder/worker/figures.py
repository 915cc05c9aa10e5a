"""A matplotlib figure as plain data: what is drawn and what is written, not its pixels."""

import sys
from typing import Any

import numpy as np

from .codec import Axes, Figure, Image, Series

MAX_AXES = 16
MAX_ITEMS = 64
MAX_POINTS = 4096
MAX_TEXTS = 1100
MAX_TEXT = 300


def describe_figure(figure: Any) -> Figure:
    """The data of `figure`, a `matplotlib.figure.Figure`; colour bars count as axes too.

    The figure is closed, so that the next one that pyplot draws is a new one, as in a notebook.
    """
    figure.set_layout_engine("none")  # where things stand is not looked at, and slow to work out
    figure.draw_without_rendering()  # ticks and their labels are made on drawing
    described = Figure(
        title=_text(figure.get_suptitle()),
        legend=[label for legend in figure.legends for label in _legend(legend)],
        axes=[_axes(axes) for axes in figure.axes[:MAX_AXES]],
    )
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close(figure)
    return described


def _axes(axes: Any) -> Axes:
    legend = axes.get_legend()
    titles = [axes.get_title(loc) for loc in ("center", "left", "right")]
    return Axes(
        title=_text(" ".join(title for title in titles if title)),
        x_label=_text(axes.get_xlabel()),
        y_label=_text(axes.get_ylabel()),
        x_scale=axes.get_xscale(),
        y_scale=axes.get_yscale(),
        x_ticks=[_text(label.get_text()) for label in axes.get_xticklabels()[:MAX_TEXTS]],
        y_ticks=[_text(label.get_text()) for label in axes.get_yticklabels()[:MAX_TEXTS]],
        legend=_legend(legend) if legend is not None else [],
        texts=[_text(text.get_text()) for text in axes.texts[:MAX_TEXTS]],
        series=_series(axes),
        images=_images(axes),
        x_places=_floats(axes.get_xticks()),
        y_places=_floats(axes.get_yticks()),
        text_places=[_place(text) for text in axes.texts[:MAX_TEXTS]],
        is_bar=axes.get_label() == "<colorbar>",
    )


def _place(text: Any) -> tuple[float, float]:
    try:
        x, y = text.get_position()
        return float(x), float(y)
    except (TypeError, ValueError):
        return float("nan"), float("nan")


def _text(text: object) -> str:
    return str(text)[:MAX_TEXT]


def _legend(legend: Any) -> list[str]:
    return [_text(text.get_text()) for text in legend.get_texts()[:MAX_ITEMS]]


def _series(axes: Any) -> list[Series]:
    found = []
    for line in axes.get_lines()[:MAX_ITEMS]:
        x, y = line.get_xdata(orig=False), line.get_ydata(orig=False)
        found.append(Series("line", _text(line.get_label()), _floats(x), _floats(y)))
    for collection in axes.collections[:MAX_ITEMS]:
        points: Any = np.ma.filled(np.ma.asarray(collection.get_offsets(), float), np.nan)
        if type(collection).__name__ == "PathCollection" and points.ndim == 2 and len(points):
            label = _text(collection.get_label())
            found.append(Series("scatter", label, _floats(points[:, 0]), _floats(points[:, 1])))
    return found


def _images(axes: Any) -> list[Image]:
    found = []
    meshes = [item for item in axes.collections if type(item).__name__ == "QuadMesh"]
    for item in [*axes.get_images(), *meshes][:MAX_ITEMS]:
        data: Any = np.ma.filled(np.ma.asarray(item.get_array(), float), np.nan)
        if data.ndim == 2 and data.size <= MAX_POINTS * 4:
            values = [float(value) for value in data.ravel()]
            low, high = _floats([item.norm.vmin, item.norm.vmax])
            found.append(Image(data.shape[0], data.shape[1], values, low, high))
    return found


def _floats(values: Any) -> list[float]:
    array: Any = np.ma.filled(np.ma.asarray(values, float), np.nan)
    return [float(value) for value in array.ravel()[:MAX_POINTS]]
