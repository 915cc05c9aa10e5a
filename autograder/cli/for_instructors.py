"""The commands for a class: graded, adjusted, handed on, and within nbgrader."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autograder.cli.options import (
    ExerciseName,
    cluster_options,
    course_option,
    exercises_option,
    seed_option,
)
from autograder.cli.result_files import with_result_files
from autograder.course.installation import imports_that_stay
from autograder.worker.confinement import Level

if TYPE_CHECKING:
    from autograder.authoring.kit_files import FileForm
    from autograder.course.course_file import HintPolicy


@click.command(short_help="Grade a class.")
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="For the results.")
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
@click.option(
    "--roster",
    type=click.Path(path_type=Path),
    help="A CSV of who is enrolled: id, name, email, …",
)
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
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, for scripts.")
@click.option("--anonymous", is_flag=True, help="Pseudonyms for names; the key is in the course.")
@click.option("--dry-run", is_flag=True, help="Only say who is who, and which file is for what.")
@cluster_options
@course_option
@seed_option
@with_result_files
def grade(**options: Any) -> None:
    """Grade a class: SUBMISSIONS holds a folder for each student, or is a platform's download.

    Into RESULTS that are there already: only what --exercise, --assignment and --student name
    changes, and grades that somebody had change only after a yes.

    \b
    Exit codes: 0 all is graded, and counts
                1 it counts, and a person has to look at something
                2 it could not be carried out
                3 nothing was changed: grades would change, and nobody said yes
    """
    with imports_that_stay():
        if not (options["dry_run"] or options["scheduler"] or options["local_cluster"]):
            start_ahead(options["confinement"])
        from autograder.cli.grade import GradeOptions, run

    raise SystemExit(run(GradeOptions(**options)))


def start_ahead(confinement: Level | None) -> None:
    """Let processes that take long to start do so while this one imports what it needs."""
    from autograder.classroom.judge_processes import judges_ahead
    from autograder.course.optimisations import is_off
    from autograder.sandbox.levels import LEVELS, probe_ahead

    if not is_off("judges_ahead"):
        judges_ahead()
    if confinement != "none":
        probe_ahead(confinement or LEVELS[0])


@click.command(short_help="Make what students get: no answer in it.")
@click.argument("target", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--assignment", "assignments", multiple=True, help="Its exercises; may be repeated.")
@click.option(
    "--exercise", "exercises", multiple=True, type=ExerciseName(), help="This one; may be repeated."
)
@click.option(
    "--policy",
    type=click.Choice(["practice", "homework", "exam"]),
    help="What students are shown.  [default: the course's `hints`]",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(["py", "ipynb"]),
    default="py",
    show_default=True,
    help="Scripts or notebooks.",
)
@click.option(
    "--seeds",
    type=click.IntRange(1, 50),
    default=3,
    show_default=True,
    help="Draws of random inputs to record.",
)
@click.option("--update", "again", is_flag=True, help="Over an earlier one; students' files stay.")
@click.option("--compare", is_flag=True, help="Show that it says what the full course says.")
@click.option("--workers", type=click.IntRange(1, 256), help="So many at a time.  [default: 2]")
@click.option("--anew", is_flag=True, help="Record all anew, also what is kept from before.")
@course_option
def release(
    target: Path,
    assignments: tuple[str, ...],
    exercises: tuple[str, ...],
    policy: "HintPolicy | None",
    form: "FileForm",
    seeds: int,
    again: bool,
    compare: bool,
    workers: int | None,
    anew: bool,
    course_path: Path | None,
) -> None:
    """Make what students get in DIR, or in a zip: exercises, checks, recorded answers.

    No solution, reference or hidden check is in it. What is recorded is kept: a run that was
    stopped goes on where it was, and later only what has changed is recorded. The exit code is 1
    if --compare finds a difference.
    """
    from autograder.cli.release import run

    raise SystemExit(
        run(
            target,
            exercises,
            assignments,
            policy,
            form,
            seeds,
            again,
            compare,
            workers,
            anew,
            course_path,
        )
    )


@click.command(short_help="Change what a student gets.")
@click.argument("results", type=click.Path(path_type=Path))
@click.argument("student")
@click.argument("exercise")
@click.option("--check", help="Only this check of the exercise: its name or its title.")
@click.option("--add", type=float, help="So many points more; --add -2 for less.")
@click.option("--set", "points", type=float, help="So many points in place of what there are.")
@click.option("--excuse", is_flag=True, help="Leave the exercise out of points and maximum.")
@click.option("--undo", is_flag=True, help="Take out what was entered before.")
@click.option("--why", default="", help="What the student reads.")
@click.option("--by", help="Who decided.  [default: your user name]")
@course_option
def adjust(
    results: Path,
    student: str,
    exercise: str,
    check: str | None,
    add: float | None,
    points: float | None,
    excuse: bool,
    undo: bool,
    why: str,
    by: str | None,
    course_path: Path | None,
) -> None:
    """Change what STUDENT gets for EXERCISE (or `total`) in the RESULTS that grade wrote."""
    from autograder.cli.adjust import run

    changes = add, points, excuse, undo
    raise SystemExit(run(results, student, exercise, check, *changes, why, by, course_path))
