"""Templates of the desk, in which every value is escaped, and the style of its reports."""

import functools
import math
import re
from pathlib import Path

import jinja2
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from autograder.report.html import environment as report_environment

STATIC, TEMPLATES = (Path(__file__).parent / name for name in ("static", "templates"))
MAX_LETTERS = 100_000  # of one value
# Invisible, and changes what is seen: control characters, marks of direction, half characters.
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


@functools.cache
def _report_style() -> str:
    return report_environment().get_template("style.css").render(root=":root", body="body")


async def report_style(_: Request) -> Response:
    """Send the style of the reports, which the desk's own builds on."""
    return Response(_report_style(), media_type="text/css")


@functools.cache
def rendering_environment() -> jinja2.Environment:
    """Return the desk's templates, with those of the reports behind them."""
    below = report_environment()
    assert below.loader is not None
    made = below.overlay(
        loader=jinja2.ChoiceLoader([jinja2.FileSystemLoader(TEMPLATES), below.loader]),
        finalize=harmless,
    )
    made.globals = {**below.globals, "known": math.isfinite}
    return made


def harmless(value: object) -> object:
    """Return a text with its invisible characters spelt out, and cut; anything else as it is."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    if len(value) > MAX_LETTERS:
        value = f"{value[:MAX_LETTERS]} …"
    return INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", value)
