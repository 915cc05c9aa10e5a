"""`autograder desk`: a class's results in a browser, on this machine alone."""

from pathlib import Path

import click

from autograder.cli.options import course_option
from autograder.course.course_file import find_course
from autograder.course.installation import require


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Of 127.0.0.1.  [default: a free one]"
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@course_option
def desk(results: Path, port: int, no_browser: bool, course_path: Path | None) -> None:
    """See the RESULTS that grade wrote in the browser: the class, students, exercises, mistakes.

    It is served on this machine alone, to whoever has the address that is printed.
    """
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
            if not no_browser:
                open_browser(address)

        serve(application(results, course, port, secrets), listening, started)
