"""A class's two pages as HTML and as a tagged PDF, both made of the same record."""

import base64
from pathlib import Path

import msgspec

from autograder.report import class_figures as figures
from autograder.report.class_report import ClassReport
from autograder.report.html import environment
from autograder.statistics.disclosure import FEWEST

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
            distribution=_in_the_page(figures.distribution(report)),
            facilities=_in_the_page(figures.facilities(report)),
            said_of_distribution=figures.said_of_distribution(report),
            said_of_facilities=figures.said_of_facilities(report),
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
        "distribution": figures.distribution(report),
        "said_of_distribution": figures.said_of_distribution(report),
        "of_distribution": report.distribution,
        "facilities": figures.facilities(report),
        "said_of_facilities": figures.said_of_facilities(report),
        "of_exercises": report.of_exercises,
        "mistakes": [(e.exercise, e.finding, e.students, e.points) for e in report.mistakes],
        "of_mistakes": report.of_mistakes,
        "reliability": report.reliability,
        "how_to_read": HOW_TO_READ,
    }
    return {"report": msgspec.json.encode(shown).decode()}
