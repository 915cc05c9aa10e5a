"""How every figure looks: a light card, few colours, numbers that can be read.

Places are in inches from the top left corner of the card, so that a figure is laid out as it is
read. The colours are those of Okabe and Ito, which people with colour-blindness tell apart (the red
one darker, since words are written in it); nothing is said by colour alone. The card is light on
light pages and on dark ones.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

CARD, EDGE, INK, QUIET, LINE = "#fbfbf9", "#c9ced6", "#1c2430", "#566170", "#9aa3af"
BLUE, ORANGE, GREEN, RED, SKY, PURPLE = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#b84a00",
    "#56b4e9",
    "#cc79a7",
)
HEADS = (BLUE, ORANGE, GREEN, PURPLE)
SIZE, SMALL, LARGE = 10, 8.5, 12
CELL = 0.42

Cells = npt.ArrayLike
Place = tuple[float, float]


class Card:
    """A drawing area of so many inches; `y` grows downwards."""

    def __init__(self, width: float, height: float) -> None:
        self.figure = Figure(figsize=(width, height), facecolor=CARD)
        self.axes: Any = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set(xlim=(0, width), ylim=(height, 0))
        self.axes.set_axis_off()
        frame = Rectangle((0, 0), width, height, fill=False, edgecolor=EDGE, linewidth=2)
        self.axes.add_patch(frame)

    def text(self, x: float, y: float, said: str, **how: Any) -> None:
        """Text about a point: in the middle of it, unless `ha` or `va` say otherwise."""
        chosen = {"ha": "center", "va": "center", "color": INK, "fontsize": SIZE, **how}
        self.axes.text(x, y, said, **chosen)

    def arrow(self, start: Place, end: Place, color: str = QUIET, **how: Any) -> None:
        """An arrow between two points."""
        look = {"arrowstyle": "-|>", "color": color, "linewidth": 1.4, "mutation_scale": 11, **how}
        self.axes.annotate(
            "", xy=end, xytext=start, arrowprops={**look, "shrinkA": 0, "shrinkB": 0}
        )

    def line(self, xs: Sequence[float], ys: Sequence[float], **how: Any) -> None:
        """A line through points."""
        self.axes.plot(xs, ys, **{"color": QUIET, "linewidth": 1.4, **how})

    def box(self, x: float, y: float, w: float, h: float, said: str = "", **how: Any) -> None:
        """A box with rounded corners and a word in it; `x`, `y` is its top left corner."""
        chosen = {"facecolor": "white", "edgecolor": QUIET, "linewidth": 1.2, **how}
        style = "round,pad=0,rounding_size=0.07"
        self.axes.add_patch(FancyBboxPatch((x, y), w, h, boxstyle=style, **chosen))
        if said:
            self.text(x + w / 2, y + h / 2, said)

    def outline(self, x: float, y: float, w: float, h: float, color: str = RED) -> None:
        """A frame around cells."""
        self.axes.add_patch(Rectangle((x, y), w, h, fill=False, edgecolor=color, linewidth=2.4))

    def cells(
        self,
        x: float,
        y: float,
        values: Cells,
        *,
        digits: int | None = 2,
        size: float = CELL,
        most: float | None = None,
        wide: float | None = None,
        fill: Callable[[int, int], str] | None = None,
        names: Callable[[int, int], str] | None = None,
        fontsize: float = SMALL,
    ) -> None:
        """A matrix as cells, darker for larger numbers, with its top left corner at `x`, `y`.

        `digits` are those after the point, None for cells without numbers; `names` gives texts in
        their place and `fill` colours. For NaN there is none.
        """
        matrix = np.atleast_2d(np.asarray(values, dtype=float))
        finite = np.abs(matrix[np.isfinite(matrix)])
        largest = most if most is not None else max(finite.max(initial=0.0), 1e-9)
        across = wide or size
        for (i, j), value in np.ndenumerate(matrix):
            if not np.isfinite(value):
                continue
            shade = fill(i, j) if fill else tint(BLUE, 0.75 * abs(value) / largest)
            corner = x + j * across, y + i * size
            patch = Rectangle(corner, across, size, facecolor=shade, edgecolor=LINE, linewidth=0.8)
            self.axes.add_patch(patch)
            said = names(i, j) if names else shown(value, digits)
            self.text(
                corner[0] + across / 2,
                corner[1] + size / 2,
                said,
                fontsize=fontsize,
                color="white" if is_dark(shade) else INK,
            )

    def hatched(
        self, x: float, y: float, values: Cells, allowed: Cells, *, size: float = CELL, **how: Any
    ) -> None:
        """A matrix as cells, with hatched cells where `allowed` is false."""
        self.cells(x, y, np.where(allowed, values, np.nan), size=size, **how)
        for i, j in np.argwhere(~np.asarray(allowed, dtype=bool)):
            corner = x + j * size, y + i * size
            look: dict[str, Any] = {"facecolor": tint(QUIET, 0.12), "edgecolor": LINE}
            self.axes.add_patch(Rectangle(corner, size, size, hatch="///", lw=0.8, **look))

    def bars(
        self,
        x: float,
        base: float,
        values: Sequence[float],
        *,
        height: float,
        most: float,
        step: float = 0.55,
        digits: int = 2,
        color: str = BLUE,
        texts: Sequence[str] = (),
    ) -> None:
        """Upright bars from a base line, a bar of `most` being `height` tall, with their values."""
        wide = 0.68 * step
        for k, value in enumerate(values):
            tall = height * value / most
            left = x + k * step
            self.axes.add_patch(
                Rectangle((left, base - tall), wide, tall, facecolor=color, edgecolor=INK, lw=0.8)
            )
            said = texts[k] if texts else shown(value, digits)
            self.text(left + wide / 2, base - tall - 0.12, said, fontsize=SMALL)
        end = x + (len(values) - 1) * step + wide
        self.line([x - 0.08, end + 0.08], [base, base], color=INK, linewidth=1)


def shown(value: float, digits: int | None) -> str:
    """A number as a cell shows it; whole ones without a point where `digits` is 0."""
    if digits is None:
        return ""
    return f"{value:.{digits}f}".replace("-", "−")


def tint(color: str, share: float) -> str:
    """A colour mixed with white: 0 is white, 1 the colour itself."""
    share = min(max(share, 0.0), 1.0)
    parts = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(255 + (part - 255) * share):02x}" for part in parts)


def is_dark(color: str) -> bool:
    """Whether white text is easier to read on it than dark text."""
    red, green, blue = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue < 125
