"""The command line: one module a command. What a command needs is imported when it runs.

It is written with click rather than typer: typer now imports pydantic on every start, which took
a fifth of the time of `autograder check`.
"""

import gc
import sys
from pathlib import Path

import click

import autograder
from autograder.course import Library
from autograder.errors import UserError
from autograder.worker.confinement import Level

course_option = click.option(
    "--course",
    type=click.Path(path_type=Path, exists=True),
    help="The course's folder.  [default: where you are, or above]",
)
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), help="Draw other random inputs.  [default: the course's]"
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(autograder.__version__, message="%(version)s")
def app() -> None:
    """Grade programming exercises: one's own, or a whole class's."""


@app.command()
@click.argument("exercise")
@click.option("--hint", "more", is_flag=True, help="Show one hint more, where the course allows.")
@click.option("--all", "show_all", is_flag=True, help="Show the values of every failure.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--plot", is_flag=True, help="Save a picture: yours, expected, difference.")
@course_option
@seed_option
def check(
    exercise: str,
    more: bool,
    show_all: bool,
    as_json: bool,
    plot: bool,
    course: Path | None,
    seed: int | None,
) -> None:
    """Check your own work: EXERCISE is a name, or a .py or .ipynb file.

    The exit code is 0 only for full marks.
    """
    gc.disable()  # a short life: collecting garbage while importing costs more than it frees
    from autograder.cli.check import run

    raise SystemExit(run(exercise, more, show_all, as_json, plot, course, seed))


@app.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="For the results.")
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    help="Processes that grade.  [default: one a core]",
)
@click.option("--exercise", "exercises", multiple=True, help="Only this one; may be repeated.")
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
@click.option("--dry-run", is_flag=True, help="Only say who is who, and which file is for what.")
@course_option
@seed_option
def grade(
    submissions: Path,
    out: Path,
    workers: int | None,
    exercises: tuple[str, ...],
    assignment: str | None,
    confinement: Level | None,
    own_code: bool,
    platform: str | None,
    roster: Path | None,
    dry_run: bool,
    course: Path | None,
    seed: int | None,
) -> None:
    """Grade a class: SUBMISSIONS holds a folder for each student, or is a platform's download.

    The exit code is 0 if all could be graded, 1 if a person has to look at something.
    """
    from autograder.cli.grade import run

    raise SystemExit(
        run(
            submissions,
            out,
            workers,
            exercises,
            assignment,
            course,
            seed,
            confinement,
            own_code,
            platform,
            roster,
            dry_run,
        )
    )


@app.group()
def new() -> None:
    """Begin a course, or an exercise: files that `autograder verify` accepts as they are."""


title_option = click.option("--title", default="", help="As people read it.  [default: the name]")
needs_option = click.option(
    "--needs", type=click.Choice(["numpy", "torch"]), default="numpy", show_default=True
)


@new.command("course")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--exercise", default="shares", show_default=True, help="The first exercise.")
@title_option
@needs_option
def new_course(folder: Path, exercise: str, title: str, needs: Library) -> None:
    """Begin a course in FOLDER, with one exercise. Nothing is overwritten."""
    from autograder.cli.new import course

    raise SystemExit(course(folder, title, exercise, needs))


@new.command("exercise")
@click.argument("name")
@title_option
@needs_option
@course_option
def new_exercise(name: str, title: str, needs: Library, course: Path | None) -> None:
    """Add the exercise NAME to a course. Nothing is overwritten."""
    from autograder.cli.new import exercise

    raise SystemExit(exercise(name, title, needs, course))


@app.command()
@click.argument(
    "platform", type=click.Choice(["canvas", "moodle", "moodle-feedback", "gradescope"])
)
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--template", type=click.Path(path_type=Path), help="The platform's own file.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The file to upload.")
@click.option("--column", help="The column of the grade.  [default: by its title]")
@click.option("--scale", is_flag=True, help="Scale points to the platform's maximum.")
@course_option
def export(
    platform: str,
    results: Path,
    template: Path | None,
    out: Path,
    column: str | None,
    scale: bool,
    course: Path | None,
) -> None:
    """Fill in the file that PLATFORM takes, from the RESULTS that grade wrote.

    The exit code is 1 if somebody has no row in it, who is then named.
    """
    from autograder.cli.export import run

    raise SystemExit(run(platform, results, template, out, column, scale, course))


