"""The guard of the desk: it admits only browsers that had a first address, from its own pages.

It checks before any view the `Host` (against names that lead here from a stranger's page), the
request's origin, the token or the cookie, and the size of a posted form. Every answer carries a
policy by which a page runs only the desk's own scripts.
"""

import hmac
import secrets
from http import HTTPStatus
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BYTES = 32  # of a secret


class Secrets:
    """The tokens of first addresses, the value of the cookie, and the token of forms."""

    def __init__(self) -> None:
        self.session = secrets.token_urlsafe(BYTES)
        self.csrf = secrets.token_urlsafe(BYTES)
        self._tokens: dict[str, Path | None] = {}

    def new_token(self, file: Path | None = None) -> str:
        """Return a token that lets one browser in, once; a `file` that holds it is removed then."""
        token = secrets.token_urlsafe(BYTES)
        self._tokens[token] = file
        return token

    def take(self, token: str) -> bool:
        """Use a token up; false if it is none, or was used before."""
        known = next((each for each in self._tokens if same(each, token)), None)
        if known is None:
            return False
        file = self._tokens.pop(known)
        if file is not None:
            file.unlink(missing_ok=True)
        return True


def same(one: str, other: str) -> bool:
    """Compare two texts in a time that does not tell how far they agree."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


# The browser comes from a file or a terminal's page: another site to which a redirect would send no
# strict cookie. From this page it is the desk's own.
ADMITTED: Final = (
    '<!doctype html><meta http-equiv="refresh" content="0; url=/"><title>Desk</title>'
    '<p><a href="/">Continue to the class</a></p>'
)
NAMES: Final = ("127.0.0.1", "localhost")
MOST_BYTES: Final = 32 * 2**20  # of what is posted
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Admits requests, or refuses them with a sentence that says why."""

    def __init__(self, app: ASGIApp, port: int, secrets: Secrets) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in NAMES}
        if port == 80:
            self._hosts |= set(NAMES)
        self._cookie = f"autograder-desk-{port}"  # cookies know no ports
        self._secrets = secrets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                cached = "no-cache" if "etag" in headers else "no-store"  # only files have one
                headers.setdefault("Cache-Control", cached)
            await send(message)

        if scope["type"] == "http":
            answer = self._answer(Request(scope))
            await (answer or self._app)(scope, receive, safely)

    def _answer(self, request: Request) -> Response | None:
        """Return the answer instead of a view's; None for a request that may pass."""
        headers = request.headers
        if request.method not in {"GET", "HEAD", "POST"}:
            return _refused(
                "The desk accepts only GET, HEAD and POST.", HTTPStatus.METHOD_NOT_ALLOWED
            )
        if headers.get("host", "") not in self._hosts:
            return _refused("The desk answers only at its own address.")
        if request.method == "GET" and self._secrets.take(request.query_params.get("token", "")):
            answer = HTMLResponse(ADMITTED)
            answer.set_cookie(self._cookie, self._secrets.session, httponly=True, samesite="strict")
            return answer
        if not self._is_from_here(request.method, headers):
            return _refused("This request comes from another site's page.")
        if not same(request.cookies.get(self._cookie, ""), self._secrets.session):
            return _refused(
                "Open the desk at the address that `autograder desk` printed, which has the token. "
                "It works once: start `autograder desk` again for another."
            )
        length = headers.get("content-length", "")
        is_small = length.isdecimal() and len(length) < 12 and int(length) <= MOST_BYTES
        if request.method == "POST" and not is_small:
            return _refused("The form is too large.", HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return None

    def _is_from_here(self, method: str, headers: Headers) -> bool:
        """Tell whether a page of the desk, or the person's own hand, asks.

        Our pages send no referrer, so browsers say "null" for the origin of their forms; then the
        browser's own word on the site decides, which no page can forge.
        """
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and origin != "null":
            return origin in {f"http://{host}" for host in self._hosts}
        if method == "POST":
            return site == "same-origin"
        return origin is None and site in {None, "none", "same-origin"}


def _refused(why: str, status: HTTPStatus = HTTPStatus.FORBIDDEN) -> Response:
    return PlainTextResponse(f"{why}\n", status)
