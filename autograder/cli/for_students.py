"""The commands for one's own work."""

import gc
from pathlib import Path

import click

from autograder.cli.options import ExerciseName, course_option, plain_option, seed_option
from autograder.cli.result_files import result_files


@click.command(short_help="List the course: what is done, begun, due.")
@plain_option
@course_option
def status(plain: bool, course_path: Path | None) -> None:
    """List the course: what is done, begun and untouched, by the last check of each.

    Nothing is graded for it: it says how old each check is, and whether the file has changed.
    """
    from autograder.cli.status import run

    raise SystemExit(run(plain, course_path, whole=True))


@click.command("next", short_help="Say which exercise comes next.")
@plain_option
@course_option
def next_exercise(plain: bool, course_path: Path | None) -> None:
    """Say which exercise comes next, and where its file is."""
    from autograder.cli.status import run

    raise SystemExit(run(plain, course_path, whole=False))


@click.command(short_help="Check your own work.")
@click.argument("work", nargs=-1, type=ExerciseName(files=True))
@click.option("--hint", "more", is_flag=True, help="Show one hint more, where the course allows.")
@click.option("--all", "show_all", is_flag=True, help="Show the values of every failure.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--plot", is_flag=True, help="Save a picture: yours, expected, difference.")
@result_files
@click.option("--annotate", is_flag=True, help="Say for GitHub at which line each failure is.")
@plain_option
@course_option
@seed_option
def check(
    work: tuple[str, ...],
    more: bool,
    show_all: bool,
    as_json: bool,
    plot: bool,
    junit: Path | None,
    ctrf: Path | None,
    summary: Path | None,
    annotate: bool,
    plain: bool,
    course_path: Path | None,
    seed: int | None,
) -> None:
    """Check your own work: WORK is names of exercises, .py or .ipynb files, or folders of them.

    Without any, all that is begun is checked. Of several, each is shown in short, unless --all.

    The exit code is 0 only for full marks, or where a person gives them, if all is answered.
    """
    gc.disable()  # a short life: collecting garbage while importing costs more than it frees
    from autograder.cli.check import CheckOptions, run
    from autograder.cli.result_files import ResultFiles

    files = ResultFiles(junit, ctrf, summary, annotate)
    asked = CheckOptions(more, show_all, as_json, plot, plain, seed, files)
    raise SystemExit(run(work, course_path, asked))


@click.command(short_help="Check as you save, and show it in place.")
@click.argument("work", required=False, type=ExerciseName(files=True))
@plain_option
@course_option
def watch(work: str | None, plain: bool, course_path: Path | None) -> None:
    """Check as you save, and show the report in place: WORK is an exercise, or its file.

    Without one it begins with the exercise that comes next. Whichever is saved is shown.
    """
    from autograder.cli.watch import run

    raise SystemExit(run(work, plain, course_path))


@click.command(short_help="Complete commands and names in your shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what makes SHELL complete commands and names of exercises.

    bash: autograder completion bash >> ~/.bashrc

    zsh: autograder completion zsh >> ~/.zshrc

    fish: autograder completion fish > ~/.config/fish/completions/autograder.fish
    """
    from autograder.cli.options import completion_script

    root = click.get_current_context().find_root().command
    click.echo(completion_script(root, shell))
