"""The commands that tell of a class: its desk, two pages, its past, and whose code is alike."""

from datetime import datetime
from pathlib import Path

import click

from autograder.cli.options import MOMENT


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
