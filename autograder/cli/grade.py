"""`autograder grade`: the command's options."""

from pathlib import Path
from typing import Any

import click

from autograder.cli.options import (
    PATH,
    course_option,
    exercises_option,
    json_lines_option,
    repairs_option,
    seed_option,
    workers_option,
)
from autograder.cli.result_files import (
    ResultFiles,
    junit_option,
    summary_option,
    write_class_result_files,
)


@click.command()
@click.argument("submissions", type=PATH)
@click.option("--out", type=PATH, required=True, help="Folder for the results.")
@workers_option
@exercises_option
@click.option(
    "--confinement",
    type=click.Choice(["full", "landlock", "no-open", "none"]),
    help="How to confine submitted code.  [default: the strongest that works here]",
)
@click.option(
    "--own-code", is_flag=True, help="Run the code unconfined. Use this only for your own code."
)
@click.option("--assignment", help="Grade only the exercises of this assignment.")
@click.option(
    "--from",
    "platform",
    help="Platform of the download: canvas, moodle, gradescope, …  [default: grade recognises it]",
)
@click.option("--roster", type=PATH, help="CSV of the enrolled students: id, name, email, …")
@click.option(
    "--student", "students", multiple=True, help="Grade only this student. May be repeated."
)
@click.option(
    "--apply/--no-apply",
    default=None,
    help="Apply all results of this run, or none.  [default: if an earlier grade changes, ask; "
    "without a terminal, apply none]",
)
@click.option(
    "--only-if",
    default="",
    metavar="DIGEST",
    help="With --apply: apply the changes only if they have this digest. It is `difference` in "
    "the last line of the --json output.",
)
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=0.0,
    help="Wait up to this many seconds for another run to end.  [default: 0]",
)
@json_lines_option
@click.option(
    "--anonymous",
    is_flag=True,
    help="Write pseudonyms instead of names. pseudonyms.csv in the course's folder has both.",
)
@repairs_option
@click.option(
    "--dry-run", is_flag=True, help="Show which files each student handed in. Grade nothing."
)
@click.option(
    "-v", "--verbose", is_flag=True, help="With --dry-run: list every student with each file."
)
@click.option("--scheduler", help="Grade on the machines of this Dask scheduler: tls://HOST:PORT.")
@click.option(
    "--local-cluster",
    type=click.IntRange(1, 256),
    help="Grade with this many Dask workers on this machine.",
)
@click.option("--tls-ca-file", type=PATH, help="The cluster's CA certificate, a PEM file.")
@click.option("--tls-cert", type=PATH, help="Your certificate for the scheduler, a PEM file.")
@click.option("--tls-key", type=PATH, help="Your key for the scheduler, a PEM file.")
@course_option
@seed_option
@junit_option
@summary_option
def grade(junit: Path | None, summary: Path | None, **options: Any) -> None:
    """Grade a class. SUBMISSIONS contains a folder per student, or is a platform's download.

    If the folder --out already has results, no earlier grade changes until you confirm the change.
    --exercise, --assignment and --student leave all other grades as they are.

    \b
    Exit codes: 0 everything is graded, and the grades count
                1 the grades count, and someone must look at a student or mark answers
                2 the command failed
                3 nothing was changed: the changes need confirmation
    """
    from autograder.cli.grade_run import GradeOptions, run

    code = run(GradeOptions(**options))
    if not options["dry_run"]:
        files = ResultFiles(junit, summary)
        write_class_result_files(files, options["out"], options["course_path"], code)
    raise SystemExit(code)
