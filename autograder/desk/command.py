"""`autograder desk`: a class's results in a browser, on this machine only."""

import contextlib
import signal
import socket
import sys
import tempfile
import webbrowser
from pathlib import Path

import click

from autograder.cli.options import PATH, course_option
from autograder.course.course_file import find_course
from autograder.course.errors import UserError
from autograder.course.installation import require

ADDRESS = "127.0.0.1"
ENDING = ("SIGTERM", "SIGHUP")  # besides Ctrl-C; Windows has no SIGHUP


@click.command()
@click.argument("results", type=PATH)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Port on 127.0.0.1.  [default: a free one]",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@course_option
def desk(results: Path, port: int, no_browser: bool, course_path: Path | None) -> None:
    """Show the RESULTS of `grade` in the browser: the class, students, exercises, mistakes.

    The pages open only on this machine, at the printed address.
    """
    require("desk", "autograder desk")
    import uvicorn

    from autograder.classroom.history import ensure_settled
    from autograder.desk.application import application
    from autograder.desk.guard import Secrets
    from autograder.desk.results import ClassResults

    course = find_course(Path.cwd(), named=course_path)
    ensure_settled(results)
    ClassResults(results, course)  # report errors here, not in the browser
    for name in ENDING:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda number, _: sys.exit(128 + number))
    with bound(port) as listening, tempfile.TemporaryDirectory(prefix="autograder-desk-") as folder:
        port = listening.getsockname()[1]
        secrets = Secrets()
        address = f"http://{ADDRESS}:{port}/?token="

        class Server(uvicorn.Server):
            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                """Print the desk's address as soon as the desk answers requests."""
                await super().startup(sockets)
                click.echo(f"The desk shows {results}, on this machine only. Ctrl-C stops it.")
                click.echo(
                    "The address works only once. To get another address, start the desk again."
                )
                click.echo(f"Open it at {address}{secrets.new_token()}")
                if not no_browser:
                    page = Path(folder, "open.html")
                    write_redirect(page, address + secrets.new_token(page))
                    with contextlib.suppress(webbrowser.Error):
                        webbrowser.open(page.as_uri())

        config = uvicorn.Config(
            application(results, course, port, secrets),
            log_level="warning",
            access_log=False,  # addresses contain tokens
            server_header=False,
            proxy_headers=False,
            ws="none",
            lifespan="off",
            timeout_graceful_shutdown=5,
        )
        with contextlib.suppress(KeyboardInterrupt):  # the usual end
            Server(config).run([listening])


def write_redirect(page: Path, address: str) -> None:
    """Write a page that redirects to an address.

    Only this user can read the page. If the address were on a command line, other users of the
    machine could read it.
    """
    page.touch(0o600, exist_ok=False)
    page.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={address}">\n')


def bound(port: int) -> socket.socket:
    """Return a socket on a port of 127.0.0.1. Port 0 means any free port."""
    try:
        return socket.create_server((ADDRESS, port))
    except OSError as error:
        raise UserError(
            f"Port {port} cannot be used: {error.strerror}. Use another --port, or none."
        ) from None
