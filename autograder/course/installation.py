"""What a command needs that may not be installed: said in one sentence, before any work is done."""

import contextlib
import gc
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Literal, cast

from autograder.course.course_file import Exercise
from autograder.course.errors import UserError
from autograder.course.text import join_names

Extra = Literal["authoring", "nbgrader", "torch", "desk", "cluster", "pdf", "similar", "dev"]

PACKAGE = "attention-course-kit"
MODULES: dict[Extra, tuple[str, ...]] = {
    "authoring": ("jupytext", "nbformat"),
    "nbgrader": ("nbgrader", "jupytext", "nbformat"),
    "torch": ("torch",),
    "cluster": ("distributed", "cryptography"),
    "desk": ("starlette", "uvicorn", "python_multipart"),
    "pdf": ("typst",),
    "similar": ("copydetect",),
    "dev": ("cosmic_ray",),
}


def require(extra: Extra, what: str) -> None:
    """Go on only if an extra is installed; nothing is imported for that.

    Args:
        extra: its name in `pip install PACKAGE[extra]`.
        what: what needs it, as the sentence begins: "autograder build".

    Raises:
        UserError: it is not; the message names the command that installs it.
    """
    missing = _missing(extra)
    if missing:
        raise UserError(
            f"{what} needs {join_names(missing)}, not installed here. Run: {install_command(extra)}"
        )
    if "nbformat" in MODULES[extra]:
        # jsonschema makes 38 grammars as it is imported, for a second, if it finds this; they are
        # for formats that no notebook has
        sys.modules.setdefault("rfc3987_syntax", cast(ModuleType, None))


def installed(extra: Extra) -> bool:
    """Whether all of an extra is there."""
    return not _missing(extra)


def _missing(extra: Extra) -> list[str]:
    return [name for name in MODULES[extra] if importlib.util.find_spec(name) is None]


def require_libraries(exercises: Iterable[Exercise]) -> None:
    """Go on only if the libraries are installed that these exercises need.

    Raises:
        UserError: one is not; it names an exercise.
    """
    for exercise in exercises:
        if exercise.needs == "torch":
            return require("torch", f"The exercise {exercise.name}")
    return None


def install_command(*extras: Extra | Literal["students"]) -> str:
    """How to install some extras."""
    return f"pip install '{PACKAGE}[{','.join(extras)}]'"


# Imports of a process that is not done with them before its end.


@contextlib.contextmanager
def imports_that_stay() -> Iterator[None]:
    """What is imported meanwhile is no garbage: to look through it for some only takes time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
