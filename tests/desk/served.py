"""A desk served from a thread of the test process, for real browsers."""

import contextlib
import threading
import time
from collections.abc import Iterator

import uvicorn

from autograder.desk.application import application
from autograder.desk.command import ADDRESS, bound
from autograder.desk.guard import Secrets


@contextlib.contextmanager
def served(results, course) -> Iterator[str]:
    """Yield the address that admits one browser."""
    with bound(0) as listening:
        port = listening.getsockname()[1]
        secrets = Secrets()
        config = uvicorn.Config(
            application(results, course, port, secrets),
            log_level="error",
            ws="none",
            lifespan="off",
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        until = time.monotonic() + 30
        while not server.started and time.monotonic() < until:
            time.sleep(0.02)
        try:
            yield f"http://{ADDRESS}:{port}/?token={secrets.new_token()}"
        finally:
            server.should_exit = True
            thread.join(10)


def enter(page, address):
    """Open the desk in a browser's page, and return its address without a slash at the end."""
    page.goto(address)
    home = address.split("/?")[0]
    page.wait_for_url(f"{home}/")
    return home
