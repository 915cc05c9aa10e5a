"""A class's two pages as HTML and as a tagged PDF, both made of the same record."""

import base64
from pathlib import Path
from typing import Any

import msgspec

from autograder.report.class_report import FEWEST, ClassReport, percent
from autograder.report.html import environment
from autograder.report.statistics import TENTHS

TEMPLATE = Path(__file__).parent / "templates" / "class_report.typ"
HOW_TO_READ = (
    f"No number of students below {FEWEST} is told, nor one from which such a number follows by "
    f"subtraction: neighbouring bars are taken together, and “all but a few” stands for a number "
    f"that would tell of the others.",
    "The figures are of the work as it was graded by tests and by people, before anything was "
    "taken off for lateness. They tell of a class and its exercises, not of persons.",
)


def as_html(report: ClassReport) -> str:
    """Return one self-contained page, which prints as two sheets."""
    shown = _shown(report)
    for name in ("distribution_chart", "facility_chart"):
        svg = base64.b64encode(shown[name].encode()).decode()
        shown[name] = f"data:image/svg+xml;base64,{svg}"
    text: str = environment().get_template("class_report.html").render(**shown)
    return text


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
    """Return what the Typst template is given."""
    return {"report": msgspec.json.encode(_shown(report)).decode()}


def _shown(report: ClassReport) -> dict[str, Any]:
    """Return what both templates show: the report, its charts, and the charts in words."""
    charts: Any = environment().get_template("class_charts.svg").module
    return {
        "report": report,
        "distribution_chart": str(charts.distribution(report, TENTHS)).strip(),
        "distribution_description": _distribution_description(report),
        "facility_chart": str(charts.facility(report, percent)).strip(),
        "facility_description": _facility_description(report),
        "how_to_read": HOW_TO_READ,
    }


def _distribution_description(report: ClassReport) -> str:
    """Return the histogram in words, for people who do not see it."""
    parts = [f"{report.range_of(band)} of the points: {band.students}" for band in report.bands]
    return "How many students have which part of the points. " + "; ".join(parts) + "."


def _facility_description(report: ClassReport) -> str:
    """Return the bars in words."""
    parts = [
        f"{line.title}: {line.why_not if line.facility is None else percent(line.facility)}"
        for line in report.exercises
    ]
    return "The mean part of the points by exercise. " + "; ".join(parts) + "."
