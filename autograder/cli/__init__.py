"""The command line.

A command's module is imported only when the command runs. The command line uses click, because
typer imports pydantic on every start.
"""

import atexit
import contextlib
import importlib
import io
import os
import sys
import warnings

import click

from autograder.course.errors import UserError
from autograder.course.installation import extension, hooks, is_off, version

STOPPED, NOBODY_READS = 130, 141
GROUP = "autograder.commands"  # entry points of the extensions' commands

# The headings of `autograder --help`, keyed by the first command below each.
HEADINGS = {"status": "For students", "grade": "For instructors", "new": "For authors"}
# The commands in the order of `autograder --help`. The value is MODULE:FUNCTION for a command of
# the core, and the name of the extra to install for a command of an extension.
COMMANDS = {
    "status": ("check:status", "List your exercises, with points and due dates."),
    "next": ("check:next_exercise", "Show which exercise comes next."),
    "check": ("check:check", "Check your own work."),
    "watch": ("check:watch", "Check a file each time you save it."),
    "completion": ("doctor:completion", "Complete commands and names in your shell."),
    "grade": ("grade:grade", "Grade a class."),
    "desk": ("desk", "See a class's results in the browser."),
    "release": ("release:release", "Make the student kit, without answers."),
    "adjust": ("adjust:adjust", "Change a student's points, or excuse them."),
    "diff": ("history:diff", "List students whose grades differ, with the reasons."),
    "history": ("history:history", "List when grades changed, and why."),
    "export": ("platforms", "Fill in a platform's gradebook file."),
    "class-report": ("class_report:class_report", "Write a two-page class summary."),
    "similar": ("similar", "List similar submissions, for you to judge."),
    "package": ("platforms", "Pack the grader to run on a platform."),
    "new": ("build:new", "Create a course or an exercise."),
    "build": ("build:build", "Make the students' files from solutions."),
    "variants": ("build:variants", "Make files with each student's own numbers."),
    "verify": ("verify:verify", "Test that a course grades correctly."),
    "nbgrader": ("nbgrader", "Grade courses that nbgrader manages."),
    "doctor": ("doctor:doctor", "Show what works on this machine."),
    "schema": ("doctor:schema", "Print the JSON schema of the records."),
}

_ended_with: list[int] = []


def load_command(name: str) -> click.Command:
    """Import a command from the core, or from the entry point of an extension.

    If the extension is not installed, a `UserError` names the extra to install.
    """
    place = COMMANDS[name][0] if name in COMMANDS else name
    module, _, function = place.partition(":")
    if not function:
        loaded: click.Command = extension(GROUP, name, f"autograder {name}", extra=module)
        return loaded
    command: click.Command = getattr(importlib.import_module(f"autograder.cli.{module}"), function)
    return command


class LazyGroup(click.Group):
    """Group of commands that imports only the command to run."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands. Commands of extensions come last."""
        return list(dict.fromkeys([*self.commands, *hooks(GROUP)]))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command for `--help`. A command of the core is not imported for this."""
        if cmd_name in self.commands or cmd_name not in hooks(GROUP):
            return super().get_command(ctx, cmd_name)
        return load_command(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands below their headings. Students' commands come first."""
        sections: dict[str, list[tuple[str, str]]] = {}
        heading, names = "Commands", self.list_commands(ctx)
        widest = formatter.width - 6 - max(map(len, names))
        for name in names:
            command = self.get_command(ctx, name)
            heading = HEADINGS.get(name, heading) if name in COMMANDS else "Others"
            if command is not None and not command.hidden:
                sections.setdefault(heading, []).append((name, command.get_short_help_str(widest)))
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and load_command(str(name)), rest


@click.group(
    cls=LazyGroup,
    commands={name: click.Command(name, short_help=line) for name, (_, line) in COMMANDS.items()},
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.version_option(version(), message="%(version)s")
@click.pass_context
def app(context: click.Context) -> None:
    """Check your own programming exercises, or grade a whole class.

    Without a command, it lists the exercises and shows which one comes next.
    """
    if context.invoked_subcommand is None:
        status = load_command("status")
        status.invoke(status.make_context("status", [], parent=context))


def _leave() -> None:
    """End the process now, because the usual clean-up can take longer than the command."""
    if _ended_with:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(_ended_with[0])


def main() -> None:
    """Run the command line. If a user can correct an error, print it without a traceback."""
    is_process = getattr(sys.modules["__main__"], "main", None) is main  # the process ends then
    if is_process and not is_off("quick_exit"):
        atexit.register(_leave)  # registered first, so called last
    if is_process:  # torch's threads cost more than they save in small arrays
        os.environ.setdefault("OMP_NUM_THREADS", "1")
    if is_process and not sys.warnoptions:  # warnings would break the bar
        warnings.simplefilter("ignore")
        os.environ["PYTHONWARNINGS"] = "ignore"
    for stream in (sys.stdout, sys.stderr):  # replace characters that cannot be encoded
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        try:
            code = app(prog_name="autograder", standalone_mode=False)
        except SystemExit as done:
            code = done.code
        code = code if isinstance(code, int) else 0
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
    except BrokenPipeError:  # no reader is left; prevent Python from writing the rest
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = NOBODY_READS
    _ended_with[:] = [code]
    raise SystemExit(code)
