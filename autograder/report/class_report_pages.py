"""A class's two pages as HTML and as a tagged PDF, both made of the same record."""

import base64
import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from autograder.report.class_report import FEWEST, ClassReport, percent
from autograder.report.html import environment
from autograder.report.statistics import TENTHS

if TYPE_CHECKING:
    from autograder.report.class_report import ClassReport


# The figures of a class's two pages as SVG: how points lie, how hard the exercises are.


INK, BAR, PALE, QUIET = "#1c2430", "#1f4f99", "#9db7dd", "#5a6675"
SAME_BYTES = {"svg.hashsalt": "class-report", "svg.fonttype": "path", "font.size": 9}


def distribution_chart(report: "ClassReport") -> str:
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
    axes.set_xlim(0, TENTHS)
    axes.set_xticks(
        range(0, TENTHS + 1, 2), [f"{100 * each // TENTHS} %" for each in range(0, TENTHS + 1, 2)]
    )
    axes.set_xlabel("part of all points")
    axes.set_yticks([])
    axes.margins(y=0.15)
    axes.spines["left"].set_visible(False)
    return _svg(figure)


def facility_chart(report: "ClassReport") -> str:
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


def distribution_description(report: "ClassReport") -> str:
    """The histogram in words, for who does not see it."""
    parts = [f"{report.range_of(band)} of the points: {band.students}" for band in report.bands]
    return "How many students have which part of the points. " + "; ".join(parts) + "."


def facility_description(report: "ClassReport") -> str:
    """The bars in words."""
    parts = [
        f"{line.title}: {line.why_not if line.facility is None else percent(line.facility)}"
        for line in report.exercises
    ]
    return "The mean part of the points by exercise. " + "; ".join(parts) + "."


TEMPLATE = Path(__file__).parent / "templates" / "class_report.typ"
HOW_TO_READ = (
    f"No number of students below {FEWEST} is told, nor one from which such a number follows by "
    f"subtraction: neighbouring bars are taken together, and “all but a few” stands for a number "
    f"that would tell of the others.",
    "The figures are of the work as it was graded by tests and by people, before anything was "
    "taken off for lateness. They tell of a class and its exercises, not of persons.",
)


def as_html(report: ClassReport) -> str:
    """One self-contained page, which prints as two sheets."""
    text: str = (
        environment()
        .get_template("class_report.html")
        .render(
            report=report,
            distribution=_in_the_page(distribution_chart(report)),
            facilities=_in_the_page(facility_chart(report)),
            said_of_distribution=distribution_description(report),
            said_of_facilities=facility_description(report),
            how_to_read=HOW_TO_READ,
        )
    )
    return text


def _in_the_page(svg: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def as_pdf(report: ClassReport) -> bytes:
    """Two tagged pages, with every figure in words; no time is in it.

    They are PDF/UA-1, unless a title is in a script that no font here has: of that it is then only
    the tags. Needs the extra `pdf`. What is shown goes in as data and is never read as commands.
    """
    import typst

    shown, source = _shown(report), TEMPLATE.read_bytes()
    try:
        return typst.compile(source, format="pdf", sys_inputs=shown, pdf_standards="ua-1")
    except typst.TypstError:
        return typst.compile(source, format="pdf", sys_inputs=shown)


def as_pictures(report: ClassReport) -> list[bytes]:
    """The pages of the PDF as PNG, to be looked at."""
    import typst

    made: bytes | list[bytes] = typst.compile(
        TEMPLATE.read_bytes(), format="png", sys_inputs=_shown(report), ppi=110
    )
    return [made] if isinstance(made, bytes) else made


def _shown(report: ClassReport) -> dict[str, str]:
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
