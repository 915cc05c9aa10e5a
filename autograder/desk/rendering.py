"""Templates of the desk, in which every value is escaped, with those of the reports behind them."""

import math
from pathlib import Path

import jinja2

from autograder.desk.static_files import address
from autograder.report.html import environment as of_reports

TEMPLATES = Path(__file__).parent / "templates"


def environment() -> jinja2.Environment:
    """The desk's templates; what is not among them is looked for among the reports'."""
    below = of_reports()
    assert below.loader is not None
    made = below.overlay(
        loader=jinja2.ChoiceLoader([jinja2.FileSystemLoader(TEMPLATES), below.loader])
    )
    made.globals = {**below.globals, "static": address, "known": math.isfinite}
    return made
