"""Guard of the desk.

The guard admits only browsers with a token, and requests from the desk's pages. Before any view, it
checks the `Host` header, the request's origin, the token or the cookie, and the size of a posted
form. Every response has a content policy that allows only scripts of the desk.
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

BYTES = 32  # length of a secret


class Secrets:
    """Secrets of the desk: tokens that admit browsers, the cookie's value, the token in forms."""

    def __init__(self) -> None:
        self.session = secrets.token_urlsafe(BYTES)
        self.csrf = secrets.token_urlsafe(BYTES)
        self._tokens: dict[str, Path | None] = {}

    def new_token(self, file: Path | None = None) -> str:
        """Return a token that admits one browser once. Its use deletes the `file`."""
        token = secrets.token_urlsafe(BYTES)
        self._tokens[token] = file
        return token

    def take(self, token: str) -> bool:
        """Use up a token. If it is unknown or already used, return False."""
        for known in list(self._tokens):
            if same(known, token):
                file = self._tokens.pop(known)
                if file is not None:
                    file.unlink(missing_ok=True)
                return True
        return False


def same(one: str, other: str) -> bool:
    """Return True if two texts are equal, in a time that does not depend on the texts."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


# The browser comes from a file or another program, so it would not send the strict cookie after a
# redirect. But it sends the cookie if this page has a link.
ADMITTED: Final = (
    '<!doctype html><meta http-equiv="refresh" content="0; url=/"><title>Desk</title>'
    '<p><a href="/">Continue to the class</a></p>'
)
NAMES: Final = ("127.0.0.1", "localhost")
MOST_BYTES: Final = 32 * 2**20  # the largest size of a posted form
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
    """Middleware that passes a request on, or refuses it with a reason."""

    def __init__(self, app: ASGIApp, port: int, secrets: Secrets) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in NAMES}
        if port == 80:
            self._hosts |= set(NAMES)
        self._cookie = f"autograder-desk-{port}"  # cookies ignore ports
        self._secrets = secrets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                cached = "no-cache" if "etag" in headers else "no-store"  # only files have an etag
                headers.setdefault("Cache-Control", cached)
            await send(message)

        if scope["type"] == "http":
            answer = self._answer(Request(scope))
            await (answer or self._app)(scope, receive, safely)

    def _answer(self, request: Request) -> Response | None:
        """Return the response that refuses a request, or None if the request may reach a view."""
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
                "The address works only once. To get another one, start `autograder desk` again."
            )
        length = headers.get("content-length", "")
        is_small = length.isdecimal() and len(length) < 12 and int(length) <= MOST_BYTES
        if request.method == "POST" and not is_small:
            return _refused("The form is too large.", HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return None

    def _is_from_here(self, method: str, headers: Headers) -> bool:
        """Return True if a request comes from a page of the desk, or from the address bar.

        The desk's pages send no referrer, so a browser sends the origin "null" with their forms. In
        this case, the header Sec-Fetch-Site decides, because pages cannot forge it.
        """
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and origin != "null":
            return origin in {f"http://{host}" for host in self._hosts}
        if method == "POST":
            return site == "same-origin"
        return origin is None and site in {None, "none", "same-origin"}


def _refused(why: str, status: HTTPStatus = HTTPStatus.FORBIDDEN) -> Response:
    return PlainTextResponse(f"{why}\n", status)
