"""A class's two pages as HTML and as a tagged PDF, both made of the same record."""

import base64
import io
import warnings
from pathlib import Path
from typing import Any

import msgspec

from autograder.report.class_report import FEWEST, ClassReport, percent
from autograder.report.html import environment
from autograder.report.statistics import TENTHS

INK, BAR, PALE, QUIET = "#1c2430", "#1f4f99", "#9db7dd", "#5a6675"
TEMPLATE = Path(__file__).parent / "templates" / "class_report.typ"
HOW_TO_READ = (
    f"No number of students below {FEWEST} is told, nor one from which such a number follows by "
    f"subtraction: neighbouring bars are taken together, and “all but a few” stands for a number "
    f"that would tell of the others.",
    "The figures are of the work as it was graded by tests and by people, before anything was "
    "taken off for lateness. They tell of a class and its exercises, not of persons.",
)
SAME_BYTES = {"svg.hashsalt": "class-report", "svg.fonttype": "path", "font.size": 9}


def distribution_chart(report: ClassReport) -> str:
    """Draw a histogram whose areas are students, with the number of each band over it, as SVG."""
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
    axes.set_xlim(0, TENTHS)
    ticks = range(0, TENTHS + 1, 2)
    axes.set_xticks(ticks, [f"{100 * tick // TENTHS} %" for tick in ticks])
    axes.set_xlabel("part of all points")
    axes.set_yticks([])
    axes.margins(y=0.15)
    axes.spines["left"].set_visible(False)
    return _svg(figure)


def facility_chart(report: ClassReport) -> str:
    """Draw a bar per exercise, with the interval where there is one, as SVG."""
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


def distribution_description(report: ClassReport) -> str:
    """Describe the histogram in words, for who does not see it."""
    parts = [f"{report.range_of(band)} of the points: {band.students}" for band in report.bands]
    return "How many students have which part of the points. " + "; ".join(parts) + "."


def facility_description(report: ClassReport) -> str:
    """Describe the bars in words."""
    parts = [
        f"{line.title}: {line.why_not if line.facility is None else percent(line.facility)}"
        for line in report.exercises
    ]
    return "The mean part of the points by exercise. " + "; ".join(parts) + "."


def as_html(report: ClassReport) -> str:
    """Return one self-contained page, which prints as two sheets."""
    return (
        environment()
        .get_template("class_report.html")
        .render(
            report=report,
            distribution=_data_address(distribution_chart(report)),
            facilities=_data_address(facility_chart(report)),
            said_of_distribution=distribution_description(report),
            said_of_facilities=facility_description(report),
            how_to_read=HOW_TO_READ,
        )
    )


def _data_address(svg: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def as_pdf(report: ClassReport) -> bytes:
    """Return two tagged pages, with every figure in words; no time is in it.

    They are PDF/UA-1, unless a title is in a script that no font here has: of that it is then only
    the tags. Needs the extra `pdf`. What is shown goes in as data and is never read as commands.
    """
    import typst

    shown, source = template_inputs(report), TEMPLATE.read_bytes()
    try:
        return typst.compile(source, format="pdf", sys_inputs=shown, pdf_standards="ua-1")
    except typst.TypstError:
        return typst.compile(source, format="pdf", sys_inputs=shown)


def template_inputs(report: ClassReport) -> dict[str, str]:
    """Return what the PDF's template reads: all that is shown, as JSON."""
    shown = {
        "course": report.course,
        "date": report.date,
        "facts": report.facts,
        "distribution": distribution_chart(report),
        "said_of_distribution": distribution_description(report),
        "of_distribution": report.distribution,
        "facilities": facility_chart(report),
        "said_of_facilities": facility_description(report),
        "of_exercises": report.of_exercises,
        "mistakes": [(e.exercise, e.finding, e.students, e.points) for e in report.mistakes],
        "of_mistakes": report.of_mistakes,
        "reliability": report.reliability,
        "how_to_read": HOW_TO_READ,
    }
    return {"report": msgspec.json.encode(shown).decode()}
