"""`autograder grade`: the command's options."""

from pathlib import Path
from typing import Any

import click

from autograder.cli.options import (
    PATH,
    cluster_options,
    course_option,
    exercises_option,
    json_lines_option,
    seed_option,
)
from autograder.cli.result_files import ResultFiles, result_file_options, write_class_result_files


@click.command()
@click.argument("submissions", type=PATH)
@click.option("--out", type=PATH, required=True, help="For the results.")
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    help="Processes that grade.  [default: one a core]",
)
@exercises_option
@click.option(
    "--confinement",
    type=click.Choice(["full", "landlock", "no-open", "none"]),
    help="How the code is confined.  [default: the strongest that holds here]",
)
@click.option("--own-code", is_flag=True, help="All of it is your own: it may run unconfined.")
@click.option("--assignment", help="Only the exercises of this assignment.")
@click.option(
    "--from",
    "platform",
    help="What made SUBMISSIONS: canvas, moodle, gradescope, …  [default: what it looks like]",
)
@click.option("--roster", type=PATH, help="A CSV of who is enrolled: id, name, email, …")
@click.option("--student", "students", multiple=True, help="Only this one; may be repeated.")
@click.option(
    "--apply/--no-apply",
    default=None,
    help="Whether grades that are there may change; with no, nothing does.  "
    "[default: ask; without a terminal, no]",
)
@click.option(
    "--only-if",
    default="",
    metavar="DIGEST",
    help="With --apply: only if what changes is what the `end` of --json named so.",
)
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=0.0,
    help="So many seconds for another run to end.  [default: none]",
)
@json_lines_option
@click.option("--anonymous", is_flag=True, help="Pseudonyms for names; the key is in the course.")
@click.option("--dry-run", is_flag=True, help="Only say who is who; grade nothing.")
@click.option("-v", "--verbose", is_flag=True, help="With --dry-run: every student, each file.")
@cluster_options
@course_option
@seed_option
@result_file_options
def grade(junit: Path | None, ctrf: Path | None, summary: Path | None, **options: Any) -> None:
    """Grade a class: SUBMISSIONS holds a folder for each student, or is a platform's download.

    Into RESULTS that are there already: only what --exercise, --assignment and --student name
    changes, and grades that somebody had change only after a yes.

    \b
    Exit codes: 0 all is graded, and counts
                1 it counts, and a person has to look at something or to mark answers
                2 it could not be carried out
                3 nothing was changed: grades would change, and nobody said yes
    """
    from autograder.cli.grade_run import GradeOptions, run

    code = run(GradeOptions(**options))
    if not options["dry_run"]:
        files = ResultFiles(junit, ctrf, summary)
        write_class_result_files(files, options["out"], options["course_path"], code)
    raise SystemExit(code)
