"""Templates of the desk, in which every value is escaped, and its scripts and styles."""

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

from autograder.report.html import environment as report_environment

STATIC, TEMPLATES = (Path(__file__).parent / name for name in ("static", "templates"))
REPORT_STYLE = "report.css"
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
MAX_LETTERS = 100_000  # of one value
# Invisible, and changes what is seen: control characters, marks of direction, half characters.
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


@functools.cache
def _files() -> dict[str, bytes]:
    style = report_environment().get_template("style.css").render(root=":root", body="body")
    files = {path.name: path.read_bytes() for path in STATIC.iterdir() if path.suffix in TYPES}
    return files | {REPORT_STYLE: style.encode()}


@functools.cache
def address(name: str) -> str:
    """Return the address of a static file, which changes with its content."""
    return f"/static/{name}?v={hashlib.sha256(_files()[name]).hexdigest()[:12]}"


async def served(request: Request) -> Response:
    """Serve a static file by its name; there is nothing else."""
    name = str(request.path_params["name"])
    data = _files().get(name)
    if data is None:
        raise HTTPException(404)
    headers = {"Cache-Control": "private, max-age=86400, immutable"}
    return Response(data, headers=headers, media_type=TYPES[Path(name).suffix])


@functools.cache
def rendering_environment() -> jinja2.Environment:
    """Return the desk's templates, with those of the reports behind them."""
    below = report_environment()
    assert below.loader is not None
    made = below.overlay(
        loader=jinja2.ChoiceLoader([jinja2.FileSystemLoader(TEMPLATES), below.loader]),
        finalize=harmless,
    )
    made.globals = {**below.globals, "static": address, "known": math.isfinite}
    return made


def harmless(value: object) -> object:
    """Return a text with its invisible characters spelt out, and cut; anything else as it is."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    if len(value) > MAX_LETTERS:
        value = f"{value[:MAX_LETTERS]} …"
    return INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", value)
