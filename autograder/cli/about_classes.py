"""The commands that tell of a class: on two pages, and whose code is alike."""

from datetime import datetime
from pathlib import Path

import click

from autograder.cli.options import MOMENT, ExerciseName, course_option


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
@click.option(
    "--exercise",
    "exercises",
    multiple=True,
    type=ExerciseName(),
    help="Only this one; may be repeated.",
)
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
    from autograder.cli.similar import run

    raise SystemExit(run(submissions, out, exercises, platform, roster, most, course))
