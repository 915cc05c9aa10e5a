"""`autograder desk`: a class's results in a browser, on this machine alone."""

from pathlib import Path

import click

from autograder.course.course_file import find_course
from autograder.course.installation import require


def run(results: Path, port: int, browser: bool, course_path: Path | None) -> int:
    """Serve the desk until Ctrl-C."""
    require("desk", "autograder desk")
    from autograder.desk.application import application
    from autograder.desk.guard import Secrets
    from autograder.desk.results import CurrentResults
    from autograder.desk.serving import ADDRESS, bound, open_browser, serve

    course = find_course(Path.cwd(), named=course_path)
    CurrentResults(results, course).read()  # what cannot be read is said here, not in a browser
    with bound(port) as listening:
        port = listening.getsockname()[1]
        secrets = Secrets.drawn()
        address = f"http://{ADDRESS}:{port}/?token={secrets.token}"

        def started() -> None:
            click.echo(f"The desk of {results}, for this machine alone. Ctrl-C ends it.")
            click.echo(f"Open it at {address}")
            if browser:
                open_browser(address)

        serve(application(results, course, port, secrets), listening, started)
    return 0
