"""The desk's server: on this machine's own address alone, until Ctrl-C."""

import contextlib
import socket
import webbrowser
from collections.abc import Callable

import uvicorn

from autograder.course.errors import UserError
from autograder.desk.guard import Guard

ADDRESS = "127.0.0.1"


def bound(port: int) -> socket.socket:
    """A socket at a port of 127.0.0.1, which nobody reaches from elsewhere; 0 for any port.

    Raises:
        UserError: the port is taken.
    """
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((ADDRESS, port))
    except OSError as error:
        made.close()
        raise UserError(
            f"Port {port} cannot be used: {error.strerror}. Name another with --port, or none."
        ) from None
    return made


def serve(app: Guard, listening: socket.socket, started: Callable[[], None]) -> None:
    """Serve until Ctrl-C; `started` is told when the desk can be asked."""

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            started()

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,  # addresses hold the token
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="off",
        timeout_graceful_shutdown=5,
    )
    with contextlib.suppress(KeyboardInterrupt):  # which is how it ends
        Server(config).run([listening])


def open_browser(address: str) -> bool:
    """Whether a browser could be opened."""
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