@app.command()
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
    course: Path | None,
) -> None:
    """Change what STUDENT gets for EXERCISE (or `total`) in the RESULTS that grade wrote."""
    from autograder.cli.adjust import run

    changes = add, points, excuse, undo
    raise SystemExit(run(results, student, exercise, check, *changes, why, by, course))


@app.command()
@click.argument("exercises", nargs=-1)
@click.option("--check", "check_only", is_flag=True, help="Write nothing; say what differs.")
@course_option
def build(exercises: tuple[str, ...], check_only: bool, course: Path | None) -> None:
    """Make the students' files in exercises/ from solutions/."""
    from autograder.cli.build import run

    raise SystemExit(run(exercises, check_only, course))


@app.command()
@click.argument("students", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="For the folders.")
@course_option
def variants(students: Path, out: Path, course: Path | None) -> None:
    """Make files with numbers of each student's own: STUDENTS is a list of ids, one a line."""
    from autograder.cli.variants import run

    raise SystemExit(run(students, out, course))


@app.command()
@click.argument("exercises", nargs=-1)
@click.option("--workers", type=click.IntRange(1, 64), help="Processes.  [default: one a core]")
@click.option("--no-mutants", is_flag=True, help="Leave the mutants of the solutions out.")
@click.option("--quick", is_flag=True, help="An eighth of the mutants, pairs and seeds.")
@click.option("--table", type=click.Path(path_type=Path), help="Write the table as Markdown.")
@course_option
def verify(
    exercises: tuple[str, ...],
    workers: int | None,
    no_mutants: bool,
    quick: bool,
    table: Path | None,
    course: Path | None,
) -> None:
    """Grade the grader: right answers, stub, misconceptions, mutants, seeds, times.

    The exit code is 0 if all of it holds.
    """
    from autograder.cli.verify import run

    raise SystemExit(run(exercises, workers, not no_mutants, quick, table, course))


@app.group()
def nbgrader() -> None:
    """Courses that nbgrader manages."""


@nbgrader.command("init")
@click.argument("folder", type=click.Path(path_type=Path))
@course_option
def nbgrader_init(folder: Path, course: Path | None) -> None:
    """Make a course directory for nbgrader: its configuration, and the source notebooks."""
    from autograder.cli.nbgrader import init

    raise SystemExit(init(folder, course))


@nbgrader.command("grade")
@click.argument("assignment")
@click.option("--student", "students", multiple=True, help="Only this one; may be repeated.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, exists=True),
    default=".",
    help="nbgrader's course directory.  [default: where you are]",
)
@click.option("--workers", type=click.IntRange(1, 256), help="Processes that grade.")
@click.option("--confinement", type=click.Choice(["full", "landlock", "no-open"]))
@course_option
def nbgrader_grade(
    assignment: str,
    students: tuple[str, ...],
    folder: Path,
    workers: int | None,
    confinement: Level | None,
    course: Path | None,
) -> None:
    """Grade what was collected for ASSIGNMENT, confined, and write nbgrader's gradebook."""
    from autograder.cli.nbgrader import grade

    raise SystemExit(grade(assignment, students, folder, course, workers, confinement))


@app.command()
def doctor() -> None:
    """Say how submissions can be confined on this machine, and why not better."""
    from autograder.cli.doctor import run

    raise SystemExit(run())


@app.command()
@click.argument("of", type=click.Choice(["report", "course"]), default="report")
def schema(of: str) -> None:
    """Print the JSON schema of the report, or of course.yml."""
    from autograder.cli.schema import run

    raise SystemExit(run(of))


def main() -> None:
    """The console command: one clear line for what a person can put right, no traceback."""
    try:
        app(prog_name="autograder")
    except UserError as error:
        print(f"autograder: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except BrokenPipeError:
        raise SystemExit(141) from None
