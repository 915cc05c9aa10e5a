"""The figures of a class's two pages as SVG: how points lie, how hard the exercises are."""

import io
import warnings
from typing import TYPE_CHECKING, Any

from autograder.report.class_words import percent
from autograder.statistics.summary import BARS

if TYPE_CHECKING:
    from autograder.report.class_report import ClassReport

INK, BAR, PALE, QUIET = "#1c2430", "#1f4f99", "#9db7dd", "#5a6675"
SAME_BYTES = {"svg.hashsalt": "class-report", "svg.fonttype": "path", "font.size": 9}


def distribution(report: "ClassReport") -> str:
    """A histogram whose areas are students; the number of each band stands over it."""
    figure, axes = _figure(6.6, 2.5)
    for band in report.bands:
        width = band.end - band.start
        height = band.students / width
        axes.bar(band.start, height, width, align="edge", color=BAR, edgecolor="white")
        axes.annotate(
            str(band.students),
            (band.start + width / 2, height),
            (0, 2),
            textcoords="offset points",
            ha="center",
        )
    axes.set_xlim(0, BARS)
    axes.set_xticks(
        range(0, BARS + 1, 2), [f"{100 * each // BARS} %" for each in range(0, BARS + 1, 2)]
    )
    axes.set_xlabel("part of all points")
    axes.set_yticks([])
    axes.margins(y=0.15)
    axes.spines["left"].set_visible(False)
    return _svg(figure)


def facilities(report: "ClassReport") -> str:
    """A bar an exercise, in the course's order, with the interval where there is one."""
    lines = report.exercises
    figure, axes = _figure(6.6, 0.5 + 0.19 * max(len(lines), 4))
    for place, line in enumerate(lines):
        if line.facility is None:
            axes.text(0.01, place, line.why_not, va="center", color=QUIET, style="italic", size=8)
            continue
        axes.barh(place, line.facility, 0.7, color=PALE)
        at = line.facility
        if line.span is not None:
            axes.plot(line.span, (place, place), color=INK, linewidth=1.2, marker="|")
            at = max(at, line.span.high)
        axes.text(at + 0.015, place, percent(line.facility), va="center", size=8)
    names = [f"{line.title}  ({line.students})" for line in lines]
    axes.set_yticks(range(len(lines)), names, size=8, parse_math=False)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.set_xlim(0, 1.1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"], size=8)
    return _svg(figure)


def _figure(width: float, height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors=INK)
    return figure, axes


def _svg(figure: Any) -> str:
    import matplotlib as mpl

    made = io.StringIO()
    with mpl.rc_context(SAME_BYTES), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # a script that the font lacks shows as boxes
        figure.savefig(made, format="svg", metadata={"Date": None, "Creator": None})
    return made.getvalue()


def said_of_distribution(report: "ClassReport") -> str:
    """The histogram in words, for who does not see it."""
    parts = [f"{report.range_of(band)} of the points: {band.students}" for band in report.bands]
    return "How many students have which part of the points. " + "; ".join(parts) + "."


def said_of_facilities(report: "ClassReport") -> str:
    """The bars in words."""
    parts = [
        f"{line.title}: {line.why_not if line.facility is None else percent(line.facility)}"
        for line in report.exercises
    ]
    return "The mean part of the points by exercise. " + "; ".join(parts) + "."
