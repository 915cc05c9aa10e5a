"""Templates of the desk, in which every value is escaped, with those of the reports behind them."""

import functools
import math
import re
from pathlib import Path

import jinja2
from markupsafe import Markup

from autograder.desk.static_files import address
from autograder.report.html import environment as of_reports

TEMPLATES = Path(__file__).parent / "templates"
LONGEST = 100_000  # letters of one value
# What is not seen and changes what is: control characters, marks of direction, half characters.
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


@functools.cache
def environment() -> jinja2.Environment:
    """The desk's templates; what is not among them is looked for among the reports'."""
    below = of_reports()
    assert below.loader is not None
    made = below.overlay(
        loader=jinja2.ChoiceLoader([jinja2.FileSystemLoader(TEMPLATES), below.loader]),
        finalize=harmless,
    )
    made.globals = {**below.globals, "static": address, "known": math.isfinite}
    return made


def harmless(value: object) -> object:
    """A text that shows all that is in it, and not for ever; anything else as it is."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    if len(value) > LONGEST:
        value = f"{value[:LONGEST]} …"
    return UNSEEN.sub(_named, value)


def _named(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
