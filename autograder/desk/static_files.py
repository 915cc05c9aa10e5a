"""The desk's own scripts and styles: read once, and served by name; there is nothing else."""

import functools
import hashlib
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from autograder.report.html import environment

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
