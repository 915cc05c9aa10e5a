"""The guard of the desk: it admits only the browser that had the first address, from its own pages.

It checks before any view the `Host` (against names that lead here from a stranger's page), the
request's origin, the token or the cookie, and the size of a posted form. Every answer carries a
policy by which a page runs only the desk's own scripts.
"""

import hmac
import secrets
from http import HTTPStatus
from typing import Final, NamedTuple

from starlette.datastructures import URL, Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BYTES = 32  # of a secret


class Secrets(NamedTuple):
    """The token of the first address, the value of the cookie, and the token of forms."""

    token: str
    session: str
    csrf: str

    @classmethod
    def drawn(cls) -> "Secrets":
        """Draw new ones, which nobody can guess."""
        return cls(*(secrets.token_urlsafe(BYTES) for _ in cls._fields))


def same(one: str, other: str) -> bool:
    """Compare two texts in a time that does not tell how far they agree."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


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
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        if scope["type"] == "http":
            answer = self._answer(Request(scope))
            await (answer or self._app)(scope, receive, safely)

    def _answer(self, request: Request) -> Response | None:
        """Return the answer instead of a view's; None for a request that may pass."""
        headers = request.headers
        if request.method not in {"GET", "HEAD", "POST"}:
            return _refused("This method is not used here.", HTTPStatus.METHOD_NOT_ALLOWED)
        if headers.get("host", "") not in self._hosts:
            return _refused("The desk answers to its own address alone.")
        if not self._is_from_here(request.method, headers):
            return _refused("This request comes from another site's page.")
        token = request.query_params.get("token")
        if token is not None and request.method == "GET" and same(token, self._secrets.token):
            return self._let_in(request.url)
        if not same(request.cookies.get(self._cookie, ""), self._secrets.session):
            return _refused(
                "Open the desk by the address that `autograder desk` printed: it has the token."
            )
        if request.method == "POST" and not _is_small(headers):
            return _refused("That is too much to post.", HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
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

    def _let_in(self, url: URL) -> Response:
        """Keep the session in a cookie, and take the token out of the address."""
        kept = url.remove_query_params("token")
        where = f"{kept.path}?{kept.query}" if kept.query else kept.path
        answer = RedirectResponse(f"/{where.lstrip('/')}", 303)
        answer.set_cookie(self._cookie, self._secrets.session, httponly=True, samesite="strict")
        return answer


def _refused(why: str, status: HTTPStatus = HTTPStatus.FORBIDDEN) -> Response:
    return PlainTextResponse(f"{why}\n", status)


def _is_small(headers: Headers) -> bool:
    length = headers.get("content-length", "")
    return length.isdecimal() and len(length) < 12 and int(length) <= MOST_BYTES
