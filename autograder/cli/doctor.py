"""`autograder doctor`: what works on this machine, and why something does not."""

import importlib.metadata
import platform

import click

from autograder.course.installation import install_command
from autograder.sandbox.levels import LEVELS, why_not
from autograder.worker.confinement import LAYERS

# Libraries that submissions may import, as they are installed; each is imported by this name too.
OFFERED = ("numpy", "matplotlib", "torch", "scipy", "pandas", "seaborn", "einops")
ABOUT = {
    "full": "namespaces, private root, landlock, seccomp, limits",
    "landlock": "landlock, seccomp, limits (containers that refuse namespaces)",
    "no-open": "seccomp that opens no file, limits (kernels without landlock)",
}
ADVICE = (  # by a word of what the system or Python says
    ("libseccomp", "Install the system's libseccomp (Debian, Ubuntu: libseccomp2)."),
    ("pyseccomp", "Install the package: pip install pyseccomp landlockpy"),
    ("landlockpy", "Install the package: pip install pyseccomp landlockpy"),
    ("unshare", "The system refuses user namespaces: often a container's or sysctl's setting."),
    ("mount", "The system refuses mounts in a user namespace: often a container's setting."),
)


@click.command()
def doctor() -> None:
    """Say how submissions can be confined on this machine, and why not better."""
    click.echo(f"Python {platform.python_version()} on {platform.platform()}")
    working = []
    for level in LEVELS:
        reason = why_not(level)
        mark = click.style(f"  ✗ {level:<9}", fg="red")
        if not reason:
            working.append(level)
            mark = click.style(f"  ✓ {level:<9}", fg="green")
        click.echo(f"{mark} {ABOUT[level]}")
        advice = [advice for word, advice in ADVICE if word in reason.lower()]
        for line in [reason, *advice] if reason else ():
            click.echo(f"              {line}")
    if working:
        layers = ", ".join(LAYERS[working[0]])
        click.echo(f"grade confines submissions with: {working[0]} ({layers}).")
    else:
        click.echo("grade refuses others' work here; --own-code is for one's own.")
    _print_libraries()
    if not {"full", "landlock"} & set(working):
        click.echo("On the level no-open only numpy, torch and matplotlib can be imported.")
    raise SystemExit(0 if working else 1)


def installed_libraries() -> dict[str, str]:
    """Return versions by name; empty for one that is not here. Nothing is imported for that."""
    versions = {}
    for name in OFFERED:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = ""
    return versions


def _print_libraries() -> None:
    """Print which libraries submissions may import here, and how to install the others."""
    versions = installed_libraries()
    here = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    click.echo(f"Submissions can import: Python's own modules, {here}.")
    away = [name for name, version in versions.items() if not version]
    if away:
        click.echo(f"Not installed here: {', '.join(away)}. What imports and uses them gets no")
        click.echo(f"points. To have them: {install_command('students', 'torch')}")
