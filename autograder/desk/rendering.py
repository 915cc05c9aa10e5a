"""Templates of the desk, in which every value is escaped, with those of the reports behind them."""

import functools
import hashlib
import math
import re
from pathlib import Path

import jinja2
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from autograder.report.html import environment
from autograder.report.html import environment as of_reports

# The desk's own scripts and styles: read once, and served by name; there is nothing else.


FOLDER = Path(__file__).parent / "static"
REPORT_STYLE = "report.css"
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@functools.cache
def _files() -> dict[str, bytes]:
    found = {
        path.name: path.read_bytes() for path in sorted(FOLDER.iterdir()) if path.suffix in KINDS
    }
    style = environment().get_template("style.css").render(root=":root", body="body")
    return found | {REPORT_STYLE: style.encode()}


@functools.cache
def address(name: str) -> str:
    """Where a file is served; the address changes with its content."""
    return f"/static/{name}?v={hashlib.sha256(_files()[name]).hexdigest()[:12]}"


async def served(request: Request) -> Response:
    """A file by its name."""
    name = str(request.path_params["name"])
    data = _files().get(name)
    if data is None:
        raise HTTPException(404)
    kept = {"Cache-Control": "private, max-age=86400, immutable"}
    return Response(data, headers=kept, media_type=KINDS[Path(name).suffix])


TEMPLATES = Path(__file__).parent / "templates"
LONGEST = 100_000  # letters of one value
# What is not seen and changes what is: control characters, marks of direction, half characters.
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


@functools.cache
def rendering_environment() -> jinja2.Environment:
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
