"""The command line. What a command needs is imported when it runs.

It is written with click rather than typer: typer now imports pydantic on every start, which took
a fifth of the time of `autograder check`.
"""

import atexit
import contextlib
import io
import os
import sys

import click

import autograder
from autograder.cli import about_classes, for_authors, for_instructors, for_students
from autograder.cli.options import InOrder
from autograder.course.errors import UserError

STOPPED, NOBODY_READS = 130, 141
_ended_with: list[int] = []


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


for command in (
    for_students.status,
    for_students.next_exercise,
    for_students.check,
    for_students.watch,
    for_students.completion,
    for_instructors.grade,
    about_classes.desk,
    for_instructors.release,
    for_instructors.adjust,
    about_classes.diff,
    about_classes.history,
    for_instructors.export,
    about_classes.class_report,
    about_classes.similar,
    for_instructors.package,
    for_authors.new,
    for_authors.build,
    for_authors.variants,
    for_authors.verify,
    for_instructors.nbgrader,
    for_authors.doctor,
    for_authors.schema,
):
    app.add_command(command)


def _run() -> int:
    """Run the command that is asked for; its exit code."""
    try:
        code = app(prog_name="autograder", standalone_mode=False)
    except SystemExit as done:
        code = done.code
    return code if isinstance(code, int) else 0


def _leave() -> None:
    """To take apart what was imported takes longer than some commands; the system frees it."""
    if _ended_with:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(_ended_with[0])


def main() -> None:
    """The console command: one clear line for what a person can put right, no traceback."""
    if getattr(sys.modules["__main__"], "main", None) is main:  # the process ends with the command
        atexit.register(_leave)  # before all else registers: so it comes last
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
    _ended_with[:] = [code]
    raise SystemExit(code)
