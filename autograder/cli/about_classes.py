"""The commands that tell of a class: its desk, two pages, its past, and whose code is alike."""

from datetime import datetime
from pathlib import Path

import click

from autograder.cli.options import MOMENT, course_option, exercises_option


@click.command("class-report", short_help="Tell of a class on two pages.")
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The folder.  [default: RESULTS]")
@click.option("--date", type=MOMENT, metavar="DATE", help="A date to stand on it.  [default: none]")
def class_report(results: Path, out: Path | None, date: datetime | None) -> None:
    """Tell of the class in RESULTS on two pages, as HTML and PDF, for who was not there.

    How the points lie, how hard the exercises are, what was misunderstood, how reliable the points
    are. No number of fewer than five students is told. The exit code is 1 if there is no PDF, since
    that needs the extra `pdf`.
    """
    from autograder.cli.class_report import run

    raise SystemExit(run(results, out, date))


@click.command(short_help="List whose code is alike, for a person to judge.")
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="For the pages.")
@exercises_option
@click.option("--from", "platform", help="What made SUBMISSIONS, as for grade.")
@click.option("--roster", type=click.Path(path_type=Path), help="As for grade.")
@click.option(
    "--most",
    type=click.IntRange(1, 9999),
    default=50,
    show_default=True,
    help="Pairs to show side by side.",
)
@course_option
def similar(
    submissions: Path,
    out: Path,
    exercises: tuple[str, ...],
    platform: str | None,
    roster: Path | None,
    most: int,
    course: Path | None,
) -> None:
    """List whose code in SUBMISSIONS is alike, for a person to judge: it is never a verdict.

    What the course hands out and its solutions are taken out first, and how like unrelated right
    answers are stands beside it. Nothing leaves this machine, and grade never does this by itself.
    Needs the extra `similar`.
    """
    from autograder.similarity.command import run

    raise SystemExit(run(submissions, out, exercises, platform, roster, most, course))


@click.command(short_help="Say whose grades differ, and why.")
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@click.option("--all", "everything", is_flag=True, help="Everybody, not the first few.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, for scripts.")
def diff(before: Path, after: Path, everything: bool, as_json: bool) -> None:
    """Say whose grades differ between two folders of results, BEFORE and AFTER, and why.

    RESULTS/history/0001 is a folder of results too, and so is RESULTS/proposed. The exit code is 0
    if all grades are the same, 1 if not, 2 if it could not be carried out.
    """
    from autograder.cli.diff import run

    raise SystemExit(run(before, after, everything, as_json))


@click.command(short_help="Say what became of grades, and when.")
@click.argument("results", type=click.Path(path_type=Path))
@click.argument("student", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, for scripts.")
def history(results: Path, student: str | None, as_json: bool) -> None:
    """Say which versions of the RESULTS have counted, or what became of a STUDENT's grade."""
    from autograder.cli.history import run

    raise SystemExit(run(results, student, as_json))


@click.command(short_help="See a class's results in the browser.")
@click.argument("results", type=click.Path(path_type=Path))
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Of 127.0.0.1.  [default: a free one]"
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@course_option
def desk(results: Path, port: int, no_browser: bool, course: Path | None) -> None:
    """See the RESULTS that grade wrote in the browser: the class, students, exercises, mistakes.

    It is served on this machine alone, to whoever has the address that is printed.
    """
    from autograder.desk.command import run

    raise SystemExit(run(results, port, not no_browser, course))
