"""The command line: one module a command. What a command needs is imported when it runs."""

import sys
from pathlib import Path
from typing import Annotated, Literal, Optional

import typer

from autograder.errors import UserError

app = typer.Typer(
    name="autograder",
    help="Grade exercises on attention: one's own, or a whole class's.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

CourseOption = Annotated[
    Optional[Path],  # noqa: UP045  typer reads this at run time
    typer.Option("--course", help="The course's folder. [default: where you are, or above]"),
]
SeedOption = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(help="Draw other random inputs. [default: the course's]"),
]


@app.command()
def check(
    exercise: Annotated[str, typer.Argument(help="An exercise's name, or a .py or .ipynb file.")],
    hint: Annotated[int, typer.Option(min=0, help="How many hints to show for a mistake.")] = 1,
    all_: Annotated[bool, typer.Option("--all", help="Show the values of every failure.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    plot: Annotated[bool, typer.Option("--plot", help="Save a picture of the first failure.")] = False,
    course: CourseOption = None,
    seed: SeedOption = None,
) -> None:
    """Check your own work. The exit code is 0 only for full marks."""
    from autograder.cli.check import run

    raise SystemExit(run(exercise, hint, all_, json, plot, course, seed))


@app.command()
def grade(
    submissions: Annotated[Path, typer.Argument(help="A folder of students' folders, or a zip.")],
    out: Annotated[Path, typer.Option(help="Where the results go.")],
    workers: Annotated[
        int, typer.Option(min=0, max=256, help="Processes that grade. [default: one a core]")
    ] = 0,
    exercise: Annotated[list[str], typer.Option(help="Only this exercise; may be repeated.")] = [],  # noqa: B006
    assignment: Annotated[str, typer.Option(help="Only the exercises of this assignment.")] = "",
    course: CourseOption = None,
    seed: SeedOption = None,
) -> None:
    """Grade a class. The exit code is 1 if a person has to look at something."""
    from autograder.cli.grade import run

    raise SystemExit(run(submissions, out, workers, exercise, assignment, course, seed))


@app.command()
def build(
    names: Annotated[Optional[list[str]], typer.Argument(help="Exercises. [default: all]")] = None,  # noqa: UP045
    check_: Annotated[bool, typer.Option("--check", help="Write nothing; say what differs.")] = False,
    course: CourseOption = None,
) -> None:
    """Make the students' files in exercises/ from solutions/."""
    from autograder.cli.build import run

    raise SystemExit(run(names or [], check_, course))


@app.command()
def schema(
    of: Annotated[Literal["report", "course"], typer.Argument(help="Which schema.")] = "report",
) -> None:
    """Print the JSON schema of the report, or of course.yml."""
    from autograder.cli.schema import run

    raise SystemExit(run(of))


def main() -> None:
    """The console command: one clear line for what a person can put right, no traceback."""
    try:
        app()
    except UserError as error:
        print(f"autograder: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        print("autograder: stopped.", file=sys.stderr)
        raise SystemExit(130) from None
    except BrokenPipeError:
        raise SystemExit(141) from None
