"""`autograder doctor`: what works on this machine, and why something does not."""

import importlib.metadata
import platform

import click

from autograder.course.installation import install_command
from autograder.sandbox.levels import LEVELS, why_not
from autograder.worker.confinement import LAYERS

# The libraries that submissions may import here, besides Python's own.


# As they are imported, and as they are installed.
OFFERED = {
    "numpy": "numpy",
    "matplotlib": "matplotlib",
    "torch": "torch",
    "scipy": "scipy",
    "pandas": "pandas",
    "seaborn": "seaborn",
    "einops": "einops",
}


def installed() -> dict[str, str]:
    """The versions by name; empty for one that is not here. Nothing is imported for that."""
    found = {}
    for name, package in OFFERED.items():
        try:
            found[name] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[name] = ""
    return found


ABOUT = {
    "full": "namespaces, private root, landlock, seccomp, limits",
    "landlock": "landlock, seccomp, limits (containers that refuse namespaces)",
    "no-open": "seccomp that opens no file, limits (kernels without landlock)",
}
ADVICE = (
    ("libseccomp", "Install the system's libseccomp (Debian, Ubuntu: libseccomp2)."),
    ("pyseccomp", "Install the package: pip install pyseccomp landlockpy"),
    ("landlockpy", "Install the package: pip install pyseccomp landlockpy"),
    ("unshare", "The system refuses user namespaces: often a container's or sysctl's setting."),
    ("mount", "The system refuses mounts in a user namespace: often a container's setting."),
)


def run() -> int:
    click.echo(f"Python {platform.python_version()} on {platform.platform()}")
    holds = False
    for level in LEVELS:
        reason = why_not(level)
        if reason:
            click.echo(click.style(f"  ✗ {level:<9}", fg="red") + f" {ABOUT[level]}")
            click.echo(f"              {reason}")
            for word, advice in ADVICE:
                if word in reason.lower():
                    click.echo(f"              {advice}")
        else:
            click.echo(click.style(f"  ✓ {level:<9}", fg="green") + f" {ABOUT[level]}")
            holds = True
    if holds:
        first = next(level for level in LEVELS if not why_not(level))
        click.echo(f"grade confines submissions with: {first} ({', '.join(LAYERS[first])}).")
    else:
        click.echo("grade refuses others' work here; --own-code is for one's own.")
    _say_libraries()
    return 0 if holds else 1


def _say_libraries() -> None:
    """Which libraries submissions may import here, and how to have those that are not here."""
    found = installed()
    here = ", ".join(f"{name} {version}" for name, version in found.items() if version)
    click.echo(f"Submissions can import: Python's own modules, {here}.")
    away = [name for name, version in found.items() if not version]
    if away:
        click.echo(f"Not installed here: {', '.join(away)}. What imports and uses them gets no")
        click.echo(f"points. To have them: {install_command('students', 'torch')}")
    if why_not("full") and why_not("landlock"):
        click.echo("On the level no-open only numpy, torch and matplotlib can be imported.")
