"""Installation: the engine's version, folder and switches, optional libraries, and extensions."""

import functools
import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from autograder.course.errors import UserError
from autograder.course.text import join_names

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from autograder.course.course_file import Exercise

PACKAGE = "attention-course-kit"
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"
MODULES: dict[str, tuple[str, ...]] = {  # by extra
    "authoring": ("jupytext", "nbformat"),
    "release": ("hatchling",),
    "nbgrader": ("nbgrader", "jupytext", "nbformat", "nh3"),
    "torch": ("torch",),
    "cluster": ("distributed", "cryptography"),
    "desk": ("starlette", "uvicorn", "python_multipart"),
    "pdf": ("typst",),
    "similar": ("copydetect",),
    "verify": ("cosmic_ray",),
}


def engine_folder() -> Path:
    return Path(__file__).parents[1]


def version() -> str:
    """Return the engine's version without importing the engine."""
    return str(sys.modules[__name__.partition(".")[0]].__version__)


def is_off(name: str) -> bool:
    """Return True if `AUTOGRADER_WITHOUT` switches an optimisation off, for a measurement."""
    return name in os.environ.get("AUTOGRADER_WITHOUT", "").split(",")


def version_of(library: str) -> str:
    """Return the version of an installed library. If it is not installed, return ""."""
    from importlib import metadata  # slow to import

    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return ""


@functools.cache
def hooks(group: str) -> "Mapping[str, EntryPoint]":
    from importlib.metadata import entry_points  # slow to import

    return {point.name: point for point in entry_points(group=group)}


def extension(group: str, name: str, what: str, extra: str) -> Any:
    """Load an object of an extension. Without `extra`, the error names the install command."""
    point = hooks(group).get(name)
    if point is not None:
        try:
            return point.load()
        except ModuleNotFoundError as error:
            if not f"{point.module}.".startswith(f"{error.name}."):
                raise
    raise UserError(
        f"{what} needs the extension {extra} (not installed). Run: {install_command(extra)}"
    )


def require(extra: str, what: str) -> None:
    """Refuse to continue if an extra is not installed. Nothing is imported."""
    if missing := missing_modules(extra):
        raise UserError(
            f"{what} needs {join_names(missing)} (not installed). Run: {install_command(extra)}"
        )
    if "nbformat" in MODULES[extra]:
        # With these libraries, the import of jsonschema takes a second more: it builds 38 grammars
        # for formats that notebooks do not use.
        for name in ("rfc3987_syntax", "isoduration"):
            sys.modules.setdefault(name, cast(ModuleType, None))


def missing_modules(extra: str) -> list[str]:
    return [name for name in MODULES[extra] if importlib.util.find_spec(name) is None]


def require_libraries(exercises: "Iterable[Exercise]") -> None:
    """Refuse to continue if a library that these exercises need is not installed."""
    for exercise in exercises:
        if exercise.needs == "torch":
            require("torch", f"The exercise {exercise.name}")


def install_command(*extras: str) -> str:
    """Return the command that installs some extras. The project is not in a package index.

    In a clone, the command installs the project again with the extras. Elsewhere, it installs only
    their libraries. torch is the build for the CPU, because other builds for Linux take gigabytes.
    """
    pip = f"{_quoted(sys.executable)} -m pip install"
    commands = [f"{pip} torch --index-url {CPU_BUILDS}"] if "torch" in extras else []
    others = [extra for extra in extras if extra != "torch"]
    clone = engine_folder().parent
    if others and (clone / "pyproject.toml").is_file():
        commands.append(f'{pip} -e "{clone}[{",".join(others)}]"')
    elif others:
        needed = _libraries(others) or [f"{PACKAGE}[{','.join(others)}]"]
        commands.append(f"{pip} {' '.join(map(_quoted, needed))}")
    return " && ".join(commands)


def _libraries(extras: Iterable[str]) -> list[str]:
    from importlib.metadata import requires

    from packaging.requirements import Requirement

    names: list[str] = []
    lines = [Requirement(line) for line in requires(PACKAGE) or []]
    optional = [line for line in lines if line.marker and not line.marker.evaluate({"extra": ""})]
    for extra in extras:
        for line in optional:
            if line.marker and line.marker.evaluate({"extra": extra}):
                own = line.name == PACKAGE
                names += _libraries(line.extras) if own else [f"{line.name}{line.specifier}"]
    return list(dict.fromkeys(names))


def _quoted(text: str) -> str:
    return f'"{text}"' if re.search(r"[\s<>=[]", text) else text
