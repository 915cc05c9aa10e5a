"""`autograder doctor`, `completion` and `schema`: the state of this installation."""

import json
import platform

import click
import msgspec
from click.shell_completion import get_completion_class

from autograder.classroom.judge_pool import WORKER_MEMORY, workers_here
from autograder.course.course_file import CourseFile
from autograder.course.installation import install_command, version_of
from autograder.course.text import several
from autograder.report.model import Report
from autograder.sandbox.levels import LEVELS, why_not
from autograder.worker.confinement import LAYERS

# Libraries that submissions may import; their package and module names are the same.
OFFERED = ("numpy", "matplotlib", "torch", "scipy", "pandas", "seaborn", "einops")
ABOUT = {
    "full": "namespaces, private root, landlock, seccomp, limits",
    "landlock": "landlock, seccomp, limits (containers that refuse namespaces)",
    "no-open": "seccomp that opens no file, limits (kernels without landlock)",
}
ADVICE = {  # by a word in the error message
    "libseccomp": "Install the system's libseccomp (Debian, Ubuntu: libseccomp2).",
    "pyseccomp": "Install the package: pip install pyseccomp landlockpy",
    "landlockpy": "Install the package: pip install pyseccomp landlockpy",
    "unshare": (
        "The system refuses user namespaces. The cause is often a container or a sysctl setting."
    ),
    "mount": "The system refuses mounts in a user namespace. The cause is often a container.",
}


@click.command()
def doctor() -> None:
    """Show how submissions can be confined on this machine, and why other levels do not work."""
    click.echo(f"Python {platform.python_version()} on {platform.platform()}")
    working = [level for level in LEVELS if not why_not(level)]
    for level in LEVELS:
        sign, colour = ("✓", "green") if level in working else ("✗", "red")
        click.echo(f"{click.style(f'  {sign} {level:<9}', fg=colour)} {ABOUT[level]}")
        if reason := why_not(level):
            advice = [text for word, text in ADVICE.items() if word in reason.lower()]
            for line in (reason, *advice):
                click.echo(f"              {line}")
    if working:
        layers = ", ".join(LAYERS[working[0]])
        click.echo(f"grade confines submissions with: {working[0]} ({layers}).")
    else:
        click.echo(
            "No level works here, so `grade` refuses submissions. --own-code grades code that you "
            "wrote."
        )
    click.echo(
        f"grade uses {several(workers_here(), 'worker')} here: at most one per core, so that each "
        f"worker has {WORKER_MEMORY / 2**30:.1f} GB of memory."
    )
    versions = {name: version_of(name) for name in OFFERED}  # without importing the libraries
    here = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    click.echo(f"Submissions can import Python's own modules and: {here}.")
    away = [name for name, version in versions.items() if not version]
    if away:
        click.echo(f"Not installed here: {', '.join(away)}. Code that uses them gets no points.")
        click.echo(f"To install them: {install_command('students', 'torch')}")
    if not {"full", "landlock"} & set(working):
        click.echo("On the level no-open, only numpy, torch and matplotlib can be imported.")
    raise SystemExit(0 if working else 1)


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script for your shell. The script completes commands and exercises.

    bash: autograder completion bash >> ~/.bashrc

    zsh: autograder completion zsh >> ~/.zshrc

    fish: autograder completion fish > ~/.config/fish/completions/autograder.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    root = click.get_current_context().find_root().command
    click.echo(kind(root, {}, "autograder", "_AUTOGRADER_COMPLETE").source())


@click.command()
@click.argument("of", type=click.Choice(["report", "course"]), default="report")
def schema(of: str) -> None:
    """Print the JSON schema of the report, or of course.yml."""
    print(json.dumps(msgspec.json.schema(Report if of == "report" else CourseFile), indent=2))
