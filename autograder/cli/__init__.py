"""The command line: one module a command. What a command needs is imported when it runs.

It is written with click rather than typer: typer now imports pydantic on every start, which took
a fifth of the time of `autograder check`.
"""

import gc
import io
import os
import sys
from pathlib import Path

import click

import autograder
from autograder.cli.options import (
    ExerciseName,
    InOrder,
    course_option,
    plain_option,
    seed_option,
)
from autograder.course import Library
from autograder.errors import UserError
from autograder.worker.confinement import Level

STOPPED, NOBODY_READS = 130, 141


@click.group(
    cls=InOrder,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.version_option(autograder.__version__, message="%(version)s")
@click.pass_context
def app(context: click.Context) -> None:
    """Grade programming exercises: one's own, or a whole class's.

    Without a command: the course as a list, and what comes next.
    """
    if context.invoked_subcommand is None:
        listing = app.commands["status"]  # its module takes the place of its name here
        listing.invoke(listing.make_context("status", [], parent=context))


@app.command(short_help="List the course: what is done, begun, due.")
@plain_option
@course_option
def status(plain: bool, course: Path | None) -> None:
    """List the course: what is done, begun and untouched, by the last check of each.

    Nothing is graded for it: it says how old each check is, and whether the file has changed.
    """
    from autograder.cli.status import run

    raise SystemExit(run(plain, course, whole=True))


@app.command("next", short_help="Say which exercise comes next.")
@plain_option
@course_option
def next_exercise(plain: bool, course: Path | None) -> None:
    """Say which exercise comes next, and where its file is."""
    from autograder.cli.status import run

    raise SystemExit(run(plain, course, whole=False))


@app.command(short_help="Check your own work.")
@click.argument("work", nargs=-1, type=ExerciseName(files=True))
@click.option("--hint", "more", is_flag=True, help="Show one hint more, where the course allows.")
@click.option("--all", "show_all", is_flag=True, help="Show the values of every failure.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--plot", is_flag=True, help="Save a picture: yours, expected, difference.")
@plain_option
@course_option
@seed_option
def check(
    work: tuple[str, ...],
    more: bool,
    show_all: bool,
    as_json: bool,
    plot: bool,
    plain: bool,
    course: Path | None,
    seed: int | None,
) -> None:
    """Check your own work: WORK is names of exercises, .py or .ipynb files, or folders of them.

    Without any, all that is begun is checked. Of several, each is shown in short, unless --all.

    The exit code is 0 only for full marks, or where a person gives them, if all is answered.
    """
    gc.disable()  # a short life: collecting garbage while importing costs more than it frees
    from autograder.cli.check import Asked, run

    asked = Asked(more, show_all, as_json, plot, plain, seed)
    raise SystemExit(run(work, course, asked))


@app.command(short_help="Check as you save, and show it in place.")
@click.argument("work", required=False, type=ExerciseName(files=True))
@plain_option
@course_option
def watch(work: str | None, plain: bool, course: Path | None) -> None:
    """Check as you save, and show the report in place: WORK is an exercise, or its file.

    Without one it begins with the exercise that comes next. Whichever is saved is shown.
    """
    from autograder.cli.watch import run

    raise SystemExit(run(work, plain, course))


@app.command(short_help="Complete commands and names in your shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what makes SHELL complete commands and names of exercises.

    bash: autograder completion bash >> ~/.bashrc

    zsh: autograder completion zsh >> ~/.zshrc

    fish: autograder completion fish > ~/.config/fish/completions/autograder.fish
    """
    from autograder.cli.completion import script

    click.echo(script(app, shell))


@app.command(short_help="Grade a class.")
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="For the results.")
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    help="Processes that grade.  [default: one a core]",
)
@click.option(
    "--exercise",
    "exercises",
    multiple=True,
    type=ExerciseName(),
    help="Only this one; may be repeated.",
)
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


@app.group(short_help="Begin a course, or an exercise.")
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


@app.command(short_help="Fill in the file that a platform takes.")
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


@app.command(short_help="Change what a student gets.")
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


@app.command(short_help="Make the students' files.")
@click.argument("exercises", nargs=-1, type=ExerciseName())
@click.option("--check", "check_only", is_flag=True, help="Write nothing; say what differs.")
@course_option
def build(exercises: tuple[str, ...], check_only: bool, course: Path | None) -> None:
    """Make the students' files in exercises/ from solutions/."""
    from autograder.cli.build import run

    raise SystemExit(run(exercises, check_only, course))


@app.command(short_help="Make files with each student's own numbers.")
@click.argument("students", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="For the folders.")
@course_option
def variants(students: Path, out: Path, course: Path | None) -> None:
    """Make files with numbers of each student's own: STUDENTS is a list of ids, one a line."""
    from autograder.cli.variants import run

    raise SystemExit(run(students, out, course))


@app.command(short_help="Grade the grader.")
@click.argument("exercises", nargs=-1, type=ExerciseName())
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


@app.command(short_help="Say what works on this machine.")
def doctor() -> None:
    """Say how submissions can be confined on this machine, and why not better."""
    from autograder.cli.doctor import run

    raise SystemExit(run())


@app.command(short_help="Print the JSON schema of the records.")
@click.argument("of", type=click.Choice(["report", "course"]), default="report")
def schema(of: str) -> None:
    """Print the JSON schema of the report, or of course.yml."""
    from autograder.cli.schema import run

    raise SystemExit(run(of))


def _run() -> int:
    """Run the command that is asked for; its exit code."""
    try:
        code = app(prog_name="autograder", standalone_mode=False)
    except SystemExit as done:
        code = done.code
    return code if isinstance(code, int) else 0


def main() -> None:
    """The console command: one clear line for what a person can put right, no traceback."""
    for stream in (sys.stdout, sys.stderr):  # a sign that cannot be shown is no reason to stop
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = _run()
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except UserError as error:
        print(f"autograder: {error}", file=sys.stderr)
        code = 2
    except (KeyboardInterrupt, click.Abort):
        print("autograder: stopped.", file=sys.stderr)
        code = STOPPED
    except BrokenPipeError:  # nobody reads on; Python would try again to write what is left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = NOBODY_READS
    raise SystemExit(code)
